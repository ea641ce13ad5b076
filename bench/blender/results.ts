/** Results of a comparison with Blender as plain data, and Peel's goals for it. */
import { type Goal, goalAtLeast } from '../peers/goals.js'
import { median } from '../peers/results.js'

/** `peel` keeps its frames in a run directory, as Blender does in its cache. */
export const CONTENDERS = ['peel', 'peel, nothing kept', 'blender'] as const
export type Contender = (typeof CONTENDERS)[number]

/** One simulation in a process of its own. */
export interface SceneRound {
  /** From the start of the process to the moment at which frame 0 is kept, in s. */
  readonly setup: number
  /** Wall time per frame after that, in s. */
  readonly wall: number
  /** CPU time per frame, of all threads together, in s. */
  readonly cpu: number
  /** Substeps per frame; null if unknown. */
  readonly substeps: number | null
  /** At the end. */
  readonly particles: number
  /** Final height of the liquid at the wall where the column stood, in m. */
  readonly height: number
  /** Largest resident memory, in MB. */
  readonly peakMb: number
}

/** Rounds with the same index were run next to each other. */
export interface SceneEntry {
  /** Cells per side. */
  readonly size: number
  readonly contender: Contender
  readonly rounds: readonly SceneRound[]
  /** Why there are no (more) rounds. */
  readonly failure?: string
}

export interface SceneRun {
  readonly date: string
  readonly machine: string
  /** "Blender 3.4.1". */
  readonly blender: string
  /** Load average when the run began. */
  readonly load: number
  readonly frames: number
  readonly threads: number
  /** Of a frame, at most. */
  readonly substeps: number
  /** Cells below the surface in which Blender keeps particles; below them it has velocities on the grid alone. */
  readonly band: number
  readonly entries: readonly SceneEntry[]
}

/** At least this many times faster than Blender, by cells per side. */
const FASTER_THAN_BLENDER: Readonly<Record<number, number>> = { 64: 5, 128: 10 }
/** Largest relative difference in height of the two liquids; above it they have not simulated the same thing. */
const SAME_HEIGHT = 0.1

export const medianOf = ({ rounds }: SceneEntry, pick: (round: SceneRound) => number): number => median(rounds.map(pick))

export function entryOf({ entries }: SceneRun, size: number, contender: Contender): SceneEntry | undefined {
  return entries.find(entry => entry.size === size && entry.contender === contender)
}

/** How many times as long `entry` takes as Peel with files kept: the median over rounds that were run next to each other. undefined if one
 *  of them failed. */
export function timesAsLongAsPeel(
  run: SceneRun,
  entry: SceneEntry | undefined,
  pick: (round: SceneRound) => number,
): number | undefined {
  const peel = entry && entryOf(run, entry.size, 'peel')
  if (!entry || !peel || entry.failure !== undefined || peel.failure !== undefined) return undefined
  const count = Math.min(entry.rounds.length, peel.rounds.length)
  return count === 0
    ? undefined
    : median(Array.from({ length: count }, (_, at) => pick(entry.rounds[at]) / pick(peel.rounds[at])))
}

export function blenderGoals(run: SceneRun): Goal[] {
  return sizesOf(run).flatMap(size => {
    const wanted = FASTER_THAN_BLENDER[size]
    if (wanted === undefined) return []
    const value = timesAsLongAsPeel(run, entryOf(run, size, 'blender'), ({ wall }) => wall)
    return [goalAtLeast({ what: 'frames, times faster than Blender', problem: 'dam break', size }, wanted, value)]
  })
}

/** Messages about what went wrong. */
export function blenderNotes(run: SceneRun): string[] {
  const failures = run.entries
    .filter(({ failure }) => failure !== undefined)
    .map(({ size, contender, failure }) => `${contender} at ${size}³: ${failure}`)
  const strangers = sizesOf(run).flatMap(size => {
    const heights = (['peel', 'blender'] as const).map(contender => {
      const entry = entryOf(run, size, contender)
      return entry && medianOf(entry, ({ height }) => height)
    })
    const [ours, theirs] = heights
    if (!ours || !theirs || Math.abs(theirs / ours - 1) <= SAME_HEIGHT) return []
    return [
      `At ${size}³ the columns collapse differently: the final height is ${ours.toFixed(2)} m with Peel and ${theirs.toFixed(2)} m with Blender.`,
    ]
  })
  return [...failures, ...strangers]
}

function sizesOf({ entries }: SceneRun): number[] {
  return [...new Set(entries.map(({ size }) => size))]
}
