/** Dense Cholesky in f64 for the coarsest level, without a subtraction, as in multigrid/dense.ts: the last pivot of a component that nothing
 *  holds is exactly 0, and one that is held by ever so little is solved. Components that nothing holds float, and get the answer whose mean
 *  is 0: a constant of its own would be carried to the finest level and drown differences in f32. */
import { ENTRIES_END, ENTRY, entriesOf, isOff, laneOf, Level, LISTED, recordOfRow, stepOf } from '../level'
import { allocate } from '../../../../machine/kernels/memory'
import { shift } from './stencil'
import { heldOf, weightOf } from '../weights'

let n: i32 = 0
/** The factor: above the diagonal its columns, one behind the other, below it its rows; on it the inverses of the pivots, because solving
 *  divides by them over and over. */
let L: usize = 0
/** Bytes of a row of that. */
let pitch: usize = 0
let values: usize = 0
/** Row of the level for each unknown, and back. */
let rowOf: usize = 0
let indexOf: usize = 0
/** For each unknown the last one of its component if that floats, else −1; and sums of components. */
let floatOf: usize = 0
let sums: usize = 0
let floats: bool = false

export function createDense(level: Level): void {
  level.dense = level.stale = 1
  n = level.unknowns
  pitch = <usize>n << 3
  L = allocate(<usize>n * pitch)
  values = allocate(pitch)
  rowOf = allocate(<usize>n << 2)
  indexOf = allocate(<usize>level.rows << 2)
  floatOf = allocate(<usize>n << 2)
  sums = allocate(<usize>n << 4)
  for (let row = 0, index = 0; row < level.rows; row++) {
    if (load<i32>(level.cell + (<usize>row << 2)) < 0) continue
    store<i32>(rowOf + (<usize>index << 2), row)
    store<i32>(indexOf + (<usize>row << 2), index++)
  }
}

@inline
function entryAt(row: usize, column: usize): usize {
  return L + row * pitch + (column << 3)
}

export function factor<T>(level: Level): void {
  const end = <usize>n
  level.stale = 0
  memory.fill(L, 0, end * pitch)
  for (let i: usize = 0; i < end; i++) fillEntries<T>(level, i)
  floats = false
  for (let k: usize = 0; k < end; k++) {
    const held = load<f64>(values + (k << 3))
    let sum = held
    for (let i = k + 1; i < end; i++) sum -= load<f64>(entryAt(k, i))
    const pivot = sum > 0 ? 1 / sqrt(sum) : 0
    store<f64>(entryAt(k, k), pivot)
    if (pivot == 0) floats = true
    for (let i = k + 1; i < end; i++) {
      const at = entryAt(k, i)
      const value = load<f64>(at) * pivot
      store<f64>(at, value)
      store<f64>(entryAt(i, k), value)
    }
    // Most entries are 0 still.
    for (let i = k + 1; i < end; i++) {
      const value = load<f64>(entryAt(k, i))
      if (value == 0) continue
      subtract(entryAt(i, 0), entryAt(k, 0), i + 1, end, value)
      store<f64>(values + (i << 3), load<f64>(values + (i << 3)) - value * pivot * held)
    }
  }
  if (floats) findFloating()
}

/** Subtracts `factor` times one row from another, between two places. */
@inline
function subtract(from: usize, row: usize, begin: usize, end: usize, factor: f64): void {
  const factors = f64x2.splat(factor)
  let at = begin << 3
  for (const last = end << 3; at + 8 < last; at += 16)
    v128.store(from + at, f64x2.sub(v128.load(from + at), f64x2.mul(v128.load(row + at), factors)))
  if (at < end << 3) store<f64>(from + at, load<f64>(from + at) - load<f64>(row + at) * factor)
}

/** The pivot that vanishes is that of the last unknown of a component, to which all others lead by columns of the factor. */
function findFloating(): void {
  for (let i = n - 1; i >= 0; i--) {
    const at = floatOf + (<usize>i << 2)
    if (load<f64>(entryAt(i, i)) == 0) {
      store<i32>(at, i)
      continue
    }
    store<i32>(at, -1)
    for (let k = i + 1; k < n; k++)
      if (load<f64>(entryAt(i, k)) != 0) {
        store<i32>(at, load<i32>(floatOf + (<usize>k << 2)))
        break
      }
  }
}

/** Fills in what is above the diagonal of a column, and what holds its row. Rows that are off become rows of the identity, so that they stay
 *  at 0; to the others, links to them are another hold. */
function fillEntries<T>(level: Level, i: usize): void {
  const row = load<i32>(rowOf + (i << 2))
  const at = values + (i << 3)
  if (isOff(level, row)) {
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
      held += place(level, i, load<i32>(entry), weight)
    }
  } else
    for (let d = 0; d < 6; d++) {
      const weight = weightOf<T>(level, record, row, d)
      if (weight == 0) continue
      linked = true
      held += place(level, i, row + stepOf(record, d), weight)
    }
  // A row without anything keeps what it is given, as one that is off.
  store<f64>(at, held > 0 || linked ? held : 1)
}

/** Returns what of a link holds its row. */
function place(level: Level, i: usize, column: i32, weight: f64): f64 {
  if (isOff(level, column)) return weight
  const other = <usize>load<i32>(indexOf + (<usize>column << 2))
  if (other < i) store<f64>(entryAt(other, i), -weight)
  return 0
}

/** x = A⁻¹ f. */
export function solveDense<T>(f: usize, x: usize): void {
  for (let i = 0; i < n; i++)
    store<f64>(values + (<usize>i << 3), <f64>load<T>(f + (<usize>load<i32>(rowOf + (<usize>i << 2)) << shift<T>())))
  if (floats) takeMeansOut()
  const end = <usize>n
  for (let i: usize = 0; i < end; i++) subtract(values, entryAt(i, 0), i + 1, end, divide(i))
  for (let i = end - 1; <isize>i >= 0; i--) subtract(values, entryAt(i, 0), 0, i, divide(i))
  if (floats) takeMeansOut()
  for (let i = 0; i < n; i++)
    store<T>(x + (<usize>load<i32>(rowOf + (<usize>i << 2)) << shift<T>()), <T>load<f64>(values + (<usize>i << 3)))
}

/** Divides a value by its pivot. */
@inline
function divide(i: usize): f64 {
  const value = load<f64>(values + (i << 3)) * load<f64>(entryAt(i, i))
  store<f64>(values + (i << 3), value)
  return value
}

/** Of the values of every floating component. */
function takeMeansOut(): void {
  memory.fill(sums, 0, <usize>n << 4)
  for (let i = 0; i < n; i++) {
    const component = load<i32>(floatOf + (<usize>i << 2))
    if (component < 0) continue
    const sum = sums + (<usize>component << 4)
    store<f64>(sum, load<f64>(sum) + load<f64>(values + (<usize>i << 3)))
    store<f64>(sum, load<f64>(sum, 8) + 1, 8)
  }
  for (let i = 0; i < n; i++) {
    const component = load<i32>(floatOf + (<usize>i << 2))
    if (component < 0) continue
    const sum = sums + (<usize>component << 4)
    const at = values + (<usize>i << 3)
    store<f64>(at, load<f64>(at) - load<f64>(sum) / load<f64>(sum, 8))
  }
}
