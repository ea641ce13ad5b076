/** Gauss–Seidel sweeps over compressed rows, their residuals, and transfers to coarser rows: the loops of Galerkin multigrid. */
import type { CompressedRows, SymmetricRows } from './product.js'

export interface SweptRows {
  readonly A: SymmetricRows
  /** 0 on rows that cannot be solved for their own unknown and are not changed. */
  readonly inverseDiagonal: Float64Array
  /** 1 on rows with 0 ≤ p ⊥ A p + b ≥ 0. */
  readonly contact: Uint8Array
  /** Rows of even cells first, then of odd ones. */
  readonly byColour: Int32Array
  /** Largest distance of an entry of A from the diagonal. */
  readonly reach: number
}

export interface SweepOrder {
  readonly coloured: boolean
  readonly backward: boolean
}

/** `sweeps` Gauss–Seidel sweeps for A x = f; returns the largest change of the last one, weighted by the diagonal. */
export function sweep(level: SweptRows, f: Float64Array, x: Float64Array, order: SweepOrder, sweeps: number): number {
  let largest = 0
  for (let done = 0; done < sweeps; done++) largest = sweepOnce(level, f, x, order)
  return largest
}

function sweepOnce(level: SweptRows, f: Float64Array, x: Float64Array, { coloured, backward }: SweepOrder): number {
  const { A, inverseDiagonal, byColour } = level
  const { rows, rowStart, columns, values } = A
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

/** r = f − A x, 0 on rows that are not changed. */
export function residual({ A, inverseDiagonal }: SweptRows, f: Float64Array, x: Float64Array, r: Float64Array): void {
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

/** N(p) = f with N(p) = min(A p + b, aᵢᵢ p) on contacts and A p + b elsewhere; `literal`: min(A p + b, p). */
export interface ComplementarityRows {
  readonly f: Float64Array
  readonly b: Float64Array
  readonly literal: boolean
}

/** `sweeps` projected Gauss–Seidel sweeps for N(p) = f; returns the largest change of the last one, weighted by the diagonal. */
export function sweepProjected(
  level: SweptRows,
  sides: ComplementarityRows,
  p: Float64Array,
  order: SweepOrder,
  sweeps: number,
): number {
  let largest = 0
  for (let done = 0; done < sweeps; done++) largest = sweepProjectedOnce(level, sides, p, order)
  return largest
}

function sweepProjectedOnce(
  { A, inverseDiagonal, contact, byColour }: SweptRows,
  { f, b, literal }: ComplementarityRows,
  p: Float64Array,
  { coloured, backward }: SweepOrder,
): number {
  const { rows, rowStart, columns, values, diagonalAt } = A
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

/** n = N(p). A row that is not changed does not affect its pressure and counts as linear. */
export function evaluate(
  { A, inverseDiagonal, contact }: SweptRows,
  { b, literal }: Omit<ComplementarityRows, 'f'>,
  p: Float64Array,
  n: Float64Array,
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
