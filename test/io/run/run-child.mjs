// Writes frames to a run for ever, or until it is killed: node run-child.mjs FOLDER new|resume [threaded]. Says on stdout how far it has
// come.
import { createGrid } from '../../../dist/index.js'
import { createRun, openRun } from '../../../dist/io/index.js'

const [folder, mode, writer] = process.argv.slice(2)
const threaded = writer === 'threaded'
const grid = createGrid([24, 24, 24], 0.1)
const about = {
  scene: { name: 'tank' },
  seed: 7,
  versions: { peel: '0.1.0', scene: 1 },
  engine: 'portable',
  checkpointEvery: 5,
  threaded,
}

const { run, resume } =
  mode === 'new' ? { run: await createRun(folder, about) } : await openRun(folder, { expected: about, threaded })
let state = resume ? resume.checkpoint.arrays.get('state') : new Float64Array(200_000)
process.stdout.write(`open ${resume?.frame ?? -1}\n`)
for (let index = (resume?.frame ?? -1) + 1; ; index++) {
  state = state.map((value, at) => Math.sin(value + at + index))
  const frame = {
    grid,
    index,
    time: index / 24,
    liquid: new Float32Array(grid.cells).fill(index),
    solid: new Float32Array(25 ** 3).fill(-index),
    particles: { position: new Float32Array(30_000).fill(index), velocity: new Float32Array(30_000) },
  }
  await run.keep({
    frame,
    stats: { sum: state[0] },
    checkpoint: { header: { index }, arrays: new Map([['state', state.slice()]]) },
  })
  process.stdout.write(`kept ${index}\n`)
}
