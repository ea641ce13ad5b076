/** Records of substeps and frames: plain data for progress lines, statistics and reports. */
import { checkObject, listOf, objectWith, optional } from '../checks.js'
import type { Vector } from '../scene/setting.js'
import type { IterationRecord, SolveResult, Status } from '../solvers/contract/solver.js'
import type { WallForces } from './boundary/force-record.js'
import type { StageSeconds } from './stopwatch.js'
import type { Travel } from './time-step.js'

export interface SubstepRecord {
  /** Seconds. */
  readonly dt: number
  readonly travel: Travel
  /** Why it crosses more cells than `cfl` allows; absent if it does not. */
  readonly limited?: 'maxSubsteps'
  readonly forces: WallForces
  readonly solve: SolveSummary
  /** Wall time. */
  readonly seconds: StageSeconds
}

export interface SolveSummary {
  readonly status: Status
  readonly message: string
  readonly note?: string
  readonly iterations: number
  /** 1/s. */
  readonly residual: number
  readonly pinned: number
  readonly unknowns: number
  readonly engine: string
  readonly history: readonly IterationRecord[]
}

export function summaryOf(result: SolveResult): SolveSummary {
  const { status, message, note, iterations, residual, pinned, unknowns, engine, history } = result
  return { status, message, note, iterations, residual, pinned, unknowns, engine, history }
}

/** Of all liquid at the end of a frame: of its particles and, by cells, of deep liquid. Momentum and energy are of the middle of the last
 *  substep, as velocities of particles are. */
export interface LiquidTotals {
  /** kg m/s, or kg/s in 2D, per metre of depth; z is 0 in 2D. */
  readonly momentum: Vector
  /** About the middle of the domain, kg m²/s, or kg m/s in 2D, where only z is not 0. */
  readonly angularMomentum: Vector
  readonly energy: LiquidEnergy
  /** By the number of particles, in m³ (m² in 2D). */
  readonly particleVolume: number
  /** The part of it in drops and sheets thinner than a cell, which a surface shows badly or not at all. */
  readonly thinVolume: number
}

/** J, or J/m in 2D. */
export interface LiquidEnergy {
  readonly kinetic: number
  /** The part of the kinetic energy that the grid does not resolve: of motion relative to the mean of the particles of each cell. */
  readonly noise: number
  /** By the gravity at the end of the frame, 0 at the lower corner of the domain. A force of the caller's own is not included. */
  readonly potential: number
}

export interface FrameRecord extends LiquidTotals {
  readonly index: number
  readonly time: number
  readonly substeps: readonly SubstepRecord[]
  /** Number of substeps that cross more cells than `cfl` allows. */
  readonly limitedSubsteps: number
  /** Largest of all substeps. */
  readonly travel: Travel
  /** The last solve of the correction of density and volume at the end of the frame, if there was one, with the iterations of all of them. */
  readonly correction?: SolveSummary
  /** Volume inside the surface, in m³ (m² in 2D), and its expected value: at the start, plus inflow, minus outflow. */
  readonly volume: number
  readonly expectedVolume: number
  readonly particles: number
  /** Particles added by sources, and removed by drains and open sides. */
  readonly added: number
  readonly removed: number
  /** Particles seeded where deep liquid came near the surface, minus those that became deep liquid. */
  readonly exchanged: number
  /** m/s, on faces of liquid cells. */
  readonly largestSpeed: number
  /** Mean of its substeps. */
  readonly forces: WallForces
}

/** Whether a solve could not be run at all, which makes the frame meaningless. */
export function hasFailed(record: FrameRecord): boolean {
  return record.substeps.some(({ solve }) => solve.status === 'failed')
}

/** All solves of a frame, in order. */
export function solvesOf(record: FrameRecord): SolveSummary[] {
  objectWith({ substeps: listOf(objectWith({ solve: checkObject })), correction: optional(checkObject) })(
    record,
    'The record of a frame',
  )
  const solves = record.substeps.map(({ solve }) => solve)
  return record.correction ? [...solves, record.correction] : solves
}

/** Whether all solves of a frame converged. */
export function hasConverged(record: FrameRecord): boolean {
  return solvesOf(record).every(({ status }) => status === 'converged')
}
