/** What an attack found, as plain text. */
import { type Incident, isFailure, type Outcome } from './attack.js'
import type { Fault } from './judge.js'

const FAULTS: readonly Fault[] = [
  'crash',
  'refusal',
  'not-finite',
  'negative-contact',
  'dry-cell',
  'false-convergence',
  'wrong-infeasible-set',
  'wrong-report',
]

/** An answer that f64 cannot hold to half the tolerance can still be much worse than what it can hold. */
const FAR = 100

/** One line per solver. The column `failed` counts solves that are not solved although f64 can; those that f64 cannot are beside it. */
export function bySolver({ incidents, iterations, seconds }: Outcome): string {
  const shown = FAULTS.filter(fault => incidents.some(({ faults }) => faults.includes(fault)))
  const head = [
    'solver',
    'failed',
    'of these: meets tolerance',
    'unknown',
    'f64 cannot',
    'of these: far off',
    ...shown,
    'iterations',
    'seconds',
  ]
  const lines = [...seconds.keys()].map(solver => {
    const mine = incidents.filter(incident => incident.solver === solver)
    const unsolved = mine.filter(({ solved }) => !solved)
    const beyond = unsolved.filter(({ possible }) => possible === 'no')
    const failed = unsolved.filter(({ possible }) => possible === 'yes')
    return [
      solver,
      failed.length,
      failed.filter(({ denied }) => denied).length,
      unsolved.filter(({ possible }) => possible === 'unknown').length,
      beyond.length,
      beyond.filter(({ residual, reachable }) => !(residual <= FAR * reachable)).length,
      ...shown.map(fault => mine.filter(({ faults }) => faults.includes(fault)).length),
      iterations.get(solver) ?? 0,
      Math.round(seconds.get(solver) ?? 0),
    ]
  })
  return align([head, ...lines])
}

/** Failures and faults of every solver in every class that has any. */
export function byClass({ incidents, seconds }: Outcome): string {
  const counted = incidents.filter(incident => isFailure(incident) || incident.faults.length > 0)
  const classes = [...new Set(counted.map(({ className }) => className))].sort()
  const lines = [...seconds.keys()].map(solver => [
    solver,
    ...classes.map(name => counted.filter(incident => incident.solver === solver && incident.className === name).length || '·'),
  ])
  return align([['solver', ...classes], ...lines])
}

/** What to type to see it again. */
export function describeIncident({ solver, seed, number, sparse, ...rest }: Incident): string {
  const { className, status, message, faults, residual, reported, tolerance, start, unknowns, possible } = rest
  const problem = `PEEL_SEED=${seed} PEEL_PROBLEM=${sparse ? 'sparse-' : ''}${number}`
  const what = faults.length > 0 ? faults.join(', ') : status
  const sizes = `residual ${residual.toExponential(2)}, reported ${reported.toExponential(2)}, tolerance ${tolerance}`
  return `${problem} ${solver}: ${what} (${className}, ${unknowns} unknowns, start ${start}; ${sizes}; f64 can: ${possible}; ${status}: ${message})`
}

function align(lines: readonly (readonly (string | number)[])[]): string {
  const widths = lines[0].map((_, column) => Math.max(...lines.map(line => String(line[column]).length)))
  return lines
    .map(line =>
      line
        .map((cell, column) => (column === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[column])))
        .join('  '),
    )
    .join('\n')
}
