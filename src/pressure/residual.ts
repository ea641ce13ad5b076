/** The one yardstick of all solvers: the largest natural residual, in 1/s, recomputed in f64 by code that no solver owns.
 *  Row-scaled, min(w, a p) with w = A p + b, so that it does not change when dt, spacing or density is rescaled. Where walls have strength it is
 *  the pressure above −adhesion that counts as p. */
import { checkFlag, checkNumbers } from '../checks.js'
import { AXES, cellPosition, cellStrides } from '../grid/grid.js'
import {
  CONTACT,
  checkProblemShape,
  isGridProblem,
  type PressureProblem,
  type Problem,
  pressureLength,
  type SparseProblem,
} from './problem.js'
import { type FoundRuns, findUnknowns } from './unknown-runs.js'

export interface Measure {
  /** With p for p + adhesion: largest |min(wᵢ, aᵢᵢ pᵢ)| over contacts and |wᵢ| over the other unknowns; NaN if a row is NaN. */
  readonly residual: number
  /** Cell or row of that largest value, −1 if all are 0. */
  readonly at: number
  /** Complementarity gap Σ |pᵢ wᵢ| over contacts, in Pa/s. */
  readonly gap: number
  /** Contacts where the liquid has separated: aᵢᵢ pᵢ < wᵢ. */
  readonly pinned: number
}

/** With `sticking`, contacts are judged as liquid rows, as the solvers without separation treat them. `unknowns` saves a search for those of
 *  a grid problem where they have been found already. Takes about 3 ns per unknown in 2D and 6 in 3D. */
export function measure(problem: Problem, pressure: Float64Array, sticking = false, unknowns?: FoundRuns): Measure {
  checkProblemShape(problem, 'measure: the problem')
  checkNumbers(pressure, 'measure: the pressure', Float64Array, pressureLength(problem), 'cell or row')
  checkFlag(sticking, 'measure: sticking')
  const scan = new Scan(sticking)
  if (isGridProblem(problem)) scanGrid(problem, pressure, (unknowns ?? findUnknowns(problem)).runs, scan)
  else scanRows(problem, pressure, scan)
  const { residual, at, gap, pinned } = scan
  return { residual, at, gap, pinned }
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
      // An infinite divergence is broken input, not liquid that has separated.
      if (scaled < w && w < Infinity) {
        natural = scaled
        this.pinned++
      }
    }
    const size = Math.abs(natural)
    // The negated test lets NaN through, and the residual stays NaN.
    if (!(size <= this.residual) && !Number.isNaN(this.residual)) {
      this.residual = size
      this.at = index
    }
  }
}

function scanGrid(problem: PressureProblem, p: Float64Array, runs: Int32Array, scan: Scan): void {
  const [nx, ny, nz] = problem.grid.shape
  const scanInner = nz === 1 ? scanInnerFlat : scanInnerDeep
  for (let run = 0; run < runs.length; run += 2) {
    const start = runs[run]
    const end = start + runs[run + 1]
    const line = Math.floor(start / nx)
    const j = line % ny
    const k = Math.floor(line / ny)
    // Cells at the sides of the grid have no neighbours there; all others, the vast majority, need no test.
    const inner = j > 0 && j < ny - 1 && (nz === 1 || (k > 0 && k < nz - 1))
    const from = inner ? Math.max(start, line * nx + 1) : end
    const to = inner ? Math.max(from, Math.min(end, line * nx + nx - 1)) : end
    for (let c = start; c < from; c++) scanCell(problem, p, c, scan)
    scanInner(problem, p, from, to, scan)
    for (let c = to; c < end; c++) scanCell(problem, p, c, scan)
  }
}

/** Neighbouring cells along x with neighbours on all sides, in 2D. */
function scanInnerFlat(problem: PressureProblem, p: Float64Array, from: number, to: number, scan: Scan): void {
  const { grid, kind, diagonal, links, b, adhesion } = problem
  const stride = grid.shape[0]
  const east = links[0]
  const north = links[1]
  let { residual } = scan
  for (let c = from; c < to; c++) {
    let w = b[c] + diagonal[c] * p[c] + east[c - 1] * p[c - 1] + east[c] * p[c + 1]
    w += north[c - stride] * p[c - stride]
    w += north[c] * p[c + stride]
    if (kind[c] === CONTACT || !(Math.abs(w) <= residual)) {
      scan.row(c, kind[c], w, diagonal[c], adhesion ? p[c] + adhesion[c] : p[c])
      residual = scan.residual
    }
  }
}

/** The same in 3D. */
function scanInnerDeep(problem: PressureProblem, p: Float64Array, from: number, to: number, scan: Scan): void {
  const { grid, kind, diagonal, links, b, adhesion } = problem
  const stride = grid.shape[0]
  const plane = stride * grid.shape[1]
  const east = links[0]
  const north = links[1]
  const up = links[2]
  let { residual } = scan
  for (let c = from; c < to; c++) {
    let w = b[c] + diagonal[c] * p[c] + east[c - 1] * p[c - 1] + east[c] * p[c + 1]
    w += north[c - stride] * p[c - stride]
    w += north[c] * p[c + stride]
    w += up[c - plane] * p[c - plane]
    w += up[c] * p[c + plane]
    if (kind[c] === CONTACT || !(Math.abs(w) <= residual)) {
      scan.row(c, kind[c], w, diagonal[c], adhesion ? p[c] + adhesion[c] : p[c])
      residual = scan.residual
    }
  }
}

/** A cell that may be at a side of the grid. */
function scanCell({ grid, kind, diagonal, links, b, adhesion }: PressureProblem, p: Float64Array, c: number, scan: Scan): void {
  const strides = cellStrides(grid)
  const at = cellPosition(grid, c)
  let w = b[c] + diagonal[c] * p[c]
  for (const axis of AXES) {
    const [link, stride] = [links[axis], strides[axis]]
    if (at[axis] > 0) w += link[c - stride] * p[c - stride]
    if (at[axis] < grid.shape[axis] - 1) w += link[c] * p[c + stride]
  }
  scan.row(c, kind[c], w, diagonal[c], adhesion ? p[c] + adhesion[c] : p[c])
}

function scanRows(problem: SparseProblem, p: Float64Array, scan: Scan): void {
  const { rows, rowStart, columns, values, diagonalAt, b, kind, adhesion } = problem
  for (let row = 0; row < rows; row++) {
    let w = b[row]
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++) w += values[at] * p[columns[at]]
    scan.row(row, kind[row], w, values[diagonalAt[row]], adhesion ? p[row] + adhesion[row] : p[row])
  }
}
