/** Rows of points along x, and the rows of a piece. Rows are numbered in the order of memory: j + (rows of a plane) k. Points are the faces of
 *  axis 0, 1 or 2, or cells. The faces above the last slab belong to the last piece. */
import { jobOf } from '../../../machine/kernels/job'
import { CONTACT } from '../../../pressure/cell-kinds'
import { Liquid } from '../liquid'

export const CELLS: i32 = 3

/** Arguments of every loop over a liquid. Records of loops with more arguments extend it. */
@unmanaged
export class LiquidJob {
  liquid: Liquid
}

/** The liquid of the running loop. */
@inline
export function current(): Liquid {
  return jobOf<LiquidJob>().liquid
}

@inline
export function rowLength(liquid: Liquid, points: i32): i32 {
  return liquid.nx + i32(points == 0)
}

@inline
export function planeRows(liquid: Liquid, points: i32): i32 {
  return liquid.ny + i32(points == 1)
}

/** Rows of faces of the axes before this one; of all axes for 3. */
@inline
export function rowsBefore(liquid: Liquid, axis: i32): i32 {
  const rowsX = liquid.ny * liquid.nz
  if (axis < 2) return axis == 0 ? 0 : rowsX
  return axis == 2 ? 2 * rowsX + liquid.nz : 3 * rowsX + liquid.nz + liquid.ny
}

export function firstRow(liquid: Liquid, points: i32, piece: i32): i32 {
  if (liquid.dims == 2) return points == 2 ? 0 : piece * liquid.pieceSlabs
  return piece * liquid.pieceSlabs * planeRows(liquid, points)
}

/** One after the last row of a piece. The z-faces of a 2D grid have no rows: nothing moves there. */
export function endRow(liquid: Liquid, points: i32, piece: i32): i32 {
  if (piece < liquid.pieceCount - 1) return firstRow(liquid, points, piece + 1)
  if (liquid.dims == 2) return points == 2 ? 0 : planeRows(liquid, points)
  return planeRows(liquid, points) * (liquid.nz + i32(points == 2))
}

/** One of three values by axis. */
@inline
export function byAxis(axis: i32, x: usize, y: usize, z: usize): usize {
  return axis == 0 ? x : axis == 1 ? y : z
}

/** Distance in the array of cells between neighbours along an axis. */
@inline
export function cellStep(liquid: Liquid, axis: i32): i32 {
  return axis == 0 ? 1 : axis == 1 ? liquid.nx : liquid.nx * liquid.ny
}

@inline
export function nodeStep(liquid: Liquid, axis: i32): i32 {
  return axis == 0 ? 1 : axis == 1 ? liquid.nx + 1 : (liquid.nx + 1) * (liquid.ny + 1)
}

@inline
export function nodeIndex(liquid: Liquid, i: i32, j: i32, k: i32): i32 {
  return i + (liquid.nx + 1) * (j + (liquid.ny + 1) * k)
}

/** Kind of the side that a face at `position` along its axis is on, −1 inside the grid. */
@inline
export function sideAt(liquid: Liquid, axis: i32, position: i32): i32 {
  const last = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  if (position != 0 && position != last) return -1
  return sideKind(liquid, axis, position == last)
}

@inline
export function sideKind(liquid: Liquid, axis: i32, upper: bool): i32 {
  return load<i32>(liquid.sides + ((<usize>(2 * axis + i32(upper))) << 2))
}

@inline
export function f32At(array: usize, index: i32): f32 {
  return load<f32>(array + ((<usize>index) << 2))
}

@inline
export function f64At(array: usize, index: i32): f64 {
  return load<f64>(array + ((<usize>index) << 3))
}

@inline
export function byteAt(array: usize, index: i32): i32 {
  return load<u8>(array + <usize>index)
}

/** Whether liquid has let go of the wall of a contact, as plain/grid/contacts.ts. */
@inline
export function hasLetGo(liquid: Liquid, cell: i32): bool {
  return byteAt(liquid.kind, cell) == CONTACT && f64At(liquid.pressure, cell) + f64At(liquid.adhesion, cell) == 0
}
