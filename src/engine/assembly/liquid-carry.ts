/** Deep liquid moves on the grid: where what is in a cell has come from (semi-Lagrangian), how deep it lay there, and the velocity it brings
 *  along, by cubic interpolation within the bounds of its nearest neighbours. Ways are found for centres; a face takes the mean of both
 *  sides, which is as accurate. */
import { number, pointer, setNumber, setPointer } from './jobs'
import { LAYER, Liquid } from './liquid'
import { CARRY, MERGE, TRACE } from './liquid-pieces'
import { BEYOND } from './liquid-project'
import { byAxis, byteAt, CELLS, current, endRow, f32At, firstRow, planeRows, rowLength } from './liquid-rows'
import { mix } from './grid-to-particle'
import { velocityAt } from './particle-advect'
import { across, integers, lowerAcross, planeX, planeY, planeZ, rowX, rowY, rowZ, sizes } from './particle-weights'
import { run } from './pool'

/** Needs the pairs, `depth`, and velocities that are known or extrapolated as far as liquid gets. Writes `carried` and `beforeX` … . */
export function carryDeep(liquid: Liquid, dt: f64, isThird: i32): void {
  setPointer(0, changetype<usize>(liquid))
  setPointer(1, isThird)
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
  const isThird = pointer(1) != 0
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
      const way = wayTo(liquid, to, size, scale, isThird)
      const at = <usize>cell << 2
      store<f32>(liquid.wayX + at, f32x4.extract_lane(way, 0))
      store<f32>(liquid.wayY + at, f32x4.extract_lane(way, 1))
      store<f32>(liquid.wayZ + at, f32x4.extract_lane(way, 2))
      store<u8>(liquid.carried + <usize>cell, <u8>(depthAt(liquid, f32x4.sub(to, way), size) + 0.5))
    }
  }
}

/** As particles move, backwards. */
@inline
function wayTo(liquid: Liquid, to: v128, size: v128, scale: f32, isThird: bool): v128 {
  const k1 = velocityAt(liquid, to, size, false, 0, 0)
  let way = velocityAt(liquid, back(to, k1, 0.5 * scale), size, false, 0, 0)
  if (isThird) {
    const k3 = velocityAt(liquid, back(to, way, 0.75 * scale), size, false, 0, 0)
    way = f32x4.add(f32x4.mul(k1, f32x4.splat(<f32>(2.0 / 9))), f32x4.mul(way, f32x4.splat(<f32>(3.0 / 9))))
    way = f32x4.add(way, f32x4.mul(k3, f32x4.splat(<f32>(4.0 / 9))))
  }
  return f32x4.mul(way, f32x4.splat(scale))
}

@inline
function back(from: v128, velocity: v128, time: f32): v128 {
  return f32x4.sub(from, f32x4.mul(velocity, f32x4.splat(time)))
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

/** Of sixteen faces those with deep liquid on both sides; `lower` and `upper`: what is carried in the cells there. */
@inline
function deepLanes(lower: usize, upper: usize, least: v128): i32 {
  return v128.bitmask<i8>(v128.gt<u8>(v128.min<u8>(v128.load(lower), v128.load(upper)), least))
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
      memory.fill(before + (<usize>(row * length) << 2), 0, <usize>length << 2)
      for (let i = 0; i < length; i += 16) {
        let lanes = lanesOfRow(liquid, axis, i, j, k)
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          store<f32>(before + (<usize>(row * length + n) << 2), broughtTo(liquid, axis, n, j, k))
        }
      }
    }
  }
}

/** Takes the velocity of deep liquid where particles are not told to be. */
export function mergeChunk(chunk: i32): void {
  const liquid = current()
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const j = row % rows
      const k = row / rows
      for (let i = 0; i < length; i += 16) {
        let lanes = lanesOfRow(liquid, axis, i, j, k)
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          const face = <usize>(row * length + n)
          const carried = min(byteAt(liquid.carried, cellBeside(liquid, axis, n, j, k, 1)), byteAt(liquid.carried, cellBeside(liquid, axis, n, j, k, 0)))
          const share = load<u8>(layer + face) ? 1 : min(1, <f64>(carried - leastCarried(liquid)) / <f64>LAYER)
          const own = load<f64>(u + (face << 3))
          store<f64>(u + (face << 3), own + share * (<f64>load<f32>(before + (face << 2)) - own))
          store<u8>(layer + face, 0)
        }
      }
    }
  }
}

/** The cell below (1) or above (0) a face; on a side of the grid the one there is. */
@inline
function cellBeside(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, below: i32): i32 {
  const x = axis == 0 ? within(i - below, liquid.nx) : i
  const y = axis == 1 ? within(j - below, liquid.ny) : j
  const z = axis == 2 ? within(k - below, liquid.nz) : k
  return x + liquid.nx * (y + liquid.ny * z)
}

@inline
function within(index: i32, size: i32): i32 {
  return min(max(index, 0), size - 1)
}

/** Of sixteen faces of a row, from face i on, those with deep liquid on both sides, or on the one that is in the grid. */
@inline
function lanesOfRow(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): i32 {
  const least = v128.splat<u8>(<u8>leastCarried(liquid))
  const nx = liquid.nx
  if (axis != 0) {
    const lanes = deepLanes(
      liquid.carried + <usize>cellBeside(liquid, axis, i, j, k, 1),
      liquid.carried + <usize>cellBeside(liquid, axis, i, j, k, 0),
      least,
    )
    return i + 16 > nx ? lanes & ((1 << (nx - i)) - 1) : lanes
  }
  const at = liquid.carried + <usize>(i + nx * (j + liquid.ny * k))
  let upper = v128.bitmask<i8>(v128.gt<u8>(v128.load(at), least))
  let lower = v128.bitmask<i8>(v128.gt<u8>(v128.load(at - 1), least))
  if (i == 0) lower |= 1
  if (i + 16 > nx) upper = (upper & ((1 << (nx - i)) - 1)) | (1 << (nx - i))
  return lower & upper & (i + 16 > nx ? (1 << (nx + 1 - i)) - 1 : 0xffff)
}

function broughtTo(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const below = cellBeside(liquid, axis, i, j, k, 1)
  const above = cellBeside(liquid, axis, i, j, k, 0)
  const x = <f32>i + (axis == 0 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayX, below) + f32At(liquid.wayX, above))
  const y = <f32>j + (axis == 1 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayY, below) + f32At(liquid.wayY, above))
  const z = <f32>k + (axis == 2 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayZ, below) + f32At(liquid.wayZ, above))
  if (axis == 0) return sample(liquid.pairX, liquid.nx + 1, liquid.ny, liquid.nz, rowX(liquid), planeX(liquid), x, y - 0.5, z - 0.5)
  if (axis == 1) return sample(liquid.pairY, liquid.nx, liquid.ny + 1, liquid.nz, rowY(liquid), planeY(liquid), x - 0.5, y, z - 0.5)
  return sample(liquid.pairZ, liquid.nx, liquid.ny, liquid.nz + 1, rowZ(liquid), planeZ(liquid), x - 0.5, y - 0.5, z)
}

/** A component of velocity at a place counted from the first face of its array, which has `mx` × `my` × `mz` of them. */
@inline
function sample(pairs: usize, mx: i32, my: i32, mz: i32, row: usize, plane: usize, x: f32, y: f32, z: f32): f32 {
  const cx = min(max<f32>(x, 0), <f32>(mx - 1))
  const cy = min(max<f32>(y, 0), <f32>(my - 1))
  const cz = min(max<f32>(z, 0), <f32>(mz - 1))
  const i = min(<i32>cx, max(0, mx - 2))
  const j = min(<i32>cy, max(0, my - 2))
  const k = min(<i32>cz, max(0, mz - 2))
  const fx = cx - <f32>i
  const fy = cy - <f32>j
  const fz = cz - <f32>k
  const at = pairs + (<usize>i << 3) + row * <usize>j + plane * <usize>k
  const isInside = i > 0 && i < mx - 2 && j > 0 && j < my - 2 && (plane == 0 || (k > 0 && k < mz - 2))
  if (!isInside) return f32x4.extract_lane(mix(at, row, plane, fx, fy, fz), 0)
  return bounded(at, row, plane, cubic(at - 8 - row - plane, row, plane, fx, fy, fz))
}

/** Catmull and Rom's cubic through 4 × 4 × 4 points, the lowest of them at `at`; 4 × 4 where there is but one plane. */
@inline
function cubic(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32): f32 {
  const left = plane ? stack(at, row, plane, fy, fz) : column(at, row, fy)
  const right = plane ? stack(at + 16, row, plane, fy, fz) : column(at + 16, row, fy)
  return (
    weight0(fx) * f32x4.extract_lane(left, 0) +
    weight1(fx) * f32x4.extract_lane(left, 2) +
    (weight1(1 - fx) * f32x4.extract_lane(right, 0) + weight0(1 - fx) * f32x4.extract_lane(right, 2))
  )
}

@inline
function stack(at: usize, row: usize, plane: usize, fy: f32, fz: f32): v128 {
  let sum = f32x4.mul(f32x4.splat(weight0(fz)), column(at, row, fy))
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(weight1(fz)), column(at + plane, row, fy)))
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(weight1(1 - fz)), column(at + 2 * plane, row, fy)))
  return f32x4.add(sum, f32x4.mul(f32x4.splat(weight0(1 - fz)), column(at + 3 * plane, row, fy)))
}

@inline
function column(at: usize, row: usize, fy: f32): v128 {
  let sum = f32x4.mul(f32x4.splat(weight0(fy)), v128.load(at))
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(weight1(fy)), v128.load(at + row)))
  sum = f32x4.add(sum, f32x4.mul(f32x4.splat(weight1(1 - fy)), v128.load(at + 2 * row)))
  return f32x4.add(sum, f32x4.mul(f32x4.splat(weight0(1 - fy)), v128.load(at + 3 * row)))
}

/** Of the point before the two that a place lies between, and of the first of these. */
@inline
function weight0(f: f32): f32 {
  return 0.5 * f * (f * (2 - f) - 1)
}

@inline
function weight1(f: f32): f32 {
  return 1 + 0.5 * f * f * (3 * f - 5)
}

/** A cubic runs beyond its points where they jump; there the nearest ones bound it. `at`: the lowest of these. */
@inline
function bounded(at: usize, row: usize, plane: usize, value: f32): f32 {
  const a = v128.load(at)
  const b = v128.load(at + row)
  const c = v128.load(at + plane)
  const d = v128.load(at + plane + row)
  const least = f32x4.pmin(f32x4.pmin(a, b), f32x4.pmin(c, d))
  const most = f32x4.pmax(f32x4.pmax(a, b), f32x4.pmax(c, d))
  const low = min(f32x4.extract_lane(least, 0), f32x4.extract_lane(least, 2))
  const high = max(f32x4.extract_lane(most, 0), f32x4.extract_lane(most, 2))
  return min(max(value, low), high)
}
