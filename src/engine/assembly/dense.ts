/** Dense Cholesky in f64 for the coarsest level. A pivot that vanishes, as in a component without air, pins its unknown; such components
 *  float, and get the answer whose mean is 0. A constant of its own would be carried to the finest level and drown differences in f32. */
import { ENTRIES_END, ENTRY, entriesOf, isOff, laneOf, Level, LISTED, recordOfRow, stepOf } from './level'
import { allocate } from './memory'
import { shift } from './stencil'
import { heldOf, weightOf } from './weights'

/** Smaller pivots, relative to the diagonal, are rounding. */
const SINGULAR: f64 = 1e-6

let n: i32 = 0
let L: usize = 0
let values: usize = 0
/** Row of the level for each unknown, and back. */
let rowOf: usize = 0
let indexOf: usize = 0
/** For each unknown the last one of its component if that floats, else −1; and sums of components. */
let floatOf: usize = 0
let sums: usize = 0
let floats: bool = false

export function createDense(level: Level): void {
  n = level.unknowns
  L = allocate(<usize>(n * n) << 3)
  values = allocate(<usize>n << 3)
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

export function factor<T>(level: Level): void {
  memory.fill(L, 0, <usize>(n * n) << 3)
  for (let i = 0; i < n; i++) fillEntries<T>(level, i)
  floats = false
  for (let i = 0; i < n; i++) {
    const row = L + (<usize>(i * n) << 3)
    for (let j = 0; j <= i; j++) {
      const other = L + (<usize>(j * n) << 3)
      let sum = load<f64>(row + (<usize>j << 3))
      const scale = sum
      for (let k: usize = 0; k < <usize>j << 3; k += 8) sum -= load<f64>(row + k) * load<f64>(other + k)
      const pivot = load<f64>(other + (<usize>j << 3))
      if (i != j) store<f64>(row + (<usize>j << 3), pivot > 0 ? sum * pivot : 0)
      // The inverse of the pivot, because solving divides by it over and over.
      else store<f64>(row + (<usize>i << 3), sum > SINGULAR * scale ? 1 / sqrt(sum) : 0)
    }
    if (load<f64>(row + (<usize>i << 3)) == 0) floats = true
  }
  if (floats) findFloating()
}

/** The pivot that vanishes is that of the last unknown of a component, to which all others lead by columns of the factor. */
function findFloating(): void {
  for (let i = n - 1; i >= 0; i--) {
    const at = floatOf + (<usize>i << 2)
    if (load<f64>(L + (<usize>(i * n + i) << 3)) == 0) {
      store<i32>(at, i)
      continue
    }
    store<i32>(at, -1)
    for (let k = i + 1; k < n; k++)
      if (load<f64>(L + (<usize>(k * n + i) << 3)) != 0) {
        store<i32>(at, load<i32>(floatOf + (<usize>k << 2)))
        break
      }
  }
}

/** Rows that are off become rows of the identity, so that they stay at 0. */
function fillEntries<T>(level: Level, i: i32): void {
  const row = load<i32>(rowOf + (<usize>i << 2))
  const at = L + (<usize>(i * n) << 3)
  if (isOff(level, row)) {
    store<f64>(at + (<usize>i << 3), 1)
    return
  }
  const record = recordOfRow<T>(level, row)
  let diagonal = heldOf<T>(record, row)
  if (record.kind == LISTED) {
    const start = entriesOf<T>(record, row)
    const end = <usize>load<u32>(start, ENTRIES_END)
    for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY) diagonal += place(level, at, load<i32>(entry), <f64>load<T>(entry, 8))
  } else
    for (let d = 0; d < 6; d++) {
      const weight = weightOf<T>(level, record, row, d)
      if (weight != 0) diagonal += place(level, at, row + stepOf(record, d), weight)
    }
  store<f64>(at + (<usize>i << 3), diagonal > 0 ? diagonal : 1)
}

function place(level: Level, at: usize, column: i32, weight: f64): f64 {
  if (!isOff(level, column)) store<f64>(at + (<usize>load<i32>(indexOf + (<usize>column << 2)) << 3), -weight)
  return weight
}

/** x = A⁻¹ f. */
export function solveDense<T>(f: usize, x: usize): void {
  for (let i = 0; i < n; i++)
    store<f64>(values + (<usize>i << 3), <f64>load<T>(f + (<usize>load<i32>(rowOf + (<usize>i << 2)) << shift<T>())))
  if (floats) takeMeansOut()
  for (let i = 0; i < n; i++) {
    const row = L + (<usize>(i * n) << 3)
    let sum = load<f64>(values + (<usize>i << 3))
    for (let k: usize = 0; k < <usize>i << 3; k += 8) sum -= load<f64>(row + k) * load<f64>(values + k)
    store<f64>(values + (<usize>i << 3), sum * load<f64>(row + (<usize>i << 3)))
  }
  for (let i = n - 1; i >= 0; i--) {
    const row = L + (<usize>(i * n) << 3)
    const value = load<f64>(values + (<usize>i << 3)) * load<f64>(row + (<usize>i << 3))
    store<f64>(values + (<usize>i << 3), value)
    // Column by column, so that memory is read along its rows.
    for (let k: usize = 0; k < <usize>i << 3; k += 8) store<f64>(values + k, load<f64>(values + k) - load<f64>(row + k) * value)
  }
  if (floats) takeMeansOut()
  for (let i = 0; i < n; i++)
    store<T>(x + (<usize>load<i32>(rowOf + (<usize>i << 2)) << shift<T>()), <T>load<f64>(values + (<usize>i << 3)))
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
