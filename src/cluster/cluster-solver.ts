/** One solve on many machines: an active-set loop around hypre's conjugate gradients with PFMG over MPI, for grids; PETSc's reduced-space
 *  Newton method with BoomerAMG for matrices without one. Peel keeps the problem, packs it in tiles, and measures the answer itself.
 *
 *  Falgout and Yang, "hypre: a Library of High Performance Preconditioners", 2002; Ashby and Falgout, "A parallel multigrid preconditioned
 *  conjugate gradient algorithm", 1996; Benson and Munson, "Flexible complementarity solvers for large-scale applications", 2006. */

import { chooseEngine, type EngineSetting } from '../machine/engine-choice.js'
import { findRuns } from '../multigrid/aggregate/load-problem.js'
import { likelyBytes } from '../multigrid/aggregate/memory-need.js'
import { isGridProblem, type Problem } from '../pressure/problem.js'
import { type OptionValues, parseOptions } from '../solvers/contract/options.js'
import type { PressureSolver, SolveOptions, SolveResult } from '../solvers/contract/solver.js'
import { createSolver, defaultSolver, type SolverEntry } from '../solvers/registry.js'
import { checkCall } from '../solvers/running/check-call.js'
import { drive, startClock } from '../solvers/running/driver.js'
import { createMachineKeeper } from '../solvers/running/machine-pool.js'
import { cellOf } from '../solvers/running/on-compiled-levels.js'
import { createAlgebraicSolver } from '../solvers/running/on-rows.js'
import { solveShifted } from '../solvers/running/with-adhesion.js'
import type { Statistics } from './frames.js'
import { createGridSubject } from './grid-subject.js'
import { createDriverLink, type DriverLink } from './link.js'
import { createRowsMethod } from './rows-method.js'

const CLUSTER = 'cluster'

const OPTIONS = {
  ranks: { type: 'number', default: 2, min: 1, max: 1_000_000, integer: true, about: 'number of processes' },
  launcher: { type: 'text', default: 'mpiexec', about: 'launcher: mpiexec of Open MPI or MPICH, or srun' },
  hosts: { type: 'text', default: '', about: 'path of a host file; empty: all ranks on this host' },
  launcherArguments: { type: 'text', default: '', about: 'additional arguments of the launcher' },
  oversubscribe: { type: 'flag', default: false, about: 'allow more ranks than slots' },
  asRoot: { type: 'flag', default: false, about: 'allow root outside containers and CI' },
  address: { type: 'text', default: '', about: 'address of this host for the others; empty: its host name' },
  patience: {
    type: 'number',
    default: 60,
    min: 0.1,
    max: 1e6,
    inScenes: true,
    about: 'seconds without a message before ranks are ended',
  },
  fallback: {
    type: 'choice',
    choices: ['none', 'local'],
    default: 'none',
    inScenes: true,
    about: 'what to do if the cluster fails',
  },
} as const

export type ClusterOptions = Partial<OptionValues<typeof OPTIONS>>

export interface ClusterSolver extends PressureSolver {
  /** Resolves when the driver has ended; `dispose` only requests it. */
  close(): Promise<void>
}

/** What the driver reports about a solve besides its result. */
export interface ClusterHooks {
  readonly onStatistics?: (statistics: Statistics) => void
  /** Called before something that takes seconds. */
  readonly say?: (what: string) => void
}

/** Starts nothing before the first solve. After a failure with the fallback "local" the cluster is left alone until `dispose`. */
export function createClusterSolver(
  options: ClusterOptions = {},
  setting: EngineSetting = {},
  { onStatistics, say }: ClusterHooks = {},
): ClusterSolver {
  const chosen = parseOptions(CLUSTER, OPTIONS, options)
  const link = createDriverLink(chosen, say)
  const keeper = createMachineKeeper()
  const engine = `ranks (${chosen.ranks})`
  const fallback = chosen.fallback === 'local' ? createFallback(setting) : undefined
  let closing: Promise<void> = Promise.resolve()
  let turn: Promise<unknown> = Promise.resolve()

  function solveGrid(problem: Problem, pressure: Float64Array, options: SolveOptions): Promise<SolveResult> {
    if (!isGridProblem(problem)) return solveRows(link, engine, onStatistics)(problem, pressure, options)
    const clock = startClock()
    const found = findRuns(problem)
    const plan = () => ({ engine: compiled(setting, found.unknowns), bytes: likelyBytes(found.unknowns) })
    return keeper.run(plan, machine => {
      const subject = createGridSubject(problem, pressure, found, { machine: machine!, link, engine, onStatistics }, options)
      return drive(subject, options, clock, unknown => cellOf(found.runs, unknown))
    })
  }

  const solver: ClusterSolver = {
    name: CLUSTER,
    separating: true,
    async solve(problem, pressure, options = {}) {
      checkCall(CLUSTER, problem, pressure, options)
      // One driver: solves take turns.
      const mine = turn.then(async () => {
        await closing
        if (fallback?.reason) return fallback.solve(problem, pressure, options)
        const result = await solveGrid(problem, pressure, options)
        return fallback && (result.status === 'failed' || result.status === 'diverged')
          ? fallback.instead(result, problem, pressure, options)
          : result
      })
      turn = mine.catch(() => {})
      return mine
    },
    dispose() {
      fallback?.dispose()
      keeper.dispose()
      closing = turn.then(() => link.close())
    },
    async close() {
      this.dispose()
      await closing
    },
  }
  return solveShifted(solver)
}

/** Tiles are packed by compiled loops, which Node always has. */
function compiled(setting: EngineSetting, unknowns: number) {
  const choice = chooseEngine(setting.engine === 'portable' ? { engine: 'wasm' } : setting, unknowns)
  return choice.compiled ? choice : ({ compiled: true, threads: 1 } as const)
}

function solveRows(link: DriverLink, engine: string, onStatistics?: ClusterHooks['onStatistics']): PressureSolver['solve'] {
  return async (problem, pressure, options = {}) => {
    const solver = createAlgebraicSolver(CLUSTER, true, createRowsMethod(link, options, onStatistics))
    return { ...(await solver.solve(problem, pressure, options)), engine }
  }
}

/** The local solver, once the cluster has failed. */
function createFallback(setting: EngineSetting) {
  let local: PressureSolver | undefined
  let reason = ''
  const solve = async (problem: Problem, pressure: Float64Array, options: SolveOptions): Promise<SolveResult> => {
    const name = defaultSolver(problem)
    if (local?.name !== name) {
      local?.dispose()
      local = createSolver(name, {}, setting)
    }
    return { ...(await local.solve(problem, pressure, options)), note: `${reason} ${name} solved it on this machine instead.` }
  }
  return {
    get reason() {
      return reason
    },
    solve,
    async instead(result: SolveResult, problem: Problem, pressure: Float64Array, options: SolveOptions) {
      reason = result.message
      return solve(problem, pressure, options)
    },
    dispose() {
      local?.dispose()
      local = undefined
      reason = ''
    },
  }
}

export const clusterSolver: SolverEntry<typeof OPTIONS> = {
  name: CLUSTER,
  title: 'one solve on many machines over MPI: hypre, and PETSc for matrices',
  separating: true,
  elsewhere: true,
  reference: 'Falgout & Yang 2002',
  options: OPTIONS,
  create: (options, setting) => createClusterSolver(parseOptions(CLUSTER, OPTIONS, options), setting),
}
