/** Trilinear transfers between a grid and the one with half as many cells per axis, as Chentanez and Müller and McAdams use
 *  them: cell-centred, 1D weights 3/4 and 1/4, restriction the scaled transpose of prolongation.
 *  Vectors live on lattices: whole grids with a ring of ghost cells that always hold 0, so that no stencil tests for bounds. */
import { cellPosition, type Grid } from '../../grid/grid.js'
import type { Buffers } from '../../sparse/buffers.js'

export interface Lattice {
  readonly shape: readonly [number, number, number]
  /** Distance of neighbours along each axis; 0 along z in 2D, where a cell is its own neighbour and all links are 0. */
  readonly strides: readonly [number, number, number]
  /** Index of cell (0, 0, 0). */
  readonly origin: number
  /** Cells with ghosts. */
  readonly size: number
  /** Cells of the finest grid that one cell spans along each axis. */
  readonly spans: readonly [number, number, number]
}

export function createLattice(
  shape: readonly [number, number, number],
  flat: boolean,
  spans: readonly [number, number, number] = [1, 1, 1],
): Lattice {
  const [nx, ny, nz] = shape
  const sy = nx + 2
  const sz = flat ? 0 : sy * (ny + 2)
  return { shape, strides: [1, sy, sz], origin: 1 + sy + sz, size: sy * (ny + 2) * (flat ? 1 : nz + 2), spans }
}

export function latticeOf(grid: Grid): Lattice {
  return createLattice(grid.shape, grid.dims === 2)
}

/** Half as many cells along every axis that has more than one, rounded up. */
export function coarsenLattice({ shape, strides, spans }: Lattice): Lattice {
  const halve = (n: number) => (n + 1) >> 1
  const double = (span: number, axis: number) => (shape[axis] > 1 ? 2 * span : span)
  return createLattice([halve(shape[0]), halve(shape[1]), halve(shape[2])], strides[2] === 0, [
    double(spans[0], 0),
    double(spans[1], 1),
    double(spans[2], 2),
  ])
}

export function latticeIndex({ strides, origin }: Lattice, i: number, j: number, k: number): number {
  return origin + i * strides[0] + j * strides[1] + k * strides[2]
}

/** Lattice indices of grid cells, in the order given. */
export function latticeIndices(grid: Grid, lattice: Lattice, cells: ArrayLike<number>, indices: Int32Array): Int32Array {
  for (let at = 0; at < cells.length; at++) {
    const [i, j, k] = cellPosition(grid, cells[at])
    indices[at] = latticeIndex(lattice, i, j, k)
  }
  return indices
}

/** (i, j, k) of a lattice index. */
export function latticePosition({ strides }: Lattice, index: number): readonly [number, number, number] {
  const [, sy, sz] = strides
  const k = sz === 0 ? 0 : Math.floor(index / sz) - 1
  const inPlane = sz === 0 ? index : index % sz
  return [(inPlane % sy) - 1, Math.floor(inPlane / sy) - 1, k]
}

/** 0 on red cells, where i + j + k is even, and 1 on black ones. */
export function colourOf({ strides }: Lattice, index: number): number {
  const [, sy, sz] = strides
  const k = sz === 0 ? 1 : Math.floor(index / sz)
  const inPlane = sz === 0 ? index : index - k * sz
  const j = Math.floor(inPlane / sy)
  return (inPlane - j * sy + j + k + 1) & 1
}

/** Between the listed cells of a fine lattice and the next coarser one. */
export interface Transfer {
  /** Fine cells per coarse cell: 8, less where an axis is not halved. */
  readonly children: number
  /** to += P x on the listed cells; `to` is a fine, `x` a coarse lattice vector. */
  prolong(x: Float64Array, to: Float64Array): void
  /** to = Pᵀ r / children; to is a coarse lattice vector, also written where there is no unknown. */
  restrict(r: Float64Array, to: Float64Array): void
}

/** 3/4 of an axis' weight goes to the parent, 1/4 to its neighbour on the cell's side. */
const W0 = 27 / 64
const W1 = 9 / 64
const W2 = 3 / 64
const W3 = 1 / 64

export function createTransfer(fine: Lattice, cells: Int32Array, coarse: Lattice, buffers: Buffers, name: string): Transfer {
  const offsets = octantOffsets(coarse)
  const children = fine.shape.reduce((product, n) => (n > 1 ? 2 * product : product), 1)
  let tables: { parent: Int32Array; octant: Uint8Array } | undefined
  // Created when needed, because compiled loops compute the places of cells.
  const lookUp = () => {
    if (tables) return tables
    const parent = buffers.i32(`${name}.parent`, cells.length)
    const octant = buffers.u8(`${name}.octant`, cells.length)
    for (let at = 0; at < cells.length; at++) {
      const [i, j, k] = latticePosition(fine, cells[at])
      parent[at] = latticeIndex(coarse, i >> 1, j >> 1, k >> 1)
      octant[at] = (i & 1) | ((j & 1) << 1) | ((k & 1) << 2)
    }
    tables = { parent, octant }
    return tables
  }
  return {
    children,
    prolong(x, to) {
      const { parent, octant } = lookUp()
      for (let at = 0; at < cells.length; at++) {
        const q = parent[at]
        const o = 3 * octant[at]
        const qx = q + offsets[o]
        const y = offsets[o + 1]
        const z = offsets[o + 2]
        to[cells[at]] +=
          W0 * x[q] + W1 * (x[qx] + x[q + y] + x[q + z]) + W2 * (x[qx + y] + x[qx + z] + x[q + y + z]) + W3 * x[qx + y + z]
      }
    },
    restrict(r, to) {
      const { parent, octant } = lookUp()
      to.fill(0)
      const scale = 1 / children
      for (let at = 0; at < cells.length; at++) {
        const value = r[cells[at]] * scale
        if (value === 0) continue
        const q = parent[at]
        const o = 3 * octant[at]
        const qx = q + offsets[o]
        const y = offsets[o + 1]
        const z = offsets[o + 2]
        to[q] += W0 * value
        to[qx] += W1 * value
        to[q + y] += W1 * value
        to[q + z] += W1 * value
        to[qx + y] += W2 * value
        to[qx + z] += W2 * value
        to[q + y + z] += W2 * value
        to[qx + y + z] += W3 * value
      }
    },
  }
}

/** Steps to the coarse neighbours on the side of each octant. Along an axis with one coarse cell there is no neighbour and the
 *  parent keeps the whole weight. */
function octantOffsets({ shape, strides }: Lattice): Int32Array {
  const offsets = new Int32Array(24)
  for (let octant = 0; octant < 8; octant++)
    for (let axis = 0; axis < 3; axis++)
      offsets[3 * octant + axis] = shape[axis] === 1 ? 0 : (octant >> axis) & 1 ? strides[axis] : -strides[axis]
  return offsets
}
