/** Geometry that solids and sides leave to the liquid: open fractions of faces and cells, kind of wall that touches a cell, clearance.
 *  Recomputed when solids move. */
import { ON_SURFACE } from '../../../grid/small-openings'
import { NO_WALL, SEPARATING, STICKING } from '../../../pressure/cell-kinds'
import { CENTRE_SOLID, CLEARANCE } from '../../shared-constants'
import { Liquid, wallOf } from '../liquid'
import { findInWalls } from './in-walls'
import { openCell, openFace } from './open'
import {
  byAxis,
  byteAt,
  CELLS,
  current,
  endRow,
  f32At,
  firstRow,
  nodeIndex,
  nodeStep,
  planeRows,
  rowLength,
  sideAt,
  sideKind,
} from './rows'

/** Moves nodes close to a wall onto it, so that all later tests of sign agree. Not cut into pieces: in 2D nodes have two layers, cells one. */
export function snapNodes(liquid: Liquid): void {
  const nodes = (liquid.nx + 1) * (liquid.ny + 1) * (liquid.nz + 1)
  const end = liquid.solid + ((<usize>nodes) << 2)
  const near = v128.splat<f32>(<f32>ON_SURFACE)
  let at = liquid.solid
  for (; at + 16 <= end; at += 16) {
    const phi = v128.load(at)
    const on = v128.le<f32>(v128.abs<f32>(phi), near)
    if (v128.any_true(on)) v128.store(at, v128.andnot(phi, on))
  }
  for (; at < end; at += 4) if (abs(load<f32>(at)) <= <f32>ON_SURFACE) store<f32>(at, 0)
}

@piece
export function openFacesPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const j = row % rows
      const k = row / rows
      const at = open + ((<usize>(row * length)) << 2)
      const side = axis == 0 ? -1 : sideAt(liquid, axis, axis == 1 ? j : k)
      if (side > NO_WALL) memory.fill(at, 0, (<usize>length) << 2)
      else openRow(liquid, axis, at, length, nodeIndex(liquid, 0, j, k))
      if (axis == 0) {
        if (sideKind(liquid, 0, false) != NO_WALL) store<f32>(at, 0)
        if (sideKind(liquid, 0, true) != NO_WALL) store<f32>(at + ((<usize>(length - 1)) << 2), 0)
      }
      findInWalls(liquid, axis, row, j, k)
    }
  }
}

function openRow(liquid: Liquid, axis: i32, open: usize, length: i32, node: i32): void {
  const s = (<usize>nodeStep(liquid, axis == 2 ? 0 : axis + 1)) << 2
  const t = (<usize>nodeStep(liquid, axis == 0 ? 2 : axis - 1)) << 2
  const zero = v128.splat<f32>(0)
  let at = liquid.solid + ((<usize>node) << 2)
  let i = 0
  while (i < length) {
    if (i + 4 <= length) {
      const nearest = v128.min<f32>(
        v128.min<f32>(v128.load(at), v128.load(at + s)),
        v128.min<f32>(v128.load(at + t), v128.load(at + s + t)),
      )
      const farthest = v128.max<f32>(
        v128.max<f32>(v128.load(at), v128.load(at + s)),
        v128.max<f32>(v128.load(at + t), v128.load(at + s + t)),
      )
      const isFar = v128.all_true<i32>(v128.gt<f32>(nearest, zero))
      if (isFar || v128.all_true<i32>(v128.le<f32>(farthest, zero))) {
        v128.store(open, v128.splat<f32>(isFar ? 1 : 0))
        open += 16
        at += 16
        i += 4
        continue
      }
    }
    const stop = min(length, i + 4)
    for (; i < stop; i++, at += 4, open += 4)
      store<f32>(open, openFace(load<f32>(at), load<f32>(at + s), load<f32>(at + s + t), load<f32>(at + t)))
  }
}

@piece
export function openCellsPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  const far = v128.splat<f32>(0)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const alongRow = touchOfRow(liquid, j, k)
    // Sides of x take precedence over those of y and z.
    const lower = sideKind(liquid, 0, false)
    const upper = sideKind(liquid, 0, true)
    const atUpper = upper == NO_WALL ? alongRow : upper
    const atLower = lower == NO_WALL ? (nx == 1 ? atUpper : alongRow) : lower
    const touch = liquid.touch + <usize>(row * nx)
    const open = liquid.openCell + ((<usize>(row * nx)) << 2)
    const first = nodeIndex(liquid, 0, j, k)
    const clearance = liquid.clearance + <usize>(row * nx)
    for (let i = 0; i < nx; i += 4) storeClearance(clearance + <usize>i, nearestOfFour(liquid, first + i), nx - i)
    let i = 0
    while (i < nx) {
      const stop = min(nx, i + 4)
      if (stop == i + 4 && areSolid(liquid, first + i)) {
        // Never unknowns, so the kind of wall does not matter.
        v128.store(open + ((<usize>i) << 2), far)
        store<u32>(touch + <usize>i, (SEPARATING | CENTRE_SOLID) * 0x01010101)
        i = stop
        continue
      }
      const isFar = stop == i + 4 && v128.all_true<i32>(v128.gt<f32>(nearestOfFour(liquid, first + i), far))
      if (isFar && i > 0 && stop < nx) {
        v128.store(open + ((<usize>i) << 2), v128.splat<f32>(1))
        store<u32>(touch + <usize>i, <u32>alongRow * 0x01010101)
        i = stop
        continue
      }
      for (; i < stop; i++) {
        const bySolid = isFar ? 0 : touchOfNodes(liquid, first + i)
        const bySide = i == 0 ? atLower : i == nx - 1 ? atUpper : alongRow
        store<u8>(touch + <usize>i, bySolid == 0 ? bySide : bySolid)
        store<f32>(open + ((<usize>i) << 2), bySolid == 0 ? <f32>1 : openOfCell(liquid, first + i))
      }
    }
  }
}

/** Kind of the first closed side of y and z next to a row of cells. */
function touchOfRow(liquid: Liquid, j: i32, k: i32): i32 {
  let kind = NO_WALL
  if (j == 0) kind = sideKind(liquid, 1, false)
  if (kind == NO_WALL && j == liquid.ny - 1) kind = sideKind(liquid, 1, true)
  if (liquid.dims == 2) return kind
  if (kind == NO_WALL && k == 0) kind = sideKind(liquid, 2, false)
  if (kind == NO_WALL && k == liquid.nz - 1) kind = sideKind(liquid, 2, true)
  return kind
}

/** Smallest nodal distance of each of four cells in a row. */
@inline
function nearestOfFour(liquid: Liquid, node: i32): v128 {
  const mx = (<usize>nodeStep(liquid, 1)) << 2
  const at = liquid.solid + ((<usize>node) << 2)
  const up = at + ((<usize>nodeStep(liquid, 2)) << 2)
  return v128.min<f32>(
    v128.min<f32>(v128.min<f32>(v128.load(at), v128.load(at + 4)), v128.min<f32>(v128.load(at + mx), v128.load(at + mx + 4))),
    v128.min<f32>(v128.min<f32>(v128.load(up), v128.load(up + 4)), v128.min<f32>(v128.load(up + mx), v128.load(up + mx + 4))),
  )
}

/** For the first `rest` of four cells. Distances are linear between nodes, so the smallest of a cell is at a node. */
@inline
function storeClearance(at: usize, nearest: v128, rest: i32): void {
  const parts = i32x4.trunc_sat_f32x4_s(v128.mul<f32>(nearest, v128.splat<f32>(<f32>CLEARANCE)))
  const words = i16x8.narrow_i32x4_s(parts, parts)
  const bytes = i8x16.narrow_i16x8_u(words, words)
  if (rest >= 4) store<u32>(at, <u32>i32x4.extract_lane(bytes, 0))
  else for (let n = 0; n < rest; n++) store<u8>(at + <usize>n, <u8>(i32x4.extract_lane(bytes, 0) >> (8 * n)))
}

/** Whether all nodes of four cells in a row are inside solids. */
@inline
function areSolid(liquid: Liquid, node: i32): bool {
  const mx = (<usize>nodeStep(liquid, 1)) << 2
  const at = liquid.solid + ((<usize>node) << 2)
  const up = at + ((<usize>nodeStep(liquid, 2)) << 2)
  const farthest = v128.max<f32>(
    v128.max<f32>(v128.max<f32>(v128.load(at), v128.load(at + 4)), v128.max<f32>(v128.load(at + mx), v128.load(at + mx + 4))),
    v128.max<f32>(v128.max<f32>(v128.load(up), v128.load(up + 4)), v128.max<f32>(v128.load(up + mx), v128.load(up + mx + 4))),
  )
  return v128.all_true<i32>(v128.lt<f32>(farthest, v128.splat<f32>(0)))
}

/** Kind of the wall that reaches deepest into a cell (the lower number of two), and whether the centre of the cell is solid; 0 without any. */
function touchOfNodes(liquid: Liquid, node: i32): i32 {
  const my = nodeStep(liquid, 1)
  const mz = nodeStep(liquid, 2)
  let deepest: f32 = f32.MAX_VALUE
  let owner = 0
  let sum: f32 = 0
  for (let q = 0; q < 8; q++) {
    const at = node + (q & 1) + my * ((q >> 1) & 1) + mz * (q >> 2)
    const phi = f32At(liquid.solid, at)
    const by = byteAt(liquid.owner, at)
    sum += phi
    if (phi < deepest || (phi == deepest && by < owner)) {
      deepest = phi
      owner = by
    }
  }
  if (deepest > 0) return 0
  const kind = wallOf(liquid, owner).kind == STICKING ? STICKING : SEPARATING
  return sum < 0 ? kind | CENTRE_SOLID : kind
}

function openOfCell(liquid: Liquid, node: i32): f32 {
  const my = nodeStep(liquid, 1)
  const up = node + nodeStep(liquid, 2)
  const phi = liquid.solid
  return <f32>(
    openCell(
      f32At(phi, node),
      f32At(phi, node + 1),
      f32At(phi, node + my),
      f32At(phi, node + my + 1),
      f32At(phi, up),
      f32At(phi, up + 1),
      f32At(phi, up + my),
      f32At(phi, up + my + 1),
    )
  )
}
