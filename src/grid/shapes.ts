/** Analytic signed distances, φ < 0 inside, in the units of their arguments (metres, or cells, or a unit domain).
 *  A point is given by two coordinates or by three. Two describe a shape that ignores z: a circle where three give a sphere.
 *  Sampling passes z = 0 in 2D, so 2D problems use two. Each shape is an exact distance; what the combinators keep of that
 *  is said at each. */
import type { ScalarFunction } from './field.js'

export type Point = readonly [x: number, y: number] | readonly [x: number, y: number, z: number]

/** Sphere, or circle. */
export function sphere(centre: Point, radius: number): ScalarFunction {
  const [cx, cy] = centre
  if (centre.length === 2) return (x, y) => Math.hypot(x - cx, y - cy) - radius
  const cz = centre[2]
  return (x, y, z) => Math.hypot(x - cx, y - cy, z - cz) - radius
}

/** Box along the axes, or rectangle; `half` holds half its side lengths. */
export function box(centre: Point, half: Point): ScalarFunction {
  const [cx, cy] = centre
  const [hx, hy] = half
  if (centre.length === 2 || half.length === 2)
    return (x, y) => {
      const a = Math.abs(x - cx) - hx
      const b = Math.abs(y - cy) - hy
      return Math.hypot(Math.max(a, 0), Math.max(b, 0)) + Math.min(0, Math.max(a, b))
    }
  const cz = centre[2]
  const hz = half[2]
  return (x, y, z) => {
    const a = Math.abs(x - cx) - hx
    const b = Math.abs(y - cy) - hy
    const c = Math.abs(z - cz) - hz
    return Math.hypot(Math.max(a, 0), Math.max(b, 0), Math.max(c, 0)) + Math.min(0, Math.max(a, b, c))
  }
}

/** All points behind the plane (or line) through `point`; `normal` points out of the half space and may have any length. */
export function halfSpace(point: Point, normal: Point): ScalarFunction {
  const [px, py, pz = 0] = point
  const [nx, ny, nz = 0] = normal
  const length = Math.hypot(nx, ny, nz)
  return (x, y, z) => ((x - px) * nx + (y - py) * ny + (nz === 0 ? 0 : (z - pz) * nz)) / length
}

/** All points within `radius` of the segment from `from` to `to`. Long ones serve as cylinders, or as strips in 2D. */
export function capsule(from: Point, to: Point, radius: number): ScalarFunction {
  const flat = from.length === 2 || to.length === 2
  const [ax, ay, az = 0] = from
  const [bx, by, bz = 0] = to
  const dx = bx - ax
  const dy = by - ay
  const dz = flat ? 0 : bz - az
  const squared = dx * dx + dy * dy + dz * dz
  return (x, y, z) => {
    const px = x - ax
    const py = y - ay
    const pz = flat ? 0 : z - az
    const t = squared === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / squared))
    return Math.hypot(px - t * dx, py - t * dy, pz - t * dz) - radius
  }
}

/** Points in any of the shapes. Exact outside; inside overlaps the true distance is at least as large in size. */
export function union(...shapes: readonly ScalarFunction[]): ScalarFunction {
  return (x, y, z) => {
    let phi = Infinity
    for (const shape of shapes) phi = Math.min(phi, shape(x, y, z))
    return phi
  }
}

/** Points in all of the shapes. Exact inside; outside, near edges, the true distance is at least as large. */
export function intersection(...shapes: readonly ScalarFunction[]): ScalarFunction {
  return (x, y, z) => {
    let phi = -Infinity
    for (const shape of shapes) phi = Math.max(phi, shape(x, y, z))
    return phi
  }
}

/** Inside out; exact if the shape is. */
export function complement(shape: ScalarFunction): ScalarFunction {
  return (x, y, z) => -shape(x, y, z)
}

/** Points of the first shape that are in none of the others. Exact inside. */
export function difference(shape: ScalarFunction, ...removed: readonly ScalarFunction[]): ScalarFunction {
  return intersection(shape, ...removed.map(complement))
}

/** All points within `halfThickness` of the shape's surface; exact where the shape is. */
export function shell(shape: ScalarFunction, halfThickness: number): ScalarFunction {
  return (x, y, z) => Math.abs(shape(x, y, z)) - halfThickness
}

/** Moves a shape; keeps distances. */
export function translate(shape: ScalarFunction, by: Point): ScalarFunction {
  const [bx, by_, bz = 0] = by
  return (x, y, z) => shape(x - bx, y - by_, z - bz)
}

/** Turns a shape about the z-parallel axis through `centre`, from x towards y, in radians; keeps distances. */
export function rotate(shape: ScalarFunction, angle: number, centre: readonly [number, number]): ScalarFunction {
  const [cx, cy] = centre
  const c = Math.cos(angle)
  const s = Math.sin(angle)
  return (x, y, z) => shape(cx + c * (x - cx) + s * (y - cy), cy - s * (x - cx) + c * (y - cy), z)
}
