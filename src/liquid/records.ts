/** Records of substeps and frames: plain data for progress lines, statistics and reports. */
import { checkObject, listOf, objectWith, optional } from '../checks.js'
import type { IterationRecord, SolveResult, Status } from '../solvers/contract/solver.js'
import type { StageSeconds } from './stopwatch.js'

export interface SubstepRecord {
  /** Seconds. */
  readonly dt: number
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

export interface FrameRecord {
  readonly index: number
  readonly time: number
  readonly substeps: readonly SubstepRecord[]
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
  /** J, or J/m in 2D. */
  readonly kineticEnergy: number
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
