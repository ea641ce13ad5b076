/** Traces the content of cells back by one substep with the midpoint rule: where it was, and how deep. */
import { NO_VELOCITY, SLACK } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { counting, laneOf, mixTwo } from '../grid/interpolate-four'
import { byteAt, CELLS, endRow, firstRow, LiquidJob } from '../grid/rows'
import { BATCH, Bounds, clamp, locate, mixX, mixY, mixZ, Places, PLACES, placesOf, velocityAt } from '../grid/velocity'
import { distanceAt, lengthOf, step } from '../particles/solids'
import { stridesOf } from '../particles/walk-along'
import { carryAlong, frameAt } from '../particles/wall-frames'
import { across, integers, lowerAcross, sizes } from '../particles/weights'

@unmanaged
export class TraceJob extends LiquidJob {
  /** Displacement in cells at 1 m/s. */
  scale: f64
}

@piece
export function tracePiece(piece: i32): void {
  const job = jobOf<TraceJob>()
  const liquid = job.liquid
  const nx = liquid.nx
  const size = sizes(liquid)
  const scale = <f32>job.scale
  const batch = placesOf(liquid, piece)
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const layer = liquid.layerX + <usize>(row * (nx + 1))
    const carried = liquid.carried + <usize>(row * nx)
    const fours = nx & ~3
    for (let i = 0; i < fours; i += 4 * BATCH) traceBatch(liquid, batch, i, min(fours, i + 4 * BATCH), j, k, row, scale, size)
    for (let i = fours; i < nx; i++) traceOne(liquid, i, j, k, row, scale, size)
    // No velocity was extrapolated that far, and no liquid gets there.
    let i = 0
    for (; i + 16 <= nx; i += 16) {
      const isBeyond = v128.eq<u8>(v128.load(layer + <usize>i), v128.splat<u8>(<u8>NO_VELOCITY))
      if (v128.any_true(isBeyond)) v128.store(carried + <usize>i, v128.andnot(v128.load(carried + <usize>i), isBeyond))
    }
    for (; i < nx; i++) if (byteAt(layer, i) == NO_VELOCITY) store<u8>(carried + <usize>i, 0)
  }
}

function traceOne(liquid: Liquid, i: i32, j: i32, k: i32, row: i32, scale: f32, size: v128): void {
  const cell = row * liquid.nx + i
  const to = f32x4(<f32>i + 0.5, <f32>j + 0.5, <f32>k + 0.5, 0)
  const middle = f32x4.sub(to, f32x4.mul(velocityOfCell(liquid, cell, row, k), f32x4.splat(0.5 * scale)))
  let displacement = f32x4.mul(velocityAt(liquid, middle, size), f32x4.splat(scale))
  if (liquid.hasSolids) displacement = shortenAtWall(liquid, to, displacement, size)
  const at = (<usize>cell) << 2
  store<f32>(liquid.displacementX + at, f32x4.extract_lane(displacement, 0))
  store<f32>(liquid.displacementY + at, f32x4.extract_lane(displacement, 1))
  store<f32>(liquid.displacementZ + at, f32x4.extract_lane(displacement, 2))
  storeDepth(liquid, liquid.carried + <usize>cell, f32x4.sub(to, displacement), size)
}

/** As `traceOne` for groups of four in a row from cell `first` to `end`, where velocities are known or extrapolated. */
function traceBatch(liquid: Liquid, batch: usize, first: i32, end: i32, j: i32, k: i32, row: i32, scale: f32, size: v128): void {
  const layer = liquid.layerX + <usize>(row * (liquid.nx + 1))
  let places = batch
  for (let i = first; i < end; i += 4) {
    if (load<u32>(layer + <usize>i) == u32.MAX_VALUE) continue
    locateMiddle(liquid, changetype<Places>(places), i, j, k, row, scale)
    places += PLACES
  }
  places = batch
  for (let i = first; i < end; i += 4) {
    if (load<u32>(layer + <usize>i) == u32.MAX_VALUE) continue
    findDisplacement(liquid, changetype<Places>(places), (<usize>(row * liquid.nx + i)) << 2, scale)
    places += PLACES
  }
  for (let i = first; i < end; i += 4) {
    if (load<u32>(layer + <usize>i) == u32.MAX_VALUE) continue
    if (!depthFour(liquid, i, j, k, row)) for (let n = i; n < i + 4; n++) traceOne(liquid, n, j, k, row, scale, size)
  }
}

/** First stage: half a step back from the centres of four cells. */
@inline
function locateMiddle(liquid: Liquid, places: Places, i: i32, j: i32, k: i32, row: i32, scale: f32): void {
  const half = f32x4.splat(0.5)
  const halfWay = f32x4.splat(0.5 * scale)
  const cell = <usize>(row * liquid.nx + i)
  const ownX = liquid.pairX + ((cell + <usize>row) << 2)
  const ownY = liquid.pairY + ((cell + <usize>(liquid.nx * k)) << 2)
  const ownZ = liquid.pairZ + (cell << 2)
  const centreX = f32x4.mul(f32x4.add(v128.load(ownX), v128.load(ownX, 4)), half)
  const centreY = f32x4.mul(f32x4.add(v128.load(ownY), v128.load(ownY + ((<usize>liquid.nx) << 2))), half)
  const centreZ = liquid.dims == 3 ? f32x4.mul(f32x4.add(v128.load(ownZ), v128.load(ownZ + liquid.planeZ)), half) : f32x4.splat(0)
  const x = f32x4.sub(counting(<f32>i + 0.5), f32x4.mul(centreX, halfWay))
  const y = f32x4.sub(f32x4.splat(<f32>j + 0.5), f32x4.mul(centreY, halfWay))
  locate(places, liquid, x, y, f32x4.sub(f32x4.splat(<f32>k + 0.5), f32x4.mul(centreZ, halfWay)))
}

/** Second stage, with the velocity at the midpoint; `at`: bytes from the first cell. */
@inline
function findDisplacement(liquid: Liquid, places: Places, at: usize, scale: f32): void {
  const scales = f32x4.splat(scale)
  v128.store(liquid.displacementX + at, f32x4.mul(mixX(liquid, places, liquid.pairX, true), scales))
  v128.store(liquid.displacementY + at, f32x4.mul(mixY(liquid, places, liquid.pairY, true), scales))
  v128.store(liquid.displacementZ + at, f32x4.mul(mixZ(liquid, places, liquid.pairZ, true), scales))
}

/** Stores how deep the content of four cells in a row was; false if its path may cross a wall. */
@inline
function depthFour(liquid: Liquid, i: i32, j: i32, k: i32, row: i32): bool {
  const cell = <usize>(row * liquid.nx + i)
  const displacementX = v128.load(liquid.displacementX + (cell << 2))
  const displacementY = v128.load(liquid.displacementY + (cell << 2))
  const displacementZ = v128.load(liquid.displacementZ + (cell << 2))
  if (liquid.hasSolids && !areFarFromWalls(liquid, i, j, k, displacementX, displacementY, displacementZ)) return false
  const x = f32x4.sub(counting(<f32>i + 0.5), displacementX)
  const y = f32x4.sub(f32x4.splat(<f32>j + 0.5), displacementY)
  const z = f32x4.sub(f32x4.splat(<f32>k + 0.5), displacementZ)
  const bounds = changetype<Bounds>(liquid.bounds)
  const cx = clamp(f32x4.sub(x, f32x4.splat(0.5)), bounds.lastX)
  const cy = clamp(f32x4.sub(y, f32x4.splat(0.5)), bounds.lastY)
  const cz = clamp(f32x4.sub(z, f32x4.splat(0.5)), bounds.lastZ)
  const lowerX = f32x4.floor(f32x4.pmin(cx, bounds.lowerX))
  const lowerY = f32x4.floor(f32x4.pmin(cy, bounds.lowerY))
  const lowerZ = f32x4.floor(f32x4.pmin(cz, bounds.lowerZ))
  const upward: usize = liquid.ny > 1 ? liquid.nx : 0
  const onward: usize = liquid.nz > 1 ? liquid.nx * liquid.ny : 0
  const rows = i32x4.add(integers(lowerY), i32x4.mul(bounds.ny, integers(lowerZ)))
  // First cell of the row if the four positions are neighbours; usually the same for all lanes.
  const starts = i32x4.add(i32x4.sub(integers(lowerX), i32x4(0, 1, 2, 3)), i32x4.mul(bounds.nx, rows))
  const lowest = i32x4.extract_lane(starts, 0)
  if (v128.all_true<i32>(v128.eq<i32>(starts, i32x4.splat(lowest))) && areEqual(liquid.depth + <usize>lowest, upward, onward)) {
    store<u32>(liquid.carried + cell, 0x01010101 * <u32>load<u8>(liquid.depth + <usize>lowest))
    return true
  }
  const fx = f32x4.sub(cx, lowerX)
  const fy = f32x4.sub(cy, lowerY)
  const fz = f32x4.sub(cz, lowerZ)
  let value = v128.splat<f32>(0)
  let rest = 15
  while (rest != 0) {
    const start = laneOf(starts, ctz(rest))
    const isThere = v128.eq<i32>(starts, i32x4.splat(start))
    const at = liquid.depth + <usize>start
    const lowerPlane = mixTwo(depthRow(at, fx), depthRow(at + upward, fx), fy)
    const upperPlane = mixTwo(depthRow(at + onward, fx), depthRow(at + onward + upward, fx), fy)
    value = v128.bitselect(mixTwo(lowerPlane, upperPlane, fz), value, isThere)
    rest &= ~i32x4.bitmask(isThere)
  }
  const words = integers(f32x4.floor(f32x4.add(value, f32x4.splat(0.5))))
  const shorts = v128.narrow<i32>(words, words)
  v128.store32_lane(liquid.carried + cell, i8x16.narrow_i16x8_u(shorts, shorts), 0)
  return true
}

/** Whether four cells in a row and the next have the same depth as all cells around, as in air and at the largest depth. */
@inline
function areEqual(at: usize, upward: usize, onward: usize): bool {
  const depth = v128.load_splat<u8>(at)
  const low = v128.and(v128.eq<u8>(v128.load64_zero(at), depth), v128.eq<u8>(v128.load64_zero(at + upward), depth))
  const high = v128.and(
    v128.eq<u8>(v128.load64_zero(at + onward), depth),
    v128.eq<u8>(v128.load64_zero(at + onward + upward), depth),
  )
  return (v128.bitmask<i8>(v128.and(low, high)) & 31) == 31
}

/** Stores how deep the content of one cell was. */
function storeDepth(liquid: Liquid, at: usize, position: v128, size: v128): void {
  store<u8>(at, <u8>(depthAt(liquid, position, size) + 0.5))
}

/** Depths at positions between each of four cells in a row and its upper neighbour along x. */
@inline
function depthRow(at: usize, f: v128): v128 {
  return mixTwo(depths(at), depths(at + 1), f)
}

@inline
function depths(at: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at))))
}

/** The first test of `shortenAtWall`, for four cells in a row. */
@inline
function areFarFromWalls(
  liquid: Liquid,
  i: i32,
  j: i32,
  k: i32,
  displacementX: v128,
  displacementY: v128,
  displacementZ: v128,
): bool {
  const row = (<usize>(liquid.nx + 1)) << 2
  const plane = row * <usize>(liquid.ny + 1)
  const half = f32x4.splat(0.5)
  const at = liquid.solid + ((<usize>i) << 2) + row * <usize>j + plane * <usize>k
  const left = mixTwo(
    mixTwo(v128.load(at), v128.load(at + row), half),
    mixTwo(v128.load(at + plane), v128.load(at + plane + row), half),
    half,
  )
  const right = mixTwo(
    mixTwo(v128.load(at, 4), v128.load(at + row, 4), half),
    mixTwo(v128.load(at + plane, 4), v128.load(at + plane + row, 4), half),
    half,
  )
  const squares = f32x4.add(
    f32x4.add(f32x4.mul(displacementX, displacementX), f32x4.mul(displacementY, displacementY)),
    f32x4.mul(displacementZ, displacementZ),
  )
  const reach = f32x4.mul(f32x4.splat(<f32>SLACK), f32x4.add(f32x4.sqrt(squares), f32x4.splat(<f32>liquid.farthest)))
  return i32x4.all_true(f32x4.gt(mixTwo(left, right, half), reach))
}

/** Displacement shortened to the part without a solid: liquid does not come through a thin wall. Near a wall that has moved, the part relative to
 *  the wall is shortened. */
function shortenAtWall(liquid: Liquid, to: v128, displacement: v128, size: v128): v128 {
  const away = distanceAt(liquid, to, size)
  if (away > <f32>SLACK * (lengthOf(displacement) + <f32>liquid.farthest)) return displacement
  const frame = frameAt(liquid, to)
  const from = f32x4.sub(to, displacement)
  const carried = frame > 0 ? f32x4.sub(carryAlong(liquid, frame, from), from) : f32x4.splat(0)
  const relative = f32x4.sub(displacement, carried)
  const length = lengthOf(relative)
  if (away > <f32>SLACK * length) return displacement
  const strides = stridesOf(length)
  let here = to
  for (let n = 0; n < strides; n++) {
    const next = step(here, relative, -1 / <f32>strides)
    if (distanceAt(liquid, next, size) < 0) break
    here = next
  }
  return f32x4.add(f32x4.sub(to, here), carried)
}

/** At the centre of a cell. */
@inline
function velocityOfCell(liquid: Liquid, cell: i32, row: i32, k: i32): v128 {
  const x = liquid.pairX + ((<usize>(cell + row)) << 2)
  const y = liquid.pairY + ((<usize>(cell + liquid.nx * k)) << 2)
  const z = liquid.pairZ + ((<usize>cell) << 2)
  const u = load<f32>(x) + load<f32>(x, 4)
  const v = load<f32>(y) + load<f32>(y + ((<usize>liquid.nx) << 2))
  const w = liquid.dims == 3 ? load<f32>(z) + load<f32>(z + liquid.planeZ) : 0
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
  const at =
    liquid.depth +
    <usize>(i32x4.extract_lane(i, 0) + liquid.nx * (i32x4.extract_lane(i, 1) + liquid.ny * i32x4.extract_lane(i, 2)))
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
