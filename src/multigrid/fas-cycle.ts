/** The full approximation scheme for N(p) = f with N(p) = min(A p + b, aᵢᵢ p) on contacts and A p + b elsewhere: Algorithm 3 of
 *  Lai 2020. Coarse levels solve for the full pressure R p, so that they know which contacts let go, and hand back its change.
 *  With `literal` rows N(p) = min(A p + b, p), as the paper prints it: there a coarse right-hand side adds a divergence to a pressure,
 *  which is an error that grows with aᵢᵢ and so with the square of the resolution. */
import type { Buffers } from '../sparse/buffers.js'
import type { GalerkinLevel } from './galerkin.js'
import {
  addInterpolated,
  COARSEST_CHANGE,
  COARSEST_SWEEPS,
  type Cycle,
  type CycleChoices,
  type Order,
  restrictBy,
  visits,
  type WorkCounter,
} from './galerkin-cycle.js'

export const ROWS = ['scaled', 'literal'] as const
export type RowForm = (typeof ROWS)[number]

export interface FasChoices extends CycleChoices {
  readonly rows: RowForm
}

interface Vectors {
  readonly p: Float64Array
  readonly f: Float64Array
  readonly b: Float64Array
  readonly r: Float64Array
  /** R p of the finer level, to tell the change. */
  readonly start: Float64Array
}

export interface FasCycle {
  run(p: Float64Array): void
  /** Sweeps on the finest level only, forward and backward in turns. */
  smooth(p: Float64Array, sweeps: number): void
}

/** One cycle improves p of the finest level in place. `project` takes out of a finest residual what no pressure can change. */
export function createFasCycle(
  levels: readonly GalerkinLevel[],
  b: Float64Array,
  choices: FasChoices,
  buffers: Buffers,
  work: WorkCounter,
  project: (r: Float64Array) => void,
): FasCycle {
  const { cycle, preSweeps, postSweeps, order } = choices
  const literal = choices.rows === 'literal'
  const vectors: Vectors[] = levels.map(({ A }, at) => {
    const vector = (name: string) => buffers.f64(`fas.${at}.${name}`, A.rows)
    return { p: vector('p'), f: vector('f'), b: at === 0 ? b : vector('b'), r: vector('r'), start: vector('start') }
  })
  for (let at = 1; at < levels.length; at++) {
    const { P, restriction } = levels[at - 1]
    if (P) restrictBy(P, restriction, vectors[at - 1].b, vectors[at].b)
  }
  vectors[0].f.fill(0)
  const backward = order === 'symmetric'
  const sweep = (at: number, p: Float64Array, reverse: boolean) => relax(levels[at], vectors[at], p, order, reverse, literal)

  function solveCoarsest(at: number, p: Float64Array): void {
    let first = 0
    for (let done = 0; done < COARSEST_SWEEPS; done += 2) {
      const change = Math.max(sweep(at, p, false), sweep(at, p, true))
      work.add(2 * levels[at].A.rowStart[levels[at].A.rows])
      if (done === 0) first = change
      if (change <= COARSEST_CHANGE * first) return
    }
  }

  function descend(at: number, p: Float64Array, shape: Cycle): void {
    const level = levels[at]
    if (!level.P) {
      solveCoarsest(at, p)
      return
    }
    const { r } = vectors[at]
    const coarse = vectors[at + 1]
    for (let done = 0; done < preSweeps; done++) sweep(at, p, false)
    const fine = vectors[at]
    evaluate(level, fine.b, p, r, literal)
    for (let row = 0; row < r.length; row++) r[row] = fine.f[row] - r[row]
    if (at === 0) project(r)
    restrictBy(level.P, level.restriction, p, coarse.start)
    restrictBy(level.P, level.restriction, r, coarse.r)
    evaluate(levels[at + 1], coarse.b, coarse.start, coarse.f, literal)
    for (let row = 0; row < coarse.f.length; row++) coarse.f[row] += coarse.r[row]
    coarse.p.set(coarse.start)
    for (const visit of visits(shape)) descend(at + 1, coarse.p, visit)
    for (let row = 0; row < coarse.p.length; row++) coarse.start[row] = coarse.p[row] - coarse.start[row]
    addInterpolated(level.P, coarse.start, p)
    for (let done = 0; done < postSweeps; done++) sweep(at, p, backward)
    const { A } = levels[at + 1]
    work.add(
      (preSweeps + postSweeps + 1) * level.A.rowStart[level.A.rows] + A.rowStart[A.rows] + 3 * level.P.rowStart[level.P.rows],
    )
  }

  return {
    run: p => descend(0, p, cycle),
    smooth(p, sweeps) {
      for (let done = 0; done < sweeps; done++) sweep(0, p, done % 2 === 1)
      work.add(sweeps * levels[0].A.rowStart[levels[0].A.rows])
    },
  }
}

/** One projected Gauss–Seidel sweep for N(p) = f; returns the largest change, weighted by the diagonal. */
function relax(
  { A, inverseDiagonal, contact, byColour }: GalerkinLevel,
  { f, b }: Vectors,
  p: Float64Array,
  order: Order,
  backward: boolean,
  literal: boolean,
): number {
  const { rows, rowStart, columns, values, diagonalAt } = A
  const coloured = order === 'red-black'
  let largest = 0
  for (let visited = 0; visited < rows; visited++) {
    const place = backward ? rows - 1 - visited : visited
    const row = coloured ? byColour[place] : place
    const inverse = inverseDiagonal[row]
    if (inverse === 0) continue
    let sum = f[row] - b[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum -= values[at] * p[columns[at]]
    const before = p[row]
    let next = before + sum * inverse
    if (contact[row]) {
      const bound = literal ? f[row] : f[row] * inverse
      if (next < bound) next = bound
    }
    p[row] = next
    const size = Math.abs(next - before) * values[diagonalAt[row]]
    if (size > largest) largest = size
  }
  return largest
}

/** n = N(p). A row that cannot be solved for itself has no say in its pressure and counts as linear. */
function evaluate(
  { A, inverseDiagonal, contact }: GalerkinLevel,
  b: Float64Array,
  p: Float64Array,
  n: Float64Array,
  literal: boolean,
): void {
  const { rows, rowStart, columns, values, diagonalAt } = A
  for (let row = 0; row < rows; row++) {
    let sum = b[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * p[columns[at]]
    if (contact[row] && inverseDiagonal[row] !== 0) {
      const bound = literal ? p[row] : values[diagonalAt[row]] * p[row]
      if (bound < sum) sum = bound
    }
    n[row] = sum
  }
}
