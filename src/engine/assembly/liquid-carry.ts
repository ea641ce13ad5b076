/** Deep liquid moves on the grid (semi-Lagrangian): the velocity that it brings along from where liquid-trace has found it to come from, by
 *  cubic interpolation within the bounds of its nearest neighbours. Ways are found for centres; a face takes the mean of both sides, which
 *  is as accurate. */
import { setNumber, setPointer } from './jobs'
import { LAYER, Liquid } from './liquid'
import { sampleCubic } from './liquid-cubic'
import { counting, cubicFour, follow } from './liquid-four'
import { CARRY, MERGE, TRACE } from './liquid-pieces'
import { byAxis, current, endRow, f32At, firstRow, planeRows, rowLength } from './liquid-rows'
import { planeX, planeY, planeZ, rowX, rowY, rowZ } from './particle-weights'
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
        while (lanes != 0) {
          const n = i + ctz(lanes)
          if (((lanes >> (n - i)) & 15) == 15 && bringFour(liquid, axis, n, j, k, above, below, values)) {
            lanes &= ~(15 << (n - i))
            continue
          }
          const up = axis == 0 ? above + min(n, liquid.nx - 1) : above + n
          const down = axis == 0 ? above + max(0, n - 1) : below + n
          store<f32>(values + (<usize>n << 2), broughtTo(liquid, axis, n, j, k, up, down))
          lanes &= lanes - 1
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

/** As `broughtTo` for four faces in a row inside of the grid, unless they come from faces that are not. */
@inline
function bringFour(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, above: i32, below: i32, values: usize): bool {
  if (axis == 0 && (i < 1 || i + 4 > liquid.nx)) return false
  const up = <usize>(above + i) << 2
  const down = axis == 0 ? up - 4 : <usize>(below + i) << 2
  const half = f32x4.splat(0.5)
  const wayX = f32x4.mul(half, f32x4.add(v128.load(liquid.wayX + down), v128.load(liquid.wayX + up)))
  const wayY = f32x4.mul(half, f32x4.add(v128.load(liquid.wayY + down), v128.load(liquid.wayY + up)))
  const wayZ = f32x4.mul(half, f32x4.add(v128.load(liquid.wayZ + down), v128.load(liquid.wayZ + up)))
  let x = f32x4.sub(counting(<f32>i + (axis == 0 ? <f32>0 : 0.5)), wayX)
  let y = f32x4.sub(f32x4.splat(<f32>j + (axis == 1 ? <f32>0 : 0.5)), wayY)
  let z = f32x4.sub(f32x4.splat(<f32>k + (axis == 2 ? <f32>0 : 0.5)), wayZ)
  if (axis != 0) x = f32x4.sub(x, half)
  if (axis != 1) y = f32x4.sub(y, half)
  if (axis != 2) z = f32x4.sub(z, half)
  const lowerX = f32x4.floor(x)
  const lowerY = f32x4.floor(y)
  const lowerZ = f32x4.floor(z)
  if (!follow(lowerX, lowerY, lowerZ)) return false
  const ix = <i32>f32x4.extract_lane(lowerX, 0)
  const iy = <i32>f32x4.extract_lane(lowerY, 0)
  const iz = <i32>f32x4.extract_lane(lowerZ, 0)
  if (ix < 1 || ix + 3 >= rowLength(liquid, axis) - 2 || iy < 1 || iy >= planeRows(liquid, axis) - 2) return false
  if (liquid.dims == 3 && (iz < 1 || iz >= liquid.nz + i32(axis == 2) - 2)) return false
  const pairs = byAxis(axis, liquid.pairX, liquid.pairY, liquid.pairZ)
  const row = byAxis(axis, rowX(liquid), rowY(liquid), rowZ(liquid))
  const plane = byAxis(axis, planeX(liquid), planeY(liquid), planeZ(liquid))
  const at = pairs + (<usize>ix << 3) + row * <usize>iy + plane * <usize>iz
  const fx = f32x4.sub(x, lowerX)
  const fy = f32x4.sub(y, lowerY)
  const fz = f32x4.sub(z, lowerZ)
  v128.store(values + (<usize>i << 2), cubicFour(at, row, plane, fx, fy, fz))
  return true
}
