/** The coarsest lattice solved densely. */
import type { Buffers } from '../../sparse/buffers.js'
import { createDenseSolver } from '../dense.js'
import type { LatticeMatrix } from './rediscretise-matrix.js'

export interface DirectSolve {
  readonly nonZeros: number
  /** p = A⁻¹ b on the unknowns, which are at `places` in both. */
  solve(places: Int32Array, b: Float64Array, p: Float64Array): void
}

/** Smaller row sums, relative to the diagonal, are rounding. */
const PIVOT_ROUNDING = 1e-12

export function factorise({ cells, diagonal, links, lattice }: LatticeMatrix, buffers: Buffers, name: string): DirectSolve {
  const n = cells.length
  const right = buffers.f64(`${name}.right`, n)
  const solution = buffers.f64(`${name}.solution`, n)
  const dense = createDenseSolver(buffers)
  // Rows ascend with their cells, so a link is stored with the lower of the two.
  const weight = (row: number, column: number) => {
    const axis = lattice.strides.indexOf(cells[row] - cells[column])
    return axis < 0 ? 0 : -links[axis][cells[column]]
  }
  const held = (row: number) => {
    let sum = diagonal[cells[row]]
    for (let other = 0; other < n; other++) sum -= other < row ? weight(row, other) : weight(other, row)
    return sum > PIVOT_ROUNDING * diagonal[cells[row]] ? sum : 0
  }
  dense.factor(n, held, weight)
  return {
    nonZeros: n * n,
    solve(places, b, p) {
      for (let row = 0; row < n; row++) right[row] = b[places[row]]
      dense.solve(right, solution)
      for (let row = 0; row < n; row++) p[places[row]] = solution[row]
    },
  }
}
