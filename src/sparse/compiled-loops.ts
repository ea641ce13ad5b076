/** The loops over compressed rows, compiled. They work on arrays in the memory of the machine; if one is stored elsewhere, the definition in
 *  TypeScript is used, with the same bits. */
import {
  MirrorRowsJobLayout,
  MultiplyRowsJobLayout,
  SweepRowsJobLayout,
  TransposeRowsJobLayout,
} from '../machine/generated/layouts.js'
import type { SolveMachine } from '../machine/generated/solve.js'
import { ARGUMENTS } from '../machine/header.js'
import { type RecordAt, recordAt } from '../machine/record.js'
import type { CompressedRows } from './product.js'
import { portableLoops, type RowLoops } from './row-loops.js'
import type { ComplementarityRows, SweepOrder, SweptRows } from './sweeps.js'

type Numbers = Float64Array | Int32Array | Uint8Array

/** By how many rows more than entries reach the second of two sweeps is behind the first, so that it seldom waits. */
const DISTANCE = 8

export function compiledRowLoops(machine: SolveMachine): RowLoops {
  const { kernels, memory } = machine
  const here = (...arrays: readonly Numbers[]) => {
    const own = memory.buffer
    for (const { buffer } of arrays) if (buffer !== own) return false
    return true
  }
  const hasRows = ({ rowStart, columns, values }: CompressedRows) => here(rowStart, columns, values)
  const at = (array: Numbers) => array.byteOffset
  const flag = (value: boolean) => (value ? 1 : 0)

  const sweepJob = recordAt(memory, SweepRowsJobLayout, ARGUMENTS)
  const describeRows = ({ A, inverseDiagonal }: SweptRows) => {
    sweepJob.rows = A.rows
    sweepJob.rowStart = at(A.rowStart)
    sweepJob.columns = at(A.columns)
    sweepJob.values = at(A.values)
    sweepJob.inverseDiagonal = at(inverseDiagonal)
  }
  const describeSweep = (level: SweptRows, { coloured, backward }: SweepOrder) => {
    describeRows(level)
    sweepJob.byColour = coloured ? at(level.byColour) : 0
    sweepJob.backward = flag(backward)
    sweepJob.lag = level.reach + DISTANCE
  }
  const describeContacts = ({ A, contact }: SweptRows, { b, literal }: Omit<ComplementarityRows, 'f'>, p: Float64Array) => {
    sweepJob.diagonalAt = at(A.diagonalAt)
    sweepJob.contact = at(contact)
    sweepJob.b = at(b)
    sweepJob.literal = flag(literal)
    sweepJob.x = at(p)
  }

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
      z.set(r)
      kernels.rowsSolveFactor(rows, at(rowStart), at(columns), at(diagonalAt), at(upper), at(inversePivot), at(z))
    },

    sweep(level, f, x, order, sweeps) {
      const { A, inverseDiagonal, byColour } = level
      if (!hasRows(A) || !here(inverseDiagonal, byColour, f, x)) return portableLoops.sweep(level, f, x, order, sweeps)
      describeSweep(level, order)
      sweepJob.f = at(f)
      sweepJob.x = at(x)
      return inPairs(order.coloured ? 0 : sweeps, sweeps, { once: kernels.rowsSweep, twice: kernels.rowsSweepTwice })
    },
    residual(level, f, x, r) {
      const { A, inverseDiagonal } = level
      if (!hasRows(A) || !here(inverseDiagonal, f, x, r)) return portableLoops.residual(level, f, x, r)
      describeRows(level)
      sweepJob.f = at(f)
      sweepJob.x = at(x)
      kernels.rowsResidual(at(r))
    },
    sweepProjected(level, sides, p, order, sweeps) {
      const { A, inverseDiagonal, contact, byColour } = level
      const { f, b } = sides
      if (!hasRows(A) || !here(A.diagonalAt, inverseDiagonal, contact, byColour, f, b, p))
        return portableLoops.sweepProjected(level, sides, p, order, sweeps)
      describeSweep(level, order)
      describeContacts(level, sides, p)
      sweepJob.f = at(f)
      return inPairs(order.coloured ? 0 : sweeps, sweeps, {
        once: kernels.rowsSweepProjected,
        twice: kernels.rowsSweepProjectedTwice,
      })
    },
    evaluate(level, sides, p, n) {
      const { A, inverseDiagonal, contact } = level
      if (!hasRows(A) || !here(A.diagonalAt, inverseDiagonal, contact, sides.b, p, n))
        return portableLoops.evaluate(level, sides, p, n)
      describeRows(level)
      describeContacts(level, sides, p)
      kernels.rowsEvaluate(at(n))
    },
    restrictBy(P, scale, x, y) {
      if (!hasRows(P) || !here(x, y)) return portableLoops.restrictBy(P, scale, x, y)
      y.fill(0)
      kernels.rowsRestrict(P.rows, at(P.rowStart), at(P.columns), at(P.values), scale, at(x), at(y))
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
      Object.assign(recordAt(memory, MultiplyRowsJobLayout, ARGUMENTS), {
        rows: left.rows,
        leftStart: at(left.rowStart),
        leftColumns: at(left.columns),
        leftValues: at(left.values),
        rightStart: at(right.rowStart),
        rightColumns: at(right.columns),
        rightValues: at(right.values),
        wanted: at(wanted),
        upper: flag(upper),
        marker: at(marker),
        rowStart: at(rowStart),
        columns: at(columns),
        values: at(values),
        capacity: columns.length,
        progress: at(progress),
      } satisfies RecordAt<typeof MultiplyRowsJobLayout>)
      kernels.rowsProduct()
    },
    fillTransposed(P, into) {
      if (!hasRows(P) || !hasRows(into)) return portableLoops.fillTransposed(P, into)
      Object.assign(recordAt(memory, TransposeRowsJobLayout, ARGUMENTS), {
        rows: P.rows,
        rowStart: at(P.rowStart),
        columns: at(P.columns),
        values: at(P.values),
        width: into.rows,
        intoStart: at(into.rowStart),
        intoColumns: at(into.columns),
        intoValues: at(into.values),
      } satisfies RecordAt<typeof TransposeRowsJobLayout>)
      kernels.rowsTranspose()
    },
    fillMirror(upper, lower, scale, into, next) {
      if (!hasRows(lower) || !hasRows(into) || !here(upper.rowStart, into.diagonalAt, next))
        return portableLoops.fillMirror(upper, lower, scale, into, next)
      Object.assign(recordAt(memory, MirrorRowsJobLayout, ARGUMENTS), {
        scale,
        rows: into.rows,
        upperStart: at(upper.rowStart),
        lowerStart: at(lower.rowStart),
        lowerColumns: at(lower.columns),
        lowerValues: at(lower.values),
        rowStart: at(into.rowStart),
        columns: at(into.columns),
        values: at(into.values),
        diagonalAt: at(into.diagonalAt),
        next: at(next),
      } satisfies RecordAt<typeof MirrorRowsJobLayout>)
      kernels.rowsMirror()
    },
  }
}

/** Up to `paired` of the sweeps two at a time, the others one by one; returns the result of the last. */
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
