/** The one yardstick of all solvers: the largest natural residual, in 1/s, recomputed in f64 by code that no solver owns.
 *  Row-scaled, min(w, a p) with w = A p + b, so that it does not change when dt, spacing or density is rescaled. */
import { cellPosition, cellStrides } from '../grid/grid.js'
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

/** The same over some cells of a grid. */
export function measureCells(problem: PressureProblem, pressure: Float64Array, cells: Int32Array, sticking = false): Measure {
  const scan = new Scan(sticking)
  for (const cell of cells) scanStretch(problem, pressure, cell, cell + 1, scan)
  return scan
}

/** Of rows that were measured apart. */
export function joinMeasures(a: Measure, b: Measure): Measure {
  const { residual, at } = a.residual >= b.residual || Number.isNaN(a.residual) ? a : b
  return { residual, at, gap: a.gap + b.gap, pinned: a.pinned + b.pinned }
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

function scanGrid(problem: PressureProblem, p: Float64Array, scan: Scan): void {
  const { shape, cells } = problem.grid
  for (let line = 0; line < cells; line += shape[0]) scanStretch(problem, p, line, line + shape[0], scan)
}

/** Neighbouring cells of one line along x. */
function scanStretch(problem: PressureProblem, p: Float64Array, from: number, end: number, scan: Scan): void {
  const { grid, kind, diagonal, links, b } = problem
  const [nx, ny, nz] = grid.shape
  const [, strideY, strideZ] = cellStrides(grid)
  const [east, north, up] = links
  const [first, j, k] = cellPosition(grid, from)
  const line = from - first
  for (let c = from; c < end; c++) {
    if (kind[c] === DRY) continue
    let w = b[c] + diagonal[c] * p[c]
    if (c > line) w += east[c - 1] * p[c - 1]
    if (c < line + nx - 1) w += east[c] * p[c + 1]
    if (j > 0) w += north[c - strideY] * p[c - strideY]
    if (j < ny - 1) w += north[c] * p[c + strideY]
    if (k > 0) w += up[c - strideZ] * p[c - strideZ]
    if (k < nz - 1) w += up[c] * p[c + strideZ]
    scan.row(c, kind[c], w, diagonal[c], p[c])
  }
}

function scanRows({ rows, rowStart, columns, values, diagonalAt, b, kind }: SparseProblem, p: Float64Array, scan: Scan): void {
  for (let row = 0; row < rows; row++) {
    let w = b[row]
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) w += values[at] * p[columns[at]]
    scan.row(row, kind[row], w, values[diagonalAt[row]], p[row])
  }
}
