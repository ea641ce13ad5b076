/** Velocities in solids and on closed sides, after they were extrapolated there: liquid must not flow into a wall. Separating walls let it
 *  flow away where it presses on them no longer, sticking ones nowhere: 0 ≤ p ⟂ u·n ≥ 0 for particles too, which would else be drawn off
 *  walls that the pressure problem takes for closed; friction takes its share of what flows along. Reads a copy of the velocities (`pairX` …), so that no face
 *  sees what was done to another. */
import { Liquid, OPEN, STICKING, wallOf } from './liquid'
import { DRY, ownerOfFace, velocityOfWall } from './liquid-assemble'
import { BEYOND } from './liquid-project'
import { byAxis, byteAt, current, endRow, f32At, f64At, firstRow, nodeIndex, nodeStep, planeRows, rowLength, sideAt } from './liquid-rows'

/** Liquid leaves a wall, and feels no friction, where its velocity makes a larger angle with the wall than this one, as a sine. */
const LEAVING: f64 = 0.1

/** Faces deeper in a solid than this, in cells, are in reach of no particle. */
const DEEP: f32 = -1.5

export function constrainChunk(chunk: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const j = row % rows
      const k = row / rows
      if (liquid.hasSolids || (axis == 1 && (j == 0 || j == liquid.ny)) || (axis == 2 && (k == 0 || k == liquid.nz)))
        constrainFaces(liquid, axis, row * length, 0, length, j, k)
      else if (axis == 0) {
        constrainFaces(liquid, 0, row * length, 0, 1, j, k)
        constrainFaces(liquid, 0, row * length, liquid.nx, length, j, k)
      }
    }
  }
}

/** Those of a row that begins with `face` from the `first` to the one before `end`. */
function constrainFaces(liquid: Liquid, axis: i32, face: i32, first: i32, end: i32, j: i32, k: i32): void {
  const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  let i = first
  while (i < end) {
    if (i + 8 <= end && load<u64>(layer + <usize>(face + i)) == u64.MAX_VALUE) {
      i += 8
      continue
    }
    if (i + 4 <= end && v128.all_true<i32>(v128.load(open + (<usize>(face + i) << 2)))) {
      i += 4
      continue
    }
    if (f32At(open, face + i) == 0 && byteAt(layer, face + i) != BEYOND) constrainFace(liquid, axis, face + i, i, j, k)
    i++
  }
}

function constrainFace(liquid: Liquid, axis: i32, face: i32, i: i32, j: i32, k: i32): void {
  const at = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + (<usize>face << 3)
  let value = load<f64>(at)
  const position = axis == 0 ? i : axis == 1 ? j : k
  const side = sideAt(liquid, axis, position)
  const node = nodeIndex(liquid, i, j, k)
  const s = axis == 2 ? 0 : axis + 1
  const t = axis == 0 ? 2 : axis - 1
  const phi = facePhi(liquid, node, s, t)
  if (phi < 4 * DEEP) return
  // Closed by a solid, not by the side alone.
  if (side <= OPEN || phi <= 0) value = alongWall(liquid, axis, s, t, i, j, k, node, value)
  if (side > OPEN) {
    if (side == STICKING || isPressed(liquid, axis, i, j, k)) value = 0
    else value = position == 0 ? max(value, 0) : min(value, 0)
  }
  store<f64>(at, value)
}

/** Does liquid press on the wall here? By the cells on both sides of the face or, deeper in a solid, by those around. */
function isPressed(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): bool {
  const backI = axis == 0 ? 1 : 0
  const backJ = axis == 1 ? 1 : 0
  const backK = axis == 2 ? 1 : 0
  const below = pressedAt(liquid, i - backI, j - backJ, k - backK)
  const above = pressedAt(liquid, i, j, k)
  if (below != NO_LIQUID || above != NO_LIQUID) return below == PRESSED || above == PRESSED
  for (let c = k - 1 - backK; c <= k + 1; c++) {
    for (let b = j - 1 - backJ; b <= j + 1; b++) {
      for (let a = i - 1 - backI; a <= i + 1; a++) if (pressedAt(liquid, a, b, c) == PRESSED) return true
    }
  }
  return false
}

const NO_LIQUID: i32 = 0
const FREE: i32 = 1
const PRESSED: i32 = 2

@inline
function pressedAt(liquid: Liquid, i: i32, j: i32, k: i32): i32 {
  if (i < 0 || j < 0 || k < 0 || i >= liquid.nx || j >= liquid.ny || k >= liquid.nz) return NO_LIQUID
  const cell = i + liquid.nx * (j + liquid.ny * k)
  if (byteAt(liquid.kind, cell) == DRY) return NO_LIQUID
  return f64At(liquid.pressure, cell) > 0 ? PRESSED : FREE
}

/** Four times the mean distance at the corners of a face that spans axes s and t. */
@inline
function facePhi(liquid: Liquid, node: i32, s: i32, t: i32): f32 {
  const phi = liquid.solid
  const stepS = nodeStep(liquid, s)
  const stepT = nodeStep(liquid, t)
  return f32At(phi, node) + f32At(phi, node + stepS) + f32At(phi, node + stepT) + f32At(phi, node + stepS + stepT)
}

/** What is left of the velocity on a face in a solid, along the axis of the face. */
function alongWall(liquid: Liquid, axis: i32, s: i32, t: i32, i: i32, j: i32, k: i32, node: i32, own: f64): f64 {
  const phi = liquid.solid
  const stepS = nodeStep(liquid, s)
  const stepT = nodeStep(liquid, t)
  const step = nodeStep(liquid, axis)
  const position = axis == 0 ? i : axis == 1 ? j : k
  const last = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  // Four times the slopes of the distance, whatever the length.
  const above = position < last ? facePhi(liquid, node + step, s, t) : facePhi(liquid, node, s, t)
  const below = position > 0 ? facePhi(liquid, node - step, s, t) : facePhi(liquid, node, s, t)
  let normal = <f64>(above - below) / (position > 0 && position < last ? 2 : 1)
  const far = f32At(phi, node + stepS + stepT)
  const near = f32At(phi, node)
  const atS = f32At(phi, node + stepS)
  const atT = f32At(phi, node + stepT)
  let normalS = 2 * <f64>(atS + far - near - atT)
  let normalT = 2 * <f64>(atT + far - near - atS)
  const length = sqrt(normal * normal + normalS * normalS + normalT * normalT)
  if (!(length > 0)) return own
  normal /= length
  normalS /= length
  normalT /= length
  const owner = ownerOfFace(liquid, axis, i, j, k)
  const wall = wallOf(liquid, owner)
  const h = liquid.spacing
  const x = (<f64>i + (axis == 0 ? 0 : 0.5)) * h
  const y = (<f64>j + (axis == 1 ? 0 : 0.5)) * h
  const z = liquid.dims == 2 ? 0 : (<f64>k + (axis == 2 ? 0 : 0.5)) * h
  const wallOwn = velocityOfWall(liquid, owner, axis, x, y, z)
  // Relative to the wall.
  const relative = own - wallOwn
  const relativeS = besides(liquid, s, axis, i, j, k, velocityOfWall(liquid, owner, s, x, y, z))
  const relativeT = besides(liquid, t, axis, i, j, k, velocityOfWall(liquid, owner, t, x, y, z))
  const away = relative * normal + relativeS * normalS + relativeT * normalT
  const isSticking = wall.kind == STICKING || isPressed(liquid, axis, i, j, k)
  const squares = relative * relative + relativeS * relativeS + relativeT * relativeT
  const isLeaving = away > 0 && away * away > LEAVING * LEAVING * squares
  const along = relative - away * normal
  const rest = isLeaving && !isSticking ? along : (1 - wall.friction) * along
  return wallOwn + rest + (isSticking || away < 0 ? 0 : away * normal)
}

/** Mean of the four faces of axis `other` around a face, as far as something is known of them, less the wall's; 0 if nothing is. */
function besides(liquid: Liquid, other: i32, axis: i32, i: i32, j: i32, k: i32, wall: f64): f64 {
  if (other == 2 && liquid.dims == 2) return 0
  const copy = byAxis(other, liquid.pairX, liquid.pairY, liquid.pairZ)
  const layer = byAxis(other, liquid.layerX, liquid.layerY, liquid.layerZ)
  const row = rowLength(liquid, other)
  const plane = row * planeRows(liquid, other)
  const step = other == 0 ? 1 : other == 1 ? row : plane
  const back = axis == 0 ? 1 : axis == 1 ? row : plane
  const position = axis == 0 ? i : axis == 1 ? j : k
  const size = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  // Lower face of the cell above; its upper one, and those of the cell below.
  const face = i + row * j + plane * k
  let sum = 0.0
  let count = 0
  if (position < size) {
    if (byteAt(layer, face) != BEYOND) {
      sum += f64At(copy, face)
      count++
    }
    if (byteAt(layer, face + step) != BEYOND) {
      sum += f64At(copy, face + step)
      count++
    }
  }
  if (position > 0) {
    if (byteAt(layer, face - back) != BEYOND) {
      sum += f64At(copy, face - back)
      count++
    }
    if (byteAt(layer, face + step - back) != BEYOND) {
      sum += f64At(copy, face + step - back)
      count++
    }
  }
  return count == 0 ? 0 : sum / <f64>count - wall
}
