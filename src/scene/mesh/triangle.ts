/** Geometry of one triangle, whose corners begin at places a, b, c of an array of coordinates. */

/** Distance of a point to the nearest point of the triangle, also where it is degenerate. */
export function distanceToTriangle(
  positions: Float64Array,
  a: number,
  b: number,
  c: number,
  x: number,
  y: number,
  z: number,
): number {
  const ax = positions[a] - x
  const ay = positions[a + 1] - y
  const az = positions[a + 2] - z
  const ux = positions[b] - positions[a]
  const uy = positions[b + 1] - positions[a + 1]
  const uz = positions[b + 2] - positions[a + 2]
  const vx = positions[c] - positions[a]
  const vy = positions[c + 1] - positions[a + 1]
  const vz = positions[c + 2] - positions[a + 2]
  const uu = ux * ux + uy * uy + uz * uz
  const uv = ux * vx + uy * vy + uz * vz
  const vv = vx * vx + vy * vy + vz * vz
  const au = ax * ux + ay * uy + az * uz
  const av = ax * vx + ay * vy + az * vz
  const area = uu * vv - uv * uv
  // The foot of the point in the plane is a + s u + t v.
  const s = (uv * av - vv * au) / area
  const t = (uv * au - uu * av) / area
  if (s >= 0 && t >= 0 && s + t <= 1) return Math.hypot(ax + s * ux + t * vx, ay + s * uy + t * vy, az + s * uz + t * vz)
  const onU = clamp(-au / uu)
  const onV = clamp(-av / vv)
  const [wx, wy, wz] = [vx - ux, vy - uy, vz - uz]
  const onW = clamp(-((ax + ux) * wx + (ay + uy) * wy + (az + uz) * wz) / (wx * wx + wy * wy + wz * wz))
  return Math.min(
    Math.hypot(ax + onU * ux, ay + onU * uy, az + onU * uz),
    Math.hypot(ax + onV * vx, ay + onV * vy, az + onV * vz),
    Math.hypot(ax + ux + onW * wx, ay + uy + onW * wy, az + uz + onW * wz),
  )
}

/** Not a number where an edge has no length: then any of its points will do. */
function clamp(share: number): number {
  return share > 0 ? Math.min(1, share) : 0
}

/** Normal of the triangle, twice as long as its area. */
export function areaNormal(positions: Float64Array, a: number, b: number, c: number): [number, number, number] {
  const ux = positions[b] - positions[a]
  const uy = positions[b + 1] - positions[a + 1]
  const uz = positions[b + 2] - positions[a + 2]
  const vx = positions[c] - positions[a]
  const vy = positions[c + 1] - positions[a + 1]
  const vz = positions[c + 2] - positions[a + 2]
  return [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx]
}

/** Solid angle under which the triangle is seen from a point, signed by its orientation (Van Oosterom, Strackee 1983). */
export function solidAngle(positions: Float64Array, a: number, b: number, c: number, x: number, y: number, z: number): number {
  const corner = (at: number) => [positions[at] - x, positions[at + 1] - y, positions[at + 2] - z] as const
  const [ax, ay, az] = corner(a)
  const [bx, by, bz] = corner(b)
  const [cx, cy, cz] = corner(c)
  const [la, lb, lc] = [Math.hypot(ax, ay, az), Math.hypot(bx, by, bz), Math.hypot(cx, cy, cz)]
  const volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
  const ab = ax * bx + ay * by + az * bz
  const bc = bx * cx + by * cy + bz * cz
  const ca = cx * ax + cy * ay + cz * az
  return 2 * Math.atan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb)
}
