/** Level sets between their points, and their normals. */
import { Ray, View } from './ray-view'

/** Normals are differences over this many cells to both sides: less shows the cells, more rounds off ripples. */
const REACH: f32 = 0.8
/** Keeps the upper neighbour of a point on the far faces of the box within its array. */
const SHY: f32 = 0.001

/** The eight values from `at` on, two of them side by side in memory each time. */
@inline
function between(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32): f32 {
  const near = v128.load64_lane(at + row, v128.load64_zero(at), 1)
  const far = v128.load64_lane(at + plane + row, v128.load64_zero(at + plane), 1)
  const both = f32x4.add(near, f32x4.mul(f32x4.splat(fz), f32x4.sub(far, near)))
  const upper = v128.shuffle<f32>(both, both, 2, 3, 2, 3)
  const pair = f32x4.add(both, f32x4.mul(f32x4.splat(fy), f32x4.sub(upper, both)))
  const left = f32x4.extract_lane(pair, 0)
  return left + fx * (f32x4.extract_lane(pair, 1) - left)
}

@inline
function within(value: f32, size: i32): f32 {
  return min<f32>(max<f32>(value, 0), <f32>size - SHY)
}

/** Signed distance to the surface of the liquid, in cells, as if there were no solids. */
export function surfaceAt(view: View, x: f32, y: f32, z: f32): f32 {
  const px = within(x, view.nx) + <f32>0.5
  const py = within(y, view.ny) + <f32>0.5
  const pz = within(z, view.nz) + <f32>0.5
  const i = <i32>px
  const j = <i32>py
  const k = <i32>pz
  const row = <usize>(view.nx + 2)
  const plane = row * <usize>(view.ny + 2)
  const at = view.liquid + ((<usize>i + row * <usize>j + plane * <usize>k) << 2)
  return between(at, row << 2, plane << 2, px - <f32>i, py - <f32>j, pz - <f32>k)
}

/** Signed distance to the nearest solid, in cells. */
export function solidAt(view: View, x: f32, y: f32, z: f32): f32 {
  const px = within(x, view.nx)
  const py = within(y, view.ny)
  const pz = within(z, view.nz)
  const i = <i32>px
  const j = <i32>py
  const k = <i32>pz
  const row = <usize>(view.nx + 1)
  const plane = row * <usize>(view.ny + 1)
  const at = view.solid + ((<usize>i + row * <usize>j + plane * <usize>k) << 2)
  return between(at, row << 2, plane << 2, px - <f32>i, py - <f32>j, pz - <f32>k)
}

/** Sets the normal of the ray to that of the surface of the liquid, out of it; where a solid ends the liquid, to that of the solid. */
export function liquidNormal(view: View, ray: Ray, x: f32, y: f32, z: f32): void {
  const phi = surfaceAt(view, x, y, z)
  ray.phi = phi
  if (view.hasSolid && -solidAt(view, x, y, z) > phi) {
    solidNormal(view, ray, x, y, z)
    ray.normalX = -ray.normalX
    ray.normalY = -ray.normalY
    ray.normalZ = -ray.normalZ
    return
  }
  setNormal(
    ray,
    surfaceAt(view, x + REACH, y, z) - surfaceAt(view, x - REACH, y, z),
    surfaceAt(view, x, y + REACH, z) - surfaceAt(view, x, y - REACH, z),
    surfaceAt(view, x, y, z + REACH) - surfaceAt(view, x, y, z - REACH),
  )
}

export function solidNormal(view: View, ray: Ray, x: f32, y: f32, z: f32): void {
  setNormal(
    ray,
    solidAt(view, x + REACH, y, z) - solidAt(view, x - REACH, y, z),
    solidAt(view, x, y + REACH, z) - solidAt(view, x, y - REACH, z),
    solidAt(view, x, y, z + REACH) - solidAt(view, x, y, z - REACH),
  )
}

function setNormal(ray: Ray, x: f32, y: f32, z: f32): void {
  const length = sqrt<f32>(x * x + y * y + z * z)
  // Where a level set is flat any direction will do, but not none.
  const isFlat = !(length > <f32>1e-12)
  ray.normalX = isFlat ? 0 : x / length
  ray.normalY = isFlat ? 1 : y / length
  ray.normalZ = isFlat ? 0 : z / length
}
