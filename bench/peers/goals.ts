/** Peel's goals in comparison with native solvers, and whether a run has met them. */
import { type Entry, PEEL, type PeerRun, peakMb, type System, timesAsLong } from './results.js'

/** At least this many times faster than the best native solver of the same complementarity problem, by cells per side. */
const FASTER_THAN_LCP: Readonly<Record<number, number>> = { 64: 6, 128: 10, 256: 14 }
/** With separating walls, at least this many times faster than hypre with sticking ones. */
const FASTER_THAN_LINEAR: Readonly<Record<number, number>> = { 64: 2, 128: 3, 256: 4.5 }
/** Largest cost of separating walls, relative to sticking ones. */
const SEPARATING_OVER_STICKING = 1.3
/** Two threads are at least this many times faster than one, at the size where memory is the limit. */
const TWO_THREADS = { size: 256, faster: 1.5 }
/** Peak memory stays below hypre's. */
const MEMORY_SIZE = 256

const LINEAR_PEER = 'hypre-cg'

export interface Goal {
  readonly what: string
  readonly problem: string
  readonly size: number
  readonly wanted: string
  /** undefined: not measured in this run, or not solved. */
  readonly value: number | undefined
  readonly met: boolean | undefined
  /** By which factor it is missed, above 1; undefined where it is met or not measured. */
  readonly missedBy: number | undefined
}

/** One line per goal, problem and size of the run. */
export function evaluateGoals({ entries, tolerance }: PeerRun): Goal[] {
  const places = unique(entries.map(({ problem, size }) => ({ problem, size })))
  return places.flatMap(({ problem, size }) => {
    const here = entries.filter(entry => entry.problem === problem && entry.size === size)
    const find = (contender: string, system: System, threads = 1) =>
      here.find(entry => entry.contender === contender && entry.system === system && entry.threads === threads)
    const peel = find(PEEL, 'lcp')
    const ratio = (entry: Entry | undefined, reference: Entry | undefined) => timesAsLong(entry, reference, tolerance)
    const goals: Goal[] = []
    const atLeast = (what: string, wanted: number | undefined, value: number | undefined) => {
      if (wanted !== undefined) goals.push(goalAtLeast({ what, problem, size }, wanted, value))
    }
    const atMost = (what: string, wanted: number, value: number | undefined) => {
      goals.push(judge({ what, problem, size }, `≤ ${wanted}`, value, (value ?? wanted) / wanted))
    }
    atLeast('separating, times faster than the best native solver of the same', FASTER_THAN_LCP[size], bestPeer())
    atLeast(
      'separating, times faster than hypre with sticking walls',
      FASTER_THAN_LINEAR[size],
      ratio(find(LINEAR_PEER, 'linear'), peel),
    )
    atMost('separating, time against Peel with sticking walls', SEPARATING_OVER_STICKING, ratio(peel, find(PEEL, 'linear')))
    if (size === TWO_THREADS.size)
      atLeast('separating, two threads times faster than one', TWO_THREADS.faster, ratio(peel, find(PEEL, 'lcp', 2)))
    if (size === MEMORY_SIZE) atMost("separating, peak memory against hypre's smallest", 1, memory())
    return goals

    /** Against the fastest of them, if one was solved. */
    function bestPeer(): number | undefined {
      const peers = here.filter(({ contender, system, threads }) => contender !== PEEL && system === 'lcp' && threads === 1)
      const ratios = peers.map(peer => ratio(peer, peel)).filter(value => value !== undefined)
      return ratios.length > 0 ? Math.min(...ratios) : undefined
    }

    function memory(): number | undefined {
      const hypre = here.filter(({ contender, threads }) => contender.startsWith('hypre') && threads === 1)
      const peaks = hypre.map(peakMb).filter(peak => peak > 0)
      return peel && peel.rounds.length > 0 && peaks.length > 0 ? peakMb(peel) / Math.min(...peaks) : undefined
    }
  })
}

type Aim = Pick<Goal, 'what' | 'problem' | 'size'>

export function goalAtLeast(aim: Aim, wanted: number, value: number | undefined): Goal {
  return judge(aim, `≥ ${wanted}`, value, wanted / (value ?? wanted))
}

/** `excess`: by which factor it is missed, if above 1. */
function judge(aim: Aim, wanted: string, value: number | undefined, excess: number): Goal {
  const met = value === undefined ? undefined : excess <= 1
  return { ...aim, wanted, value, met, missedBy: met === false ? excess : undefined }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Map(values.map(value => [JSON.stringify(value), value])).values()]
}
