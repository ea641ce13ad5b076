/** The solvers that have to hold out, each as it comes by default. */
import type { EngineSetting } from '../../src/machine/engine-choice.js'
import type { PressureSolver } from '../../src/solvers/contract/solver.js'

export type CreateSolver = (name: string, options?: Readonly<Record<string, unknown>>, setting?: EngineSetting) => PressureSolver

export interface Configuration {
  readonly name: string
  readonly sticking: boolean
  readonly needsGrid: boolean
  /** Enough for what converges at all, little enough for thousands of problems. */
  readonly maxIterations: number
  create(createSolver: CreateSolver): PressureSolver
}

export const DEFAULT = 'nas-mgpcg'

interface Traits {
  readonly grid?: boolean
  readonly sticking?: boolean
  readonly most: number
  readonly options?: Readonly<Record<string, unknown>>
  readonly setting?: EngineSetting
}

function configuration(
  name: string,
  solver: string,
  { grid = false, sticking = false, most, options, setting }: Traits,
): Configuration {
  return {
    name,
    sticking,
    needsGrid: grid,
    maxIterations: most,
    create: createSolver => createSolver(solver, options, setting),
  }
}

export const CONFIGURATIONS: readonly Configuration[] = [
  configuration(DEFAULT, 'nas-mgpcg', { grid: true, most: 2000, setting: { engine: 'wasm' } }),
  configuration('nas-mgpcg double', 'nas-mgpcg', {
    grid: true,
    most: 2000,
    options: { precision: 'double' },
    setting: { engine: 'wasm' },
  }),
  configuration('nas-mgpcg portable', 'nas-mgpcg', { grid: true, most: 2000, setting: { engine: 'portable' } }),
  configuration('fas-mg', 'fas-mg', { grid: true, most: 1000 }),
  configuration('pi-mg', 'pi-mg', { grid: true, most: 1000 }),
  configuration('pe-mg', 'pe-mg', { grid: true, most: 1000 }),
  configuration('cm-multigrid', 'cm-multigrid', { grid: true, most: 2000 }),
  configuration('pi-pcg', 'pi-pcg', { most: 20_000 }),
  configuration('pe-pcg', 'pe-pcg', { most: 20_000 }),
  configuration('minmap-newton', 'minmap-newton', { most: 20_000 }),
  configuration('mprgp', 'mprgp', { most: 20_000 }),
  configuration('psor', 'psor', { most: 20_000 }),
  configuration('mgpcg', 'mgpcg', { grid: true, sticking: true, most: 1000 }),
  configuration('mic-pcg', 'mic-pcg', { sticking: true, most: 20_000 }),
]
