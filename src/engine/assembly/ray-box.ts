/** Where rays enter and leave the box of the grid, and its edges. */
import { Ray, View } from './ray-view'

/** Colour of the edges, linear. */
const EDGE: f32 = 0.10

/** Moves the ray to where it enters the box; false if it passes by. Rays that begin inside stay, with entryAxis −1. */
export function enterBox(view: View, ray: Ray): bool {
  let from: f32 = 0
  let to: f32 = 1e9
  let axis = -1
  for (let a = 0; a < 3; a++) {
    const p = a == 0 ? ray.x : a == 1 ? ray.y : ray.z
    const d = a == 0 ? ray.dx : a == 1 ? ray.dy : ray.dz
    const size = <f32>(a == 0 ? view.nx : a == 1 ? view.ny : view.nz)
    if (abs<f32>(d) < <f32>1e-9) {
      if (p < 0 || p > size) return false
      continue
    }
    const lower = -p / d
    const upper = (size - p) / d
    const near = min<f32>(lower, upper)
    if (near > from) {
      from = near
      axis = a
    }
    to = min<f32>(to, max<f32>(lower, upper))
  }
  if (!(from < to)) return false
  ray.entryAxis = axis
  ray.entrySign = axis == 0 ? -sign(ray.dx) : axis == 1 ? -sign(ray.dy) : -sign(ray.dz)
  advance(ray, from)
  return true
}

/** Sets how far it is to the side of the box, and which side that is. */
export function findExit(view: View, ray: Ray): void {
  // No way through the box is longer, so that every walk along it ends.
  let to: f32 = <f32>(view.nx + view.ny + view.nz)
  let axis = 0
  for (let a = 0; a < 3; a++) {
    const p = a == 0 ? ray.x : a == 1 ? ray.y : ray.z
    const d = a == 0 ? ray.dx : a == 1 ? ray.dy : ray.dz
    const size = <f32>(a == 0 ? view.nx : a == 1 ? view.ny : view.nz)
    if (abs<f32>(d) < <f32>1e-9) continue
    const far = max<f32>(max<f32>(-p / d, (size - p) / d), 0)
    if (far < to) {
      to = far
      axis = a
    }
  }
  ray.exit = to
  ray.exitAxis = axis
  ray.exitSign = axis == 0 ? sign(ray.dx) : axis == 1 ? sign(ray.dy) : sign(ray.dz)
}

@inline
function sign(value: f32): f32 {
  return value < 0 ? -1 : 1
}

@inline
export function advance(ray: Ray, way: f32): void {
  ray.x += way * ray.dx
  ray.y += way * ray.dy
  ray.z += way * ray.dz
  ray.travelled += way
}

/** The normal of a side of the box, outwards. */
export function sideNormal(ray: Ray, axis: i32, sign: f32): void {
  ray.normalX = axis == 0 ? sign : 0
  ray.normalY = axis == 1 ? sign : 0
  ray.normalZ = axis == 2 ? sign : 0
}

/** Draws the edge that the ray passes where it goes through a side, if it does. */
export function addEdge(view: View, ray: Ray, axis: i32, strength: f32): void {
  if (axis < 0) return
  const u = axis == 0 ? ray.y : ray.x
  const v = axis == 2 ? ray.y : ray.z
  const sizeU = <f32>(axis == 0 ? view.ny : view.nx)
  const sizeV = <f32>(axis == 2 ? view.ny : view.nz)
  const off = min<f32>(min<f32>(u, sizeU - u), min<f32>(v, sizeV - v))
  const pixel = ray.travelled * view.pixelAngle
  const half = max<f32>(pixel * <f32>0.8, <f32>0.0022 * <f32>max(view.nx, max(view.ny, view.nz)))
  const alpha = strength * min<f32>(max<f32>((half + pixel - off) / pixel, 0), 1)
  if (!(alpha > 0)) return
  ray.r += alpha * ray.throughR * EDGE
  ray.g += alpha * ray.throughG * EDGE * <f32>1.4
  ray.b += alpha * ray.throughB * EDGE * <f32>1.9
  ray.throughR *= <f32>1 - alpha
  ray.throughG *= <f32>1 - alpha
  ray.throughB *= <f32>1 - alpha
}
