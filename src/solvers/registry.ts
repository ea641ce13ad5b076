/** The list of solvers. A new solver is one file and one line here; the contract tests use this list. */
import { checkFunction, checkObject, checkText } from '../checks.js'
import { InputError, suggestion } from '../input-error.js'
import { checkSetting, type EngineSetting } from '../machine/engine-choice.js'
import { checkProblemShape, isGridProblem, type Problem } from '../pressure/problem.js'
import { cmMultigrid } from './cm-multigrid/cm-multigrid.js'
import type { OptionSchema } from './contract/options.js'
import type { PressureSolver } from './contract/solver.js'
import { fasMg } from './fas-mg.js'
import { mgpcg } from './mgpcg.js'
import { micPcg } from './mic-pcg.js'
import { minmapNewton } from './minmap-newton/minmap-newton.js'
import { mprgp } from './mprgp.js'
import { nasMgpcg } from './nas-mgpcg/nas-mgpcg.js'
import { peMg } from './pe-mg.js'
import { pePcg } from './pe-pcg.js'
import { piMg } from './pi-mg.js'
import { piPcg } from './pi-pcg.js'
import { psor } from './psor.js'
import { withPortable } from './running/portable-fallback.js'
import { withAdhesion } from './running/with-adhesion.js'

export interface SolverEntry<S extends OptionSchema = OptionSchema> {
  readonly name: string
  readonly title: string
  /** Whether contacts can separate; false for the "No LCP" solvers. */
  readonly separating: boolean
  /** Whether it solves grid problems only; absent: any sparse matrix, too. */
  readonly needsGrid?: boolean
  /** Whether it needs programs besides Peel, which may be absent: it has to be named, "all" leaves it out. */
  readonly elsewhere?: boolean
  readonly reference: string
  readonly options: S
  /** Solvers without compiled loops run on the portable engine, whatever the setting. */
  create(options?: Readonly<Record<string, unknown>>, setting?: EngineSetting): PressureSolver
}

const family: SolverEntry[] = [
  ...[nasMgpcg, psor, micPcg, mgpcg, cmMultigrid, fasMg, piPcg, piMg, pePcg, peMg, minmapNewton, mprgp].map(entry =>
    withAdhesion(withPortable(entry)),
  ),
]

export const solvers: readonly SolverEntry[] = family

/** Registers a solver from outside under its name, for scenes and simulations. Solvers that need more than a page
 *  offers are registered this way, so that pages do not include them. */
export function addSolver(entry: SolverEntry): void {
  checkObject(entry, 'addSolver: its argument', 'a solver entry')
  checkText(entry.name, 'addSolver: the name')
  checkObject(entry.options, `addSolver: the options of ${entry.name}`)
  checkFunction(entry.create, `addSolver: create of ${entry.name}`)
  if (added.has(entry) || family.includes(entry)) return
  added.add(entry)
  family.push(withAdhesion(entry))
}

const added = new WeakSet<SolverEntry>()

/** Of simulations, and of problems on a grid. */
export const DEFAULT_SOLVER = nasMgpcg.name

/** Used where no solver is named: multigrid needs a grid, a matrix without one gets the best algebraic method. */
export function defaultSolver(problem: Problem): string {
  checkProblemShape(problem)
  return isGridProblem(problem) ? DEFAULT_SOLVER : mprgp.name
}

/** Throws an InputError that names the nearest solver or option when there is none of that name. */
export function createSolver(name: string, options?: Readonly<Record<string, unknown>>, setting?: EngineSetting): PressureSolver {
  if (setting !== undefined) checkSetting(setting)
  return findSolver(name).create(options, setting)
}

/** Throws an InputError that names the nearest solver when there is none of that name. */
export function findSolver(name: string): SolverEntry {
  const entry = solvers.find(solver => solver.name === name)
  if (entry) return entry
  const names = solvers.map(solver => solver.name)
  throw new InputError(`Unknown solver "${String(name)}"${suggestion(name, names)}; use one of ${names.join(', ')}.`)
}
