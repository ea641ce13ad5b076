/** Area of ceilings that liquid touches: constant where walls are sticking, shrinking where liquid separates from them. */
import { type Axis, faceShape, nodeShape } from '../../grid/grid.js'
import { openFaceFractions, snapToSurface } from '../../grid/levelset.js'
import type { Frame } from '../frame.js'

/** A ceiling is a wall whose normal out of the solid is within 60° of straight down. */
const STEEPEST_FLOOR = -0.5

/** m² of ceilings that liquid touches, m in 2D: walls of solids, and the upper side of the domain unless it is open. Liquid touches where it
 *  is found half a cell below the wall. */
export function wettedCeiling(frame: Frame, isTopClosed = true): number {
  const { grid, liquid } = frame
  const [nx, ny, nz] = grid.shape
  const open = openFaceFractions(grid, snapToSurface(grid, Float64Array.from(frame.solid)))
  const [mx, my] = nodeShape(grid)
  let area = 0
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        if (isTopClosed && j === ny - 1 && liquid[cell] < 0) area += faceAt(1, i, ny, k)
        // The open faces of a cell and its wall enclose its open part, so their area vectors sum to 0: this is the wall's.
        const wallX = faceAt(0, i + 1, j, k) - faceAt(0, i, j, k)
        const wallY = faceAt(1, i, j + 1, k) - faceAt(1, i, j, k)
        const wallZ = faceAt(2, i, j, k + 1) - faceAt(2, i, j, k)
        const size = Math.hypot(wallX, wallY, wallZ)
        if (size === 0 || wallY / size > STEEPEST_FLOOR) continue
        if (touches(i, j, k, [wallX / size, wallY / size, wallZ / size])) area += size
      }
    }
  }
  return area * grid.spacing ** (grid.dims - 1)

  function faceAt(axis: Axis, i: number, j: number, k: number): number {
    const [fx, fy] = faceShape(grid, axis)
    return open[axis][i + fx * (j + fy * k)]
  }

  function touches(i: number, j: number, k: number, normal: readonly number[]): boolean {
    let distance = 0
    const node = i + mx * (j + my * k)
    for (let q = 0; q < 8; q++) distance += frame.solid[node + (q & 1) + mx * (((q >> 1) & 1) + my * (q >> 2))] / 8
    const offset = 0.5 - distance / grid.spacing
    return liquidAt(i + offset * normal[0], j + offset * normal[1], k + offset * normal[2]) < 0
  }

  /** Between cell centres, which are at whole numbers here. */
  function liquidAt(x: number, y: number, z: number): number {
    const [i, fx] = place(x, nx)
    const [j, fy] = place(y, ny)
    const [k, fz] = place(z, nz)
    let sum = 0
    for (let q = 0; q < 8; q++) {
      const weight = (q & 1 ? fx : 1 - fx) * (q & 2 ? fy : 1 - fy) * (q & 4 ? fz : 1 - fz)
      if (weight > 0) sum += weight * liquid[i + (q & 1) + nx * (j + ((q >> 1) & 1) + ny * (k + (q >> 2)))]
    }
    return sum
  }
}

function place(coordinate: number, size: number): [whole: number, part: number] {
  const within = Math.min(Math.max(coordinate, 0), size - 1)
  const whole = Math.min(Math.floor(within), Math.max(size - 2, 0))
  return [whole, within - whole]
}
