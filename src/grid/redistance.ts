/** Makes a level set a signed distance again without moving its zero: values next to the surface are kept as distances to the
 *  crossings they imply, all others follow by fast sweeping of |∇φ| = 1 (Zhao 2005). First order, O(points). */
import type { Grid } from './grid.js'

/** `values` on the points of `shape` (cells or nodes of the grid), spacing that of the grid. Returns a new array; where there is
 *  no surface at all, every value becomes ±Infinity by its sign. */
export function redistance(grid: Grid, shape: readonly [number, number, number], values: Float64Array): Float64Array {
  const distance = new Float64Array(values.length).fill(Infinity)
  const fixed = markSurface(grid.spacing, shape, values, distance)
  sweepDistances(grid.spacing, shape, distance, fixed)
  return distance.map((d, at) => (values[at] < 0 ? -d : d))
}

/** Carries unsigned distances from the points where they are `fixed` to all others, which hold Infinity or an upper bound before. */
export function sweepDistances(
  spacing: number,
  shape: readonly [number, number, number],
  distance: Float64Array,
  fixed: Uint8Array,
): void {
  // Two rounds over all directions carry every straight characteristic; one more pair mends where two fronts meet.
  for (let round = 0; round < 2; round++)
    for (let direction = 0; direction < 8; direction++) sweep(spacing, shape, distance, fixed, direction)
}

/** Points with a neighbour of other sign: 1/d² = Σ 1/dₐ² over the axes on which the surface crosses, exact for planes. */
function markSurface(
  h: number,
  [nx, ny, nz]: readonly [number, number, number],
  phi: Float64Array,
  distance: Float64Array,
): Uint8Array {
  const fixed = new Uint8Array(phi.length)
  const sizes = [nx, ny, nz]
  const strides = [1, nx, nx * ny]
  const position = [0, 0, 0]
  for (let at = 0; at < phi.length; at++) {
    position[0] = at % nx
    position[1] = Math.floor(at / nx) % ny
    position[2] = Math.floor(at / (nx * ny))
    let inverseSquares = 0
    for (let axis = 0; axis < 3; axis++) {
      let nearest = Infinity
      for (const side of [-1, 1]) {
        const there = position[axis] + side
        if (there < 0 || there >= sizes[axis]) continue
        const other = phi[at + side * strides[axis]]
        if (other < 0 !== phi[at] < 0) nearest = Math.min(nearest, (h * phi[at]) / (phi[at] - other))
      }
      if (nearest < Infinity) inverseSquares += 1 / Math.max(nearest, 1e-12 * h) ** 2
    }
    if (inverseSquares === 0) continue
    fixed[at] = 1
    distance[at] = 1 / Math.sqrt(inverseSquares)
  }
  return fixed
}

function sweep(
  h: number,
  [nx, ny, nz]: readonly [number, number, number],
  distance: Float64Array,
  fixed: Uint8Array,
  direction: number,
): void {
  const best = (at: number, position: number, size: number, stride: number) =>
    Math.min(position > 0 ? distance[at - stride] : Infinity, position < size - 1 ? distance[at + stride] : Infinity)
  for (let c = 0; c < nz; c++) {
    const k = direction & 4 ? nz - 1 - c : c
    for (let b = 0; b < ny; b++) {
      const j = direction & 2 ? ny - 1 - b : b
      for (let a = 0; a < nx; a++) {
        const i = direction & 1 ? nx - 1 - a : a
        const at = i + nx * (j + ny * k)
        if (fixed[at]) continue
        const reached = arrival(h, best(at, i, nx, 1), best(at, j, ny, nx), best(at, k, nz, nx * ny))
        if (reached < distance[at]) distance[at] = reached
      }
    }
  }
}

/** Smallest d with Σ max(d − uₐ, 0)² = h², the upwind eikonal update. */
function arrival(h: number, x: number, y: number, z: number): number {
  const low = Math.min(x, y, z)
  const high = Math.max(x, y, z)
  const middle = Math.max(Math.min(x, y), Math.min(Math.max(x, y), z))
  let d = low + h
  if (!(d > middle)) return d
  d = 0.5 * (low + middle + Math.sqrt(2 * h * h - (low - middle) ** 2))
  if (!(d > high)) return d
  const sum = low + middle + high
  const squares = low * low + middle * middle + high * high
  return (sum + Math.sqrt(Math.max(0, sum * sum - 3 * (squares - h * h)))) / 3
}
