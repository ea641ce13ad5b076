/** Values on a lattice of points in the plane, between the points. */

export interface Plane {
  /** Bilinear; beyond the lattice the value on its border. Positions in steps of the lattice, from the corner of the grid. */
  at(x: number, y: number): number
  /** Size of the gradient per step, over a whole step, so that it has no side. */
  slopeAt(x: number, y: number): number
}

/** The first point lies at (offsetX, offsetY). Of values in several layers the first is taken. */
export function createPlane(values: Float32Array, nx: number, ny: number, offsetX: number, offsetY: number): Plane {
  const stepX = nx > 1 ? 1 : 0
  const stepY = ny > 1 ? nx : 0
  const at = (x: number, y: number) => {
    const px = Math.min(Math.max(x - offsetX, 0), nx - 1)
    const py = Math.min(Math.max(y - offsetY, 0), ny - 1)
    const i = Math.min(Math.floor(px), Math.max(nx - 2, 0))
    const j = Math.min(Math.floor(py), Math.max(ny - 2, 0))
    const fx = px - i
    const fy = py - j
    const corner = i + nx * j
    const lower = (1 - fx) * values[corner] + fx * values[corner + stepX]
    const upper = (1 - fx) * values[corner + stepY] + fx * values[corner + stepX + stepY]
    return (1 - fy) * lower + fy * upper
  }
  const slopeAt = (x: number, y: number) => Math.hypot(at(x + 0.5, y) - at(x - 0.5, y), at(x, y + 0.5) - at(x, y - 0.5))
  return { at, slopeAt }
}
