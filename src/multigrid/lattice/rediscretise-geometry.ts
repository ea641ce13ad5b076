/** What the geometric hierarchies coarsen: a level set that separates liquid and air, and the open fraction of every face. Problems
 *  that were assembled contain both; for bare matrices on a grid they are derived from the matrix. */
import { AXES, cellPosition, cellStrides } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import { type AssembledProblem, isAssembled } from '../../pressure/assemble.js'
import { DRY, type PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { AIR_SHARE } from '../galerkin/faces.js'
import { type Lattice, latticeIndex } from './transfer.js'

/** All arrays are lattice vectors. */
export interface Geometry {
  /** < 0 in liquid, > 0 in air, in any unit; ∞ in cells inside a solid, which do not count, and outside the grid. */
  readonly phi: Float64Array
  /** Open fraction of the lower face of each cell per axis; that of the upper face is stored at the upper neighbour. */
  readonly open: readonly [Float64Array, Float64Array, Float64Array]
  /** Hold on the diagonal that no face explains (bare matrices only), 1/(Pa s). */
  readonly ground: Float64Array
}

/** On an open side p = 0 holds half a cell from the centre, and bare matrices are read as if the surface were there, too. */
export const SIDE_FRACTION = 0.5

export function createGeometry({ size }: Lattice, buffers: Buffers, name: string): Geometry {
  const zeros = (what: string) => buffers.f64(`${name}.${what}`, size).fill(0)
  return {
    phi: buffers.f64(`${name}.phi`, size).fill(Infinity),
    open: [zeros('openX'), zeros('openY'), zeros('openZ')],
    ground: zeros('ground'),
  }
}

/** Coefficient of an uncut face, dt / (density spacing²), 1/(Pa s). */
export function unitOf(problem: PressureProblem): number {
  if (isAssembled(problem)) return problem.dt / (problem.density * problem.grid.spacing ** 2)
  let largest = 0
  for (const link of problem.links) for (const value of link) largest = Math.max(largest, -value)
  if (largest > 0) return largest
  for (const value of problem.diagonal) largest = Math.max(largest, value)
  return largest > 0 ? largest : 1
}

export function readGeometry(problem: PressureProblem, lattice: Lattice, unit: number, geometry: Geometry): void {
  if (isAssembled(problem)) readAssembled(problem, lattice, geometry)
  else readMatrix(problem, lattice, unit, geometry)
}

function readAssembled({ grid, kind, liquid, open }: AssembledProblem, lattice: Lattice, geometry: Geometry): void {
  const { phi } = geometry
  const [nx, ny, nz] = grid.shape
  for (const axis of AXES) {
    const stride = lattice.strides[axis]
    if (stride === 0) continue
    const { row, plane, step } = faceStrides(grid, axis)
    const from = open[axis]
    const to = geometry.open[axis]
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        let at = latticeIndex(lattice, 0, j, k)
        let face = row * (j + plane * k)
        for (let i = 0; i < nx; i++, cell++, at++, face++) {
          const lower = from[face]
          const upper = from[face + step]
          to[at] = lower
          to[at + stride] = upper
          // Closed all around is in a solid; the level set means nothing there.
          if (lower > 0 || upper > 0) phi[at] = kind[cell] === DRY ? Math.max(0, liquid[cell]) : liquid[cell]
        }
      }
    }
  }
}

/** Links become fractions of the largest one. What is left of the diagonal leads to air through dry neighbours, through the sides
 *  of the grid where there are none, and to nowhere in particular (`ground`) where the cell is surrounded. */
function readMatrix(problem: PressureProblem, lattice: Lattice, unit: number, geometry: Geometry): void {
  const { grid, kind, diagonal, links } = problem
  const strides = cellStrides(grid)
  const { phi, open, ground } = geometry
  for (let cell = 0; cell < grid.cells; cell++) {
    if (kind[cell] === DRY) continue
    const position = cellPosition(grid, cell)
    const at = latticeIndex(lattice, ...position)
    phi[at] = -SIDE_FRACTION
    let rest = diagonal[cell]
    const dry: [axis: number, side: number][] = []
    const sides: [axis: number, side: number][] = []
    for (const axis of AXES) {
      const stride = lattice.strides[axis]
      if (stride === 0) continue
      rest += links[axis][cell] + (position[axis] > 0 ? links[axis][cell - strides[axis]] : 0)
      if (links[axis][cell] !== 0) open[axis][at + stride] = -links[axis][cell] / unit
      for (const side of [-1, 1]) {
        const next = position[axis] + side
        if (next < 0 || next >= grid.shape[axis]) sides.push([axis, side])
        else if (kind[cell + side * strides[axis]] === DRY) dry.push([axis, side])
      }
    }
    if (!(rest > AIR_SHARE * diagonal[cell])) continue
    const ways = dry.length > 0 ? dry : sides
    if (ways.length === 0) ground[at] = rest
    const fraction = (SIDE_FRACTION * rest) / (unit * ways.length)
    for (const [axis, side] of ways) {
      const stride = lattice.strides[axis]
      open[axis][side < 0 ? at : at + stride] = Math.min(1, fraction)
      if (ways === dry) phi[at + side * stride] = SIDE_FRACTION
    }
  }
}
