/** The weighted Poisson hierarchy of Chentanez and Müller (2011): level set and face fractions are averaged from level to level
 *  and every matrix is written down anew from them (their eq. 5–7). The finest one is the problem's own. */
import { AXES, cellPosition } from '../grid/grid.js'
import { MIN_LIQUID_FRACTION } from '../pressure/assemble.js'
import { DRY, type PressureProblem } from '../pressure/problem.js'
import type { Buffers } from '../sparse/buffers.js'
import { findFloating } from './rediscretise-components.js'
import { type Geometry, readGeometry, SIDE_FRACTION, takeGeometry, unitOf } from './rediscretise-geometry.js'
import { copyMatrix, countNonZeros, type LatticeMatrix, type Links, takeMatrix } from './rediscretise-matrix.js'
import {
  coarsenLattice,
  createTransfer,
  type Lattice,
  latticeIndex,
  latticeOf,
  latticePosition,
  type Transfer,
} from './transfer.js'

export interface WeightedLevel extends LatticeMatrix {
  /** `cells` lists red ones first; this many of them. */
  readonly reds: number
  /** Components that nothing holds, on coarse levels. */
  readonly floating: readonly Int32Array[]
  /** To the next coarser level; absent on the coarsest. */
  readonly transfer: Transfer | undefined
}

export interface RediscretiseOptions {
  /** On this many coarse levels one cell of air makes its parent air, so that bubbles persist (C). */
  readonly keepAirLevels: number
  /** Whether coarse cells that hardly touch their neighbours are held at 0. */
  readonly thinDirichlet: boolean
}

/** A level with no axis longer than this is the coarsest. */
const COARSEST_SIDE = 4

/** A coarse cell with less than this share of the uncut diagonal is thin: 2 of 6 in 3D. */
const THIN = 1 / 3

export function rediscretise(problem: PressureProblem, options: RediscretiseOptions, buffers: Buffers): WeightedLevel[] {
  const unit = unitOf(problem)
  let lattice = latticeOf(problem.grid)
  let geometry = takeGeometry(lattice, buffers, 'weighted.0')
  readGeometry(problem, lattice, unit, geometry)
  const levels: WeightedLevel[] = []
  for (let depth = 0; ; depth++) {
    const name = `weighted.${depth}`
    const { diagonal, links } = takeMatrix(lattice, buffers, name)
    const unknown = buffers.u8(`${name}.unknown`, lattice.size).fill(0)
    if (depth === 0) {
      copyMatrix(problem, lattice, diagonal, links)
      markWet(problem, lattice, unknown)
    } else {
      writeMatrix(lattice, geometry, unit, diagonal, links)
      markUnknowns(lattice, diagonal, options.thinDirichlet ? thinnest(lattice, unit) : 0, unknown)
    }
    const { cells, reds } = listByColour(lattice, unknown, buffers.i32(`${name}.cells`, lattice.size))
    const last = Math.max(...lattice.shape) <= COARSEST_SIDE
    const coarse = coarsenLattice(lattice)
    const transfer = last ? undefined : createTransfer(lattice, cells, coarse, buffers, name)
    const floating = depth === 0 ? [] : findFloating({ lattice, cells, diagonal, links })
    levels.push({ lattice, cells, reds, diagonal, links, nonZeros: countNonZeros(lattice, cells, links), floating, transfer })
    if (last) return levels
    const next = takeGeometry(coarse, buffers, `weighted.${depth + 1}`)
    coarsenGeometry(lattice, geometry, coarse, next, depth < options.keepAirLevels)
    lattice = coarse
    geometry = next
  }
}

/** A cell closed all around has no equation. */
function markWet({ grid, kind, diagonal }: PressureProblem, lattice: Lattice, unknown: Uint8Array): void {
  for (let cell = 0; cell < grid.cells; cell++)
    if (kind[cell] !== DRY && diagonal[cell] > 0) unknown[latticeIndex(lattice, ...cellPosition(grid, cell))] = 1
}

/** Cells that are not marked keep p = 0, which makes them Dirichlet for their neighbours. */
function markUnknowns({ size }: Lattice, diagonal: Float64Array, smallest: number, unknown: Uint8Array): void {
  for (let at = 0; at < size; at++) unknown[at] = diagonal[at] > 0 && diagonal[at] >= smallest ? 1 : 0
}

function thinnest({ shape, spans }: Lattice, unit: number): number {
  let uncut = 0
  for (const axis of AXES) if (shape[axis] > 1) uncut += (2 * unit) / spans[axis] ** 2
  return THIN * uncut
}

function listByColour(lattice: Lattice, unknown: Uint8Array, cells: Int32Array): { cells: Int32Array; reds: number } {
  let count = 0
  let reds = 0
  for (const colour of [0, 1]) {
    for (let at = 0; at < lattice.size; at++) {
      if (!unknown[at]) continue
      const [i, j, k] = latticePosition(lattice, at)
      if (((i + j + k) & 1) === colour) cells[count++] = at
    }
    if (colour === 0) reds = count
  }
  return { cells: cells.subarray(0, count), reds }
}

/** Eq. 5–7: V (p − p′) per face, with p′ from the ghost-fluid condition where the neighbour is air. */
function writeMatrix(
  { strides, spans, size, origin }: Lattice,
  geometry: Geometry,
  unit: number,
  diagonal: Float64Array,
  links: Links,
) {
  const { phi, open, ground } = geometry
  for (let at = origin; at < size - origin; at++) if (phi[at] < 0) diagonal[at] = ground[at]
  for (const axis of AXES) {
    const stride = strides[axis]
    if (stride === 0) continue
    const coefficient = unit / spans[axis] ** 2
    for (let at = origin; at < size - origin; at++) {
      if (!(phi[at] < 0)) continue
      diagonal[at] += (coefficient * open[axis][at]) / distance(phi[at], phi[at - stride])
      diagonal[at] += (coefficient * open[axis][at + stride]) / distance(phi[at], phi[at + stride])
      if (phi[at + stride] < 0) links[axis][at] = -coefficient * open[axis][at + stride]
    }
  }
}

/** From a liquid centre to p = 0 or to the next unknown, in cells. Beyond the sides of the grid phi is ∞. */
function distance(phi: number, neighbour: number): number {
  if (neighbour < 0) return 1
  if (neighbour === Infinity) return SIDE_FRACTION
  return Math.max(MIN_LIQUID_FRACTION, phi / (phi - neighbour))
}

/** `keepAir`: where signs differ, air decides. */
function coarsenGeometry(fine: Lattice, from: Geometry, coarse: Lattice, to: Geometry, keepAir: boolean): void {
  const [nx, ny, nz] = coarse.shape
  for (let k = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++) {
        const at = latticeIndex(coarse, i, j, k)
        coarsenCell(fine, from, to, at, [i, j, k], keepAir)
        for (const axis of AXES) {
          const stride = coarse.strides[axis]
          if (stride === 0) continue
          to.open[axis][at] = faceMean(fine, from.open[axis], axis, [i, j, k], 0)
          if ([i, j, k][axis] === coarse.shape[axis] - 1)
            to.open[axis][at + stride] = faceMean(fine, from.open[axis], axis, [i, j, k], 1)
        }
      }
    }
  }
}

/** Averages over the children that are not inside a solid. */
function coarsenCell(
  fine: Lattice,
  from: Geometry,
  to: Geometry,
  at: number,
  position: readonly number[],
  keepAir: boolean,
): void {
  let [sum, count, positive, positives, ground] = [0, 0, 0, 0, 0]
  forChildren(fine, position, -1, child => {
    const phi = from.phi[child]
    if (phi === Infinity) return
    sum += phi
    count++
    ground += from.ground[child]
    if (phi < 0) return
    positive += phi
    positives++
  })
  if (count === 0) return
  const mixed = positives > 0 && positives < count
  to.phi[at] = mixed && keepAir ? positive / positives : sum / count
  to.ground[at] = ground / count
}

/** Over the child faces that make up the coarse face: a wall that closes all of them stays closed. */
function faceMean(fine: Lattice, open: Float64Array, axis: number, position: readonly number[], upper: number): number {
  const along = Math.min(fine.shape[axis], (fine.shape[axis] > 1 ? 2 : 1) * (position[axis] + upper))
  let sum = 0
  let count = 0
  forChildren(fine, position, axis, child => {
    sum += open[child + along * fine.strides[axis]]
    count++
  })
  return sum / count
}

/** Children inside the grid; along `skipped` only coordinate 0. */
function forChildren(
  { shape, strides, origin }: Lattice,
  position: readonly number[],
  skipped: number,
  visit: (child: number) => void,
) {
  const range = (axis: number) => {
    if (axis === skipped) return [0, 1]
    const start = shape[axis] > 1 ? 2 * position[axis] : position[axis]
    return [start, Math.min(shape[axis], start + (shape[axis] > 1 ? 2 : 1))]
  }
  const [[x0, x1], [y0, y1], [z0, z1]] = [range(0), range(1), range(2)]
  for (let z = z0; z < z1; z++)
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) visit(origin + x * strides[0] + y * strides[1] + z * strides[2])
}
