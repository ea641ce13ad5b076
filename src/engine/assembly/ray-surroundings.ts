/** What lies around the box: a pale studio with a floor, a sky that only reflections see, and the light on the floor. */
import { LIGHT, Ray, View } from './ray-view'

/** Floors fade into the background over this many lengths of the box. */
const FADE: f32 = 2.6

@inline
function mix(a: f32, b: f32, share: f32): f32 {
  return a + (b - a) * share
}

@inline
export function smooth(from: f32, to: f32, value: f32): f32 {
  const t = min<f32>(max<f32>((value - from) / (to - from), 0), 1)
  return t * t * (<f32>3 - <f32>2 * t)
}

/** e⁻ˣ for x ≥ 0, to about a hundredth: no table, and never below 0. */
@inline
export function fading(x: f32): f32 {
  return <f32>1 / (<f32>1 + x * (<f32>1 + x * (<f32>0.5 + x * (<f32>0.16667 + x * <f32>0.041667))))
}

@inline
function add(ray: Ray, share: f32, r: f32, g: f32, b: f32): void {
  ray.r += share * ray.throughR * r
  ray.g += share * ray.throughG * g
  ray.b += share * ray.throughB * b
}

/** Adds what is seen from a point in a direction beyond all liquid and solids: the floor or the background. */
export function addBackground(view: View, ray: Ray, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32, share: f32): void {
  const height = smooth(-0.35, 0.55, dy)
  const r = mix(0.80, 0.36, height)
  const g = mix(0.845, 0.50, height)
  const b = mix(0.885, 0.66, height)
  if (dy > <f32>-1e-4 || y < -1) {
    add(ray, share, r, g, b)
    return
  }
  const way = max<f32>(y, 0) / -dy
  addFloor(view, ray, x + way * dx, z + way * dz, way, -dy, share, r, g, b)
}

function addFloor(view: View, ray: Ray, x: f32, z: f32, way: f32, slope: f32, share: f32, r: f32, g: f32, b: f32): void {
  const size = <f32>max(view.nx, view.nz)
  const offX = max<f32>(abs<f32>(x - <f32>0.5 * <f32>view.nx) - <f32>0.5 * <f32>view.nx, 0)
  const offZ = max<f32>(abs<f32>(z - <f32>0.5 * <f32>view.nz) - <f32>0.5 * <f32>view.nz, 0)
  const off = sqrt<f32>(offX * offX + offZ * offZ) / size
  const near = fading(off * FADE)
  const footprint = (ray.travelled + way) * view.pixelAngle
  const line = max<f32>(lineAt(x, view.gridStep, footprint / slope), lineAt(z, view.gridStep, footprint / slope))
  // Paler than the background, so that water shows its colour on it.
  const shade = <f32>1 - <f32>0.34 * line
  add(
    ray,
    share,
    mix(r, <f32>0.83 * shade * mix(0.34, 1, lightAt(view, x, z, 0)), near),
    mix(g, <f32>0.86 * shade * mix(0.40, 1, lightAt(view, x, z, 4)), near),
    mix(b, <f32>0.88 * shade * mix(0.47, 1, lightAt(view, x, z, 8)), near),
  )
}

/** How much of a line there is at a place, lines being `step` apart and the place `footprint` wide. */
@inline
function lineAt(place: f32, step: f32, footprint: f32): f32 {
  const half = step * <f32>0.014
  const off = abs<f32>(place - step * nearest<f32>(place / step))
  const wide = max<f32>(footprint, <f32>1e-3)
  // A line narrower than the footprint is as faint as it is narrow.
  const faint = min<f32>(<f32>1.6 * half / wide, 1)
  return faint * min<f32>(max<f32>((half + wide - off) / wide, 0), 1)
}

/** Light at a place of the floor, 1 outside of the map. `colour`: 0, 4 or 8 for red, green or blue. */
function lightAt(view: View, x: f32, z: f32, colour: usize): f32 {
  const px = (x - view.lightX) / view.lightStep
  const pz = (z - view.lightZ) / view.lightStep
  if (!(px >= 0 && pz >= 0 && px < <f32>(LIGHT - 1) && pz < <f32>(LIGHT - 1))) return 1
  const i = <i32>px
  const k = <i32>pz
  const at = view.light + (<usize>((k * LIGHT + i) * 3) << 2) + colour
  const row: usize = <usize>(LIGHT * 3) << 2
  const fx = px - <f32>i
  const near = mix(load<f32>(at), load<f32>(at, 12), fx)
  const far = mix(load<f32>(at + row), load<f32>(at + row, 12), fx)
  return mix(near, far, pz - <f32>k)
}

/** Adds what a surface at a point mirrors: the sky with the sun and a long window, or the floor. */
export function addMirrored(view: View, ray: Ray, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32, share: f32): void {
  if (dy < 0) {
    addBackground(view, ray, x, y, z, dx, dy, dz, share)
    return
  }
  const high = sqrt<f32>(dy)
  const toSun = max<f32>(dx * view.sunX + dy * view.sunY + dz * view.sunZ, 0)
  const p4 = toSun * toSun * toSun * toSun
  const p16 = p4 * p4 * p4 * p4
  const p64 = p16 * p16 * p16 * p16
  const p256 = p64 * p64 * p64 * p64
  const glow = <f32>0.35 * p16 + <f32>1.2 * p64 + <f32>10 * p256
  add(ray, share, mix(0.93, 0.22, high) + glow, mix(0.96, 0.46, high) + glow, mix(0.98, 0.78, high) + <f32>0.95 * glow)
}
