/** One solve on many machines: an active-set loop around hypre's conjugate gradients with PFMG over MPI, for grids; PETSc's reduced-space
 *  Newton method with BoomerAMG for matrices without one. Peel keeps the problem, packs it in tiles, and measures the answer itself.
 *
 *  Falgout and Yang, «hypre: a Library of High Performance Preconditioners», 2002; Ashby and Falgout, «A parallel multigrid preconditioned
 *  conjugate gradient algorithm», 1996; Benson and Munson, «Flexible complementarity solvers for large-scale applications», 2006. */
import { findRuns, likelyBytes } from '../engine/compiled-problem.js'
import { chooseEngine, type EngineSetting } from '../engine/setting.js'
import { isGridProblem, type Problem } from '../pressure/problem.js'
import { createAlgebraicSolver } from '../solvers/algebraic.js'
import { checkCall, drive, startClock } from '../solvers/driver.js'
import { createMachineKeeper } from '../solvers/machine-keeper.js'
import { cellOf } from '../solvers/on-engine.js'
import { type OptionValues, parseOptions } from '../solvers/options.js'
import { createSolver, defaultSolver, type SolverEntry } from '../solvers/registry.js'
import type { PressureSolver, SolveOptions, SolveResult } from '../solvers/solver.js'
import type { Statistics } from './frames.js'
import { createGridSubject } from './grid-subject.js'
import { createDriverLink, type DriverLink } from './link.js'
import { createRowsMethod } from './rows-method.js'

const NAME = 'cluster'

const OPTIONS = {
  ranks: { type: 'number', default: 2, min: 1, max: 1_000_000, integer: true, about: 'processes that solve together' },
  launcher: { type: 'text', default: 'mpiexec', about: 'what starts them: mpiexec of Open MPI or MPICH, or srun' },
  hosts: { type: 'text', default: '', about: 'path of a host file; without one all ranks are on this host' },
  launcherArguments: { type: 'text', default: '', about: 'further arguments of the launcher' },
  oversubscribe: { type: 'flag', default: false, about: 'more ranks than slots' },
  asRoot: { type: 'flag', default: false, about: 'start as root also outside of containers and CI' },
  address: { type: 'text', default: '', about: 'of this host for the others; its host name if empty' },
  patience: { type: 'number', default: 60, min: 0.1, max: 1e6, about: 'seconds without a sign of life before ranks are ended' },
  fallback: { type: 'choice', choices: ['none', 'local'], default: 'none', about: 'what to do when the cluster fails' },
} as const

export type ClusterOptions = Partial<OptionValues<typeof OPTIONS>>

export interface ClusterSolver extends PressureSolver {
  /** Resolves when the driver has ended; `dispose` only asks for it. */
  close(): Promise<void>
}

/** What the driver tells of a solve besides its result. */
export interface ClusterHooks {
  readonly onStatistics?: (statistics: Statistics) => void
  /** Before something that takes seconds. */
  readonly say?: (what: string) => void
}

/** Starts nothing before the first solve. After a failure with the fallback «local» the cluster is left alone until `dispose`. */
export function createClusterSolver(
  options: ClusterOptions = {},
  setting: EngineSetting = {},
  { onStatistics, say }: ClusterHooks = {},
): ClusterSolver {
  const chosen = parseOptions(NAME, OPTIONS, options)
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
    return keeper.run(
      () => compiled(setting, found.unknowns),
      machine => {
        const subject = createGridSubject(problem, pressure, found, { machine: machine!, link, engine, onStatistics }, options)
        return drive(subject, options, clock, unknown => cellOf(found.runs, unknown))
      },
      likelyBytes(found.unknowns),
    )
  }

  return {
    name: NAME,
    separating: true,
    async solve(problem, pressure, options = {}) {
      checkCall(NAME, problem, pressure, options)
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
}

/** Tiles are packed by compiled loops, which Node always has. */
function compiled(setting: EngineSetting, unknowns: number) {
  const choice = chooseEngine(setting.engine === 'portable' ? { engine: 'wasm' } : setting, unknowns)
  return choice.compiled ? choice : ({ compiled: true, threads: 1 } as const)
}

function solveRows(link: DriverLink, engine: string, onStatistics?: ClusterHooks['onStatistics']): PressureSolver['solve'] {
  return async (problem, pressure, options = {}) => {
    const solver = createAlgebraicSolver(NAME, true, createRowsMethod(link, options, onStatistics))
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
  name: NAME,
  title: 'one solve on many machines over MPI: hypre, and PETSc for matrices',
  separating: true,
  elsewhere: true,
  reference: 'Falgout & Yang 2002',
  options: OPTIONS,
  create: (options, setting) => createClusterSolver(parseOptions(NAME, OPTIONS, options), setting),
}
