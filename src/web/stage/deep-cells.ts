/** Which cells of a frame are so far below the surface that what is in them cannot be seen, or need not be told apart. */
import type { Frame } from '../../liquid/frame.js'

/** Cells below the surface, before walls and from the sides of the domain: beyond, balls cannot be seen. */
export const DEEP = 0.97

export interface DeepCells {
  /** 1 in cells in which every point is deep, however values between cells are interpolated. */
  readonly isDeep: Uint8Array
  /** 1 in cells that are far below the surface and not all solid: at walls, too, they are full. */
  readonly isFull: Uint8Array
  /** Those that are full but not deep and hold no particle. */
  readonly bareCells: Int32Array
  /** How many cells are liquid at all, and how many of them full. */
  readonly filled: number
  readonly full: number
  /** The cell of every particle; of those outside of the domain the nearest. */
  readonly cellOf: Int32Array
}

/** Keeps its memory from call to call. */
export function createDeepFinder(): (frame: Frame) => DeepCells {
  let isBelow = new Uint8Array(0)
  let isDeep = new Uint8Array(0)
  let isFull = new Uint8Array(0)
  let bareCells = new Int32Array(0)
  let cellOf = new Int32Array(0)

  return frame => {
    const { grid, liquid, particles } = frame
    const [nx, ny, nz] = grid.shape
    const far = DEEP * grid.spacing
    if (isDeep.length !== grid.cells) {
      ;[isBelow, isDeep, isFull] = [1, 2, 3].map(() => new Uint8Array(grid.cells))
      bareCells = new Int32Array(grid.cells)
    }
    for (let cell = 0; cell < grid.cells; cell++) isBelow[cell] = liquid[cell] < -far ? 1 : 0
    shrink(isBelow, isFull, 1, nx)
    shrink(isFull, isDeep, nx, ny)
    shrink(isDeep, isFull, nx * ny, nz)
    const count = particles!.position.length / 3
    if (cellOf.length < count) cellOf = new Int32Array(Math.ceil(1.3 * count))
    findCells(frame, cellOf)
    // From here on: those without a particle.
    for (let n = 0; n < count; n++) isBelow[cellOf[n]] = 0
    let filled = 0
    let full = 0
    let bare = 0
    for (let k = 0, cell = 0; k < nz; k++)
      for (let j = 0; j < ny; j++)
        for (let i = 0; i < nx; i++, cell++) {
          isDeep[cell] = 0
          if (liquid[cell] < 0) filled++
          if (isFull[cell] === 0) continue
          const away = leastAway(frame, i, j, k)
          if (away > far) isDeep[cell] = 1
          else if (away <= -grid.spacing) isFull[cell] = 0
          else if (isBelow[cell] === 1) bareCells[bare++] = cell
          full += isFull[cell]
        }
    return { isDeep, isFull, bareCells: bareCells.subarray(0, bare), filled, full, cellOf }
  }
}

/** Those of `from` whose neighbours along an axis, which are `step` cells away, are marked, too. */
function shrink(from: Uint8Array, to: Uint8Array, step: number, size: number): void {
  for (let first = 0; first < from.length; first += step * size)
    for (let at = 0; at < size; at++) {
      const before = at > 0 ? step : 0
      const after = at < size - 1 ? step : 0
      const start = first + at * step
      for (let cell = start; cell < start + step; cell++) to[cell] = from[cell - before] & from[cell] & from[cell + after]
    }
}

function findCells({ grid, particles }: Frame, cellOf: Int32Array): void {
  const [nx, ny, nz] = grid.shape
  const { position } = particles!
  const perMetre = 1 / grid.spacing
  for (let n = 0, at = 0; at < position.length; n++, at += 3) {
    const i = clampIndex(position[at] * perMetre, nx)
    const j = clampIndex(position[at + 1] * perMetre, ny)
    const k = clampIndex(position[at + 2] * perMetre, nz)
    cellOf[n] = i + nx * (j + ny * k)
  }
}

/** The whole number below a place, of those that are less than `count`. */
export function clampIndex(place: number, count: number): number {
  // Much faster than Math.floor, and the same where it matters.
  const at = place | 0
  return at < 0 ? 0 : at < count ? at : count - 1
}

/** Nearest to a solid, of the corners of a cell, m; 0 at the sides of the domain, which are walls as well. */
function leastAway({ grid: { shape }, solid }: Frame, i: number, j: number, k: number): number {
  const [nx, ny, nz] = shape
  if (i === 0 || j === 0 || k === 0 || i === nx - 1 || j === ny - 1 || k === nz - 1) return 0
  const node = i + (nx + 1) * (j + (ny + 1) * k)
  let least = Infinity
  for (let corner = 0; corner < 8; corner++) {
    const away = solid[node + (corner & 1) + (nx + 1) * (((corner >> 1) & 1) + (ny + 1) * (corner >> 2))]
    if (away < least) least = away
  }
  return least
}
