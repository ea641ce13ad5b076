/** The family. A new solver is one file and one line here; the contract tests pick it up from this list. */
import { checkSetting, type EngineSetting } from '../engine/setting.js'
import { InputError, suggestion } from '../input-error.js'
import { isGridProblem, type Problem } from '../pressure/problem.js'
import { cmMultigrid } from './cm-multigrid.js'
import { fasMg } from './fas-mg.js'
import { mgpcg } from './mgpcg.js'
import { micPcg } from './mic-pcg.js'
import { minmapNewton } from './minmap-newton.js'
import { mprgp } from './mprgp.js'
import { nasMgpcg } from './nas-mgpcg.js'
import type { OptionSchema } from './options.js'
import { peMg } from './pe-mg.js'
import { pePcg } from './pe-pcg.js'
import { piMg } from './pi-mg.js'
import { piPcg } from './pi-pcg.js'
import { psor } from './psor.js'
import type { PressureSolver } from './solver.js'

export interface SolverEntry<S extends OptionSchema = OptionSchema> {
  readonly name: string
  readonly title: string
  /** Whether contacts may let go; false for the «No LCP» solvers. */
  readonly separating: boolean
  /** Whether it solves grid problems only; absent: any sparse matrix, too. */
  readonly needsGrid?: boolean
  /** Whether it needs programs besides Peel, which may be absent: it has to be named, «all» leaves it out. */
  readonly elsewhere?: boolean
  readonly reference: string
  readonly options: S
  /** Solvers without compiled loops run on the portable engine, whatever the setting. */
  create(options?: Readonly<Record<string, unknown>>, setting?: EngineSetting): PressureSolver
}

const family: SolverEntry[] = [nasMgpcg, psor, micPcg, mgpcg, cmMultigrid, fasMg, piPcg, piMg, pePcg, peMg, minmapNewton, mprgp]

export const solvers: readonly SolverEntry[] = family

/** Makes a solver from elsewhere one of the family, known by its name to scenes and simulations. Solvers that need more than a page can
 *  give come in this way, so that pages do not carry them. */
export function addSolver(entry: SolverEntry): void {
  if (!family.includes(entry)) family.push(entry)
}

/** Taken where no solver is named: multigrid needs a grid, a matrix without one gets the best algebraic method. */
export function defaultSolver(problem: Problem): string {
  return isGridProblem(problem) ? nasMgpcg.name : mprgp.name
}

/** Throws an InputError that names the nearest solver or option when there is none of that name. */
export function createSolver(name: string, options?: Readonly<Record<string, unknown>>, setting?: EngineSetting): PressureSolver {
  if (setting) checkSetting(setting)
  return findSolver(name).create(options, setting)
}

export function findSolver(name: string): SolverEntry {
  const entry = solvers.find(solver => solver.name === name)
  if (entry) return entry
  const names = solvers.map(solver => solver.name)
  throw new InputError(`There is no solver «${name}»${suggestion(name, names)}; the family is ${names.join(', ')}.`)
}
