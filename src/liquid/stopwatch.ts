/** Measures wall time by stage, and yields to the event loop from time to time. */
import { TURN_EVERY } from '../solvers/running/driver.js'

/** Keys of `seconds` in the record of a substep. */
export const STAGES = [
  'sort',
  'transfer',
  'surface',
  'solids',
  'assemble',
  'solve',
  'project',
  'extrapolate',
  'band',
  'advect',
  'correction',
  'emit',
] as const
export type StepStage = (typeof STAGES)[number]
export type StageSeconds = Readonly<Record<StepStage, number>>

export interface Stopwatch {
  /** Runs `work` and counts its wall time towards a stage, until the promise that it may return has settled. Time of stages timed within
   *  it counts towards those alone. */
  time<Result>(stage: StepStage, work: () => Result): Result
  /** Seconds by stage since the last call. */
  read(): StageSeconds
}

export function createStopwatch(): Stopwatch {
  let seconds = noTime()
  let running: StepStage | undefined
  let since = 0

  function change(to: StepStage | undefined): void {
    const now = performance.now()
    if (running) seconds[running] += (now - since) / 1000
    since = now
    running = to
  }

  return {
    time(stage, work) {
      const outer = running
      change(stage)
      let isLater = false
      try {
        const result = work()
        if (!(result instanceof Promise)) return result
        isLater = true
        return result.finally(() => change(outer)) as typeof result
      } finally {
        if (!isLater) change(outer)
      }
    },
    read() {
      change(running)
      const result = seconds
      seconds = noTime()
      return result
    },
  }
}

function noTime(): Record<StepStage, number> {
  return Object.fromEntries(STAGES.map(stage => [stage, 0])) as Record<StepStage, number>
}

/** Returns a function that yields to the event loop if the last yield was long ago, so that callers can interrupt. */
export function createTurns(): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < TURN_EVERY) return
    await new Promise(resolve => setTimeout(resolve, 0))
    last = performance.now()
  }
}
