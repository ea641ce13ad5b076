/** Continuation of a liquid level set into solids: where a surface meets a wall, cells whose centre is in the solid have an open part, and
 *  the surface crosses links that lead to them. */
import { cellStrides, type Grid, nodeShape } from './grid.js'

/** Gaps between liquid and wall that are narrower than this many cells count as closed. */
const CLOSED_GAP = 0.5
/** Cosine of the angle below which a surface counts as parallel to the wall that it faces, about 25°. */
const PARALLEL = 0.9
/** Makes the slope 0 along directions that the known cells say nothing about, and changes it by as small a share along others. */
const RIDGE = 1e-9

type Vector = readonly [number, number, number]

/** A linear function around the centre of a cell. */
interface Linear {
  /** In the centre, m. */
  readonly value: number
  /** m per cell. */
  readonly slope: Vector
}

/** `liquid` at cell centres, `solid` at nodes, m. In cut cells whose centre is solid the result is the linear function that fits the cells
 *  outside best, so that the surface meets walls to second order, whatever the liquid is given as inside solids.
 *
 *  Where the boundary of the liquid follows the wall, less than half a cell away, it is no surface but the wall: liquid that was cut off at
 *  walls, or particles that do not quite reach them. There the liquid reaches half a cell into the solid. It does so, too, where all centres
 *  around are solid, if the given distance is below half a cell. */
export function extendIntoSolids(grid: Grid, liquid: Float64Array, solid: Float64Array): Float64Array {
  const [nx, ny] = grid.shape
  const half = CLOSED_GAP * grid.spacing
  const { wall, cut } = distancesOfCentres(grid, solid)
  const extended = liquid.slice()
  for (const cell of cut) {
    const at: Vector = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    const fit = fitOutside(grid, liquid, wall, at, slopeOfWall(grid, solid, at))
    if (!fit) {
      if (liquid[cell] < half) extended[cell] = Math.min(liquid[cell], -half)
      continue
    }
    const cosine = dot(fit.liquid.slope, fit.wall.slope) / (Math.hypot(...fit.liquid.slope) * Math.hypot(...fit.wall.slope))
    const gap = fit.liquid.value + fit.wall.value
    extended[cell] = cosine < -PARALLEL && gap < half ? Math.min(fit.liquid.value, -half) : fit.liquid.value
  }
  return extended
}

/** Distance of centres from the wall as the mean of their nodes, and the cells whose centre is solid although part of them is open. */
function distancesOfCentres(grid: Grid, solid: Float64Array): { wall: Float64Array; cut: number[] } {
  const wall = new Float64Array(grid.cells)
  const cut: number[] = []
  const [nx, ny, nz] = grid.shape
  const [mx, my] = nodeShape(grid)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        const node = i + mx * (j + my * k)
        let sum = 0
        let highest = -Infinity
        for (let q = 0; q < 8; q++) {
          const phi = solid[node + (q & 1) + mx * (((q >> 1) & 1) + my * (q >> 2))]
          sum += phi
          highest = Math.max(highest, phi)
        }
        wall[cell] = sum / 8
        if (sum < 0 && highest > 0) cut.push(cell)
      }
    }
  }
  return { wall, cut }
}

/** Points out of the solid. */
function slopeOfWall(grid: Grid, solid: Float64Array, [i, j, k]: Vector): Vector {
  const [mx, my] = nodeShape(grid)
  const node = i + mx * (j + my * k)
  const slope: [number, number, number] = [0, 0, 0]
  for (let q = 0; q < 8; q++) {
    const [x, y, z] = [q & 1, (q >> 1) & 1, q >> 2]
    const phi = solid[node + x + mx * (y + my * z)]
    slope[0] += (x ? phi : -phi) / 4
    slope[1] += (y ? phi : -phi) / 4
    slope[2] += (z ? phi : -phi) / 4
  }
  return slope
}

/** Least squares over the centres outside solids up to two steps away in the 26 directions, on the open side of the wall only: what is
 *  behind a thin wall is other liquid. Nearer ones count more. Undefined if there is none. The wall is fitted to the same centres, so that
 *  both slopes lack the same directions where there are few. */
function fitOutside(
  grid: Grid,
  liquid: Float64Array,
  wall: Float64Array,
  at: Vector,
  outwards: Vector,
): { liquid: Linear; wall: Linear } | undefined {
  const strides = cellStrides(grid)
  // Normal equations for 1, x, y, z in cells; the last two columns are right-hand sides.
  const rows = [0, 1, 2, 3].map(() => new Float64Array(6))
  for (let q = 0; q < 27; q++) {
    const step: Vector = [(q % 3) - 1, (Math.floor(q / 3) % 3) - 1, Math.floor(q / 9) - 1]
    if (!(dot(step, outwards) > 0)) continue
    for (let n = 1; n <= 2; n++) {
      const inside = step.every((by, axis) => at[axis] + n * by >= 0 && at[axis] + n * by < grid.shape[axis])
      const cell = at.reduce((sum, position, axis) => sum + (position + n * step[axis]) * strides[axis], 0)
      if (!inside || wall[cell] < 0) break
      const weight = (n * Math.hypot(...step)) ** -4
      const point = [1, n * step[0], n * step[1], n * step[2], liquid[cell], wall[cell]]
      for (let r = 0; r < 4; r++) for (let c = 0; c < 6; c++) rows[r][c] += weight * point[r] * point[c]
    }
  }
  if (rows[0][0] === 0) return undefined
  for (let r = 1; r < 4; r++) rows[r][r] += RIDGE * rows[0][0]
  eliminate(rows)
  return { liquid: substitute(rows, 4), wall: substitute(rows, 5) }
}

/** Makes a symmetric positive definite system triangular, in place. */
function eliminate(rows: readonly Float64Array[]): void {
  for (let p = 0; p < 4; p++)
    for (let r = p + 1; r < 4; r++) {
      const share = rows[r][p] / rows[p][p]
      for (let c = p; c < 6; c++) rows[r][c] -= share * rows[p][c]
    }
}

function substitute(rows: readonly Float64Array[], column: number): Linear {
  const solution = [0, 0, 0, 0]
  for (let r = 3; r >= 0; r--) {
    let rest = rows[r][column]
    for (let c = r + 1; c < 4; c++) rest -= rows[r][c] * solution[c]
    solution[r] = rest / rows[r][r]
  }
  const [value, x, y, z] = solution
  return { value, slope: [x, y, z] }
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
