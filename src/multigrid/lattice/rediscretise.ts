/** The weighted Poisson hierarchy of Chentanez and Müller (2011): level set and face fractions are averaged from level to level
 *  and every matrix is assembled again from them (their eq. 5–7). The finest one is the problem's own. */
import { AXES } from '../../grid/grid.js'
import { MIN_LIQUID_FRACTION } from '../../pressure/cell-kinds.js'
import { DRY, type PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { findFloating } from './rediscretise-components.js'
import { createGeometry, type Geometry, readGeometry, SIDE_FRACTION, unitOf } from './rediscretise-geometry.js'
import { copyMatrix, countNonZeros, createMatrix, type LatticeMatrix, type Links } from './rediscretise-matrix.js'
import { coarsenLattice, createTransfer, type Lattice, latticeIndex, latticeOf, type Transfer } from './transfer.js'

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
  let geometry = createGeometry(lattice, buffers, 'weighted.0')
  readGeometry(problem, lattice, unit, geometry)
  const levels: WeightedLevel[] = []
  for (let depth = 0; ; depth++) {
    const name = `weighted.${depth}`
    const { diagonal, links } = createMatrix(lattice, buffers, name)
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
    const floating = depth === 0 ? [] : findFloating({ lattice, cells, diagonal, links }, buffers, name)
    levels.push({ lattice, cells, reds, diagonal, links, nonZeros: countNonZeros(lattice, cells, links), floating, transfer })
    if (last) return levels
    const next = createGeometry(coarse, buffers, `weighted.${depth + 1}`)
    coarsenGeometry(lattice, geometry, coarse, next, depth < options.keepAirLevels)
    lattice = coarse
    geometry = next
  }
}

/** A cell closed all around has no equation. */
function markWet({ grid, kind, diagonal }: PressureProblem, lattice: Lattice, unknown: Uint8Array): void {
  const [nx, ny, nz] = grid.shape
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      let at = latticeIndex(lattice, 0, j, k)
      for (let i = 0; i < nx; i++, cell++, at++) if (kind[cell] !== DRY && diagonal[cell] > 0) unknown[at] = 1
    }
  }
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
  const [nx, ny, nz] = lattice.shape
  let count = 0
  let reds = 0
  for (const colour of [0, 1]) {
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        const line = latticeIndex(lattice, 0, j, k)
        for (let i = (j + k + colour) & 1; i < nx; i += 2) if (unknown[line + i]) cells[count++] = line + i
      }
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
        const children = childrenOf(fine, i, j, k)
        coarsenCell(fine, from, to, at, children, keepAir)
        for (const axis of AXES) {
          const stride = coarse.strides[axis]
          if (stride === 0) continue
          const position = axis === 0 ? i : axis === 1 ? j : k
          to.open[axis][at] = faceMean(fine, from.open[axis], axis, children, position)
          if (position === coarse.shape[axis] - 1)
            to.open[axis][at + stride] = faceMean(fine, from.open[axis], axis, children, position + 1)
        }
      }
    }
  }
}

/** Children of a coarse cell that are inside the grid: the first along each axis, and how many. */
interface Children {
  x: number
  y: number
  z: number
  nx: number
  ny: number
  nz: number
}

// One for all cells, because millions of them are requested.
const found: Children = { x: 0, y: 0, z: 0, nx: 0, ny: 0, nz: 0 }

function childrenOf({ shape }: Lattice, i: number, j: number, k: number): Children {
  found.x = shape[0] > 1 ? 2 * i : i
  found.y = shape[1] > 1 ? 2 * j : j
  found.z = shape[2] > 1 ? 2 * k : k
  found.nx = Math.min(shape[0] - found.x, shape[0] > 1 ? 2 : 1)
  found.ny = Math.min(shape[1] - found.y, shape[1] > 1 ? 2 : 1)
  found.nz = Math.min(shape[2] - found.z, shape[2] > 1 ? 2 : 1)
  return found
}

/** Averages over the children that are not inside a solid. */
function coarsenCell(
  { strides: [sx, sy, sz], origin }: Lattice,
  from: Geometry,
  to: Geometry,
  at: number,
  { x, y, z, nx, ny, nz }: Children,
  keepAir: boolean,
): void {
  let sum = 0
  let count = 0
  let positive = 0
  let positives = 0
  let ground = 0
  for (let k = z; k < z + nz; k++) {
    for (let j = y; j < y + ny; j++) {
      for (let i = x; i < x + nx; i++) {
        const child = origin + i * sx + j * sy + k * sz
        const phi = from.phi[child]
        if (phi === Infinity) continue
        sum += phi
        count++
        ground += from.ground[child]
        if (phi < 0) continue
        positive += phi
        positives++
      }
    }
  }
  if (count === 0) return
  const mixed = positives > 0 && positives < count
  to.phi[at] = mixed && keepAir ? positive / positives : sum / count
  to.ground[at] = ground / count
}

/** Over the child faces that make up the coarse face at `position` along `axis`: a wall that closes all of them stays closed. */
function faceMean(
  { shape, strides: [sx, sy, sz], origin }: Lattice,
  open: Float64Array,
  axis: number,
  { x, y, z, nx, ny, nz }: Children,
  position: number,
): number {
  const along = Math.min(shape[axis], (shape[axis] > 1 ? 2 : 1) * position)
  const [x0, x1] = axis === 0 ? [along, along + 1] : [x, x + nx]
  const [y0, y1] = axis === 1 ? [along, along + 1] : [y, y + ny]
  const [z0, z1] = axis === 2 ? [along, along + 1] : [z, z + nz]
  let sum = 0
  let count = 0
  for (let k = z0; k < z1; k++) {
    for (let j = y0; j < y1; j++) {
      for (let i = x0; i < x1; i++) {
        sum += open[origin + i * sx + j * sy + k * sz]
        count++
      }
    }
  }
  return sum / count
}
