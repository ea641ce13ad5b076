/** A matrix without a grid for a driver: rows are dealt out in order, about equal non-zeros to every rank.
 *
 *  SOLVE of rows: a task of 48 bytes (i64 rows; f64 tolerance, inner tolerance; i32 outer and inner steps at most, warm, reserved; i64
 *  reserved), per rank i64 rows and i64 non-zeros, then per rank: i32 row starts from 0 (one more than rows), i32 columns, f64 values, b and p,
 *  u8 what each row is; each of them padded to 8 bytes. */
import { CONTACT } from '../pressure/problem.js'
import type { SolveOptions } from '../solvers/contract/solver.js'
import type { Method } from '../solvers/running/on-rows.js'
import type { System } from '../solvers/running/system.js'
import { nonZeros } from '../sparse/matrix.js'
import { type Exchange, type Limits, solveByDriver } from './exchange.js'
import { GROUNDED_CELL, type Statistics } from './frames.js'
import type { DriverLink } from './link.js'

export function createRowsMethod(
  link: DriverLink,
  options: SolveOptions,
  onStatistics?: (statistics: Statistics) => void,
): Method {
  return (system, p, run) => {
    const exchange: Exchange = {
      driver: 'rows',
      nonZeros: nonZeros(system),
      started: p.some(value => value !== 0),
      onStatistics,
      encode: (limits, ranks) => encodeRows(system, p, limits, ranks),
      takePressure: values => p.set(values),
    }
    return solveByDriver(link, exchange, system.target, options, run)
  }
}

function encodeRows(system: System, p: Float64Array, limits: Limits, ranks: number) {
  const starts = shareRows(system, ranks)
  const head = new DataView(new ArrayBuffer(48 + 16 * ranks))
  head.setBigInt64(0, BigInt(system.rows), true)
  head.setFloat64(8, limits.tolerance, true)
  head.setFloat64(16, limits.innerTolerance, true)
  head.setInt32(24, limits.maxOuter, true)
  head.setInt32(28, limits.maxInner, true)
  const marks = new Uint8Array(system.rows)
  for (let row = 0; row < system.rows; row++) marks[row] = system.kind[row] === CONTACT ? 1 : 0
  // A matrix that is singular on a pocket is grounded in one row, and so is one that is singular until a contact lets go.
  for (const rows of system.singular) marks[rows[0]] = GROUNDED_CELL
  for (const { rows } of system.expanding) {
    const ground = rows.find(row => system.kind[row] !== CONTACT)
    if (ground !== undefined) marks[ground] = GROUNDED_CELL
  }
  const shares: Uint8Array[] = []
  for (let rank = 0; rank < ranks; rank++) {
    const [from, to] = [starts[rank], starts[rank + 1]]
    const [first, end] = [system.rowStart[from], system.rowStart[to]]
    head.setBigInt64(48 + 16 * rank, BigInt(to - from), true)
    head.setBigInt64(56 + 16 * rank, BigInt(end - first), true)
    const rowStart = system.rowStart.slice(from, to + 1).map(at => at - first)
    shares.push(padded(rowStart), padded(system.columns.slice(first, end)), padded(system.values.slice(first, end)))
    shares.push(padded(system.b.slice(from, to)), padded(p.slice(from, to)), padded(marks.slice(from, to)))
  }
  const parts = [new Uint8Array(head.buffer), ...shares]
  return { length: parts.reduce((sum, part) => sum + part.length, 0), parts, values: system.rows }
}

/** First row of every rank, and the number of rows. */
function shareRows({ rows, rowStart }: System, ranks: number): Int32Array {
  const starts = new Int32Array(ranks + 1).fill(rows)
  starts[0] = 0
  for (let row = 0, rank = 1; row < rows && rank < ranks; row++)
    while (rank < ranks && rowStart[row] * ranks >= rank * rowStart[rows]) starts[rank++] = row
  return starts
}

function padded(array: Int32Array | Float64Array | Uint8Array): Uint8Array {
  const bytes = new Uint8Array(8 * Math.ceil(array.byteLength / 8))
  bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength))
  return bytes
}
