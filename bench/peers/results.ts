/** What a comparison with native peers has measured, as plain data, and the few statistics that are drawn from it. */
import type { FineSweep } from 'peel/solvers'

/** One solve. Seconds; a number that is not finite travels as null in JSON. */
export interface Round {
  /** Copying the system into the matrix of a library: not counted in `wall`; 0 for Peel, whose set-up begins with the system. */
  readonly fill: number
  readonly setup: number
  readonly solve: number
  /** Set-up and solve. */
  readonly wall: number
  /** Of the process or of all ranks together, waiting in a spin included. */
  readonly cpu: number
  readonly outer: number
  readonly iterations: number
  /** Largest natural residual, 1/s, recomputed in f64 after the clock has stopped. */
  readonly residual: number | null
  /** Largest resident memory of the process or of all ranks together so far, in MB. */
  readonly peakMb: number
  /** What was out of the ordinary. */
  readonly note?: string
}

/** `linear`: sticking walls. `lcp`: separating walls. */
export type System = 'linear' | 'lcp'

export const PEEL = 'peel'

/** One contender on one system. Rounds with the same index were run next to each other. */
export interface Entry {
  readonly problem: string
  /** Cells per side. */
  readonly size: number
  readonly system: System
  readonly contender: string
  readonly threads: number
  readonly unknowns: number
  /** Resident memory when the system was loaded and nothing solved yet, in MB. */
  readonly loadedMb: number
  readonly rounds: readonly Round[]
  /** Why there are no (more) rounds. */
  readonly failure?: string
}

export interface Triad {
  /** Elements per array of 8 bytes each. */
  readonly length: number
  readonly threads: number
  readonly gigabytesPerSecond: number
}

/** Memory beside sweep: a triad on arrays as long as the unknowns, measured in the same run. */
export interface Bandwidth {
  readonly problem: string
  readonly size: number
  readonly triads: readonly Triad[]
  readonly sweeps: readonly FineSweep[]
}

export interface PeerRun {
  readonly date: string
  /** "name of the processor, 2 cores, Node v20.0.0". */
  readonly machine: string
  /** Load average when the run began. */
  readonly load: number
  /** 1/s. */
  readonly tolerance: number
  /** Options that Peel's solver was created with. */
  readonly peel: Readonly<Record<string, unknown>>
  readonly entries: readonly Entry[]
  readonly bandwidths: readonly Bandwidth[]
  /** Messages about contenders that are missing, and why. */
  readonly missing: readonly string[]
}

export function minimum(values: readonly number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity)
}

/** NaN of nothing. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Whether every round was solved to the tolerance; otherwise its time means nothing. */
export function reached({ rounds, failure }: Entry, tolerance: number): boolean {
  const good = ({ residual }: Round) => residual !== null && residual <= tolerance
  return failure === undefined && rounds.length > 0 && rounds.every(good)
}

/** How many times as long `entry` takes as `reference`: the median over rounds that were run next to each other, so that a
 *  neighbour on the machine disturbs both. undefined unless both are solved. */
export function timesAsLong(entry: Entry | undefined, reference: Entry | undefined, tolerance: number): number | undefined {
  if (!entry || !reference || !reached(entry, tolerance) || !reached(reference, tolerance)) return undefined
  const count = Math.min(entry.rounds.length, reference.rounds.length)
  return median(Array.from({ length: count }, (_, at) => entry.rounds[at].wall / reference.rounds[at].wall))
}

export function peakMb({ rounds }: Entry): number {
  return rounds.reduce((most, round) => Math.max(most, round.peakMb), 0)
}
