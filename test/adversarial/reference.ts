/** The answer of a problem by policy iteration (Howard) with a direct solve in double-double arithmetic, body by body, and whether f64 can
 *  hold it: the answer is rounded to f64 and measured. Monotone for M-matrices, so it ends; `undefined` where it would take too long. */
import { addProduct, addTo, type DoubleDouble, dd, multiply } from './double-double.js'
import { costOf, type Entry, factorise, firstColumns } from './envelope-cholesky.js'
import { type Case, measureAnswer } from './judge.js'
import type { Body, Rows } from './rows.js'

export interface Reference {
  readonly pressure: Float64Array
  /** Of the answer before rounding to f64, 1/s; tiny, or the iteration has failed. */
  readonly exact: number
  /** Of the answer rounded to f64: what f64 can reach, 1/s. */
  readonly reachable: number
  readonly iterations: number
}

/** Multiplications of all factorisations of a body, and policies, above which it is given up: a second or two. */
const MAX_MULTIPLICATIONS = 3e7
const MAX_POLICIES = 60

/** `guess` only decides where the iteration starts. */
export function solveReference(found: Case, guess?: Float64Array): Reference | undefined {
  const { rows, bodies, adversary } = found
  const nullVector = adversary.nullVector
  const pressure = new Float64Array(adversary.problem.kind.length)
  let exact = 0
  let iterations = 0
  for (const body of bodies) {
    const solved = solveBody(rows, body, adversary.tolerance, nullVector, guess && Float64Array.from(rows.label, at => guess[at]))
    if (!solved) return undefined
    iterations = Math.max(iterations, solved.iterations)
    exact = Math.max(exact, solved.residual)
    body.rows.forEach((row, at) => {
      const value = solved.p[at].hi
      pressure[rows.label[row]] = rows.contact[row] ? Math.max(0, value) : value
    })
  }
  return { pressure, exact, reachable: measureAnswer(found, pressure).residual, iterations }
}

interface Solved {
  readonly p: DoubleDouble[]
  readonly residual: number
  readonly iterations: number
}

function solveBody(
  rows: Rows,
  body: Body,
  tolerance: number,
  nullVector?: Float64Array,
  guess?: Float64Array,
): Solved | undefined {
  const index = new Map(Array.from(body.rows, (row, at) => [row, at]))
  const size = body.rows.length
  const entries = Array.from(body.rows, row => {
    const list: Entry[] = []
    for (let at = rows.start[row]; at < rows.start[row + 1]; at++) list.push([index.get(rows.column[at])!, rows.value[at]])
    return list
  })
  const diagonal = Array.from(body.rows, row => rows.diagonal[row])
  const isContact = Array.from(body.rows, row => rows.contact[row] === 1)
  const v = Array.from(body.rows, row => nullVector?.[row] ?? 1)
  const isLinear = body.nature === 'linear' || body.nature === 'infeasible'
  const b = Array.from(body.rows, row => {
    const value = dd(rows.b[row])
    if (isLinear) addTo(value, -body.mean)
    return value
  })

  let left = MAX_MULTIPLICATIONS
  /** p with A p + b = 0 in rows that are not held, p = 0 in the others. */
  const solveFree = (held: readonly boolean[]): DoubleDouble[] | undefined => {
    const free = [...held.keys()].filter(at => !held[at])
    const place = new Map(free.map((at, n) => [at, n]))
    const lower = free.map((at, n) =>
      entries[at].flatMap(([column, value]): Entry[] => {
        const other = place.get(column)
        return other !== undefined && other < n ? [[other, value]] : []
      }),
    )
    left -= costOf(firstColumns(lower))
    if (left < 0) return undefined
    const factor = factorise(
      lower,
      free.map(at => diagonal[at]),
    )
    const p = Array.from({ length: size }, () => dd())
    const correct = () => {
      const x = factor.solve(free.map(at => negative(rowSum(at, p))))
      free.forEach((at, n) => {
        addTo(p[at], x[n].hi, x[n].lo)
      })
    }
    for (let refinement = 0; refinement < 3; refinement++) correct()
    return p
  }
  const rowSum = (at: number, p: readonly DoubleDouble[]): DoubleDouble => {
    const w = dd(b[at].hi, b[at].lo)
    addScaled(w, diagonal[at], p[at])
    for (const [column, value] of entries[at]) addScaled(w, value, p[column])
    return w
  }

  if (isLinear) {
    const p = solveFree(v.map((_, at) => at === 0))
    if (!p) return undefined
    // The least contact pressure becomes 0, as far as the null vector goes; without contacts, the least.
    const candidates = isContact.some(Boolean) ? [...isContact.keys()].filter(at => isContact[at]) : [...v.keys()]
    const shift = candidates.reduce((least, at) => Math.min(least, p[at].hi / v[at]), Infinity)
    p.forEach((value, at) => {
      addProduct(value, -shift, v[at])
    })
    return { p, residual: p.reduce((most, _, at) => Math.max(most, Math.abs(rowSum(at, p).hi)), 0), iterations: 1 }
  }

  let held = isContact.map((contact, at) => {
    if (!contact || !guess) return false
    const row = body.rows[at]
    let w = rows.b[row] + rows.diagonal[row] * guess[row]
    for (let n = rows.start[row]; n < rows.start[row + 1]; n++) w += rows.value[n] * guess[rows.column[n]]
    return w > rows.diagonal[row] * guess[row]
  })
  if (body.nature === 'expanding' && !held.includes(true)) {
    const most = [...isContact.keys()].filter(at => isContact[at]).reduce((a, c) => (b[c].hi > b[a].hi ? c : a))
    held[most] = true
  }
  for (let iterations = 1; iterations <= MAX_POLICIES; iterations++) {
    const p = solveFree(held)
    if (!p) return undefined
    let residual = 0
    const next = held.map((was, at) => {
      const w = rowSum(at, p)
      const scaled = multiply(dd(diagonal[at]), p[at])
      const rest = dd(w.hi, w.lo)
      addTo(rest, -scaled.hi, -scaled.lo)
      const lifted = isContact[at] && rest.hi > 0
      residual = Math.max(residual, Math.abs(lifted ? scaled.hi : w.hi))
      return isContact[at] ? (rest.hi === 0 ? was : lifted) : false
    })
    if (residual <= 1e-6 * tolerance) return { p, residual, iterations }
    held = next
  }
  return undefined
}

function negative({ hi, lo }: DoubleDouble): DoubleDouble {
  return dd(-hi, -lo)
}

function addScaled(sum: DoubleDouble, factor: number, value: DoubleDouble): void {
  const product = multiply(dd(factor), value)
  addTo(sum, product.hi, product.lo)
}
