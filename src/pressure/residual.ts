/** The one yardstick of all solvers: the largest natural residual, in 1/s, recomputed in f64 by code that no solver owns.
 *  Row-scaled, min(w, a p) with w = A p + b, so that it does not change when dt, spacing or density is rescaled. */
import { cellStrides } from '../grid/grid.js'
import { CONTACT, DRY, isGridProblem, type PressureProblem, type Problem, type SparseProblem } from './problem.js'

export interface Measure {
  /** Largest |min(wᵢ, aᵢᵢ pᵢ)| over contacts and |wᵢ| over the other unknowns; NaN if any row is not a number. */
  readonly residual: number
  /** Cell or row of that largest value, −1 if all are 0. */
  readonly at: number
  /** Complementarity gap Σ |pᵢ wᵢ| over contacts, in Pa/s. */
  readonly gap: number
  /** Contacts where the liquid has let go: aᵢᵢ pᵢ < wᵢ. */
  readonly pinned: number
}

/** With `sticking`, contacts are judged as liquid rows, as the solvers without separation treat them. */
export function measure(problem: Problem, pressure: Float64Array, sticking = false): Measure {
  const scan = new Scan(sticking)
  if (isGridProblem(problem)) scanGrid(problem, pressure, scan)
  else scanRows(problem, pressure, scan)
  return scan
}

class Scan implements Measure {
  residual = 0
  at = -1
  gap = 0
  pinned = 0
  constructor(private readonly sticking: boolean) {}

  row(index: number, kind: number, w: number, diagonal: number, p: number): void {
    let natural = w
    if (kind === CONTACT && !this.sticking) {
      this.gap += Math.abs(p * w)
      const scaled = diagonal * p
      // An infinite divergence is broken input, not liquid that has let go.
      if (scaled < w && w < Infinity) {
        natural = scaled
        this.pinned++
      }
    }
    const size = Math.abs(natural)
    // The negated test lets NaN through, and once NaN the residual stays so.
    if (!(size <= this.residual) && !Number.isNaN(this.residual)) {
      this.residual = size
      this.at = index
    }
  }
}

function scanGrid({ grid, kind, diagonal, links, b }: PressureProblem, p: Float64Array, scan: Scan): void {
  const [nx, ny, nz] = grid.shape
  const [, strideY, strideZ] = cellStrides(grid)
  const [east, north, up] = links
  for (let k = 0, c = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, c++) {
        if (kind[c] === DRY) continue
        let w = b[c] + diagonal[c] * p[c]
        if (i > 0) w += east[c - 1] * p[c - 1]
        if (i < nx - 1) w += east[c] * p[c + 1]
        if (j > 0) w += north[c - strideY] * p[c - strideY]
        if (j < ny - 1) w += north[c] * p[c + strideY]
        if (k > 0) w += up[c - strideZ] * p[c - strideZ]
        if (k < nz - 1) w += up[c] * p[c + strideZ]
        scan.row(c, kind[c], w, diagonal[c], p[c])
      }
    }
  }
}

function scanRows({ rows, rowStart, columns, values, diagonalAt, b, kind }: SparseProblem, p: Float64Array, scan: Scan): void {
  for (let row = 0; row < rows; row++) {
    let w = b[row]
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) w += values[at] * p[columns[at]]
    scan.row(row, kind[row], w, values[diagonalAt[row]], p[row])
  }
}
