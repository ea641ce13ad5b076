/** A driver that knows the secret and is broken or means harm: the solve fails with a reason, soon, and nothing is left running. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createClusterSolver } from '../../src/cluster/cluster-solver.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { pressureLength } from '../../src/pressure/problem.js'
import { peel } from '../cli/run.js'
import { kkt } from '../support/problems.js'
import { fakeCompiler, fakeDriver } from './fake-driver.js'
import { createStandIns } from './stand-ins.js'

const { problem } = galleryProblem('half-ball', { size: 17 })
const standIns = createStandIns()
const compiler = fakeCompiler(standIns)
const cache = join(standIns.folder, 'cache')

beforeEach(() => {
  vi.stubEnv('PEEL_MPICXX', compiler)
  vi.stubEnv('PEEL_CACHE', cache)
})
afterEach(() => vi.unstubAllEnvs())

let drivers = 0
async function solveWith(conduct: string, hello: object = {}) {
  const launcher = fakeDriver(standIns, `driver-${++drivers}`, hello, conduct)
  const solver = createClusterSolver({ ranks: 2, launcher, patience: 20 })
  const p = new Float64Array(pressureLength(problem))
  const result = await solver.solve(problem, p)
  await solver.close()
  return { ...result, p }
}

/** Steps that count upwards, the last of them converged, and then an answer. */
const claim = (answer: string) => `onSolve((id, payload) => {
  const cells = cellsOf(payload)
  frame(16, id, numbers([0, 1, 0, 0]))
  frame(16, id, numbers([1, 0, 0, 1]))
  ${answer}
})`

it.each([
  [
    'sends a SOLUTION one number short',
    claim('frame(17, id, numbers(Array(12 + cells - 1).fill(0)))'),
    /an invalid or unexpected message/,
  ],
  [
    'sends a SOLUTION one number long',
    claim('frame(17, id, numbers(Array(12 + cells + 1).fill(0)))'),
    /an invalid or unexpected message/,
  ],
  ['announces a SOLUTION of 4 GiB', claim('socket.write(header(17, id, 2 ** 32 - 1))'), /an invalid or unexpected message/],
  [
    'announces a PROGRESS of 4 GiB',
    'onSolve(id => socket.write(header(16, id, 2 ** 32 - 1)))',
    /an invalid or unexpected message/,
  ],
  ['sends a PROGRESS of one number', 'onSolve(id => frame(16, id, numbers([1])))', /an invalid or unexpected message/],
  ['announces an ERROR of 4 GiB', 'onSolve(id => socket.write(header(18, id, 2 ** 32 - 1)))', /an invalid or unexpected message/],
  ['answers another solve', 'onSolve(id => frame(16, id + 1, numbers([0, 1, 0, 0])))', /an invalid or unexpected message/],
  [
    'answers before it is asked',
    'setTimeout(() => frame(17, 1, numbers([1])), 0)',
    /an invalid or unexpected message|ended unexpectedly/,
  ],
  ['sends an ECHO for a SOLVE', 'onSolve(id => frame(3, id, Buffer.alloc(8)))', /an invalid or unexpected message/],
  [
    'sends a kind of frame that there is not',
    'onSolve(id => frame(99, id, Buffer.alloc(8)))',
    /an invalid or unexpected message/,
  ],
  ['sends no frame at all', `onSolve(() => socket.write('x'.repeat(100)))`, /an invalid or unexpected message/],
  [
    'ends within a frame',
    `onSolve(id => { socket.write(header(16, id, 32)); setTimeout(() => process.exit(0), 50) })`,
    /ended unexpectedly/,
  ],
  [
    'closes its socket and stays',
    `onSolve(() => { socket.removeAllListeners('close'); socket.destroy(); setInterval(() => {}, 1e3) })`,
    /ended/,
  ],
  ['reports a residual that is no number', 'onSolve(id => frame(16, id, numbers([0, NaN, 0, 0])))', /an impossible step/],
  ['reports a negative residual', 'onSolve(id => frame(16, id, numbers([0, -1, 0, 0])))', /an impossible step/],
  ['counts steps in fractions', 'onSolve(id => frame(16, id, numbers([0.5, 1, 0, 0])))', /an impossible step/],
  [
    'counts inner steps backwards',
    'onSolve(id => { frame(16, id, numbers([0, 1, 0, 5])); frame(16, id, numbers([1, 1, 0, 4])) })',
    /an impossible step/,
  ],
  [
    'goes on for ever',
    'onSolve(id => { let at = 0; const more = () => { frame(16, id, numbers([at++, 1, 0, 0])); setImmediate(more) }; more() })',
    /an impossible step/,
  ],
  [
    'repeats itself for ever',
    'onSolve(id => { const more = () => { frame(16, id, numbers([1, 1, 0, 0])); setImmediate(more) }; more() })',
    /an impossible step/,
  ],
  [
    'calls a NaN converged',
    claim('frame(17, id, numbers(Array(12 + cells).fill(NaN)))'),
    /convergence with a pressure that is not finite/,
  ],
  [
    'has converged and sends an ERROR',
    claim(`frame(18, id, Buffer.from('{"code":"x","message":"y"}'))`),
    /without sending a pressure/,
  ],
  ['gives up without JSON', `onSolve(id => frame(18, id, Buffer.from('{')))`, /an invalid reason/],
  ['gives up with null', `onSolve(id => frame(18, id, Buffer.from('null')))`, /an invalid reason/],
  ['gives up with a number', `onSolve(id => frame(18, id, Buffer.from('{"code":1,"message":{}}')))`, /an invalid reason/],
  [
    'gives up as an object of JavaScript would',
    `onSolve(id => frame(18, id, Buffer.from('{"code":"constructor","message":"\\\\u001b[2Jhello"}')))`,
    /failed: \[2Jhello\.$/,
  ],
])('fails when the driver %s', async (_, conduct, reason) => {
  const { status, message, residual, p } = await solveWith(conduct)
  expect(message).toMatch(reason)
  expect(message).toMatch(/^\P{Cc}+\.$/u)
  expect(status).toBe('failed')
  expect(p.every(value => value === 0)).toBe(true)
  expect(residual).toBeCloseTo(kkt(problem, p).residual, 10)
})

it.each([
  ['a billion ranks', { ranks: 1e9 }, /runs on 1000000000 ranks instead of 2.*same MPI/],
  ['one rank of two, as ranks of another MPI do', { ranks: 1 }, /runs on 1 ranks instead of 2/],
  ['ranks that are no number', { ranks: 'all' }, /greeting of the driver is invalid/],
  ['nothing', { text: '' }, /greeting of the driver is invalid/],
  ['null', { text: 'null' }, /greeting of the driver is invalid/],
  ['another protocol', { protocol: 99 }, /does not match this version of Peel \(protocol 99/],
  ['another version', { driver: 'old' }, /does not match this version of Peel .*version old/],
])('fails when the driver says of itself: %s', async (_, hello, reason) => {
  expect(await solveWith('', hello)).toMatchObject({ status: 'failed', message: expect.stringMatching(reason) })
})

it('fails when the driver does not know the secret', async () => {
  expect(await solveWith('', { token: 'guessed' })).toMatchObject({
    status: 'failed',
    message: expect.stringMatching(/ended unexpectedly/),
  })
})

it('lets nobody in who greets after Peel has given up', async () => {
  const mark = join(standIns.folder, 'welcomed')
  const launcher = fakeDriver(
    standIns,
    'late',
    {},
    `process.on('SIGTERM', () => {})
ready = new Promise(resolve => setTimeout(resolve, 1500))
welcomed = () => require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`,
  )
  const solver = createClusterSolver({ ranks: 2, launcher, patience: 0.7 })
  const { message } = await solver.solve(problem, new Float64Array(pressureLength(problem)))
  expect(message).toMatch(/did not connect/)
  expect(existsSync(mark)).toBe(false)
})

it('exits though a stranger holds a connection to its port', async () => {
  const hosts = join(standIns.folder, 'hosts')
  writeFileSync(hosts, 'localhost slots=2\n')
  const pidFile = join(standIns.folder, 'stranger')
  // The stranger outlives the driver, and says nothing.
  const stranger = `const code = 'require("node:net").connect(' + port + ', "127.0.0.1", () => console.log("connected"))'
    const ending = '; setTimeout(() => process.exit(), 100000)'
    const options = { detached: true, stdio: ['ignore', 'pipe', 'ignore'] }
    const child = require('node:child_process').spawn(process.execPath, ['-e', code + ending], options)
    require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(child.pid))
    ready = new Promise(resolve => child.stdout.once('data', resolve))`
  const launcher = fakeDriver(
    standIns,
    'with-stranger',
    {},
    `${stranger}\nonSolve(id => frame(18, id, Buffer.from('{"code":"x","message":"enough"}')))`,
  )
  const args = ['solve', 'gallery:half-ball', '--size', '16', '--solver', 'cluster', '--launcher', launcher]
  const { code, stderr } = await peel([...args, '--hosts', hosts, '--address', '127.0.0.1'], {
    env: { PEEL_MPICXX: compiler, PEEL_CACHE: cache },
  })
  // It was there all the time.
  process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL')
  expect(stderr).toMatch(/failed: enough/)
  expect(code).toBe(2)
})
