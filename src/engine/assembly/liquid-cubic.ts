/** One component of velocity between the faces of its array of pairs, by cubics within the bounds of the nearest faces. */
import { between, mix } from './grid-to-particle'

/** A component of velocity at a place counted from the first face of its array, which has `mx` × `my` × `mz` of them. */
@inline
export function sampleCubic(pairs: usize, mx: i32, my: i32, mz: i32, row: usize, plane: usize, x: f32, y: f32, z: f32): f32 {
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
  return bounded(at, row, plane, plane ? cubic(at, row, plane, fx, fy, fz) : flatCubic(at, row, fx, fy))
}

/** Catmull and Rom's cubic along each axis, linear along the others: the mixed terms it leaves out are of fourth order. `at`: the lowest of
 *  the eight nearest points. */
@inline
function cubic(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32): f32 {
  const y0 = f32x4.splat(1 - fy)
  const y1 = f32x4.splat(fy)
  const z0 = f32x4.splat(1 - fz)
  const z1 = f32x4.splat(fz)
  const left = f32x4.add(f32x4.mul(z0, pairOf(at - 8, row, y0, y1)), f32x4.mul(z1, pairOf(at + plane - 8, row, y0, y1)))
  const right = f32x4.add(f32x4.mul(z0, pairOf(at + 8, row, y0, y1)), f32x4.mul(z1, pairOf(at + plane + 8, row, y0, y1)))
  const bentY = f32x4.add(f32x4.mul(z0, bend(at, row, fy)), f32x4.mul(z1, bend(at + plane, row, fy)))
  const bentZ = f32x4.add(f32x4.mul(y0, bend(at, plane, fz)), f32x4.mul(y1, bend(at + row, plane, fz)))
  return alongRow(left, right, fx) + between(f32x4.add(bentY, bentZ), fx)
}

/** The same in a plane. */
@inline
function flatCubic(at: usize, row: usize, fx: f32, fy: f32): f32 {
  const y0 = f32x4.splat(1 - fy)
  const y1 = f32x4.splat(fy)
  return alongRow(pairOf(at - 8, row, y0, y1), pairOf(at + 8, row, y0, y1), fx) + between(bend(at, row, fy), fx)
}

/** Lanes 0 and 2: two points in a row, between this row and the next. */
@inline
function pairOf(at: usize, row: usize, y0: v128, y1: v128): v128 {
  return f32x4.add(f32x4.mul(y0, v128.load(at)), f32x4.mul(y1, v128.load(at + row)))
}

/** By how much the cubic through four points, `step` apart, lies above the line between the second, which is at `at`, and the third. */
@inline
function bend(at: usize, step: usize, f: f32): v128 {
  const outer = f32x4.add(f32x4.mul(f32x4.splat(1 - f), v128.load(at - step)), f32x4.mul(f32x4.splat(f), v128.load(at + 2 * step)))
  const inner = f32x4.add(f32x4.mul(f32x4.splat(3 * f - 2), v128.load(at)), f32x4.mul(f32x4.splat(1 - 3 * f), v128.load(at + step)))
  return f32x4.mul(f32x4.splat(-0.5 * f * (1 - f)), f32x4.add(outer, inner))
}

/** Through four points in a row, lanes 0 and 2 of both. */
@inline
function alongRow(left: v128, right: v128, f: f32): f32 {
  const g: f32 = 1 - f
  const second = f32x4.extract_lane(left, 2)
  const third = f32x4.extract_lane(right, 0)
  const inner = (<f32>3 * f - 2) * second + (1 - <f32>3 * f) * third
  const outer = g * f32x4.extract_lane(left, 0) + f * f32x4.extract_lane(right, 2)
  return g * second + f * third - 0.5 * f * g * (outer + inner)
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
