/** The voxelised domain of McAdams, Sifakis and Teran (2010) on every level: cells are interior, Dirichlet (air) or Neumann
 *  (solid). A coarse cell is Dirichlet if any child is, else interior if any child is, else Neumann; stencils are uniform,
 *  with the faces to Neumann cells dropped. Geometry is all it needs: no matrix is coarsened. */
import { AXES } from '../../grid/grid.js'
import { faceStrides } from '../../grid/staggered.js'
import { type AssembledProblem, isAssembled } from '../../pressure/assemble.js'
import { DRY, type PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { createGeometry, readGeometry, unitOf } from './rediscretise-geometry.js'
import { copyMatrix, countNonZeros, createMatrix, type LatticeMatrix } from './rediscretise-matrix.js'
import { coarsenLattice, colourOf, createTransfer, type Lattice, latticeIndex, latticeOf, type Transfer } from './transfer.js'

export const NEUMANN = 0
export const INTERIOR = 1
export const DIRICHLET = 2

export interface VoxelLevel extends LatticeMatrix {
  readonly label: Uint8Array
  /** Interior cells near one that is not, red ones first: Gauss–Seidel by colour is the same for any number of threads. */
  readonly band: Int32Array
  readonly bandReds: number
  /** To the next coarser level; absent on the coarsest. */
  readonly transfer: Transfer | undefined
}

/** At most this many unknowns are solved directly. */
const COARSEST_UNKNOWNS = 32

/** Cells this near to one that is not interior, in steps across faces, are smoothed more. */
const BAND_WIDTH = 2

const NO_COLOUR = 2

export type FinestStencil = 'voxelised' | 'problem'

/** With `finest` = `problem` the first level has the problem's own matrix instead of the uniform stencil. */
export function voxelise(problem: PressureProblem, finest: FinestStencil, buffers: Buffers): VoxelLevel[] {
  const unit = unitOf(problem)
  let lattice = latticeOf(problem.grid)
  let label = labelCells(problem, lattice, unit, buffers)
  const levels: VoxelLevel[] = []
  for (let depth = 0; ; depth++) {
    const name = `voxel.${depth}`
    const { diagonal, links } = createMatrix(lattice, buffers, name)
    if (depth === 0 && finest === 'problem') copyMatrix(problem, lattice, diagonal, links)
    else uniformStencils(lattice, label, unit, diagonal, links)
    const cells = listCells(label, diagonal, buffers.i32(`${name}.cells`, lattice.size))
    const last = cells.length <= COARSEST_UNKNOWNS || Math.max(...lattice.shape) === 1
    const coarse = coarsenLattice(lattice)
    levels.push({
      lattice,
      label,
      cells,
      diagonal,
      links,
      ...listBand(lattice, label, cells, buffers, name),
      nonZeros: countNonZeros(lattice, cells, links),
      transfer: last ? undefined : createTransfer(lattice, cells, coarse, buffers, name),
    })
    if (last) return levels
    label = coarsenLabels(lattice, label, coarse, buffers.u8(`voxel.${depth + 1}.label`, coarse.size))
    lattice = coarse
  }
}

/** The matrix of the problem by itself. */
export function matrixOf(problem: PressureProblem, lattice: Lattice, buffers: Buffers, name: string): LatticeMatrix {
  const { diagonal, links } = createMatrix(lattice, buffers, name)
  copyMatrix(problem, lattice, diagonal, links)
  const cells = buffers.i32(`${name}.cells`, lattice.size)
  let count = 0
  for (let at = 0; at < diagonal.length; at++) if (diagonal[at] > 0) cells[count++] = at
  const unknowns = cells.subarray(0, count)
  return { lattice, cells: unknowns, diagonal, links, nonZeros: countNonZeros(lattice, unknowns, links) }
}

/** Unknowns are interior; what they reach through an open face and is none is air, also beyond the sides of the grid. */
function labelCells(problem: PressureProblem, lattice: Lattice, unit: number, buffers: Buffers): Uint8Array {
  const { kind, grid } = problem
  const [nx, ny, nz] = grid.shape
  const label = buffers.u8('voxel.0.label', lattice.size).fill(NEUMANN)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      let at = latticeIndex(lattice, 0, j, k)
      for (let i = 0; i < nx; i++, cell++, at++) if (kind[cell] !== DRY) label[at] = INTERIOR
    }
  }
  if (isAssembled(problem)) labelByFaces(problem, lattice, label)
  else labelByGeometry(problem, lattice, unit, label, buffers)
  return label
}

function labelByFaces({ grid, kind, open }: AssembledProblem, lattice: Lattice, label: Uint8Array): void {
  const [nx, ny, nz] = grid.shape
  const [, sy, sz] = lattice.strides
  const [openX, openY, openZ] = open
  const [facesX, facesY, facesZ] = AXES.map(axis => faceStrides(grid, axis))
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      let at = latticeIndex(lattice, 0, j, k)
      let x = facesX.row * (j + facesX.plane * k)
      let y = facesY.row * (j + facesY.plane * k)
      let z = facesZ.row * (j + facesZ.plane * k)
      for (let i = 0; i < nx; i++, cell++, at++, x++, y++, z++) {
        if (kind[cell] === DRY) continue
        // Most neighbours are interior, so that few faces have to be looked up.
        if (label[at - 1] === NEUMANN && openX[x] > 0) label[at - 1] = DIRICHLET
        if (label[at + 1] === NEUMANN && openX[x + facesX.step] > 0) label[at + 1] = DIRICHLET
        if (label[at - sy] === NEUMANN && openY[y] > 0) label[at - sy] = DIRICHLET
        if (label[at + sy] === NEUMANN && openY[y + facesY.step] > 0) label[at + sy] = DIRICHLET
        if (label[at - sz] === NEUMANN && openZ[z] > 0) label[at - sz] = DIRICHLET
        if (label[at + sz] === NEUMANN && openZ[z + facesZ.step] > 0) label[at + sz] = DIRICHLET
      }
    }
  }
}

function labelByGeometry(problem: PressureProblem, lattice: Lattice, unit: number, label: Uint8Array, buffers: Buffers): void {
  const geometry = createGeometry(lattice, buffers, 'voxel')
  readGeometry(problem, lattice, unit, geometry)
  for (const axis of AXES) {
    const stride = lattice.strides[axis]
    if (stride === 0) continue
    const open = geometry.open[axis]
    for (let at = 0; at < label.length; at++) {
      if (label[at] !== INTERIOR) continue
      if (open[at] > 0 && label[at - stride] === NEUMANN) label[at - stride] = DIRICHLET
      if (open[at + stride] > 0 && label[at + stride] === NEUMANN) label[at + stride] = DIRICHLET
    }
  }
}

/** Ghost cells are included, so that an open side stays open. */
function coarsenLabels(fine: Lattice, label: Uint8Array, coarse: Lattice, to: Uint8Array): Uint8Array {
  to.fill(NEUMANN)
  const [nx, ny, nz] = fine.shape
  const flat = fine.strides[2] === 0
  const halve = (n: number, cells: number) => (cells > 1 || n !== 1 ? n >> 1 : 1)
  const parents = Int32Array.from({ length: nx + 2 }, (_, n) => halve(n - 1, nx))
  for (let k = flat ? 0 : -1; k <= (flat ? 0 : nz); k++) {
    for (let j = -1; j <= ny; j++) {
      const from = latticeIndex(fine, -1, j, k)
      const into = latticeIndex(coarse, 0, halve(j, ny), halve(k, nz))
      for (let n = 0; n < nx + 2; n++) {
        const found = label[from + n]
        if (found > to[into + parents[n]]) to[into + parents[n]] = found
      }
    }
  }
  return to
}

/** Coefficient unit / span² to every neighbour that is not Neumann; p = 0 in Dirichlet ones. */
function uniformStencils(
  { strides, spans, size, origin }: Lattice,
  label: Uint8Array,
  unit: number,
  diagonal: Float64Array,
  links: LatticeMatrix['links'],
): void {
  for (const axis of AXES) {
    const stride = strides[axis]
    if (stride === 0) continue
    const coefficient = unit / spans[axis] ** 2
    for (let at = origin; at < size - origin; at++) {
      if (label[at] !== INTERIOR) continue
      if (label[at - stride] !== NEUMANN) diagonal[at] += coefficient
      if (label[at + stride] !== NEUMANN) diagonal[at] += coefficient
      if (label[at + stride] === INTERIOR) links[axis][at] = -coefficient
    }
  }
}

/** A cell walled in on all sides has no equation. */
function listCells(label: Uint8Array, diagonal: Float64Array, cells: Int32Array): Int32Array {
  let count = 0
  for (let at = 0; at < label.length; at++) if (label[at] === INTERIOR && diagonal[at] > 0) cells[count++] = at
  return cells.subarray(0, count)
}

function listBand(
  lattice: Lattice,
  label: Uint8Array,
  cells: Int32Array,
  buffers: Buffers,
  name: string,
): { band: Int32Array; bandReds: number } {
  const { strides } = lattice
  const near = buffers.u8('voxel.near', label.length)
  for (let at = 0; at < label.length; at++) near[at] = label[at] === INTERIOR ? 0 : 1
  const band = buffers.i32(`${name}.band`, cells.length)
  const [sx, sy, sz] = strides
  for (let step = 1; step <= BAND_WIDTH; step++) {
    const isNear = (at: number) => near[at] !== 0 && near[at] <= step
    for (let n = 0; n < cells.length; n++) {
      const at = cells[n]
      if (near[at] !== 0) continue
      if (isNear(at - sx) || isNear(at + sx) || isNear(at - sy) || isNear(at + sy) || isNear(at - sz) || isNear(at + sz))
        near[at] = step + 1
    }
  }
  const colours = buffers.u8('voxel.colours', cells.length)
  for (let n = 0; n < cells.length; n++) colours[n] = near[cells[n]] === 0 ? NO_COLOUR : colourOf(lattice, cells[n])
  let count = 0
  for (let n = 0; n < cells.length; n++) if (colours[n] === 0) band[count++] = cells[n]
  const bandReds = count
  for (let n = 0; n < cells.length; n++) if (colours[n] === 1) band[count++] = cells[n]
  return { band: band.subarray(0, count), bandReds }
}
