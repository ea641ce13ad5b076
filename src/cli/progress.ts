import type { IterationRecord } from '../solvers/solver.js'

/** One line of progress that overwrites itself; nothing at all when nobody watches. */
export function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\x1b[2K  ${what} …\r`)
}

export function clearProgress(): void {
  if (process.stderr.isTTY) process.stderr.write('\x1b[2K\r')
}

/** Where a solve stands, for the line of progress. */
export function stepLine(what: string, { outer, iteration, residual, pinned }: IterationRecord): string {
  return `${what}: outer step ${outer}, iteration ${iteration}, residual ${residual.toExponential(1)} 1/s, pinned ${pinned}`
}
