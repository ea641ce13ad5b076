/** Advects deep liquid on the grid (semi-Lagrangian): a face gets the velocity at the point where its liquid comes from, by cubic interpolation
 *  bounded by the nearest points. trace.ts finds displacements at centres; a face uses the mean of both sides, which is as accurate. */
import { LAYER, NO_VELOCITY } from '../../shared-constants'
import { TraceJob, tracePiece } from './trace'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { counting, cubicFour, laneOf } from '../grid/interpolate-four'
import { byAxis, current, endRow, firstRow, planeRows, rowLength } from '../grid/rows'
import { Bounds, clamp, mixAt } from '../grid/velocity'
import { integers } from '../particles/weights'
import { run } from '../../../machine/kernels/pool'

/** Needs the pairs, `depth`, and velocities that are known or extrapolated as far as the liquid moves. Writes `carried`, and `beforeX` … by way
 *  of `startX` …, whose memory they exchange. */
export function carryDeep(liquid: Liquid, dt: f64): void {
  const job = jobOf<TraceJob>()
  job.liquid = liquid
  job.scale = dt / liquid.spacing
  run(tracePiece, liquid.pieceCount)
  run(carryPiece, liquid.pieceCount)
  const x = liquid.beforeX
  const y = liquid.beforeY
  const z = liquid.beforeZ
  liquid.beforeX = liquid.startX
  liquid.beforeY = liquid.startY
  liquid.beforeZ = liquid.startZ
  liquid.startX = x
  liquid.startY = y
  liquid.startZ = z
}

/** From this depth on the grid contributes to velocities; one cell deeper it alone defines them. */
@inline
function minCarried(liquid: Liquid): i32 {
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

/** Velocity of deep liquid on faces to which it contributes, 0 on others. Axes alternate row by row, because they read the same
 *  displacements. */
@piece
export function carryPiece(piece: i32): void {
  const liquid = current()
  const isLast = piece == liquid.pieceCount - 1
  const first = piece * liquid.pieceSlabs
  const end = isLast ? liquid.slabs + 1 : first + liquid.pieceSlabs
  if (liquid.dims == 2) {
    for (let j = first; j < end; j++) carryRows(liquid, j, 0)
    return
  }
  for (let k = first; k < end; k++) for (let j = 0; j <= liquid.ny; j++) carryRows(liquid, j, k)
}

/** Skips rows of faces beyond the grid. */
function carryRows(liquid: Liquid, j: i32, k: i32): void {
  if (j < liquid.ny && k < liquid.nz) carryRow(liquid, 0, j, k)
  if (k < liquid.nz) carryRow(liquid, 1, j, k)
  if (j < liquid.ny && liquid.dims == 3) carryRow(liquid, 2, j, k)
}

/** Inlined, so that it is compiled for each axis separately. */
@inline
function carryRow(liquid: Liquid, axis: i32, j: i32, k: i32): void {
  const length = rowLength(liquid, axis)
  const first = <usize>((j + planeRows(liquid, axis) * k) * length)
  const values = byAxis(axis, liquid.startX, liquid.startY, liquid.startZ) + (first << 2)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + first
  const above = cellAbove(liquid, j, k)
  const below = cellBelow(liquid, axis, j, k)
  const least = v128.splat<u8>(<u8>minCarried(liquid))
  for (let i = 0; i < length; i += 16) {
    let lanes = v128.bitmask<i8>(v128.gt<u8>(carriedBeside(liquid, axis, above, below, i), least))
    // Deep in solids no velocity is known: liquid there would fall for ever.
    if (lanes != 0) lanes &= ~v128.bitmask<i8>(v128.eq<u8>(v128.load(layer + <usize>i), v128.splat<u8>(<u8>NO_VELOCITY)))
    if (i + 16 > length) lanes &= (1 << (length - i)) - 1
    for (let n = i; n < min(length, i + 16); n += 4, lanes >>= 4) {
      const to = values + ((<usize>n) << 2)
      const wanted = maskOf(lanes)
      if (n + 4 <= length) {
        if (lanes & 15) v128.store(to, v128.and(bring(liquid, axis, n, j, k, above, below, wanted), wanted))
        // Most of the grid is air, where velocities are 0 already.
        else if (v128.any_true(v128.load(to))) v128.store(to, v128.splat<f32>(0))
        continue
      }
      let value = lanes == 0 ? v128.splat<f32>(0) : v128.and(bring(liquid, axis, n, j, k, above, below, wanted), wanted)
      for (let m: usize = 0; m < <usize>(length - n); m++, value = v128.shuffle<i32>(value, value, 1, 2, 3, 0)) {
        store<f32>(to + (m << 2), f32x4.extract_lane(value, 0))
      }
    }
  }
}

/** Velocities advected to four faces in a row, in the requested lanes. */
@inline
function bring(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, above: i32, below: i32, wanted: v128): v128 {
  // Positions from the corner of the grid, then from the first face.
  const halfX: f32 = axis == 0 ? 0 : 0.5
  const halfY: f32 = axis == 1 ? 0 : 0.5
  const halfZ: f32 = axis == 2 ? 0 : 0.5
  const x = f32x4.sub(
    f32x4.sub(counting(<f32>i + halfX), displacementTo(liquid.displacementX, liquid, axis, i, above, below)),
    f32x4.splat(halfX),
  )
  const y = f32x4.sub(
    f32x4.sub(f32x4.splat(<f32>j + halfY), displacementTo(liquid.displacementY, liquid, axis, i, above, below)),
    f32x4.splat(halfY),
  )
  const z = f32x4.sub(
    f32x4.sub(f32x4.splat(<f32>k + halfZ), displacementTo(liquid.displacementZ, liquid, axis, i, above, below)),
    f32x4.splat(halfZ),
  )
  const bounds = changetype<Bounds>(liquid.bounds)
  const lowerX = f32x4.floor(x)
  const lowerY = f32x4.floor(y)
  const lowerZ = f32x4.floor(z)
  let inner = v128.and(
    isInner(lowerX, axis == 0 ? bounds.lastX : bounds.lowerX),
    isInner(lowerY, axis == 1 ? bounds.lastY : bounds.lowerY),
  )
  if (liquid.dims == 3) inner = v128.and(inner, isInner(lowerZ, axis == 2 ? bounds.lastZ : bounds.lowerZ))
  let value = v128.splat<f32>(0)
  if (v128.any_true(v128.andnot(wanted, inner))) value = bringStraight(liquid, axis, x, y, z)
  const row = byAxis(axis, liquid.rowX, liquid.rowY, liquid.rowZ)
  const plane = byAxis(axis, liquid.planeX, liquid.planeY, liquid.planeZ)
  const lines = i32x4.add(
    i32x4.mul(integers(lowerY), i32x4.splat(<i32>row)),
    i32x4.mul(integers(lowerZ), i32x4.splat(<i32>plane)),
  )
  // First point of the row if the four positions are neighbours; usually the same for all lanes.
  const starts = i32x4.add(lines, i32x4.sub(i32x4.shl(integers(lowerX), 2), i32x4(0, 4, 8, 12)))
  const cubic = v128.and(inner, wanted)
  const velocities = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
  const fx = f32x4.sub(x, lowerX)
  const fy = f32x4.sub(y, lowerY)
  const fz = f32x4.sub(z, lowerZ)
  for (let todo = i32x4.bitmask(cubic); todo != 0; ) {
    const start = laneOf(starts, ctz(todo))
    const isThere = v128.and(v128.eq<i32>(starts, i32x4.splat(start)), cubic)
    value = v128.bitselect(cubicFour(velocities + <usize>start, row, plane, fx, fy, fz), value, isThere)
    todo &= ~i32x4.bitmask(isThere)
  }
  return value
}

/** Linear interpolation, for positions without enough points around for a cubic. */
function bringStraight(liquid: Liquid, axis: i32, x: v128, y: v128, z: v128): v128 {
  const mx = rowLength(liquid, axis)
  const my = planeRows(liquid, axis)
  const mz = liquid.nz + i32(axis == 2)
  const row = byAxis(axis, liquid.rowX, liquid.rowY, liquid.rowZ)
  const plane = byAxis(axis, liquid.planeX, liquid.planeY, liquid.planeZ)
  const cx = clamp(x, f32x4.splat(<f32>(mx - 1)))
  const cy = clamp(y, f32x4.splat(<f32>(my - 1)))
  const cz = clamp(z, f32x4.splat(<f32>(mz - 1)))
  const lowerX = f32x4.floor(f32x4.pmin(cx, f32x4.splat(<f32>max(0, mx - 2))))
  const lowerY = f32x4.floor(f32x4.pmin(cy, f32x4.splat(<f32>max(0, my - 2))))
  const lowerZ = f32x4.floor(f32x4.pmin(cz, f32x4.splat(<f32>max(0, mz - 2))))
  const lines = i32x4.add(
    i32x4.mul(integers(lowerY), i32x4.splat(<i32>row)),
    i32x4.mul(integers(lowerZ), i32x4.splat(<i32>plane)),
  )
  const lowest = i32x4.add(lines, i32x4.shl(integers(lowerX), 2))
  const velocities = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
  return mixAt(velocities, lowest, row, plane, f32x4.sub(cx, lowerX), f32x4.sub(cy, lowerY), f32x4.sub(cz, lowerZ))
}

/** Mean displacement of the cells on both sides of four faces in a row; at a side of the grid, that of the cell inside. */
@inline
function displacementTo(displacements: usize, liquid: Liquid, axis: i32, i: i32, above: i32, below: i32): v128 {
  let up = v128.load(displacements + ((<usize>(above + i)) << 2))
  let down = v128.load(displacements + ((<usize>(axis == 0 ? above + i - 1 : below + i)) << 2))
  if (axis == 0) {
    if (i == 0) down = v128.shuffle<i32>(down, up, 4, 1, 2, 3)
    if (i + 4 > liquid.nx) up = v128.bitselect(down, up, v128.eq<i32>(i32x4(0, 1, 2, 3), i32x4.splat(liquid.nx - i)))
  }
  return f32x4.mul(f32x4.splat(0.5), f32x4.add(down, up))
}

/** Lanes of four positions with two points on both sides; `last`: the second point from the end. */
@inline
function isInner(lower: v128, last: v128): v128 {
  return v128.and(f32x4.ge(lower, f32x4.splat(1)), f32x4.lt(lower, last))
}

/** Merges the velocity of deep liquid into a row of faces after the transfer from particles, where particles do not define it. */
export function mergeRow(liquid: Liquid, axis: i32, row: i32, j: i32, k: i32): void {
  const least = minCarried(liquid)
  const length = rowLength(liquid, axis)
  const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const above = cellAbove(liquid, j, k)
  const below = cellBelow(liquid, axis, j, k)
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
      const share = isReached ? min<f64>(1, <f64>(byteOf(carried, <i32>n) - least) / <f64>LAYER) : 1
      const own = load<f64>(at)
      store<f64>(at, own + share * (<f64>load<f32>(before + ((face + n) << 2)) - own))
      store<u8>(layer + face + n, 0)
    }
  }
}

@inline
function takeSixteen(u: usize, before: usize, layer: usize): void {
  for (let n: usize = 0; n < 16; n += 2) v128.store(u + (n << 3), f64x2.promote_low_f32x4(v128.load64_zero(before + (n << 2))))
  v128.store(layer, v128.splat<u8>(0))
}

/** Lane 0 … 15 of a vector, chosen at run time. */
@inline
function byteOf(bytes: v128, lane: i32): i32 {
  return <i32>v128.extract_lane<u8>(v128.swizzle(bytes, v128.splat<u8>(<u8>lane)), 0)
}

/** `carried` next to sixteen faces of a row: the smaller value of both sides; at a side of the grid, that of the cell inside. */
@inline
function carriedBeside(liquid: Liquid, axis: i32, above: i32, below: i32, i: i32): v128 {
  const up = v128.load(liquid.carried + <usize>(above + i))
  // Most of the grid is air.
  if (i + 16 <= liquid.nx && !v128.any_true(up)) return up
  if (axis != 0) return v128.min<u8>(up, v128.load(liquid.carried + <usize>(below + i)))
  const down = v128.load(liquid.carried + <usize>(above + i - 1))
  // Beyond both ends of the row are cells of other rows.
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  const first = i == 0 ? v128.eq<i8>(lanes, v128.splat<i8>(0)) : v128.splat<i8>(0)
  const last = v128.eq<i8>(lanes, v128.splat<i8>(<i8>min(16, liquid.nx - i)))
  return v128.min<u8>(v128.bitselect(down, up, last), v128.bitselect(up, down, first))
}

/** Lanes with all bits set where any bit of the lane is set. */
@inline
function maskOf(lanes: i32): v128 {
  return v128.ne<i32>(v128.and(i32x4.splat(lanes), i32x4(1, 2, 4, 8)), i32x4.splat(0))
}
