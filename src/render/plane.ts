/** Values on a lattice of points in the plane, between the points. */

export interface Plane {
  /** Bilinear; beyond the lattice the value on its border. Positions in steps of the lattice, from the corner of the grid. */
  at(x: number, y: number): number
  /** Size of the gradient where `at` was asked last, per step. */
  slope(): number
}

/** The first point lies at (offsetX, offsetY). Of values in several layers the first is taken. */
export function createPlane(values: Float32Array, nx: number, ny: number, offsetX: number, offsetY: number): Plane {
  let gradientX = 0
  let gradientY = 0
  const stepX = nx > 1 ? 1 : 0
  const stepY = ny > 1 ? nx : 0
  return {
    at(x, y) {
      const px = Math.min(Math.max(x - offsetX, 0), nx - 1)
      const py = Math.min(Math.max(y - offsetY, 0), ny - 1)
      const i = Math.min(Math.floor(px), Math.max(nx - 2, 0))
      const j = Math.min(Math.floor(py), Math.max(ny - 2, 0))
      const fx = px - i
      const fy = py - j
      const corner = i + nx * j
      const a = values[corner]
      const b = values[corner + stepX]
      const c = values[corner + stepY]
      const d = values[corner + stepX + stepY]
      gradientX = (1 - fy) * (b - a) + fy * (d - c)
      gradientY = (1 - fx) * (c - a) + fx * (d - b)
      return (1 - fy) * ((1 - fx) * a + fx * b) + fy * ((1 - fx) * c + fx * d)
    },
    slope: () => Math.hypot(gradientX, gradientY),
  }
}
