/** Which cells of a frame are so far below the surface that their content is invisible, or needs no detail. */
import type { Frame } from '../../../liquid/frame.js'

/** Cells below the surface, before walls and from the sides of the domain: beyond, particles would hardly be seen between those that touch
 *  these. */
export const DEEP_DISTANCE = 0.72

/** Particles in a cell that leave no gaps before a wall. */
const ENOUGH = 4

export interface DeepCells {
  /** 1 in cells in which every point is deep, however values between cells are interpolated. */
  readonly isDeep: Uint8Array
  /** 1 in cells that are far below the surface and not all solid: at walls, too, they are full. */
  readonly isFull: Uint8Array
  /** Those that are full but not deep and hold so few particles that they would leave gaps. */
  readonly bareCells: Int32Array
  /** How many cells are liquid at all, and how many of them full. */
  readonly filled: number
  readonly full: number
  readonly runs: Runs
}

/** Points one after the other that are in the same cell. Particles come sorted by cell, but for those that have just moved on. */
export interface Runs {
  readonly count: number
  /** Of each; for points outside of the domain the nearest. */
  readonly cell: Int32Array
  /** Number of its first point, and after the last run that of all points. */
  readonly start: Int32Array
}

/** Keeps its memory from call to call. */
export function createDeepFinder(): (frame: Frame) => DeepCells {
  let isBelow = new Uint8Array(0)
  let isDeep = new Uint8Array(0)
  let isFull = new Uint8Array(0)
  let bareCells = new Int32Array(0)
  const findRuns = createRunFinder()

  return frame => {
    const { grid, liquid, solid } = frame
    const [nx, ny, nz] = grid.shape
    const far = DEEP_DISTANCE * grid.spacing
    if (isDeep.length !== grid.cells) {
      ;[isBelow, isDeep, isFull] = [1, 2, 3].map(() => new Uint8Array(grid.cells))
      bareCells = new Int32Array(grid.cells)
    }
    for (let cell = 0; cell < grid.cells; cell++) isBelow[cell] = liquid[cell] < -far ? 1 : 0
    shrinkRows(isBelow, isFull, nx)
    shrink(isFull, isDeep, nx, ny)
    shrink(isDeep, isFull, nx * ny, nz)
    const runs = findRuns(frame)
    // From here on: those without enough particles.
    for (let run = 0; run < runs.count; run++) if (runs.start[run + 1] - runs.start[run] >= ENOUGH) isBelow[runs.cell[run]] = 0
    let filled = 0
    let full = 0
    let bare = 0
    for (let k = 0, cell = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++, cell++) {
          isDeep[cell] = 0
          if (liquid[cell] < 0) filled++
          if (isFull[cell] === 0) continue
          const away = leastAway(solid, nx, ny, nz, i, j, k)
          if (away > far) isDeep[cell] = 1
          else if (away <= -grid.spacing) isFull[cell] = 0
          else if (isBelow[cell] === 1) bareCells[bare++] = cell
          full += isFull[cell]
        }
    return { isDeep, isFull, bareCells: bareCells.subarray(0, bare), filled, full, runs }
  }
}

/** Those of `from` whose neighbours in rows of `size` are marked, too. */
function shrinkRows(from: Uint8Array, to: Uint8Array, size: number): void {
  for (let start = 0; start < from.length; start += size) {
    let before = 1
    for (let cell = start; cell < start + size; cell++) {
      const here = from[cell]
      to[cell] = before & here & (cell < start + size - 1 ? from[cell + 1] : 1)
      before = here
    }
  }
}

/** The same along another axis, on which neighbours are `step` cells away. */
function shrink(from: Uint8Array, to: Uint8Array, step: number, size: number): void {
  for (let first = 0; first < from.length; first += step * size)
    for (let at = 0; at < size; at++) {
      const before = at > 0 ? step : 0
      const after = at < size - 1 ? step : 0
      const start = first + at * step
      for (let cell = start; cell < start + step; cell++) to[cell] = from[cell - before] & from[cell] & from[cell + after]
    }
}

/** Keeps its memory from call to call. */
function createRunFinder(): (frame: Frame) => Runs {
  let cell = new Int32Array(0)
  let start = new Int32Array(0)
  return ({ grid, particles }) => {
    const [nx, ny, nz] = grid.shape
    const { position } = particles!
    const perMetre = 1 / grid.spacing
    const points = position.length / 3
    // Each could be in another cell than the one before.
    if (cell.length < points) [cell, start] = [1, 2].map(() => new Int32Array(Math.ceil(1.3 * points) + 1))
    let count = 0
    for (let n = 0, last = -1; n < points; n++) {
      const i = clampIndex(position[3 * n] * perMetre, nx)
      const j = clampIndex(position[3 * n + 1] * perMetre, ny)
      const k = clampIndex(position[3 * n + 2] * perMetre, nz)
      const here = i + nx * (j + ny * k)
      if (here === last) continue
      last = here
      cell[count] = here
      start[count++] = n
    }
    start[count] = points
    return { count, cell, start }
  }
}

/** The whole number below a place, of those that are less than `count`. */
export function clampIndex(place: number, count: number): number {
  // Much faster than Math.floor, and equal for the values that occur.
  const at = place | 0
  return at < 0 ? 0 : at < count ? at : count - 1
}

/** Smallest distance from a solid among the corners of a cell, m; 0 at the sides of the domain, which are walls as well. */
function leastAway(solid: Float32Array, nx: number, ny: number, nz: number, i: number, j: number, k: number): number {
  if (i === 0 || j === 0 || k === 0 || i === nx - 1 || j === ny - 1 || k === nz - 1) return 0
  const node = i + (nx + 1) * (j + (ny + 1) * k)
  let least = Infinity
  for (let corner = 0; corner < 8; corner++) {
    const away = solid[node + (corner & 1) + (nx + 1) * (((corner >> 1) & 1) + (ny + 1) * (corner >> 2))]
    if (away < least) least = away
  }
  return least
}
