/** A Peel that is killed leaves no ranks behind, idle or at work. */
import { spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { root } from '../../cli/run.js'
import { createStandIns } from '../stand-ins.js'
import { expectGone, findRanks, newRanks } from './support.js'

const standIns = createStandIns()

/** Says "solving" after the first outer step, "idle" after the solve, and then waits to be killed. */
const program = standIns.script(
  'parent.mjs',
  `import { createClusterSolver } from '${pathToFileURL(root)}dist/cluster/index.js'
import { galleryProblem } from '${pathToFileURL(root)}dist/index.js'
const { problem } = galleryProblem('half-ball', { size: Number(process.argv[2]), dims: 3 })
const solver = createClusterSolver({ ranks: 2, oversubscribe: true })
const result = await solver.solve(problem, new Float64Array(problem.grid.cells), {
  tolerance: 1e-9,
  monitor: ({ outer }) => outer === 1 && console.log('solving'),
})
console.log(result.status === 'converged' ? 'idle' : result.message)
if (process.argv[3] === 'wait') setInterval(() => {}, 1000)
`,
)

function startParent(...args: string[]) {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  const ended = new Promise<number | null>(resolve => child.once('close', resolve))
  const said = (word: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => text.includes(word) && resolve()
      child.stdout.on('data', look)
      ended.then(() => reject(new Error(`ended before "${word}": ${text}`)))
      look()
    })
  child.stdout.on('data', data => {
    text += data
  })
  return { child, ended, said }
}

it.each([
  ['solving', '64'],
  ['idle', '16'],
])('when it is killed while it is %s', async (state, size) => {
  const before = findRanks()
  const { child, said, ended } = startParent(size, 'wait')
  await said(state)
  const ranks = newRanks(before)
  expect(ranks).toHaveLength(2)
  child.kill('SIGKILL')
  await ended
  await expectGone(ranks)
})

it('when it is killed while one of its ranks hangs', async () => {
  const before = findRanks()
  const { child, said, ended } = startParent('64', 'wait')
  await said('solving')
  const ranks = newRanks(before)
  // The launcher starts rank 0 first, which talks to us; another one hangs.
  process.kill(Math.max(...ranks), 'SIGSTOP')
  child.kill('SIGKILL')
  await ended
  await expectGone(ranks, 30)
})

it('ends by itself, with its ranks, when a program forgets to dispose', async () => {
  const before = findRanks()
  const { ended } = startParent('16')
  expect(await ended).toBe(0)
  await expectGone(newRanks(before))
})
