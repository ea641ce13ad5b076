/** Interpolation of pressure from a coarse grid to the next finer one. Weights follow the faces: across an axis a fine cell uses the
 *  coarse unknown behind its own outer face if that face is open; a face to air keeps its weight with the value 0; the weight of
 *  a closed face goes to the others, so that constants survive along walls (Lai 2020, "boundary handling", by faces instead of
 *  signs of the solid: a cut cell whose centre is in the wall still belongs to the liquid it touches). */
import type { Buffers } from '../../sparse/buffers.js'
import type { CompressedRows } from '../../sparse/product.js'
import { AIR, CLOSED_FACE, FACES } from './faces.js'

export const INTERPOLATIONS = ['barycentric', 'trilinear', 'constant'] as const
export type Interpolation = (typeof INTERPOLATIONS)[number]

/** `simple`: weights as in the open, regardless of walls; those of missing coarse cells are lost. */
export const BOUNDARIES = ['one-sided', 'simple'] as const
export type Boundaries = (typeof BOUNDARIES)[number]

/** The part of a level that interpolation needs. */
export interface Grouping {
  readonly rows: number
  /** FACES per row. */
  readonly across: Int32Array
  /** Coarse row of every row, −1 where p is held at 0. */
  readonly parent: Int32Array
  /** Bit `axis`: the position along it is odd, so the coarse neighbour is above. */
  readonly odd: Uint8Array
  /** Axes that are halved. */
  readonly axes: readonly number[]
  /** Coarse row by offset from the coarse cell of a row, −1 if there is none; only for `simple`. */
  coarseNear(row: number, offset: readonly number[]): number
}

/** P from the coarse level to this one, kept under `name`. */
export function interpolationMatrix(
  grouping: Grouping,
  interpolation: Interpolation,
  boundaries: Boundaries,
  buffers: Buffers,
  name: string,
): CompressedRows {
  const { rows, parent, axes } = grouping
  const weights = cornerWeights(interpolation, axes.length)
  const perRow = weights.reduce((count, weight) => count + (weight > 0 ? 1 : 0), 0)
  const rowStart = buffers.i32(`${name}.rowStart`, rows + 1)
  const columns = buffers.i32(`${name}.columns`, perRow * rows)
  const values = buffers.f64(`${name}.values`, perRow * rows)
  const find = boundaries === 'one-sided' ? behindFaces : byPosition
  const scratch = { weights, found: new Int32Array(weights.length), met: new Int32Array(weights.length), offset: [0, 0, 0] }
  const { found } = scratch
  let used = 0
  for (let row = 0; row < rows; row++) {
    rowStart[row] = used
    if (parent[row] < 0) continue
    find(grouping, row, scratch)
    let total = 0
    for (let corner = 0; corner < weights.length; corner++) if (found[corner] !== CLOSED_FACE) total += weights[corner]
    for (let corner = 0; corner < weights.length; corner++) {
      if (weights[corner] === 0 || found[corner] < 0) continue
      columns[used] = found[corner]
      values[used++] = weights[corner] / total
    }
  }
  rowStart[rows] = used
  return { rows, rowStart, columns, values }
}

/** Weight per corner of the cube of coarse centres around a fine one; bit n of the corner: one step along the nth halved axis. */
function cornerWeights(interpolation: Interpolation, axes: number): number[] {
  return Array.from({ length: 1 << axes }, (_, corner) => {
    let steps = 0
    for (let bit = 0; bit < axes; bit++) steps += (corner >> bit) & 1
    if (interpolation === 'trilinear') return 0.75 ** (axes - steps) * 0.25 ** steps
    if (interpolation === 'constant') return steps === 0 ? 1 : 0
    return steps === 0 ? 1 - axes / 4 : steps === 1 ? 1 / 4 : 0
  })
}

interface Scratch {
  /** Per corner. Corners of weight 0 are not used, not even on the way to others. */
  readonly weights: readonly number[]
  /** Coarse row at every corner, or CLOSED or AIR. */
  readonly found: Int32Array
  /** Fine rows on the way to every corner. */
  readonly met: Int32Array
  readonly offset: number[]
}

/** Walks from the fine cell through its outer faces, in any order of the axes, and returns the parent of the cell it reaches. */
function behindFaces({ across, parent, odd, axes }: Grouping, row: number, { weights, found, met }: Scratch): void {
  met[0] = row
  found[0] = parent[row]
  for (let corner = 1; corner < met.length; corner++) {
    if (weights[corner] === 0) continue
    met[corner] = CLOSED_FACE
    for (let bit = 0; bit < axes.length && met[corner] < 0; bit++) {
      if (!((corner >> bit) & 1)) continue
      const from = met[corner ^ (1 << bit)]
      const axis = axes[bit]
      const next = from < 0 ? from : across[FACES * from + 2 * axis + ((odd[row] >> axis) & 1)]
      if (next !== CLOSED_FACE) met[corner] = next
    }
    found[corner] = met[corner] < 0 ? met[corner] : parent[met[corner]]
  }
}

function byPosition({ odd, axes, coarseNear }: Grouping, row: number, { found, offset }: Scratch): void {
  for (let corner = 0; corner < found.length; corner++) {
    offset.fill(0)
    for (let bit = 0; bit < axes.length; bit++) if ((corner >> bit) & 1) offset[axes[bit]] = (odd[row] >> axes[bit]) & 1 ? 1 : -1
    const near = coarseNear(row, offset)
    // Like air: the weight is kept, the value is 0.
    found[corner] = near < 0 ? AIR : near
  }
}
