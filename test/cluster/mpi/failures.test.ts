/** Everything that can happen to a driver while it solves ends as a status with its reason, and leaves no process behind. */
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ClusterOptions } from '../../../src/cluster/cluster-solver.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { SolveResult } from '../../../src/solvers/contract/solver.js'
import { kkt } from '../../support/problems.js'
import { expectGone, findRanks, newRanks, openSolver, zeros } from './support.js'

const { problem } = galleryProblem('half-ball', { size: 40, dims: 3 })
const parentOf = (pid: number) => Number(/^PPid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])

let before: number[]
beforeEach(() => {
  before = findRanks()
})
afterEach(() => expectGone(newRanks(before)))

/** So small that a solve is still under way when the test acts, however busy the machine is. */
const UNREACHABLE = 1e-14

/** Solves, and does something to the ranks after the first outer step of every attempt, `times` times at most. */
async function solveWhile(act: (ranks: number[]) => void, times: number, options: ClusterOptions = {}, tolerance = 1e-6) {
  const solver = openSolver({ ranks: 2, ...options })
  const p = zeros(problem)
  let acts = 0
  const seen = new Set<number>()
  const result = await solver.solve(problem, p, {
    tolerance,
    monitor({ outer }) {
      const ranks = newRanks(before).filter(pid => !seen.has(pid))
      if (outer === 0 || ranks.length === 0 || acts === times) return
      for (const pid of ranks) seen.add(pid)
      acts++
      act(ranks)
    },
  })
  const again = await solver.solve(problem, zeros(problem))
  await solver.close()
  return { result, p, acts, again }
}

const signalLast = (signal: NodeJS.Signals) => (ranks: number[]) => void process.kill(ranks[ranks.length - 1], signal)

function expectFailure(result: SolveResult, reason: RegExp): void {
  expect(result.status).toBe('failed')
  expect(result.message).toMatch(reason)
  expect(result.residual).toBeCloseTo(kkt(problem, zeros(problem)).residual, 10)
}

it('starts once more when a rank was killed, and solves', async () => {
  const { result, p, acts } = await solveWhile(signalLast('SIGKILL'), 1)
  expect(acts).toBe(1)
  expect(result.status).toBe('converged')
  expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-6)
  result.history.slice(1).forEach((record, at) => {
    expect(record.iteration).toBeGreaterThanOrEqual(result.history[at].iteration)
  })
})

it('says that a rank was killed when it happens again, and can be used afterwards', async () => {
  const { result, acts, again } = await solveWhile(signalLast('SIGKILL'), 2, {}, UNREACHABLE)
  expect(acts).toBe(2)
  expectFailure(result, /A solver process was killed \(often: out of memory\)/)
  expect(again.status).toBe('converged')
})

it('does not try again when a rank crashed', async () => {
  const { result, acts, again } = await solveWhile(signalLast('SIGSEGV'), 2, {}, UNREACHABLE)
  expect(acts).toBe(1)
  expectFailure(result, /A solver process crashed \(exit code 139\); its last output: ".*"/)
  expect(again.status).toBe('converged')
})

it('ends a driver that gives no sign of life', async () => {
  const { result, again } = await solveWhile(signalLast('SIGSTOP'), 1, { patience: 5 }, UNREACHABLE)
  expectFailure(result, /sent no message for \d+ s/)
  expect(again.status).toBe('converged')
})

it('ends a driver that takes nothing any more', async () => {
  const solver = openSolver({ ranks: 2, patience: 5 })
  await solver.solve(problem, zeros(problem), { maxIterations: 1 })
  for (const pid of newRanks(before)) process.kill(pid, 'SIGSTOP')
  expectFailure(await solver.solve(problem, zeros(problem)), /sent no message for \d+ s/)
  await solver.close()
})

it('notices when the launcher is killed', async () => {
  const { result } = await solveWhile(ranks => void process.kill(parentOf(ranks[0]), 'SIGKILL'), 1, {}, UNREACHABLE)
  expectFailure(result, /The launcher "mpiexec" was ended by SIGKILL/)
})

it('solves on this machine instead where that is wanted, and leaves the cluster alone from then on', async () => {
  const { result, p, again } = await solveWhile(signalLast('SIGSEGV'), 1, { fallback: 'local' })
  expect(result).toMatchObject({
    status: 'converged',
    note: expect.stringMatching(/crashed.*nas-mgpcg solved it on this machine instead/),
  })
  expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-6)
  expect(again).toMatchObject({ status: 'converged', engine: result.engine, note: result.note })
})

it('keeps the best pressure so far when it is cancelled from outside', async () => {
  const solver = openSolver({ ranks: 2 })
  const p = zeros(problem)
  const cancelling = new AbortController()
  const result = await solver.solve(problem, p, {
    signal: cancelling.signal,
    monitor: ({ outer }) => void (outer === 3 && setTimeout(() => cancelling.abort(), 0)),
  })
  expect(result.status).toBe('cancelled')
  expect(result.residual).toBeGreaterThan(1e-6)
  expect(result.residual).toBeLessThan(0.5 * kkt(problem, zeros(problem)).residual)
  expect(result.residual).toBeCloseTo(kkt(problem, p).residual, 10)
  await solver.close()
})
