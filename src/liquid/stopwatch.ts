/** Wall time by stage. */

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
  'mend',
  'emit',
] as const
export type Stage = (typeof STAGES)[number]
export type StageSeconds = Readonly<Record<Stage, number>>

export interface Stopwatch {
  /** Time from here on belongs to a stage, until another begins or `pause`. */
  begin(stage: Stage): void
  /** Time from here on belongs to nobody. */
  pause(): void
  /** Seconds since `begin` was called first; starts over. */
  read(): StageSeconds
}

export function createStopwatch(): Stopwatch {
  let seconds = noTime()
  let running: Stage | undefined
  let since = 0
  const stop = () => {
    const now = performance.now()
    if (running) seconds[running] += (now - since) / 1000
    since = now
  }
  return {
    begin(stage) {
      stop()
      running = stage
    },
    pause() {
      stop()
      running = undefined
    },
    read() {
      stop()
      running = undefined
      const result = seconds
      seconds = noTime()
      return result
    },
  }
}

function noTime(): Record<Stage, number> {
  return Object.fromEntries(STAGES.map(stage => [stage, 0])) as Record<Stage, number>
}
