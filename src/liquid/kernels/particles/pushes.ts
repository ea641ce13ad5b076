/** Pairs of particles that are too near each other, each found once, and how they push each other apart: see `findPushes` in
 *  plain/particles/separate.ts. */
import { jobOf } from '../../../machine/kernels/job'
import { byAxis, current, LiquidJob } from '../grid/rows'
import { firstParticle, Liquid } from '../liquid'

/** Squared distance in cells below which a direction is rounding. */
const COINCIDENT: f32 = 1e-8

@unmanaged
export class SeparateJob extends LiquidJob {
  /** Distance in cells below which particles push each other away. */
  nearest: f64
  /** Particles of a full cell. */
  perCell: f64
}

/** Sums of pushes, stored in the target of the next sort. */
@piece
export function pushEvenSlabsPiece(piece: i32): void {
  const liquid = current()
  const slab = 2 * piece
  const first = (<usize>firstOfSlab(liquid, slab)) << 2
  const bytes = ((<usize>firstOfSlab(liquid, slab + 2)) << 2) - first
  memory.fill(liquid.otherPx + first, 0, bytes)
  memory.fill(liquid.otherPy + first, 0, bytes)
  memory.fill(liquid.otherPz + first, 0, bytes)
  pushSlab(liquid, slab)
}

@piece
export function pushOddSlabsPiece(piece: i32): void {
  pushSlab(current(), 2 * piece + 1)
}

@inline
function firstOfSlab(liquid: Liquid, slab: i32): i32 {
  return firstParticle(liquid, min(liquid.slabs, slab) * liquid.slabCells)
}

/** All pairs of particles of which the first in the list is in a slab. */
function pushSlab(liquid: Liquid, slab: i32): void {
  const nearest = <f32>jobOf<SeparateJob>().nearest
  const nx = liquid.nx
  const ny = liquid.ny
  const behind = firstOfSlab(liquid, slab + 2)
  const rows = liquid.slabCells / nx
  for (let row = slab * rows; row < (slab + 1) * rows; row++) {
    let n = firstParticle(liquid, row * nx)
    if (n == firstParticle(liquid, (row + 1) * nx)) continue
    const j = row % ny
    const k = row / ny
    for (let i = 0; i < nx; i++) {
      const last = firstParticle(liquid, row * nx + i + 1)
      for (; n < last; n++) pushOthers(liquid, n, i, j, k, nearest, behind)
    }
  }
}

/** Pairs of a particle, in cell (i, j, k), with later ones. `behind`: one after the last particle that may be written. */
@inline
function pushOthers(liquid: Liquid, own: i32, i: i32, j: i32, k: i32, nearest: f32, behind: i32): void {
  const nx = liquid.nx
  const at = (<usize>own) << 2
  const x = load<f32>(liquid.px + at)
  const y = load<f32>(liquid.py + at)
  const z = load<f32>(liquid.pz + at)
  // No distance is longer than a cell.
  const firstI = i - (i32(x - nearest < <f32>i) & i32(i > 0))
  const endI = i + 1 + (i32(x + nearest >= <f32>(i + 1)) & i32(i + 1 < nx))
  const rowsDown = i32(y - nearest < <f32>j) & i32(j > 0)
  const rowsUp = i32(y + nearest >= <f32>(j + 1)) & i32(j + 1 < liquid.ny)
  let planesLeft = i32(z + nearest >= <f32>(k + 1)) & i32(k + 1 < liquid.nz)
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const most = f32x4.splat(nearest * nearest)
  const least = f32x4.splat(COINCIDENT)
  const ownX = f32x4.splat(x)
  const ownY = f32x4.splat(y)
  const ownZ = f32x4.splat(z)
  let sumX = f32x4.splat(0)
  let sumY = sumX
  let sumZ = sumX
  let row = nx * (j + liquid.ny * k)
  let rowsLeft = rowsUp
  let n = own + 1
  for (;;) {
    const end = firstParticle(liquid, row + endI)
    const rowEnd = firstParticle(liquid, row + nx)
    // Eight at a time: mostly none of them is near, and then it is one branch.
    for (; n < end; n += 8) {
      const there = (<usize>n) << 2
      const dx = f32x4.sub(ownX, v128.load(px + there))
      const dy = f32x4.sub(ownY, v128.load(py + there))
      const dz = f32x4.sub(ownZ, v128.load(pz + there))
      const ex = f32x4.sub(ownX, v128.load(px + there, 16))
      const ey = f32x4.sub(ownY, v128.load(py + there, 16))
      const ez = f32x4.sub(ownZ, v128.load(pz + there, 16))
      const square = squareOf(dx, dy, dz)
      const further = squareOf(ex, ey, ez)
      let isNear = f32x4.lt(square, most)
      let isNearToo = f32x4.lt(further, most)
      if (!v128.any_true(v128.or(isNear, isNearToo))) continue
      // Those behind the end are in cells out of reach, unless they are in another row.
      if (n + 8 > rowEnd) {
        const left = v128.splat<i32>(end - n)
        isNear = v128.and(isNear, v128.lt<i32>(i32x4(0, 1, 2, 3), left))
        isNearToo = v128.and(isNearToo, v128.lt<i32>(i32x4(4, 5, 6, 7), left))
      }
      const weight = weightOf(square, isNear, nearest)
      const weightToo = weightOf(further, isNearToo, nearest)
      sumX = push(liquid.otherPx + there, sumX, f32x4.mul(weight, dx), f32x4.mul(weightToo, ex), behind - n)
      sumY = push(liquid.otherPy + there, sumY, f32x4.mul(weight, dy), f32x4.mul(weightToo, ey), behind - n)
      sumZ = push(liquid.otherPz + there, sumZ, f32x4.mul(weight, dz), f32x4.mul(weightToo, ez), behind - n)
      const coincident =
        lanesOf(v128.and(isNear, f32x4.lt(square, least))) | (lanesOf(v128.and(isNearToo, f32x4.lt(further, least))) << 4)
      if (coincident) pushCoincident(liquid, own, n, coincident, nearest)
    }
    if (rowsLeft > 0) {
      rowsLeft--
      row += nx
    } else if (planesLeft > 0) {
      planesLeft = 0
      rowsLeft = rowsDown + rowsUp
      row = nx * (j - rowsDown + liquid.ny * (k + 1))
    } else break
    n = firstParticle(liquid, row + firstI)
  }
  addTo(liquid.otherPx + at, totalOfLanes(sumX))
  addTo(liquid.otherPy + at, totalOfLanes(sumY))
  addTo(liquid.otherPz + at, totalOfLanes(sumZ))
}

@inline
function squareOf(x: v128, y: v128, z: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)), f32x4.mul(z, z))
}

/** (d − r) / r by r², 0 in lanes that are not near, or coincide. */
@inline
function weightOf(square: v128, isNear: v128, nearest: f32): v128 {
  const isApart = v128.and(isNear, f32x4.ge(square, f32x4.splat(COINCIDENT)))
  return v128.and(isApart, f32x4.sub(f32x4.div(f32x4.splat(nearest), f32x4.sqrt(square)), f32x4.splat(1)))
}

@inline
function lanesOf(mask: v128): i32 {
  return v128.bitmask<i32>(mask)
}

/** Adds two times four pushes to a sum, and subtracts them from eight values. Those from `count` on may belong to another thread, and are
 *  left alone. */
@inline
function push(at: usize, sum: v128, lower: v128, upper: v128, count: i32): v128 {
  storeSome(at, f32x4.sub(v128.load(at), lower), count)
  if (count > 4) storeSome(at + 16, f32x4.sub(v128.load(at, 16), upper), count - 4)
  return f32x4.add(f32x4.add(sum, lower), upper)
}

/** The first `count` of four values, at least one. */
@inline
export function storeSome(at: usize, values: v128, count: i32): void {
  if (count >= 4) {
    v128.store(at, values)
    return
  }
  v128.store_lane<u32>(at, values, 0)
  if (count > 1) v128.store_lane<u32>(at + 4, values, 1)
  if (count > 2) v128.store_lane<u32>(at + 8, values, 2)
}

@inline
function addTo(at: usize, change: f32): void {
  store<f32>(at, load<f32>(at) + change)
}

@inline
function totalOfLanes(sum: v128): f32 {
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
}

/** Opposite ways for both particles of a pair, along an axis that differs from pair to pair. */
function pushCoincident(liquid: Liquid, own: i32, first: i32, lanes: i32, nearest: f32): void {
  for (; lanes != 0; lanes &= lanes - 1) {
    const other = first + ctz(lanes)
    const axis = (own + other) % liquid.dims
    const pushes = byAxis(axis, liquid.otherPx, liquid.otherPy, liquid.otherPz)
    addTo(pushes + ((<usize>own) << 2), -nearest)
    addTo(pushes + ((<usize>other) << 2), nearest)
  }
}
