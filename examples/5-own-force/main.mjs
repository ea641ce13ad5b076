// A force of one's own in every step: a weightless drop on a spring. Its centre moves as theory says, x = x₀ cos ω t.
import { mkdir, writeFile } from 'node:fs/promises'
import { simulateScene } from 'peel'
import { createPainter, drawPicture, formatPng } from 'peel/io'

const resolution = Number(process.argv[2] ?? 40)
const omega = 2 * Math.PI // rad/s: once to and fro in a second
const anchor = [0.5, 0.5, 0.5] // m

/** Acceleration in m/s² at a place (m) and a time (s). */
function spring(x, y, z, _time) {
  return [x, y, z].map((place, axis) => -omega * omega * (place - anchor[axis]))
}

const scene = {
  version: 1,
  domain: { size: [1, 1, 1], resolution },
  gravity: [0, 0, 0],
  liquid: [{ shape: 'sphere', centre: [0.75, 0.5, 0.5], radius: 0.15 }],
  time: { fps: 48 },
}
const simulation = await simulateScene({ scene }, { force: spring })
const painter = await createPainter()

/** Mean x of all particles, m. */
function centre() {
  const { position } = simulation.capture({ particles: true }).particles
  let sum = 0
  for (let at = 0; at < position.length; at += 3) sum += position[at]
  return sum / (position.length / 3)
}

const start = centre() - anchor[0]
console.log('time    centre   theory')
while (simulation.time < 0.75) {
  await simulation.advance()
  if (simulation.frame % 6 !== 0) continue
  const theory = anchor[0] + start * Math.cos(omega * simulation.time)
  console.log(`${simulation.time.toFixed(3)} s ${centre().toFixed(3)} m  ${theory.toFixed(3)} m`)
}
await mkdir('out', { recursive: true })
await writeFile('out/drop.png', formatPng(drawPicture(painter, simulation.capture(), { size: 480, samples: 2, time: true })))
console.log('out/drop.png shows the drop at the end')
painter.dispose()
simulation.dispose()
