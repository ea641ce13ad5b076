/** The loops over compressed rows, compiled. They work on arrays that are stored in the memory of the machine; should one lie elsewhere, the
 *  definition does the work, with the same bits. */

import type { SolveMachine } from '../machine/generated/solve.js'
import type { CompressedRows } from './product.js'
import { portableLoops, type RowLoops } from './row-loops.js'

type Numbers = Float64Array | Int32Array | Uint8Array

/** How much farther than entries reach the second of two sweeps stays behind the first, so that it seldom waits for it. */
const DISTANCE = 8

export function compiledRowLoops(machine: SolveMachine): RowLoops {
  const { kernels, memory } = machine
  const here = (...arrays: readonly Numbers[]) => arrays.every(({ buffer }) => buffer === memory.buffer)
  const hasRows = ({ rowStart, columns, values }: CompressedRows) => here(rowStart, columns, values)
  const at = (array: Numbers) => array.byteOffset
  const flag = (value: boolean) => (value ? 1 : 0)

  return {
    engine: 'wasm',

    multiplyFree(A, free, x, y) {
      if (!hasRows(A) || !here(free, x, y)) return portableLoops.multiplyFree(A, free, x, y)
      kernels.rowsMultiplyFree(A.rows, at(A.rowStart), at(A.columns), at(A.values), at(free), at(x), at(y))
    },
    divergenceLeft(A, p, w) {
      if (!hasRows(A) || !here(A.b, p, w)) return portableLoops.divergenceLeft(A, p, w)
      kernels.rowsDivergence(A.rows, at(A.rowStart), at(A.columns), at(A.values), at(A.b), at(p), at(w))
    },
    dot(x, y) {
      if (!here(x, y)) return portableLoops.dot(x, y)
      return kernels.rowsDot(x.length, at(x), at(y))
    },
    addScaled(y, alpha, x) {
      if (!here(y, x)) return portableLoops.addScaled(y, alpha, x)
      kernels.rowsAddScaled(y.length, at(y), alpha, at(x))
    },
    largestMagnitude(x) {
      if (!here(x)) return portableLoops.largestMagnitude(x)
      return kernels.rowsLargest(x.length, at(x))
    },
    step(x, r, alpha, d, Ad) {
      if (!here(x, r, d, Ad)) return portableLoops.step(x, r, alpha, d, Ad)
      return kernels.rowsStep(x.length, at(x), at(r), alpha, at(d), at(Ad))
    },
    turn(d, z, beta) {
      if (!here(d, z)) return portableLoops.turn(d, z, beta)
      kernels.rowsTurn(d.length, at(d), at(z), beta)
    },
    negate(x, y) {
      if (!here(x, y)) return portableLoops.negate(x, y)
      kernels.rowsNegate(y.length, at(x), at(y))
    },
    addProduct(y, sign, a, x) {
      if (!here(y, a, x)) return portableLoops.addProduct(y, sign, a, x)
      kernels.rowsAddProduct(y.length, at(y), sign, at(a), at(x))
    },
    natural(A, w, p) {
      const { rows, values, diagonalAt, kind } = A
      if (!here(values, diagonalAt, kind, w, p)) return portableLoops.natural(A, w, p)
      const residual = kernels.rowsNatural(rows, at(values), at(diagonalAt), at(kind), at(w), at(p))
      return { residual, pinned: machine.results[1] }
    },
    solveFactor(A, factor, r, z) {
      const { upper, inversePivot } = factor
      if (!here(A.rowStart, A.columns, A.diagonalAt, upper, inversePivot, r, z)) return portableLoops.solveFactor(A, factor, r, z)
      const { rows, rowStart, columns, diagonalAt } = A
      kernels.rowsSolveFactor(rows, at(rowStart), at(columns), at(diagonalAt), at(upper), at(inversePivot), at(r), at(z))
    },

    sweep(level, f, x, order, sweeps) {
      const { A, inverseDiagonal, byColour, reach } = level
      if (!hasRows(A) || !here(inverseDiagonal, byColour, f, x)) return portableLoops.sweep(level, f, x, order, sweeps)
      const backward = flag(order.backward)
      const matrix = [A.rows, at(A.rowStart), at(A.columns), at(A.values), at(inverseDiagonal)] as const
      return inPairs(order.coloured ? 0 : sweeps, sweeps, {
        once: () => kernels.rowsSweep(...matrix, order.coloured ? at(byColour) : 0, backward, at(f), at(x)),
        twice: () => kernels.rowsSweepTwice(...matrix, backward, reach + DISTANCE, at(f), at(x)),
      })
    },
    leftover(level, f, x, r) {
      const { A, inverseDiagonal } = level
      if (!hasRows(A) || !here(inverseDiagonal, f, x, r)) return portableLoops.leftover(level, f, x, r)
      kernels.rowsLeftover(A.rows, at(A.rowStart), at(A.columns), at(A.values), at(inverseDiagonal), at(f), at(x), at(r))
    },
    sweepProjected(level, sides, p, order, sweeps) {
      const { A, inverseDiagonal, contact, byColour, reach } = level
      const { f, b, literal } = sides
      if (!hasRows(A) || !here(A.diagonalAt, inverseDiagonal, contact, byColour, f, b, p))
        return portableLoops.sweepProjected(level, sides, p, order, sweeps)
      const backward = flag(order.backward)
      const matrix = [A.rows, at(A.rowStart), at(A.columns), at(A.values), at(A.diagonalAt)] as const
      const rows = [...matrix, at(inverseDiagonal), at(contact)] as const
      const vectors = [at(f), at(b), flag(literal), at(p)] as const
      return inPairs(order.coloured ? 0 : sweeps, sweeps, {
        once: () => kernels.rowsSweepProjected(...rows, order.coloured ? at(byColour) : 0, backward, ...vectors),
        twice: () => kernels.rowsSweepProjectedTwice(...rows, backward, reach + DISTANCE, ...vectors),
      })
    },
    evaluate(level, sides, p, n) {
      const { A, inverseDiagonal, contact } = level
      const { b, literal } = sides
      if (!hasRows(A) || !here(A.diagonalAt, inverseDiagonal, contact, b, p, n)) return portableLoops.evaluate(level, sides, p, n)
      const matrix = [A.rows, at(A.rowStart), at(A.columns), at(A.values), at(A.diagonalAt)] as const
      kernels.rowsEvaluate(...matrix, at(inverseDiagonal), at(contact), at(b), flag(literal), at(p), at(n))
    },
    restrictBy(P, scale, x, y) {
      if (!hasRows(P) || !here(x, y)) return portableLoops.restrictBy(P, scale, x, y)
      kernels.rowsRestrict(P.rows, at(P.rowStart), at(P.columns), at(P.values), scale, at(x), y.length, at(y))
    },
    addInterpolated(P, x, y) {
      if (!hasRows(P) || !here(x, y)) return portableLoops.addInterpolated(P, x, y)
      kernels.rowsInterpolate(P.rows, at(P.rowStart), at(P.columns), at(P.values), at(x), at(y))
    },

    multiplyRows(left, right, which, marker, into, progress) {
      const { wanted, upper } = which
      const { rowStart, columns, values } = into
      if (![left, right, into].every(hasRows) || !here(wanted, marker, progress))
        return portableLoops.multiplyRows(left, right, which, marker, into, progress)
      const factors = [left.rowStart, left.columns, left.values, right.rowStart, right.columns, right.values].map(at)
      const [ls, lc, lv, rs, rc, rv] = factors
      const product = [at(rowStart), at(columns), at(values), columns.length, at(progress)] as const
      kernels.rowsProduct(left.rows, ls, lc, lv, rs, rc, rv, at(wanted), flag(upper), at(marker), ...product)
    },
    fillTransposed(P, into) {
      if (!hasRows(P) || !hasRows(into)) return portableLoops.fillTransposed(P, into)
      const transposed = [into.rows, at(into.rowStart), at(into.columns), at(into.values)] as const
      kernels.rowsTranspose(P.rows, at(P.rowStart), at(P.columns), at(P.values), ...transposed)
    },
    fillMirror(upper, lower, scale, into, next) {
      const arrays = [lower.rowStart, lower.columns, lower.values, into.rowStart, into.columns, into.values]
      if (!here(upper.rowStart, ...arrays, into.diagonalAt, next))
        return portableLoops.fillMirror(upper, lower, scale, into, next)
      const [ls, lc, lv, rowStart, columns, values] = arrays.map(at)
      const rest = [rowStart, columns, values, at(into.diagonalAt), at(next)] as const
      kernels.rowsMirror(into.rows, at(upper.rowStart), ls, lc, lv, scale, ...rest)
    },
  }
}

/** Of `sweeps` as many as `paired` allows two at a time; returns what the last one does. */
function inPairs(
  paired: number,
  sweeps: number,
  { once, twice }: { readonly once: () => number; readonly twice: () => number },
): number {
  let largest = 0
  let done = 0
  for (; done + 2 <= paired; done += 2) largest = twice()
  for (; done < sweeps; done++) largest = once()
  return largest
}
