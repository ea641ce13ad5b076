/** Which rows of a level become one row of the next coarser grid. */
import type { Buffers } from '../../sparse/buffers.js'
import { FACES } from './faces.js'

/** `split`: a coarse cell has one unknown for each connected part of its liquid. */
export const COARSE_CELLS = ['split', 'whole'] as const
export type CoarseCells = (typeof COARSE_CELLS)[number]

export interface FineRows {
  /** Cells per axis. */
  readonly shape: readonly [number, number, number]
  /** Cell of every row. */
  readonly cells: Int32Array
  /** Row across each face of every row, −1 if there is none. */
  readonly across: Int32Array
}

/** Which rows become one coarse row. Coarse rows are numbered in the order of their cells. */
export function groupRows(
  { shape, cells, across }: FineRows,
  free: Uint8Array | undefined,
  mode: CoarseCells,
  buffers: Buffers,
  name: string,
) {
  const fineRows = cells.length
  const coarseShape = [(shape[0] + 1) >> 1, (shape[1] + 1) >> 1, (shape[2] + 1) >> 1] as const
  const axes = [0, 1, 2].filter(axis => shape[axis] > 1)
  const [nx, ny] = shape
  const [mx, my, mz] = coarseShape
  const odd = buffers.u8(`${name}.odd`, fineRows)
  const home = buffers.i32(`${name}.home`, fineRows)
  for (let row = 0; row < fineRows; row++) {
    const cell = cells[row]
    const i = cell % nx
    const j = Math.floor(cell / nx) % ny
    const k = Math.floor(cell / (nx * ny))
    odd[row] = (i & 1) | ((j & 1) << 1) | ((k & 1) << 2)
    home[row] = (i >> 1) + mx * ((j >> 1) + my * (k >> 1))
  }

  const parent = buffers.i32(`${name}.parent`, fineRows)
  const firstOf = buffers.i32(`${name}.firstOf`, mx * my * mz + 1)
  numberParts({ across, odd, home, axes, free, whole: mode === 'whole' }, parent, firstOf)
  for (let cell = 0; cell < mx * my * mz; cell++) firstOf[cell + 1] += firstOf[cell]
  const rows = firstOf[mx * my * mz]
  const coarseCells = buffers.i32(`${name}.coarseCells`, rows)
  for (let cell = 0; cell < mx * my * mz; cell++) coarseCells.fill(cell, firstOf[cell], firstOf[cell + 1])
  for (let row = 0; row < fineRows; row++) if (parent[row] >= 0) parent[row] += firstOf[home[row]]

  const coarseNear = (row: number, [dx, dy, dz]: readonly number[]) => {
    if (dx === 0 && dy === 0 && dz === 0) return parent[row]
    const cell = home[row]
    const i = (cell % mx) + dx
    const j = (Math.floor(cell / mx) % my) + dy
    const k = Math.floor(cell / (mx * my)) + dz
    if (i < 0 || j < 0 || k < 0 || i >= mx || j >= my || k >= mz) return -1
    const near = i + mx * (j + my * k)
    return firstOf[near] < firstOf[near + 1] ? firstOf[near] : -1
  }
  const grouping = { rows: fineRows, across, parent, odd, axes, coarseNear }
  return { parent, odd, axes, rows, shape: coarseShape, cells: coarseCells, grouping }
}

interface Siblings {
  readonly across: Int32Array
  readonly odd: Uint8Array
  /** Coarse cell of every row. */
  readonly home: Int32Array
  readonly axes: readonly number[]
  readonly free: Uint8Array | undefined
  readonly whole: boolean
}

/** part[row] becomes the number of the part of its coarse cell that a row belongs to, −1 for none; counts[cell + 1] the parts. */
function numberParts({ across, odd, home, axes, free, whole }: Siblings, part: Int32Array, counts: Int32Array): void {
  const stack: number[] = []
  part.fill(-1)
  counts.fill(0)
  for (let seed = 0; seed < part.length; seed++) {
    // A row without neighbours is solved by a sweep, and needs no coarser grids.
    if (part[seed] >= 0 || (free && !free[seed]) || isolated(across, seed)) continue
    const at = home[seed] + 1
    if (whole) {
      counts[at] = 1
      part[seed] = 0
      continue
    }
    part[seed] = counts[at]++
    stack.push(seed)
    for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
      for (const axis of axes) {
        const sibling = across[FACES * row + 2 * axis + (((odd[row] >> axis) & 1) ^ 1)]
        if (sibling < 0 || part[sibling] >= 0 || home[sibling] !== home[row]) continue
        part[sibling] = part[row]
        stack.push(sibling)
      }
    }
  }
}

function isolated(across: Int32Array, row: number): boolean {
  for (let at = FACES * row; at < FACES * (row + 1); at++) if (across[at] >= 0) return false
  return true
}
