/** AINV: a factored sparse approximate inverse, A⁻¹ ≈ Z D⁻¹ Zᵀ with Z unit upper triangular, from A-orthogonalising the unit
 *  vectors and dropping small entries on the way (Benzi, Meyer, Tůma 1996). Andersen 2017 uses that of CUSP, plain and
 *  diagonally scaled. Free of breakdown for M-matrices; applied by two sparse products, no triangular solve. */
import type { SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../buffers.js'
import type { ApproximateInverseOptions, Preconditioner } from './preconditioner.js'

export function createApproximateInverse(
  buffers: Buffers,
  { ainvDrop: drop, ainvScaled: scaled }: ApproximateInverseOptions,
): Preconditioner {
  let rows = 0
  let size = 0
  let start: Int32Array = new Int32Array(1)
  let index: Int32Array = new Int32Array(0)
  let value: Float64Array = new Float64Array(0)
  let inversePivot: Float64Array = new Float64Array(0)
  let scale: Float64Array = new Float64Array(0)

  function reserve(extra: number): void {
    if (size + extra <= index.length) return
    const capacity = Math.max(2 * index.length, size + extra, 4 * rows)
    const grownIndex = buffers.i32('ainv.index', capacity)
    const grownValue = buffers.f64('ainv.value', capacity)
    // In the memory of a machine all arrays share one buffer, so only a copy keeps the old values.
    grownIndex.set(index.subarray(0, size))
    grownValue.set(value.subarray(0, size))
    index = grownIndex
    value = grownValue
  }

  return {
    get nonZeros() {
      return 2 * size + rows
    },

    build(A, free, penalty) {
      rows = A.rows
      size = 0
      start = buffers.i32('ainv.start', rows + 1)
      inversePivot = buffers.f64('ainv.inversePivot', rows)
      scale = buffers.f64('ainv.scale', rows)
      const diagonal = (row: number) => A.values[A.diagonalAt[row]] + (penalty ? penalty[row] : 0)
      for (let row = 0; row < rows; row++) scale[row] = free[row] && scaled ? 1 / Math.sqrt(diagonal(row)) : 1
      const work = buffers.f64('ainv.work', rows).fill(0)
      const support: number[] = []
      const pending = createAscendingQueue()
      start[0] = 0
      for (let row = 0; row < rows; row++) {
        if (free[row]) {
          orthogonalise(A, free, row, work, support, pending)
          store(A, free, penalty, row, work, support, diagonal(row) * scale[row] * scale[row])
        } else inversePivot[row] = 0
        start[row + 1] = size
      }
    },

    apply(r, z) {
      // z = S Z D⁻¹ Zᵀ S r, column by column of Z; z gathers while Zᵀ reads r, so the two passes are one.
      z.fill(0)
      for (let row = 0; row < rows; row++) {
        if (inversePivot[row] === 0) continue
        let sum = 0
        for (let at = start[row]; at < start[row + 1]; at++) sum += value[at] * scale[index[at]] * r[index[at]]
        sum *= inversePivot[row]
        for (let at = start[row]; at < start[row + 1]; at++) z[index[at]] += value[at] * scale[index[at]] * sum
      }
    },
  }

  /** Leaves column `row` of Z in `work`, its pattern in `support`: the unit vector less its parts along earlier columns. */
  function orthogonalise(
    A: SparseProblem,
    free: Uint8Array,
    row: number,
    work: Float64Array,
    support: number[],
    pending: AscendingQueue,
  ): void {
    const add = (entry: number, amount: number, after: number) => {
      if (work[entry] === 0) {
        support.push(entry)
        for (let at = A.rowStart[entry]; at < A.rowStart[entry + 1]; at++) {
          const neighbour = A.columns[at]
          if (neighbour > after && neighbour < row && free[neighbour]) pending.add(neighbour)
        }
      }
      work[entry] += amount
    }
    support.length = 0
    pending.clear()
    add(row, 1, -1)
    for (let earlier = pending.next(); earlier >= 0; earlier = pending.next()) {
      let product = 0
      for (let at = A.rowStart[earlier]; at < A.rowStart[earlier + 1]; at++) {
        const column = A.columns[at]
        // Links only: a diagonal with penalty matters for `earlier` itself, which is not in the column yet.
        if (work[column] !== 0 && column !== earlier) product += A.values[at] * scale[column] * work[column]
      }
      const along = product * scale[earlier] * inversePivot[earlier]
      if (Math.abs(along) < drop) continue
      for (let at = start[earlier]; at < start[earlier + 1]; at++) add(index[at], -along * value[at], earlier)
    }
  }

  function store(
    A: SparseProblem,
    free: Uint8Array,
    penalty: Float64Array | undefined,
    row: number,
    work: Float64Array,
    support: number[],
    diagonal: number,
  ): void {
    reserve(support.length)
    support.sort((a, b) => a - b)
    for (const entry of support) {
      if (entry !== row && Math.abs(work[entry]) < drop) work[entry] = 0
      else {
        index[size] = entry
        value[size++] = work[entry]
      }
    }
    // The stabilised pivot zᵀ A z, which dropping cannot make negative.
    let pivot = 0
    for (const entry of support) {
      if (work[entry] === 0) continue
      let product = penalty ? penalty[entry] * scale[entry] * work[entry] : 0
      for (let at = A.rowStart[entry]; at < A.rowStart[entry + 1]; at++) {
        const column = A.columns[at]
        if (free[column]) product += A.values[at] * scale[column] * work[column]
      }
      pivot += work[entry] * scale[entry] * product
    }
    for (const entry of support) work[entry] = 0
    // In a sealed pocket the last pivot vanishes.
    inversePivot[row] = 1 / (pivot > 1e-8 * diagonal ? pivot : diagonal)
  }
}

interface AscendingQueue {
  add(item: number): void
  /** The smallest item, −1 when empty. */
  next(): number
  clear(): void
}

/** A small sorted list without duplicates; columns of Z touch a handful of rows. */
function createAscendingQueue(): AscendingQueue {
  const items: number[] = []
  return {
    add(item) {
      let at = items.length
      while (at > 0 && items[at - 1] < item) at--
      if (items[at - 1] !== item) items.splice(at, 0, item)
    },
    next: () => items.pop() ?? -1,
    clear() {
      items.length = 0
    },
  }
}
