/** Analytic signed distances, φ < 0 inside, in the units of their arguments (metres, or cells, or a unit domain).
 *  A point is given by two coordinates or by three. Two describe a shape that ignores z: a circle where three give a sphere.
 *  Sampling passes z = 0 in 2D, so 2D problems use two. Each shape is an exact distance; the comment of a combinator
 *  tells where its result is exact. */
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

/** All points within `radius` of the line through `from` and `to`, between the planes through these points. */
export function cylinder(from: Point, to: Point, radius: number): ScalarFunction {
  const [ax, ay, az = 0] = from
  const [bx, by, bz = 0] = to
  const length = Math.hypot(bx - ax, by - ay, bz - az)
  const [dx, dy, dz] = [(bx - ax) / length, (by - ay) / length, (bz - az) / length]
  return (x, y, z) => {
    const along = (x - ax) * dx + (y - ay) * dy + (z - az) * dz
    const across = Math.hypot(x - ax - along * dx, y - ay - along * dy, z - az - along * dz)
    const a = Math.abs(along - 0.5 * length) - 0.5 * length
    const b = across - radius
    return Math.hypot(Math.max(a, 0), Math.max(b, 0)) + Math.min(0, Math.max(a, b))
  }
}

/** All points within `thickness` of the circle of `radius` about `centre` whose plane is normal to `axis`. */
export function torus(centre: Point, axis: Point, radius: number, thickness: number): ScalarFunction {
  const [cx, cy, cz = 0] = centre
  const [ax, ay, az = 0] = axis
  const length = Math.hypot(ax, ay, az)
  const [dx, dy, dz] = [ax / length, ay / length, az / length]
  return (x, y, z) => {
    const along = (x - cx) * dx + (y - cy) * dy + (z - cz) * dz
    const across = Math.hypot(x - cx - along * dx, y - cy - along * dy, z - cz - along * dz)
    return Math.hypot(along, across - radius) - thickness
  }
}

/** The area within a closed line through `corners`, given in either direction; what is enclosed twice counts as outside. Ignores z. */
export function polygon(corners: readonly (readonly [number, number])[]): ScalarFunction {
  return (x, y) => {
    let nearest = Infinity
    let isInside = false
    for (let i = 0, j = corners.length - 1; i < corners.length; j = i++) {
      const [ax, ay] = corners[j]
      const [bx, by] = corners[i]
      const [dx, dy] = [bx - ax, by - ay]
      const squared = dx * dx + dy * dy
      const t = squared === 0 ? 0 : Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / squared))
      nearest = Math.min(nearest, Math.hypot(x - ax - t * dx, y - ay - t * dy))
      if (ay > y !== by > y && x < ax + (dx * (y - ay)) / dy) isInside = !isInside
    }
    return isInside ? -nearest : nearest
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

/** Enlarges a shape by `factor` > 0, the origin stays; an exact distance stays exact. */
export function scale(shape: ScalarFunction, factor: number): ScalarFunction {
  return (x, y, z) => factor * shape(x / factor, y / factor, z / factor)
}

/** Moves every point X of a shape to R X + shift; R is a rotation, row by row. Keeps distances. */
export function moveRigidly(
  shape: ScalarFunction,
  R: readonly number[],
  shift: readonly [number, number, number],
): ScalarFunction {
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = R
  const [sx, sy, sz] = shift
  return (x, y, z) => {
    const a = x - sx
    const b = y - sy
    const c = z - sz
    return shape(xx * a + yx * b + zx * c, xy * a + yy * b + zy * c, xz * a + yz * b + zz * c)
  }
}
