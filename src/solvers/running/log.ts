/** What a solve reports about itself: history, work, times and levels, and the result that holds them. */
import type { Pocket } from '../../pressure/pockets.js'
import type { Measure } from '../../pressure/residual.js'
import type { IterationRecord, LevelSummary, SolveOptions, SolveResult } from '../contract/solver.js'
import type { Ending, Progress, Step, Subject } from './subject.js'

export interface Log {
  /** What the method reports to. */
  readonly progress: Progress
  /** Adds a step to the history and calls the monitor. */
  record(step: Step): void
  /** Number of the last iteration. */
  iteration(): number
  /** Setup ends when the levels are built; without levels, with the first step, which includes building a preconditioner. */
  endSetup(): void
  finish(ending: Ending, final: Measure, infeasible?: readonly Pocket[]): SolveResult
}

/** The history begins with the start of the subject. `cellOf` turns indices of pockets into those of the problem given. */
export function createLog(
  subject: Subject,
  clock: () => number,
  cellOf: (index: number) => number,
  monitor: SolveOptions['monitor'],
): Log {
  let touched = 0
  const perSweep = Math.max(1, subject.nonZeros)
  const history: IterationRecord[] = []
  let levels: readonly LevelSummary[] = []
  let setup: number | undefined
  const record = (step: Step) => {
    const { iteration = history.length, outer = history.length, residual, pinned } = step
    const entry = { iteration, outer, residual, pinned, work: touched / perSweep, seconds: clock() }
    history.push(entry)
    monitor?.(entry)
  }
  const endSetup = () => {
    setup ??= clock()
  }
  record({ residual: subject.atStart.residual, pinned: subject.atStart.pinned })
  return {
    progress: {
      work: {
        add(nonZeros) {
          touched += nonZeros
        },
      },
      showLevels(shown) {
        levels = shown
        endSetup()
      },
    },
    record,
    iteration: () => history[history.length - 1].iteration,
    endSetup,
    finish(ending, final, infeasible = []) {
      endSetup()
      const { iteration: iterations, outer, work } = history[history.length - 1]
      return {
        ...ending,
        residual: final.residual,
        gap: final.gap,
        pinned: final.pinned,
        unknowns: subject.unknowns,
        iterations,
        outer,
        work,
        seconds: { setup: setup!, solve: clock() - setup! },
        engine: subject.engine,
        history,
        levels,
        infeasible: cellsOf(infeasible, cellOf),
      }
    },
  }
}

function cellsOf(pockets: readonly Pocket[], cellOf: (index: number) => number): Int32Array {
  const cells = new Int32Array(pockets.reduce((sum, { rows }) => sum + rows.length, 0))
  let count = 0
  for (const { rows } of pockets) for (let at = 0; at < rows.length; at++) cells[count++] = cellOf(rows[at])
  return cells
}
