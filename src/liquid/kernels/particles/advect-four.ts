/** Particles four at a time: bit for bit the result of advect.ts. A batch of groups of four passes through each stage before the next stage
 *  starts, because a stage of one group depends on the previous stage and would wait for it. */
import { CLEARANCE, SLACK } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { atX, atY, atZ, cellsAt, locate, mixAt, mixBoth, mixX, mixY, mixZ, Places, PLACES, placesOf } from '../grid/velocity'
import { displace } from './displace'
import { farthestOf, MoveJob, reachOf, thirdOrder, updated } from './move-job'
import { GAP, NO_SOLID } from './solids'
import { GONE } from './sort'
import { along, integers, lowerAlong } from './weights'

/** Moves `count` groups of four from particle `n` on, at most a batch. Returns how many particles have left. */
export function moveFours(liquid: Liquid, piece: i32, n: i32, count: i32, scale: f32, size: v128): i32 {
  const first = placesOf(liquid, piece)
  const end = first + <usize>count * PLACES
  const job = jobOf<MoveJob>()
  const isShift = job.isShift
  let particle = (<usize>n) << 2
  for (let at = first; at < end; at += PLACES, particle += 16) locateParticles(liquid, changetype<Places>(at), particle)
  particle = (<usize>n) << 2
  // With gradients, velocities were updated before (from-grid.ts).
  const updates = !isShift && !liquid.affine
  for (let at = first; at < end; at += PLACES, particle += 16) readGridVelocity(liquid, changetype<Places>(at), particle, updates)
  const reach = f32x4.splat(reachOf(liquid))
  for (let at = first; at < end; at += PLACES) locateMidpoint(liquid, changetype<Places>(at), 0.5 * scale, reach)
  for (let at = first; at < end; at += PLACES) sampleMidpoint(liquid, changetype<Places>(at))
  if (job.isThird) {
    for (let at = first; at < end; at += PLACES) locateThirdStage(liquid, changetype<Places>(at), 0.75 * scale, reach)
    for (let at = first; at < end; at += PLACES) sampleThirdStage(liquid, changetype<Places>(at))
  }
  let left = 0
  particle = (<usize>n) << 2
  for (let at = first; at < end; at += PLACES, particle += 16)
    left += finishMove(liquid, changetype<Places>(at), particle, scale, size)
  return left
}

@inline
function locateParticles(liquid: Liquid, four: Places, particle: usize): void {
  four.fromX = v128.load(liquid.px + particle)
  four.fromY = v128.load(liquid.py + particle)
  four.fromZ = v128.load(liquid.pz + particle)
  locate(four, liquid, four.fromX, four.fromY, four.fromZ)
}

/** Velocity of the grid; also updates the velocity of the particles if `updates`. */
@inline
function readGridVelocity(liquid: Liquid, four: Places, particle: usize, updates: bool): void {
  if (!updates) {
    four.firstX = mixX(liquid, four, liquid.pairX)
    four.firstY = mixY(liquid, four, liquid.pairY)
    four.firstZ = mixZ(liquid, four, liquid.pairZ)
    return
  }
  const numbers = i32x4.add(i32x4.splat(<i32>(particle >> 2)), i32x4(0, 1, 2, 3))
  const isSeed = v128.ge<i32>(numbers, i32x4.splat(liquid.count - liquid.seeded))
  const ratio = f32x4.splat(<f32>jobOf<MoveJob>().ratio)
  four.firstX = mixBoth(
    four,
    liquid.pairX,
    liquid.toChangeX,
    atX(four),
    liquid.rowX,
    liquid.planeX,
    four.alongX,
    four.acrossY,
    four.acrossZ,
  )
  updateAt(liquid.vx + particle, four.further, ratio, isSeed)
  four.firstY = mixBoth(
    four,
    liquid.pairY,
    liquid.toChangeY,
    atY(four),
    liquid.rowY,
    liquid.planeY,
    four.acrossX,
    four.alongY,
    four.acrossZ,
  )
  updateAt(liquid.vy + particle, four.further, ratio, isSeed)
  four.firstZ = f32x4.splat(0)
  if (liquid.dims == 2) return
  four.firstZ = mixBoth(
    four,
    liquid.pairZ,
    liquid.toChangeZ,
    atZ(four),
    liquid.rowZ,
    liquid.planeZ,
    four.acrossX,
    four.acrossY,
    four.alongZ,
  )
  updateAt(liquid.vz + particle, four.further, ratio, isSeed)
}

@inline
function updateAt(velocity: usize, change: v128, ratio: v128, isSeed: v128): void {
  v128.store(velocity, updated(v128.load(velocity), change, ratio, isSeed))
}

@inline
function locateMidpoint(liquid: Liquid, four: Places, time: f32, reach: v128): void {
  locateAhead(liquid, four, four.firstX, four.firstY, four.firstZ, time, reach)
}

@inline
function locateThirdStage(liquid: Liquid, four: Places, time: f32, reach: v128): void {
  locateAhead(liquid, four, four.meanX, four.meanY, four.meanZ, time, reach)
}

/** Locates from + time · velocity, shortened so that no component exceeds `reach`. */
@inline
function locateAhead(
  liquid: Liquid,
  four: Places,
  velocityX: v128,
  velocityY: v128,
  velocityZ: v128,
  time: f32,
  reach: v128,
): void {
  const times = f32x4.splat(time)
  const x = f32x4.mul(velocityX, times)
  const y = f32x4.mul(velocityY, times)
  const z = f32x4.mul(velocityZ, times)
  const farthest = f32x4.pmax(f32x4.pmax(f32x4.abs(x), f32x4.abs(y)), f32x4.abs(z))
  const share = f32x4.div(reach, f32x4.pmax(farthest, reach))
  locate(four, liquid, stepOf(four.fromX, x, share), stepOf(four.fromY, y, share), stepOf(four.fromZ, z, share))
}

@inline
function stepOf(from: v128, displacement: v128, share: v128): v128 {
  return f32x4.add(from, f32x4.mul(displacement, share))
}

@inline
function sampleMidpoint(liquid: Liquid, four: Places): void {
  four.meanX = mixX(liquid, four, liquid.pairX)
  four.meanY = mixY(liquid, four, liquid.pairY)
  four.meanZ = mixZ(liquid, four, liquid.pairZ)
}

@inline
function sampleThirdStage(liquid: Liquid, four: Places): void {
  four.meanX = thirdOrder(four.firstX, four.meanX, mixX(liquid, four, liquid.pairX))
  four.meanY = thirdOrder(four.firstY, four.meanY, mixY(liquid, four, liquid.pairY))
  four.meanZ = thirdOrder(four.firstZ, four.meanZ, mixZ(liquid, four, liquid.pairZ))
}

@inline
function finishMove(liquid: Liquid, four: Places, particle: usize, scale: f32, size: v128): i32 {
  const scales = f32x4.splat(scale)
  const flowX = f32x4.mul(four.meanX, scales)
  const flowY = f32x4.mul(four.meanY, scales)
  const flowZ = f32x4.mul(four.meanZ, scales)
  const x = four.fromX
  const y = four.fromY
  const z = four.fromZ
  const toX = f32x4.add(x, flowX)
  const toY = f32x4.add(y, flowY)
  const toZ = f32x4.add(z, flowZ)
  if (!isUnobstructed(liquid, x, y, z, flowX, flowY, flowZ, toX, toY, toZ))
    return moveEach(liquid, particle, x, y, z, flowX, flowY, flowZ, size)
  v128.store(liquid.px + particle, toX)
  v128.store(liquid.py + particle, toY)
  v128.store(liquid.pz + particle, toZ)
  return 0
}

/** Moves the four particles one after the other. */
function moveEach(liquid: Liquid, at: usize, x: v128, y: v128, z: v128, flowX: v128, flowY: v128, flowZ: v128, size: v128): i32 {
  let left = 0
  let a = x
  let b = y
  let c = z
  let flowA = flowX
  let flowB = flowY
  let flowC = flowZ
  for (let n: usize = 0; n < 16; n += 4) {
    const from = f32x4(f32x4.extract_lane(a, 0), f32x4.extract_lane(b, 0), f32x4.extract_lane(c, 0), 0)
    const flow = f32x4(f32x4.extract_lane(flowA, 0), f32x4.extract_lane(flowB, 0), f32x4.extract_lane(flowC, 0), 0)
    left += displace(liquid, at + n, from, flow, size)
    a = next(a)
    b = next(b)
    c = next(c)
    flowA = next(flowA)
    flowB = next(flowB)
    flowC = next(flowC)
  }
  return left
}

/** Rotates lanes: lane 1 becomes lane 0, and so on. */
@inline
function next(lanes: v128): v128 {
  return v128.shuffle<i32>(lanes, lanes, 1, 2, 3, 0)
}

/** Whether no solid and no side stops any of the four. */
@inline
function isUnobstructed(
  liquid: Liquid,
  x: v128,
  y: v128,
  z: v128,
  displacementX: v128,
  displacementY: v128,
  displacementZ: v128,
  toX: v128,
  toY: v128,
  toZ: v128,
): bool {
  let free = v128.and(v128.and(isInside(toX, liquid.nx), isInside(toY, liquid.ny)), isInside(toZ, liquid.nz))
  free = v128.and(free, f32x4.gt(x, f32x4.splat(GONE)))
  if (!v128.all_true<i32>(free)) return false
  if (!liquid.hasSolids) return true
  const length = f32x4.sqrt(
    f32x4.add(
      f32x4.add(f32x4.mul(displacementX, displacementX), f32x4.mul(displacementY, displacementY)),
      f32x4.mul(displacementZ, displacementZ),
    ),
  )
  const ways = f32x4.add(length, f32x4.splat(farthestOf(liquid)))
  const reach = f32x4.add(f32x4.mul(f32x4.splat(<f32>SLACK), ways), f32x4.splat(4 * GAP))
  if (areClear(liquid, x, y, z, reach) && areClear(liquid, toX, toY, toZ, f32x4.splat(GAP))) return true
  const away = distances(liquid, x, y, z)
  if (v128.any_true(f32x4.lt(away, reach))) return false
  const isNear = f32x4.lt(away, f32x4.splat(NO_SOLID))
  return !v128.any_true(isNear) || !v128.any_true(v128.and(isNear, f32x4.lt(distances(liquid, toX, toY, toZ), f32x4.splat(GAP))))
}

/** Lanes that are inside the sides, and not NaN. */
@inline
function isInside(to: v128, size: i32): v128 {
  return f32x4.eq(f32x4.pmin(f32x4.pmax(to, f32x4.splat(GAP)), f32x4.splat(<f32>size - GAP)), to)
}

/** Whether the clearance of their cells guarantees that no solid is nearer than this. */
@inline
function areClear(liquid: Liquid, x: v128, y: v128, z: v128, least: v128): bool {
  const cells = cellsAt(liquid, x, y, z)
  const a = <i32>load<u8>(liquid.clearance + <usize>i32x4.extract_lane(cells, 0))
  const b = <i32>load<u8>(liquid.clearance + <usize>i32x4.extract_lane(cells, 1))
  const c = <i32>load<u8>(liquid.clearance + <usize>i32x4.extract_lane(cells, 2))
  const d = <i32>load<u8>(liquid.clearance + <usize>i32x4.extract_lane(cells, 3))
  const parts = f32x4.mul(least, f32x4.splat(<f32>CLEARANCE))
  return v128.all_true<i32>(f32x4.gt(f32x4.convert_i32x4_s(i32x4(a, b, c, d)), parts))
}

/** Distances to the nearest solid, in cells. */
function distances(liquid: Liquid, x: v128, y: v128, z: v128): v128 {
  const sizeX = f32x4.splat(<f32>liquid.nx)
  const sizeY = f32x4.splat(<f32>liquid.ny)
  const sizeZ = f32x4.splat(<f32>liquid.nz)
  const ax = along(x, sizeX)
  const ay = along(y, sizeY)
  const az = along(z, sizeZ)
  const lowerX = lowerAlong(ax, sizeX)
  const lowerY = lowerAlong(ay, sizeY)
  const lowerZ = lowerAlong(az, sizeZ)
  const rows = i32x4.add(integers(lowerY), i32x4.mul(integers(lowerZ), i32x4.splat(liquid.ny + 1)))
  const nodes = i32x4.add(integers(lowerX), i32x4.mul(rows, i32x4.splat(liquid.nx + 1)))
  const row = (<usize>(liquid.nx + 1)) << 2
  const plane = row * <usize>(liquid.ny + 1)
  return mixAt(liquid.solid, i32x4.shl(nodes, 2), row, plane, f32x4.sub(ax, lowerX), f32x4.sub(ay, lowerY), f32x4.sub(az, lowerZ))
}
