/** Deep liquid moves on the grid: where what is in a cell has come from (semi-Lagrangian, by the midpoint rule), how deep it lay there, and the velocity it brings
 *  along, by cubic interpolation within the bounds of its nearest neighbours. Ways are found for centres; a face takes the mean of both
 *  sides, which is as accurate. */
import { number, setNumber, setPointer } from './jobs'
import { LAYER, Liquid } from './liquid'
import { sampleCubic } from './liquid-cubic'
import { CARRY, MERGE, TRACE } from './liquid-pieces'
import { BEYOND } from './liquid-project'
import { byAxis, byteAt, CELLS, current, endRow, f32At, firstRow, planeRows, rowLength } from './liquid-rows'
import { distanceAt, lengthOf, MOST_STRIDES, step, STRIDE, velocityAt } from './particle-advect'
import { across, integers, lowerAcross, planeX, planeY, planeZ, rowX, rowY, rowZ, sizes } from './particle-weights'
import { run } from './pool'

/** Needs the pairs, `depth`, and velocities that are known or extrapolated as far as liquid gets. Writes `carried` and `beforeX` … . */
export function carryDeep(liquid: Liquid, dt: f64): void {
  setPointer(0, changetype<usize>(liquid))
  setNumber(0, dt / liquid.spacing)
  run(TRACE, liquid.chunkCount)
  run(CARRY, liquid.chunkCount)
}

/** After particles have given their velocities. */
export function mergeDeep(liquid: Liquid): void {
  setPointer(0, changetype<usize>(liquid))
  run(MERGE, liquid.chunkCount)
}

export function traceChunk(chunk: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const size = sizes(liquid)
  const scale = <f32>number(0)
  const end = endRow(liquid, CELLS, chunk)
  for (let row = firstRow(liquid, CELLS, chunk); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const layer = liquid.layerX + <usize>(row * (nx + 1))
    for (let i = 0; i < nx; i++) {
      const cell = row * nx + i
      // No velocity reaches there, and no liquid.
      if (byteAt(layer, i) == BEYOND) {
        store<u8>(liquid.carried + <usize>cell, 0)
        continue
      }
      const to = f32x4(<f32>i + 0.5, <f32>j + 0.5, <f32>k + 0.5, 0)
      const middle = f32x4.sub(to, f32x4.mul(velocityOfCell(liquid, cell, row, k), f32x4.splat(0.5 * scale)))
      let way = f32x4.mul(velocityAt(liquid, middle, size, false, 0, 0), f32x4.splat(scale))
      if (liquid.hasSolids) way = wayFromWall(liquid, to, way, size)
      const at = <usize>cell << 2
      store<f32>(liquid.wayX + at, f32x4.extract_lane(way, 0))
      store<f32>(liquid.wayY + at, f32x4.extract_lane(way, 1))
      store<f32>(liquid.wayZ + at, f32x4.extract_lane(way, 2))
      store<u8>(liquid.carried + <usize>cell, <u8>(depthAt(liquid, f32x4.sub(to, way), size) + 0.5))
    }
  }
}

/** The way as far back as no solid is in it: what is behind a thin wall does not come through. */
@inline
function wayFromWall(liquid: Liquid, to: v128, way: v128, size: v128): v128 {
  const length = lengthOf(way)
  if (distanceAt(liquid, to, size) > 1.05 * length) return way
  const strides = min(MOST_STRIDES, 1 + <i32>(length / STRIDE))
  let here = to
  for (let n = 0; n < strides; n++) {
    const next = step(here, way, -1 / <f32>strides)
    if (distanceAt(liquid, next, size) < 0) break
    here = next
  }
  return f32x4.sub(to, here)
}

/** In the centre. */
@inline
function velocityOfCell(liquid: Liquid, cell: i32, row: i32, k: i32): v128 {
  const x = liquid.pairX + (<usize>(cell + row) << 3)
  const y = liquid.pairY + (<usize>(cell + liquid.nx * k) << 3)
  const z = liquid.pairZ + (<usize>cell << 3)
  const u = load<f32>(x) + load<f32>(x, 8)
  const v = load<f32>(y) + load<f32>(y + (<usize>liquid.nx << 3))
  const w = liquid.dims == 3 ? load<f32>(z) + load<f32>(z + planeZ(liquid)) : 0
  return f32x4.mul(f32x4(u, v, w, 0), f32x4.splat(0.5))
}

/** Between centres. */
@inline
function depthAt(liquid: Liquid, position: v128, size: v128): f32 {
  const c = across(position, size)
  const lower = lowerAcross(c, size)
  const i = integers(lower)
  const f = f32x4.sub(c, lower)
  const right: usize = liquid.nx > 1 ? 1 : 0
  const row: usize = liquid.ny > 1 ? liquid.nx : 0
  const plane: usize = liquid.nz > 1 ? liquid.nx * liquid.ny : 0
  const at = liquid.depth + <usize>(i32x4.extract_lane(i, 0) + liquid.nx * (i32x4.extract_lane(i, 1) + liquid.ny * i32x4.extract_lane(i, 2)))
  const fx = f32x4.extract_lane(f, 0)
  const fy = f32x4.extract_lane(f, 1)
  const lowerPlane = alongY(at, right, row, fx, fy)
  return lowerPlane + f32x4.extract_lane(f, 2) * (alongY(at + plane, right, row, fx, fy) - lowerPlane)
}

@inline
function alongY(at: usize, right: usize, row: usize, fx: f32, fy: f32): f32 {
  const lower = alongX(at, right, fx)
  return lower + fy * (alongX(at + row, right, fx) - lower)
}

@inline
function alongX(at: usize, right: usize, fx: f32): f32 {
  const left = <f32>load<u8>(at)
  return left + fx * (<f32>load<u8>(at + right) - left)
}

/** From here on the grid has a say in velocities; a cell deeper it has the only one. */
@inline
function leastCarried(liquid: Liquid): i32 {
  return LAYER * (liquid.band - 1)
}

/** The cell above the first face of a row along x; on an upper side of the grid the one below it. */
@inline
function cellAbove(liquid: Liquid, j: i32, k: i32): i32 {
  return liquid.nx * (min(j, liquid.ny - 1) + liquid.ny * min(k, liquid.nz - 1))
}

/** The cell below it. */
@inline
function cellBelow(liquid: Liquid, axis: i32, j: i32, k: i32): i32 {
  return liquid.nx * (max(0, j - i32(axis == 1)) + liquid.ny * max(0, k - i32(axis == 2)))
}

/** Velocities that deep liquid brings along, on faces that it has a say on; 0 on others. */
export function carryChunk(chunk: i32): void {
  const liquid = current()
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const j = row % rows
      const k = row / rows
      const values = before + (<usize>(row * length) << 2)
      memory.fill(values, 0, <usize>length << 2)
      const above = cellAbove(liquid, j, k)
      const below = cellBelow(liquid, axis, j, k)
      for (let i = 0; i < length; i += 16) {
        let lanes = v128.bitmask<i8>(v128.gt<u8>(carriedBeside(liquid, axis, above, below, i), v128.splat<u8>(<u8>leastCarried(liquid))))
        if (i + 16 > length) lanes &= (1 << (length - i)) - 1
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          const up = axis == 0 ? above + min(n, liquid.nx - 1) : above + n
          const down = axis == 0 ? above + max(0, n - 1) : below + n
          store<f32>(values + (<usize>n << 2), broughtTo(liquid, axis, n, j, k, up, down))
        }
      }
    }
  }
}

/** Takes the velocity of deep liquid where particles are not told to be. */
export function mergeChunk(chunk: i32): void {
  const liquid = current()
  const least = leastCarried(liquid)
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const above = cellAbove(liquid, row % rows, row / rows)
      const below = cellBelow(liquid, axis, row % rows, row / rows)
      for (let i = 0; i < length; i += 16) {
        const carried = carriedBeside(liquid, axis, above, below, i)
        const face = <usize>(row * length + i)
        if (i + 16 <= length && v128.all_true<i8>(v128.ge<u8>(carried, v128.splat<u8>(<u8>(least + LAYER))))) {
          takeSixteen(u + (face << 3), before + (face << 2), layer + face)
          continue
        }
        let lanes = v128.bitmask<i8>(v128.gt<u8>(carried, v128.splat<u8>(<u8>least)))
        if (i + 16 > length) lanes &= (1 << (length - i)) - 1
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = <usize>ctz(lanes)
          const isReached = load<u8>(layer + face + n) == 0
          const at = u + ((face + n) << 3)
          const share = isReached ? min<f64>(1, <f64>(laneOf(carried, <i32>n) - least) / <f64>LAYER) : 1
          const own = load<f64>(at)
          store<f64>(at, own + share * (<f64>load<f32>(before + ((face + n) << 2)) - own))
          store<u8>(layer + face + n, 0)
        }
      }
    }
  }
}

@inline
function takeSixteen(u: usize, before: usize, layer: usize): void {
  for (let n: usize = 0; n < 16; n += 2) v128.store(u + (n << 3), f64x2.promote_low_f32x4(v128.load64_zero(before + (n << 2))))
  v128.store(layer, v128.splat<u8>(0))
}

/** Any lane of sixteen. */
@inline
function laneOf(bytes: v128, lane: i32): i32 {
  return <i32>v128.extract_lane<u8>(v128.swizzle(bytes, v128.splat<u8>(<u8>lane)), 0)
}

/** What is carried beside sixteen faces of a row, on the side that has less of it; on a side of the grid in the one cell there is. */
@inline
function carriedBeside(liquid: Liquid, axis: i32, above: i32, below: i32, i: i32): v128 {
  const up = v128.load(liquid.carried + <usize>(above + i))
  if (axis != 0) return v128.min<u8>(up, v128.load(liquid.carried + <usize>(below + i)))
  const down = v128.load(liquid.carried + <usize>(above + i - 1))
  // Beyond both ends of the row lie cells of other rows.
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  const first = i == 0 ? v128.eq<i8>(lanes, v128.splat<i8>(0)) : v128.splat<i8>(0)
  const last = v128.eq<i8>(lanes, v128.splat<i8>(<i8>min(16, liquid.nx - i)))
  return v128.min<u8>(v128.bitselect(down, up, last), v128.bitselect(up, down, first))
}

@inline
function broughtTo(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, above: i32, below: i32): f32 {
  const x = <f32>i + (axis == 0 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayX, below) + f32At(liquid.wayX, above))
  const y = <f32>j + (axis == 1 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayY, below) + f32At(liquid.wayY, above))
  const z = <f32>k + (axis == 2 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayZ, below) + f32At(liquid.wayZ, above))
  const pairs = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
  const row = byAxis(axis, rowX(liquid), rowY(liquid), rowZ(liquid))
  const plane = byAxis(axis, planeX(liquid), planeY(liquid), planeZ(liquid))
  const half: f32 = 0.5
  return sampleCubic(
    pairs,
    rowLength(liquid, axis),
    planeRows(liquid, axis),
    liquid.nz + i32(axis == 2),
    row,
    plane,
    axis == 0 ? x : x - half,
    axis == 1 ? y : y - half,
    axis == 2 ? z : z - half,
  )
}
