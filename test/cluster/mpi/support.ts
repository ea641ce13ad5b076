/** What tests with real ranks share: solvers that are closed in the end, and a look at the list of processes. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'
import { cacheFolder } from '../../../src/cluster/build-driver.js'
import { type ClusterOptions, type ClusterSolver, createClusterSolver } from '../../../src/cluster/cluster-solver.js'
import type { Statistics } from '../../../src/cluster/frames.js'
import { type Problem, pressureLength } from '../../../src/pressure/problem.js'

export const hasPetsc = spawnSync('pkg-config', ['--exists', 'PETSc']).status === 0

/** A solver that is closed when the file is through; the machine may have fewer cores than ranks. */
export function openSolver(options: ClusterOptions = {}, onStatistics?: (statistics: Statistics) => void): ClusterSolver {
  const solver = createClusterSolver({ oversubscribe: true, ...options }, {}, { onStatistics })
  afterAll(() => solver.close())
  return solver
}

export const zeros = (problem: Problem) => new Float64Array(pressureLength(problem))

/** In the environment of everything that this file of tests starts, also of what has lost its parent. */
const MARK = randomUUID()
process.env.PEEL_TEST_RANKS = MARK

/** Ranks of drivers that this file of tests has started, directly or not. */
export function findRanks(): number[] {
  const folder = cacheFolder()
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => isRank(pid, folder))
}

function isRank(pid: number, folder: string): boolean {
  try {
    const read = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
    const isMine = readlinkSync(`/proc/${pid}/exe`).startsWith(folder) && read('environ').includes(MARK)
    return isMine && !/^State:\s+Z/m.test(read('status'))
  } catch {
    return false
  }
}

/** Those that are new since `before`. */
export function newRanks(before: readonly number[]): number[] {
  return findRanks().filter(pid => !before.includes(pid))
}

/** Waits until none of these is left. Throws if some stay. */
export async function expectGone(ranks: readonly number[], seconds = 10): Promise<void> {
  for (let left = 20 * seconds; left > 0; left--) {
    const alive = findRanks()
    if (!ranks.some(pid => alive.includes(pid))) return
    await sleep(50)
  }
  throw new Error(`Ranks are left behind: ${ranks.filter(pid => findRanks().includes(pid)).join(', ')}`)
}
