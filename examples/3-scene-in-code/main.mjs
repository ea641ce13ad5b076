// A scene made by a program instead of a file: water runs through rows of pegs, as balls do in a Galton board.
import { mkdir, writeFile } from 'node:fs/promises'
import { estimateScene, hasConverged, prepareScene, simulateScene, validateScene } from 'peel'
import { createPainter, drawPicture, formatPng } from 'peel/io'

const resolution = Number(process.argv[2] ?? 96) // cells along the longest side
const frames = Number(process.argv[3] ?? 13)

const pegs = []
for (let row = 0; row < 5; row++)
  for (let place = 0; place < 7 - (row % 2); place++)
    pegs.push({ shape: 'sphere', centre: [0.12 + 0.126 * (place + 0.5 * (row % 2)), 0.85 - 0.14 * row], radius: 0.022 })

// Checked at once: a mistake is an InputError that names the key.
const scene = validateScene({
  version: 1,
  title: 'Galton board',
  domain: { size: [1, 1.4], resolution },
  liquid: [{ shape: 'box', min: [0.3, 1], max: [0.7, 1.35] }],
  solids: pegs,
  time: { fps: 24, frames },
})
const { cells, particles } = estimateScene(scene, prepareScene(scene))
console.log(`${pegs.length} pegs, ${cells} cells, about ${Math.round(particles)} particles`)

const simulation = await simulateScene({ scene })
const painter = await createPainter()
while (simulation.frame < frames) {
  const record = await simulation.advance()
  if (!hasConverged(record)) console.log(`frame ${record.index}: a pressure solve did not converge`)
  if (record.index % 3 === 0)
    console.log(`${record.time.toFixed(2)} s: ${record.largestSpeed.toFixed(2)} m/s, volume ${record.volume.toFixed(4)} m²`)
}
const frame = simulation.capture({ fields: true }) // with its pressure, which shows where liquid lets go
await mkdir('out', { recursive: true })
await writeFile('out/board.png', formatPng(drawPicture(painter, frame, { size: 700, time: true })))
console.log('out/board.png shows the last frame')
painter.dispose()
simulation.dispose()
