/** Judges an answer without the code under test: the residual in double-double arithmetic, and what a result says about itself. */
import type { SolveResult } from '../../src/solvers/contract/solver.js'
import { CONTACT, DRY } from './draft.js'
import type { Adversary } from './problems.js'
import { type Body, bodiesOfRows, divergenceOf, naturalResidual, type Rows, roundingOf, toRows } from './rows.js'

/** What no solver may ever do. */
export type Fault =
  | 'crash'
  | 'refusal'
  | 'not-finite'
  | 'negative-contact'
  | 'dry-cell'
  | 'false-convergence'
  | 'wrong-infeasible-set'
  | 'wrong-report'

export interface Case {
  readonly adversary: Adversary
  readonly sticking: boolean
  readonly rows: Rows
  readonly bodies: readonly Body[]
}

export interface Verdict {
  readonly faults: readonly Fault[]
  /** Converged, or infeasible where it is, and rightly so; or refused where that is an answer. What it reports of itself may be wrong. */
  readonly solved: boolean
  /** Not solved by its own words although the pressure is an answer. */
  readonly denied: boolean
  readonly status: string
  readonly message: string
  readonly iterations: number
  /** Largest natural residual of rows that have an answer, in double-double; what differs from the mean in those that have none. */
  readonly residual: number
  /** As the result reports it, over all rows. */
  readonly reported: number
}

export function openCase(adversary: Adversary, sticking: boolean): Case {
  const rows = toRows(adversary.problem, sticking)
  return { adversary, sticking, rows, bodies: bodiesOfRows(rows, adversary.tolerance, adversary.nullVector) }
}

/** The residual of what can be solved, how much of it f64 cannot see, and the residual of everything. */
export function measureAnswer({ rows, bodies, adversary }: Case, pressure: Float64Array) {
  const p = Float64Array.from(rows.label, index => pressure[index])
  let residual = 0
  /** Largest residual less what f64 cannot see of it. */
  let certain = 0
  let whole = 0
  let rounding = 0
  const raise = (a: number, b: number) => (a >= b || Number.isNaN(a) ? a : b)
  for (const { rows: body, nature, mean, onTheEdge } of bodies)
    for (const row of body) {
      const natural = naturalResidual(rows, row, p)
      const unseen = roundingOf(rows, row, p)
      whole = raise(whole, natural)
      rounding = raise(rounding, unseen)
      // The mean is shared out evenly only where the null vector is constant.
      const left = nature !== 'infeasible' ? natural : adversary.nullVector ? 0 : Math.abs(divergenceOf(rows, row, p).hi - mean)
      const counted = onTheEdge ? Math.max(0, left - Math.abs(mean)) : left
      residual = raise(residual, counted)
      certain = raise(certain, counted - unseen)
    }
  return { residual, certain, whole, rounding }
}

/** `pressure` is what the solver left in the array; `outcome` is its result, or what it threw. */
export function judge(found: Case, pressure: Float64Array, outcome: SolveResult | Error): Verdict {
  const { adversary, bodies, rows, sticking } = found
  const { problem, start, tolerance, mayBeRefused } = adversary
  const faults: Fault[] = []
  if (outcome instanceof Error) {
    const refused = outcome.name === 'InputError'
    if (!refused) faults.push('crash')
    else if (!mayBeRefused) faults.push('refusal')
    const message = outcome.message
    return {
      faults,
      solved: faults.length === 0,
      denied: false,
      status: 'thrown',
      message,
      iterations: 0,
      residual: NaN,
      reported: NaN,
    }
  }
  const { status, message, iterations } = outcome
  if (!pressure.every(Number.isFinite)) faults.push('not-finite')
  const isDry = (index: number) => problem.kind[index] === DRY
  if (pressure.some((value, index) => isDry(index) && value !== 0 && value !== start[index])) faults.push('dry-cell')
  if (!sticking && pressure.some((value, index) => problem.kind[index] === CONTACT && value < 0)) faults.push('negative-contact')

  const { residual, certain, whole, rounding } = measureAnswer(found, pressure)
  // Max norms of two f64 sums per row, one of a copy with scaled coefficients: four roundings of the sum, and a few of the result.
  if (!(Math.abs(outcome.residual - whole) <= 4 * rounding + 1e-14 * whole)) faults.push('wrong-report')

  const claims = status === 'converged' || status === 'infeasible'
  const known = new Set(outcome.infeasible)
  const hasAll = (body: Body) => body.rows.every(row => known.has(rows.label[row]))
  const hopeless = bodies.filter(({ nature, onTheEdge }) => nature === 'infeasible' && !onTheEdge)
  const named = bodies.filter(body => (body.nature === 'infeasible' || body.onTheEdge) && hasAll(body))
  const namedRows = named.reduce((sum, body) => sum + body.rows.length, 0)
  const isComplete = hopeless.every(body => named.includes(body))
  // Rows named besides those of hopeless bodies, or rows without the status that goes with them.
  if (outcome.infeasible.length !== namedRows || known.size > 0 !== (status === 'infeasible')) faults.push('wrong-infeasible-set')
  else if (claims && !isComplete) faults.push('wrong-infeasible-set')
  if (claims && !(certain <= tolerance)) faults.push('false-convergence')
  return {
    faults,
    solved: claims && faults.every(fault => fault === 'wrong-report'),
    // Of a hopeless body with another null vector nothing is known but that it is hopeless.
    denied: !claims && residual <= tolerance && !(adversary.nullVector && hopeless.length > 0),
    status,
    message,
    iterations,
    residual,
    reported: outcome.residual,
  }
}
