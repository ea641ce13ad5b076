/** Dense Cholesky in f64 for the coarsest level, without a subtraction, as in multigrid/dense.ts: the last pivot of a component that nothing
 *  holds is exactly 0, and one that is held however weakly is solved. Components that nothing holds float, and get the answer with mean 0:
 *  an arbitrary constant would be carried to the finest level and swamp differences in f32. */
import { ENTRIES_END, ENTRY, entriesOf, isPinned, Level, LISTED, recordOfRow, stepOf } from '../level'
import { allocate } from '../../../../machine/kernels/memory'
import { shift } from './stencil'
import { heldOf, weightOf } from '../weights'

@unmanaged
export class Dense {
  /** Unknowns. */
  size: i32
  /** 1 if any component floats. */
  floats: i32
  /** The factor, `size` rows of `pitch` bytes: its columns above the diagonal, its rows below, and on the diagonal the inverses of the
   *  pivots, because every solve divides by them. */
  factor: usize
  pitch: usize
  /** What holds each unknown, then right-hand side and solution. */
  values: usize
  /** Row of the level for each unknown, and the inverse. */
  rowOf: usize
  indexOf: usize
  /** For each unknown the last one of its component if that floats, else −1. */
  floatOf: usize
  /** Sum and count of each floating component. */
  sums: usize
}

@inline
function denseOf(level: Level): Dense {
  return changetype<Dense>(level.dense)
}

/** Makes the level one that is solved densely; it is not factored yet. */
export function createDense(level: Level): void {
  const dense = changetype<Dense>(allocate(offsetof<Dense>()))
  const size = <usize>level.unknowns
  dense.size = level.unknowns
  dense.floats = 0
  dense.pitch = size << 3
  dense.factor = allocate(size * dense.pitch)
  dense.values = allocate(dense.pitch)
  dense.rowOf = allocate(size << 2)
  dense.indexOf = allocate((<usize>level.rows) << 2)
  dense.floatOf = allocate(size << 2)
  dense.sums = allocate(size << 4)
  for (let row = 0, index = 0; row < level.rows; row++) {
    if (load<i32>(level.cell + ((<usize>row) << 2)) < 0) continue
    store<i32>(dense.rowOf + ((<usize>index) << 2), row)
    store<i32>(dense.indexOf + ((<usize>row) << 2), index++)
  }
  level.dense = changetype<usize>(dense)
  level.stale = 1
}

export function factor<T>(level: Level): void {
  const dense = denseOf(level)
  const end = <usize>dense.size
  const L = dense.factor
  const pitch = dense.pitch
  const values = dense.values
  level.stale = 0
  memory.fill(L, 0, end * pitch)
  for (let i: usize = 0; i < end; i++) fillEntries<T>(level, dense, i)
  let floats = false
  for (let k: usize = 0; k < end; k++) {
    const rowK = L + k * pitch
    const held = load<f64>(values + (k << 3))
    let sum = held
    for (let i = k + 1; i < end; i++) sum -= load<f64>(rowK + (i << 3))
    const pivot = sum > 0 ? 1 / sqrt(sum) : 0
    store<f64>(rowK + (k << 3), pivot)
    if (pivot == 0) floats = true
    for (let i = k + 1; i < end; i++) {
      const at = rowK + (i << 3)
      const value = load<f64>(at) * pivot
      store<f64>(at, value)
      store<f64>(L + i * pitch + (k << 3), value)
    }
    // Most entries are still 0.
    for (let i = k + 1; i < end; i++) {
      const value = load<f64>(rowK + (i << 3))
      if (value == 0) continue
      subtract(L + i * pitch, rowK, i + 1, end, value)
      store<f64>(values + (i << 3), load<f64>(values + (i << 3)) - value * pivot * held)
    }
  }
  dense.floats = <i32>floats
  if (floats) findFloating(dense)
}

/** Subtracts `factor` times one row from another, between two columns. */
@inline
function subtract(from: usize, row: usize, begin: usize, end: usize, factor: f64): void {
  const factors = f64x2.splat(factor)
  let at = begin << 3
  for (const last = end << 3; at + 8 < last; at += 16)
    v128.store(from + at, f64x2.sub(v128.load(from + at), f64x2.mul(v128.load(row + at), factors)))
  if (at < end << 3) store<f64>(from + at, load<f64>(from + at) - load<f64>(row + at) * factor)
}

@inline
function entryAt(dense: Dense, row: usize, column: usize): usize {
  return dense.factor + row * dense.pitch + (column << 3)
}

/** The pivot that vanishes is that of the last unknown of a component, to which all others lead by columns of the factor. */
function findFloating(dense: Dense): void {
  const size = dense.size
  const floatOf = dense.floatOf
  for (let i = size - 1; i >= 0; i--) {
    const at = floatOf + ((<usize>i) << 2)
    if (load<f64>(entryAt(dense, i, i)) == 0) {
      store<i32>(at, i)
      continue
    }
    store<i32>(at, -1)
    for (let k = i + 1; k < size; k++)
      if (load<f64>(entryAt(dense, i, k)) != 0) {
        store<i32>(at, load<i32>(floatOf + ((<usize>k) << 2)))
        break
      }
  }
}

/** Fills in the part of a column above the diagonal, and what holds its row. Pinned rows become rows of the identity, so that they
 *  stay at 0; in other rows, links to them hold the row. */
function fillEntries<T>(level: Level, dense: Dense, i: usize): void {
  const row = load<i32>(dense.rowOf + (i << 2))
  const at = dense.values + (i << 3)
  if (isPinned(level, row)) {
    store<f64>(at, 1)
    return
  }
  const record = recordOfRow<T>(level, row)
  let held = heldOf<T>(record, row)
  let linked = false
  if (record.kind == LISTED) {
    const start = entriesOf<T>(record, row)
    const end = <usize>load<u32>(start, ENTRIES_END)
    for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY) {
      const weight = <f64>load<T>(entry, 8)
      if (weight != 0) linked = true
      held += place(level, dense, i, load<i32>(entry), weight)
    }
  } else
    for (let d = 0; d < 6; d++) {
      const weight = weightOf<T>(level, record, row, d)
      if (weight == 0) continue
      linked = true
      held += place(level, dense, i, row + stepOf(record, d), weight)
    }
  // A row without links that nothing holds becomes a row of the identity, too.
  store<f64>(at, held > 0 || linked ? held : 1)
}

/** Returns how much of a link holds its row. */
function place(level: Level, dense: Dense, i: usize, column: i32, weight: f64): f64 {
  if (isPinned(level, column)) return weight
  const other = <usize>load<i32>(dense.indexOf + ((<usize>column) << 2))
  if (other < i) store<f64>(entryAt(dense, other, i), -weight)
  return 0
}

/** x = A⁻¹ f. */
export function solveDense(level: Level, f: usize, x: usize): void {
  if (level.wide) solveIn<f64>(denseOf(level), f, x)
  else solveIn<f32>(denseOf(level), f, x)
}

function solveIn<T>(dense: Dense, f: usize, x: usize): void {
  const end = <usize>dense.size
  const L = dense.factor
  const pitch = dense.pitch
  const values = dense.values
  const rowOf = dense.rowOf
  for (let i: usize = 0; i < end; i++)
    store<f64>(values + (i << 3), <f64>load<T>(f + ((<usize>load<i32>(rowOf + (i << 2))) << shift<T>())))
  if (dense.floats) subtractMeans(dense)
  for (let i: usize = 0; i < end; i++) subtract(values, L + i * pitch, i + 1, end, divide(values, L + i * pitch, i))
  for (let i = end - 1; <isize>i >= 0; i--) subtract(values, L + i * pitch, 0, i, divide(values, L + i * pitch, i))
  if (dense.floats) subtractMeans(dense)
  for (let i: usize = 0; i < end; i++)
    store<T>(x + ((<usize>load<i32>(rowOf + (i << 2))) << shift<T>()), <T>load<f64>(values + (i << 3)))
}

/** Divides a value by the pivot of its row. */
@inline
function divide(values: usize, row: usize, i: usize): f64 {
  const value = load<f64>(values + (i << 3)) * load<f64>(row + (i << 3))
  store<f64>(values + (i << 3), value)
  return value
}

/** Subtracts from the values of every floating component their mean. */
function subtractMeans(dense: Dense): void {
  const size = <usize>dense.size
  const values = dense.values
  const sums = dense.sums
  memory.fill(sums, 0, size << 4)
  for (let i: usize = 0; i < size; i++) {
    const component = load<i32>(dense.floatOf + (i << 2))
    if (component < 0) continue
    const sum = sums + ((<usize>component) << 4)
    store<f64>(sum, load<f64>(sum) + load<f64>(values + (i << 3)))
    store<f64>(sum, load<f64>(sum, 8) + 1, 8)
  }
  for (let i: usize = 0; i < size; i++) {
    const component = load<i32>(dense.floatOf + (i << 2))
    if (component < 0) continue
    const sum = sums + ((<usize>component) << 4)
    const at = values + (i << 3)
    store<f64>(at, load<f64>(at) - load<f64>(sum) / load<f64>(sum, 8))
  }
}
