/** Progress of long commands: one line on standard error that overwrites itself. */
import type { IterationRecord } from '../../solvers/contract/solver.js'
import { clearLine, printOver } from '../terminal.js'

/** One progress line that overwrites itself; nothing if standard error is not a terminal. */
export function showProgress(what: string): void {
  if (process.stderr.isTTY) printOver(`  ${what} …`)
}

export const clearProgress = clearLine

/** State of a solve for the progress line. */
export function stepLine(what: string, { outer, iteration, residual, pinned }: IterationRecord): string {
  return `${what}: outer step ${outer}, iteration ${iteration}, residual ${residual.toExponential(1)} 1/s, pinned ${pinned}`
}
