/** Four particles at once: they take over velocities of the grid and move by them as one by one in particle-advect, to the bit. */
import { number, pointer } from './jobs'
import { Liquid } from './liquid'
import { locate, mixAt, mixX, mixY, mixZ, Places, toChangeX, toChangeY, toChangeZ } from './liquid-velocity'
import { blend, GAP, moveBy, NO_SOLID, SLACK, thirdOrder } from './particle-advect'
import { GONE } from './particle-sort'
import { spreadFour } from './particle-spread'
import { along, integers, lowerAlong } from './particle-weights'

/** The four from particle `n` on. Returns how many have left. */
export function moveFour(liquid: Liquid, places: Places, n: i32, scale: f32, size: v128): i32 {
  const at = <usize>n << 2
  const x = v128.load(liquid.px + at)
  const y = v128.load(liquid.py + at)
  const z = v128.load(liquid.pz + at)
  locate(places, liquid, x, y, z)
  const spreads = pointer(1) != 0 && spreadFour(liquid, places)
  const isShift = pointer(3) != 0
  let k1X = v128.load(liquid.vx + at)
  let k1Y = v128.load(liquid.vy + at)
  let k1Z = v128.load(liquid.vz + at)
  if (isShift || !liquid.affine) {
    const ownX = k1X
    const ownY = k1Y
    const ownZ = k1Z
    k1X = mixX(liquid, places, liquid.pairX)
    k1Y = mixY(liquid, places, liquid.pairY)
    k1Z = mixZ(liquid, places, liquid.pairZ)
    if (!isShift) {
      // Seeds have no velocity of their own yet.
      const isSeed = v128.ge<i32>(i32x4.add(i32x4.splat(n), i32x4(0, 1, 2, 3)), i32x4.splat(liquid.count - liquid.seeded))
      const ratio = v128.andnot(f32x4.splat(<f32>number(1)), isSeed)
      v128.store(liquid.vx + at, blend(ownX, k1X, mixX(liquid, places, liquid.pairX + toChangeX(liquid)), ratio))
      v128.store(liquid.vy + at, blend(ownY, k1Y, mixY(liquid, places, liquid.pairY + toChangeY(liquid)), ratio))
      if (liquid.dims == 3) v128.store(liquid.vz + at, blend(ownZ, k1Z, mixZ(liquid, places, liquid.pairZ + toChangeZ(liquid)), ratio))
    }
  }
  const half = f32x4.splat(0.5 * scale)
  locate(places, liquid, f32x4.add(x, f32x4.mul(k1X, half)), f32x4.add(y, f32x4.mul(k1Y, half)), f32x4.add(z, f32x4.mul(k1Z, half)))
  let wayX = mixX(liquid, places, liquid.pairX)
  let wayY = mixY(liquid, places, liquid.pairY)
  let wayZ = mixZ(liquid, places, liquid.pairZ)
  if (pointer(2)) {
    const most = f32x4.splat(0.75 * scale)
    locate(places, liquid, f32x4.add(x, f32x4.mul(wayX, most)), f32x4.add(y, f32x4.mul(wayY, most)), f32x4.add(z, f32x4.mul(wayZ, most)))
    wayX = thirdOrder(k1X, wayX, mixX(liquid, places, liquid.pairX))
    wayY = thirdOrder(k1Y, wayY, mixY(liquid, places, liquid.pairY))
    wayZ = thirdOrder(k1Z, wayZ, mixZ(liquid, places, liquid.pairZ))
  }
  const scales = f32x4.splat(scale)
  const flowX = f32x4.mul(wayX, scales)
  const flowY = f32x4.mul(wayY, scales)
  const flowZ = f32x4.mul(wayZ, scales)
  wayX = spreads ? f32x4.add(flowX, places.spreadX) : flowX
  wayY = spreads ? f32x4.add(flowY, places.spreadY) : flowY
  wayZ = spreads ? f32x4.add(flowZ, places.spreadZ) : flowZ
  const toX = f32x4.add(x, wayX)
  const toY = f32x4.add(y, wayY)
  const toZ = f32x4.add(z, wayZ)
  if (mayGoOn(liquid, x, y, z, wayX, wayY, wayZ, toX, toY, toZ)) {
    v128.store(liquid.px + at, toX)
    v128.store(liquid.py + at, toY)
    v128.store(liquid.pz + at, toZ)
    return 0
  }
  return moveLane(liquid, at, x, y, z, flowX, flowY, flowZ, size)
}

/** One after the other. */
function moveLane(liquid: Liquid, at: usize, x: v128, y: v128, z: v128, flowX: v128, flowY: v128, flowZ: v128, size: v128): i32 {
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
    left += moveBy(liquid, at + n, from, flow, size)
    a = next(a)
    b = next(b)
    c = next(c)
    flowA = next(flowA)
    flowB = next(flowB)
    flowC = next(flowC)
  }
  return left
}

/** Lane 1 becomes lane 0, and so on. */
@inline
function next(lanes: v128): v128 {
  return v128.shuffle<i32>(lanes, lanes, 1, 2, 3, 0)
}

/** Does nothing stop any of the four on its way: no solid, no side? */
@inline
function mayGoOn(liquid: Liquid, x: v128, y: v128, z: v128, wayX: v128, wayY: v128, wayZ: v128, toX: v128, toY: v128, toZ: v128): bool {
  let free = v128.and(v128.and(isInside(toX, liquid.nx), isInside(toY, liquid.ny)), isInside(toZ, liquid.nz))
  free = v128.and(free, f32x4.gt(x, f32x4.splat(GONE)))
  if (!v128.all_true<i32>(free)) return false
  if (!liquid.hasSolids) return true
  const away = distances(liquid, x, y, z)
  const length = f32x4.sqrt(f32x4.add(f32x4.add(f32x4.mul(wayX, wayX), f32x4.mul(wayY, wayY)), f32x4.mul(wayZ, wayZ)))
  const reach = f32x4.add(f32x4.mul(f32x4.splat(SLACK), length), f32x4.splat(4 * GAP))
  if (v128.any_true(f32x4.lt(away, reach))) return false
  const isNear = f32x4.lt(away, f32x4.splat(NO_SOLID))
  return !v128.any_true(isNear) || !v128.any_true(v128.and(isNear, f32x4.lt(distances(liquid, toX, toY, toZ), f32x4.splat(GAP))))
}

/** Not pushed back by a side, nor nowhere. */
@inline
function isInside(to: v128, size: i32): v128 {
  return f32x4.eq(f32x4.pmin(f32x4.pmax(to, f32x4.splat(GAP)), f32x4.splat(<f32>size - GAP)), to)
}

/** To the nearest solid. */
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
  const row = <usize>(liquid.nx + 1) << 2
  const plane = row * <usize>(liquid.ny + 1)
  return mixAt(liquid.solid, i32x4.shl(nodes, 2), row, plane, f32x4.sub(ax, lowerX), f32x4.sub(ay, lowerY), f32x4.sub(az, lowerZ))
}
