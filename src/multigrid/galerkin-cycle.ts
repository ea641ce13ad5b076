/** The linear cycle on a Galerkin hierarchy: z ≈ A⁻¹ r from z = 0, by Gauss–Seidel sweeps. A contraction in the energy norm for any
 *  order of the sweeps, because the coarse correction is a projection; pinned rows stay 0. */
import type { Buffers } from '../sparse/buffers.js'
import type { CompressedRows } from '../sparse/product.js'
import type { GalerkinLevel } from './galerkin.js'

export const CYCLES = ['V', 'W', 'F'] as const
export type Cycle = (typeof CYCLES)[number]

/** `symmetric`: forward before the coarse correction, backward after it. */
export const ORDERS = ['lexicographic', 'symmetric', 'red-black'] as const
export type Order = (typeof ORDERS)[number]

export interface CycleChoices {
  readonly cycle: Cycle
  readonly preSweeps: number
  readonly postSweeps: number
  readonly order: Order
}

export interface WorkCounter {
  add(nonZeros: number): void
}

/** Sweeps on the coarsest level, forward and backward in turns. */
export const COARSEST_SWEEPS = 100

/** They end early when a pair of sweeps changes this little, relative to the first. */
export const COARSEST_CHANGE = 1e-10

/** The cycles a visit to a coarser level is made of: one for V, two for W, and an F followed by a V for F. */
export function visits(cycle: Cycle): readonly Cycle[] {
  return VISITS[cycle]
}
const VISITS: Readonly<Record<Cycle, readonly Cycle[]>> = { V: ['V'], W: ['W', 'W'], F: ['F', 'V'] }

/** y = scale Pᵀ x. */
export function restrictBy(P: CompressedRows, scale: number, x: Float64Array, y: Float64Array): void {
  const { rows, rowStart, columns, values } = P
  y.fill(0)
  for (let row = 0; row < rows; row++) {
    const share = scale * x[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) y[columns[at]] += values[at] * share
  }
}

/** y += P x. */
export function addInterpolated(P: CompressedRows, x: Float64Array, y: Float64Array): void {
  const { rows, rowStart, columns, values } = P
  for (let row = 0; row < rows; row++) {
    let sum = 0
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum += values[at] * x[columns[at]]
    y[row] += sum
  }
}

export function createLinearCycle(
  levels: readonly GalerkinLevel[],
  { cycle, preSweeps, postSweeps, order }: CycleChoices,
  buffers: Buffers,
  work: WorkCounter,
) {
  const vectors = levels.map(({ A }, at) => ({
    x: buffers.f64(`linear.${at}.x`, A.rows),
    f: buffers.f64(`linear.${at}.f`, A.rows),
    r: buffers.f64(`linear.${at}.r`, A.rows),
  }))
  const backward = order === 'symmetric'

  function solveCoarsest(level: GalerkinLevel, x: Float64Array, f: Float64Array): void {
    let first = 0
    for (let done = 0; done < COARSEST_SWEEPS; done += 2) {
      const change = Math.max(relax(level, x, f, order, false), relax(level, x, f, order, true))
      work.add(2 * level.A.rowStart[level.A.rows])
      if (done === 0) first = change
      if (change <= COARSEST_CHANGE * first) return
    }
  }

  function descend(at: number, x: Float64Array, f: Float64Array, shape: Cycle): void {
    const level = levels[at]
    if (!level.P) {
      solveCoarsest(level, x, f)
      return
    }
    const { r } = vectors[at]
    const coarse = vectors[at + 1]
    for (let sweep = 0; sweep < preSweeps; sweep++) relax(level, x, f, order, false)
    leftover(level, x, f, r)
    restrictBy(level.P, level.restriction, r, coarse.f)
    coarse.x.fill(0)
    for (const visit of VISITS[shape]) descend(at + 1, coarse.x, coarse.f, visit)
    addInterpolated(level.P, coarse.x, x)
    for (let sweep = 0; sweep < postSweeps; sweep++) relax(level, x, f, order, backward)
    work.add((preSweeps + postSweeps + 1) * level.A.rowStart[level.A.rows] + 2 * level.P.rowStart[level.P.rows])
  }

  /** z = one cycle on r. */
  return (r: Float64Array, z: Float64Array): void => {
    z.fill(0)
    descend(0, z, r, cycle)
  }
}

/** One Gauss–Seidel sweep for A x = f; returns the largest change, weighted by the diagonal. */
function relax(level: GalerkinLevel, x: Float64Array, f: Float64Array, order: Order, backward: boolean): number {
  const { A, inverseDiagonal, byColour } = level
  const { rows, rowStart, columns, values } = A
  const coloured = order === 'red-black'
  let largest = 0
  for (let visited = 0; visited < rows; visited++) {
    const place = backward ? rows - 1 - visited : visited
    const row = coloured ? byColour[place] : place
    const inverse = inverseDiagonal[row]
    if (inverse === 0) continue
    let sum = f[row]
    for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum -= values[at] * x[columns[at]]
    x[row] += sum * inverse
    const size = Math.abs(sum)
    if (size > largest) largest = size
  }
  return largest
}

/** r = f − A x, 0 on rows that are not relaxed. */
function leftover({ A, inverseDiagonal }: GalerkinLevel, x: Float64Array, f: Float64Array, r: Float64Array): void {
  const { rows, rowStart, columns, values } = A
  for (let row = 0; row < rows; row++) {
    let sum = 0
    if (inverseDiagonal[row] !== 0) {
      sum = f[row]
      for (let at = rowStart[row], end = rowStart[row + 1]; at < end; at++) sum -= values[at] * x[columns[at]]
    }
    r[row] = sum
  }
}
