// Peel as a contender: simulates a scene and prints one line of JSON. Arguments: scene, what to change in it as JSON, frames, threads, and
// the run directory to keep frames in, as `peel run` does; nothing is kept without.
import { simulateScene } from 'peel'
import { createRun, loadScene, runFrames } from 'peel/io'

const [name, changes, frames, threads, folder] = process.argv.slice(2)
const loaded = await loadScene(name, [...JSON.parse(changes), ['time.frames', Number(frames)]])
const { scene, hashes } = loaded
const writer = folder && (await createRun(folder, runSettings()))
const simulation = await simulateScene(loaded, { threads: Number(threads) })
const stamps = []
const stamp = () => stamps.push({ time: Date.now() / 1000, clock: performance.now() / 1000, cpu: cpuSeconds() })
let substeps = 0

if (!writer) stamp()
await runFrames(simulation, {
  frames: Number(frames),
  writer: writer && { ...writer, keep: moment => writer.keep(moment).then(stamp) },
  keep: writer ? scene.output.keep : [],
  stopOnFail: false,
  onFrame: record => {
    substeps += record.substeps.length
    if (!writer) stamp()
  },
})
const peakMb = (process.resourceUsage().maxRSS * 1024) / 1e6
const [first, last] = [stamps[0], stamps[stamps.length - 1]]
process.stdout.write(
  `${JSON.stringify({
    ready: first.time,
    wall: (last.clock - first.clock) / Number(frames),
    cpu: (last.cpu - first.cpu) / Number(frames),
    substeps: substeps / Number(frames),
    particles: simulation.particles,
    height: heightAtWall(simulation),
    peakMb,
  })}\n`,
)
simulation.dispose()
await writer?.close()

/** As JSON has it: without keys that are undefined. */
function runSettings() {
  const { seed, solver, output } = scene
  const plain = JSON.parse(JSON.stringify(scene))
  const versions = { peel: 'bench', scene: scene.version }
  const { checkpointEvery } = output
  return { scene: plain, meshes: hashes, seed, versions, engine: solver.engine, checkpointEvery, threaded: true }
}

function cpuSeconds() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** m: the highest particle within two cells of the wall x = 0, for every row of cells along it; their mean. */
function heightAtWall({ grid, capture }) {
  const { position } = capture({ particles: true }).particles
  const { shape, spacing } = grid
  const tops = new Float64Array(shape[2])
  for (let at = 0; at < position.length; at += 3) {
    if (position[at] >= 2 * spacing) continue
    const row = Math.min(shape[2] - 1, Math.max(0, Math.floor(position[at + 2] / spacing)))
    tops[row] = Math.max(tops[row], position[at + 1])
  }
  return tops.reduce((sum, top) => sum + top, 0) / tops.length
}
