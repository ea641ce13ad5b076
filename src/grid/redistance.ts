/** Makes a level set a signed distance again without moving its zero: values next to the surface are kept as distances to the
 *  crossings they imply, all others follow by fast sweeping of |∇φ| = 1 (Zhao 2005). First order, O(points). */
import { checkGrid, checkLattice, type Grid } from './grid.js'

/** `values` on the points of `shape` (cells or nodes of the grid), spacing that of the grid. Returns a new array; where there is
 *  no surface at all, every value becomes ±Infinity by its sign. */
export function redistance(grid: Grid, shape: readonly [number, number, number], values: Float64Array): Float64Array {
  checkGrid(grid, 'redistance: the grid')
  checkLattice(shape, values, 'redistance')
  const distance = new Float64Array(values.length).fill(Infinity)
  const fixed = markSurface(grid.spacing, shape, values, distance)
  sweepDistances(grid.spacing, shape, distance, fixed)
  for (let at = 0; at < distance.length; at++) if (values[at] < 0) distance[at] = -distance[at]
  return distance
}

/** Carries unsigned distances from the points where they are `fixed` to all others, which hold Infinity or an upper bound before. */
export function sweepDistances(
  spacing: number,
  shape: readonly [number, number, number],
  distance: Float64Array,
  fixed: Uint8Array,
): void {
  // Along an axis with one point there is only one direction.
  const turned = shape.reduce((bits, size, axis) => (size > 1 ? bits | (1 << axis) : bits), 0)
  // Two rounds over all directions carry every straight characteristic; one more pair corrects where two fronts meet.
  for (let round = 0; round < 2; round++)
    for (let direction = 0; direction < 8; direction++)
      if ((direction & turned) === direction) sweep(spacing, shape, distance, fixed, direction)
}

/** Points with a neighbour of other sign: 1/d² = Σ 1/dₐ² over the axes on which the surface crosses, exact for planes. */
function markSurface(
  h: number,
  [nx, ny, nz]: readonly [number, number, number],
  phi: Float64Array,
  distance: Float64Array,
): Uint8Array {
  const fixed = new Uint8Array(phi.length)
  /** 1/d² along an axis, 0 where the surface does not cross it next to the point. */
  const along = (at: number, position: number, size: number, stride: number) => {
    const own = phi[at]
    let nearest = Infinity
    if (position > 0) nearest = crossing(own, phi[at - stride])
    if (position < size - 1) nearest = Math.min(nearest, crossing(own, phi[at + stride]))
    if (nearest === Infinity) return 0
    const d = Math.max(h * nearest, 1e-12 * h)
    return 1 / (d * d)
  }
  let at = 0
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, at++) {
        const inverseSquares = along(at, i, nx, 1) + along(at, j, ny, nx) + along(at, k, nz, nx * ny)
        if (inverseSquares === 0) continue
        fixed[at] = 1
        distance[at] = 1 / Math.sqrt(inverseSquares)
      }
  return fixed
}

/** Distance to the surface as a share of the distance to a neighbour; infinite if it is not between them. */
function crossing(own: number, other: number): number {
  return other < 0 !== own < 0 ? own / (own - other) : Infinity
}

function sweep(
  h: number,
  [nx, ny, nz]: readonly [number, number, number],
  distance: Float64Array,
  fixed: Uint8Array,
  direction: number,
): void {
  const plane = nx * ny
  for (let c = 0; c < nz; c++) {
    const k = direction & 4 ? nz - 1 - c : c
    // A missing neighbour is replaced by the point itself, which never reduces its distance.
    const down = k > 0 ? -plane : 0
    const up = k < nz - 1 ? plane : 0
    for (let b = 0; b < ny; b++) {
      const j = direction & 2 ? ny - 1 - b : b
      const south = j > 0 ? -nx : 0
      const north = j < ny - 1 ? nx : 0
      const row = nx * (j + ny * k)
      for (let a = 0; a < nx; a++) {
        const i = direction & 1 ? nx - 1 - a : a
        const at = row + i
        if (fixed[at]) continue
        const x = Math.min(distance[i > 0 ? at - 1 : at], distance[i < nx - 1 ? at + 1 : at])
        const y = Math.min(distance[at + south], distance[at + north])
        const z = Math.min(distance[at + down], distance[at + up])
        const reached = arrival(h, x, y, z)
        if (reached < distance[at]) distance[at] = reached
      }
    }
  }
}

/** Smallest d with Σ max(d − uₐ, 0)² = h², the upwind eikonal update. */
function arrival(h: number, x: number, y: number, z: number): number {
  const smaller = Math.min(x, y)
  const larger = Math.max(x, y)
  const low = Math.min(smaller, z)
  const high = Math.max(larger, z)
  const middle = Math.max(smaller, Math.min(larger, z))
  let d = low + h
  if (!(d > middle)) return d
  d = 0.5 * (low + middle + Math.sqrt(2 * h * h - (low - middle) * (low - middle)))
  if (!(d > high)) return d
  const sum = low + middle + high
  const squares = low * low + middle * middle + high * high
  return (sum + Math.sqrt(Math.max(0, sum * sum - 3 * (squares - h * h)))) / 3
}
