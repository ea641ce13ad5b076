/** Initial particles: one in every part of a cell, jittered by counter-based random numbers, so that the particles of a cell do not depend on
 *  anything else in the scene. */
import type { Grid } from '../../grid/grid.js'
import { random } from '../../random.js'
import type { LiquidBody } from '../../scene/setting.js'

export interface Seeding {
  readonly perCell: number
  /** 0: in the middle of the parts of a cell, 1: anywhere in them. */
  readonly jitter: number
  readonly seed: number
}

/** Half the diagonal of a cell: the cell of a centre farther from a surface is entirely on one side. */
export const SEED_REACH = Math.sqrt(3) / 2

/** Fills all bodies; returns columns x y z in cells and velocities in m/s. `solidAt`: signed distance to solids in cells, at a position in
 *  cells; no particle starts inside a solid. */
export function seedBodies(
  grid: Grid,
  bodies: readonly LiquidBody[],
  solidAt: (x: number, y: number, z: number) => number,
  seeding: Seeding,
): Float32Array[] {
  const [nx, ny, nz] = grid.shape
  const h = grid.spacing
  const found = createList()
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, cell++) {
        const centreZ = grid.dims === 2 ? 0 : (k + 0.5) * h
        const near = bodies.filter(({ phi }) => phi((i + 0.5) * h, (j + 0.5) * h, centreZ) < SEED_REACH * h)
        if (near.length === 0) continue
        for (let part = 0; part < seeding.perCell; part++) {
          const at = placeInCell(grid, seeding, cell, part, 0)
          const [x, y, z] = [i + at[0], j + at[1], k + at[2]]
          if (solidAt(x, y, z) <= 0) continue
          addFrom(near, grid, x, y, z, found)
        }
      }
    }
  }
  return found.finish()
}

/** Adds a particle at a place in cells if a body is there, with that body's velocity. */
export function addFrom(bodies: readonly LiquidBody[], grid: Grid, x: number, y: number, z: number, list: SeedList): boolean {
  const h = grid.spacing
  const depth = grid.dims === 2 ? 0 : z * h
  const body = bodies.find(({ phi }) => phi(x * h, y * h, depth) < 0)
  if (!body) return false
  list.add(x, y, z, body.velocity(x * h, y * h, depth))
  return true
}

/** Position of particle `part` in a cell, 0 … 1 per axis (½ along z in 2D). `round` distinguishes later seedings of the same cell. */
export function placeInCell(grid: Grid, seeding: Seeding, cell: number, part: number, round: number): [number, number, number] {
  const { perCell, jitter, seed } = seeding
  const parts = Math.ceil(perCell ** (1 / grid.dims) - 1e-9)
  const total = parts ** grid.dims
  // Where there are more parts than particles, those that stay empty change from cell to cell.
  const chosen = total === perCell ? part : Math.floor(((part + random(seed, cell, round, 3)) * total) / perCell) % total
  const along = (axis: number, index: number) => {
    if (axis >= grid.dims) return 0.5
    return (index + 0.5 + jitter * (random(seed, cell, round, 4 + part, axis) - 0.5)) / parts
  }
  return [along(0, chosen % parts), along(1, Math.floor(chosen / parts) % parts), along(2, Math.floor(chosen / parts ** 2))]
}

export type SeedList = ReturnType<typeof createList>

/** Six columns that grow. */
export function createList() {
  let columns = Array.from({ length: 6 }, () => new Float32Array(1024))
  let count = 0
  return {
    add(x: number, y: number, z: number, u: readonly [number, number, number]) {
      if (count === columns[0].length) {
        columns = columns.map(column => {
          const larger = new Float32Array(2 * count)
          larger.set(column)
          return larger
        })
      }
      columns[0][count] = x
      columns[1][count] = y
      columns[2][count] = z
      for (let axis = 0; axis < 3; axis++) columns[3 + axis][count] = u[axis]
      count++
    },
    finish: (): Float32Array[] => columns.map(column => column.subarray(0, count)),
  }
}
