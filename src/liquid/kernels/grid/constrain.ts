/** Removes flow into walls from velocities in solids and on closed sides, after they were extrapolated there. Liquid can flow away from
 *  separating walls where it does not press or hang on them, and from sticking walls nowhere: 0 ≤ p + a ⟂ u·n ≥ 0 holds for particles too, which would
 *  otherwise leave walls that are closed in the pressure problem. No face may read the
 *  new velocity of another, so new velocities go to the first half of the pairs first, which is free at this point; they are f32. */
import { NO_VELOCITY } from '../../shared-constants'
import { DRY, NO_WALL, STICKING } from '../../../pressure/cell-kinds'
import { Liquid, wallOf } from '../liquid'
import { inWallsOf, movingInWalls } from './in-walls'
import {
  byAxis,
  byteAt,
  cellStep,
  current,
  endRow,
  f64At,
  firstRow,
  nodeIndex,
  nodeStep,
  planeRows,
  rowLength,
  sideAt,
  sideKind,
} from './rows'
import { ownerOfFace, velocityOfWall } from './wall-velocity'

/** Velocities of faces in walls: with solids into the pairs; without solids in place, because faces on sides read no others. */
@piece
export function constrainPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const size = axis == 1 ? liquid.ny : liquid.nz
    const end = endRow(liquid, axis, piece)
    let row = firstRow(liquid, axis, piece)
    let j = row % rows
    let k = row / rows
    for (; row < end; row++) {
      const position = axis == 1 ? j : k
      if (liquid.hasSolids) constrainRow(liquid, axis, row, j, k)
      else if (axis == 0) {
        constrainSide(liquid, 0, row, 0, 1, j, k)
        constrainSide(liquid, 0, row, liquid.nx, liquid.nx + 1, j, k)
      } else if (position == 0 || position == size) constrainSide(liquid, axis, row, 0, liquid.nx, j, k)
      if (++j == rows) {
        j = 0
        k++
      }
    }
  }
}

/** Faces from `first` to before `end` of a row that is on one side of the grid. */
function constrainSide(liquid: Liquid, axis: i32, row: i32, first: i32, end: i32, j: i32, k: i32): void {
  if (sideAt(liquid, axis, axis == 0 ? first : axis == 1 ? j : k) == NO_WALL) return
  const face = row * rowLength(liquid, axis)
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  for (let i = first; i < end; i++) {
    if (byteAt(layer, face + i) == NO_VELOCITY) continue
    const at = u + ((<usize>(face + i)) << 3)
    store<f64>(at, alongSide(liquid, axis, i, j, k, load<f64>(at)))
  }
}

function constrainRow(liquid: Liquid, axis: i32, row: i32, j: i32, k: i32): void {
  const length = rowLength(liquid, axis)
  const words = inWallsOf(liquid, axis, row)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>(row * length)
  for (let i = 0; i < length; i += 16) {
    const lanes = movingInWalls(words, layer, i)
    if (lanes) constrainLanes(liquid, axis, row * length, i, j, k, lanes)
  }
}

/** Copies new velocities of faces in walls from the pairs to the faces. */
@piece
export function storeConstrainedPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const length = rowLength(liquid, axis)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const words = inWallsOf(liquid, axis, row)
      const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>(row * length)
      const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>(row * length)) << 3)
      const from = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ) + ((<usize>(row * length)) << 2)
      for (let i = 0; i < length; i += 16) {
        for (let lanes = movingInWalls(words, layer, i); lanes != 0; lanes &= lanes - 1) {
          const at = (<usize>(i + ctz(lanes))) << 2
          store<f64>(u + (at << 1), <f64>load<f32>(from + at))
        }
      }
    }
  }
}

/** Those of the sixteen faces from `first` on, in the row that begins with `face`, whose bits are set in `lanes`. */
function constrainLanes(liquid: Liquid, axis: i32, face: i32, first: i32, j: i32, k: i32, lanes: i32): void {
  const s = axis == 2 ? 0 : axis + 1
  const t = axis == 0 ? 2 : axis - 1
  const last = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  const own = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>face) << 3)
  const to = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ) + ((<usize>face) << 2)
  const nodes = liquid.solid + ((<usize>nodeIndex(liquid, 0, j, k)) << 2)
  const stepS = (<usize>nodeStep(liquid, s)) << 2
  const stepT = (<usize>nodeStep(liquid, t)) << 2
  const step = (<usize>nodeStep(liquid, axis)) << 2
  const faceS = faceIndex(liquid, s, j, k)
  const faceT = faceIndex(liquid, t, j, k)
  const uS = byAxis(s, liquid.ux, liquid.uy, liquid.uz) + ((<usize>faceS) << 3)
  const uT = byAxis(t, liquid.ux, liquid.uy, liquid.uz) + ((<usize>faceT) << 3)
  const layerS = byAxis(s, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>faceS
  const layerT = byAxis(t, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>faceT
  const upS = <usize>faceStep(liquid, s, s)
  const upT = <usize>faceStep(liquid, t, t)
  const backS = <usize>faceStep(liquid, s, axis)
  const backT = <usize>faceStep(liquid, t, axis)
  const y = (<f64>j + (axis == 1 ? 0 : 0.5)) * liquid.spacing
  const z = liquid.dims == 2 ? 0 : (<f64>k + (axis == 2 ? 0 : 0.5)) * liquid.spacing
  for (; lanes != 0; lanes &= lanes - 1) {
    const i = first + ctz(lanes)
    const position = axis == 0 ? i : axis == 1 ? j : k
    const isBelow = position > 0
    const isAbove = position < last
    let value = load<f64>(own + ((<usize>i) << 3))
    const node = nodes + ((<usize>i) << 2)
    const near = load<f32>(node)
    const atS = load<f32>(node + stepS)
    const atT = load<f32>(node + stepT)
    const far = load<f32>(node + stepS + stepT)
    const side = isBelow && isAbove ? -1 : sideKind(liquid, axis, isBelow)
    // Closed by a solid, not by the side alone.
    if (side <= NO_WALL || near + atS + atT + far <= 0) {
      // Four times the slopes of the distance; only the direction matters.
      const slope = <f64>(
        (fourCorners(isAbove ? node + step : node, stepS, stepT) - fourCorners(isBelow ? node - step : node, stepS, stepT))
      )
      const normal = isBelow && isAbove ? 0.5 * slope : slope
      const normalS = 2 * <f64>(atS + far - near - atT)
      const normalT = 2 * <f64>(atT + far - near - atS)
      const length = sqrt(normal * normal + normalS * normalS + normalT * normalT)
      if (length > 0) {
        const owner = ownerOfFace(liquid, axis, i, j, k)
        const x = (<f64>i + (axis == 0 ? 0 : 0.5)) * liquid.spacing
        const wall = velocityOfWall(liquid, owner, axis, x, y, z)
        const besideS = besides(uS, layerS, <usize>i, upS, backS, isBelow, isAbove, velocityOfWall(liquid, owner, s, x, y, z))
        const besideT = besides(uT, layerT, <usize>i, upT, backT, isBelow, isAbove, velocityOfWall(liquid, owner, t, x, y, z))
        value = alongWall(
          liquid,
          axis,
          i,
          j,
          k,
          owner,
          wall,
          value - wall,
          besideS,
          besideT,
          normal / length,
          normalS / length,
          normalT / length,
        )
      }
    }
    if (side > NO_WALL) value = alongSide(liquid, axis, i, j, k, value)
    store<f32>(to + ((<usize>i) << 2), <f32>value)
  }
}

/** The first face of a row of an axis. */
@inline
function faceIndex(liquid: Liquid, axis: i32, j: i32, k: i32): i32 {
  return rowLength(liquid, axis) * (j + planeRows(liquid, axis) * k)
}

/** Distance in the array of an axis' faces to the next face along another axis. */
@inline
function faceStep(liquid: Liquid, axis: i32, along: i32): i32 {
  if (along == 0) return 1
  return along == 1 ? rowLength(liquid, axis) : rowLength(liquid, axis) * planeRows(liquid, axis)
}

/** Four times the mean distance at the corners of a face. */
@inline
function fourCorners(node: usize, s: usize, t: usize): f32 {
  return load<f32>(node) + load<f32>(node + s) + load<f32>(node + t) + load<f32>(node + s + t)
}

/** Mean velocity of the four faces of another axis around a face, of those that are known, minus the wall's; 0 if none is, as for the z-faces
 *  of a 2D grid. Face i and the face `up` further on belong to the cell above; the cell below has those `back` before them. */
@inline
function besides(u: usize, layer: usize, i: usize, up: usize, back: usize, isBelow: bool, isAbove: bool, wall: f64): f64 {
  const above = isAbove ? i : i - back
  const below = isBelow ? i - back : i
  const a = isKnown(layer + above) & u32(isAbove)
  const b = isKnown(layer + above + up) & u32(isAbove)
  const c = isKnown(layer + below) & u32(isBelow)
  const d = isKnown(layer + below + up) & u32(isBelow)
  let sum = 0.0 + valueIf(u + (above << 3), a)
  sum += valueIf(u + ((above + up) << 3), b)
  sum += valueIf(u + (below << 3), c)
  sum += valueIf(u + ((below + up) << 3), d)
  const count = a + b + c + d
  return count == 0 ? 0 : sum / <f64>(<i32>count) - wall
}

@inline
function isKnown(layer: usize): u32 {
  return u32(load<u8>(layer) != NO_VELOCITY)
}

/** The value, or 0 if it is not known. */
@inline
function valueIf(at: usize, isKnown: u32): f64 {
  return reinterpret<f64>(load<u64>(at) & -(<u64>isKnown))
}

/** New velocity along its axis of a face in a solid: the allowed part of the velocity relative to the wall, plus the wall's. */
@inline
function alongWall(
  liquid: Liquid,
  axis: i32,
  i: i32,
  j: i32,
  k: i32,
  owner: i32,
  moving: f64,
  relative: f64,
  relativeS: f64,
  relativeT: f64,
  normal: f64,
  normalS: f64,
  normalT: f64,
): f64 {
  const wall = wallOf(liquid, owner)
  const away = relative * normal + relativeS * normalS + relativeT * normalT
  const along = relative - away * normal
  // Flow into the wall stops whether or not the liquid presses on it.
  if (away < 0 || wall.kind == STICKING || isPressed(liquid, axis, i, j, k)) return moving + along + 0
  return moving + along + away * normal
}

/** Allowed part of a velocity on a closed side. */
@inline
function alongSide(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, value: f64): f64 {
  const position = axis == 0 ? i : axis == 1 ? j : k
  // Flow into the side stops whether or not the liquid presses on it.
  const isInto = position == 0 ? value < 0 : value > 0
  if (isInto || sideAt(liquid, axis, position) == STICKING || isPressed(liquid, axis, i, j, k)) return 0
  return position == 0 ? max(value, 0) : min(value, 0)
}

/** Whether liquid presses on the wall, or hangs on it: by the cells on both sides of the face or, deeper in a solid, by the cells around. */
function isPressed(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): bool {
  const position = axis == 0 ? i : axis == 1 ? j : k
  const size = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  const cell = i + liquid.nx * (j + liquid.ny * k)
  const step = cellStep(liquid, axis)
  // At a side of the grid, the cell inside is used for both.
  const above = position < size ? cell : cell - step
  const below = position > 0 ? cell - step : cell
  if (byteAt(liquid.kind, above) != DRY || byteAt(liquid.kind, below) != DRY)
    return presses(liquid, above) || presses(liquid, below)
  const firstI = max(0, i - 1 - i32(axis == 0))
  const firstJ = max(0, j - 1 - i32(axis == 1))
  const firstK = max(0, k - 1 - i32(axis == 2))
  const bytes = min(liquid.nx, i + 2) - firstI
  const endJ = min(liquid.ny, j + 2)
  const endK = min(liquid.nz, k + 2)
  for (let c = firstK; c < endK; c++) {
    for (let b = firstJ; b < endJ; b++) {
      const first = firstI + liquid.nx * (b + liquid.ny * c)
      // Up to four kinds at once; most are dry.
      if (load<u32>(liquid.kind + <usize>first) << (32 - 8 * bytes) == 0) continue
      for (let n = 0; n < bytes; n++) if (presses(liquid, first + n)) return true
    }
  }
  return false
}

@inline
function presses(liquid: Liquid, cell: i32): bool {
  return f64At(liquid.pressure, cell) + f64At(liquid.adhesion, cell) > 0 && byteAt(liquid.kind, cell) != DRY
}
