/** A hierarchy of ever coarser grids whose matrices are Galerkin products, A^H = R A P with R = Pᵀ / 2^(halved axes), after Lai 2020.
 *  Every axis is halved while it has more than a few cells, so that grids of any shape end up small. Levels are plain records; their
 *  arrays are in the buffers of the solver and are used again by the next solve. */
import type { PressureProblem } from '../../pressure/problem.js'
import { CONTACT } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type CompressedRows, galerkinProduct, type SymmetricRows } from '../../sparse/product.js'
import type { SweptRows } from '../../sparse/sweeps.js'
import { FACES, findNeighbours, mergeNeighbours, openPinned } from './faces.js'
import { type CoarseCells, groupRows } from './grouping.js'
import { type Boundaries, type Interpolation, interpolationMatrix } from './interpolation.js'

/** `direct`: half the product with piecewise constant P, which averages open fractions and keeps the 5/7-point stencil. */
export const COARSE_OPERATORS = ['galerkin', 'direct'] as const
export type CoarseOperator = (typeof COARSE_OPERATORS)[number]

export interface GalerkinChoices {
  readonly interpolation: Interpolation
  readonly boundaries: Boundaries
  readonly coarse: CoarseOperator
  readonly cells: CoarseCells
}

/** Rows cannot be solved for their own unknown if they are pinned, or a sealed pocket shrunk to one unknown. On coarse levels a contact is a
 *  row any child of which is one. */
export interface GalerkinLevel extends SweptRows {
  readonly shape: readonly [number, number, number]
  /** From the next coarser level to this one; absent on the coarsest. */
  readonly P?: CompressedRows
  /** R = restriction · Pᵀ. */
  readonly restriction: number
}

export interface GalerkinInput {
  readonly source: PressureProblem
  /** Cell of every row. */
  readonly cells: Int32Array
  /** Finest matrix. */
  readonly A: SymmetricRows
  /** LIQUID or CONTACT of every row. */
  readonly kind: Uint8Array
  /** 0 on rows that are held at p = 0 and have no part in any level; absent: all are free. */
  readonly free?: Uint8Array
}

export interface GalerkinHierarchy {
  readonly levels: readonly GalerkinLevel[]
  /** Non-zeros touched while building. */
  readonly touched: number
}

/** Grids of at most this many cells per axis are not coarsened further. */
const COARSEST = 4

/** A diagonal that is this much smaller than its terms is rounding: the pocket has shrunk to one unknown. */
const VANISHED = 1e-10

/** A level while it is built. */
interface Draft {
  readonly shape: readonly [number, number, number]
  readonly cells: Int32Array
  readonly across: Int32Array
  readonly contact: Uint8Array
  readonly A: SymmetricRows
  readonly inverseDiagonal: Float64Array
}

/** Bytes for two hierarchies and their cycles: a fifth more than any problem of the gallery needs. */
export function galerkinRoom({ interpolation }: GalerkinChoices): (rows: number) => number {
  return rows => (interpolation === 'trilinear' ? 2400 : 1200) * rows
}

export function buildGalerkin(input: GalerkinInput, choices: GalerkinChoices, buffers: Buffers): GalerkinHierarchy {
  const levels: GalerkinLevel[] = []
  let touched = 0
  let draft = finest(input, buffers)
  for (;;) {
    const name = `galerkin.${levels.length}`
    const { shape, A, inverseDiagonal, contact } = draft
    const byColour = colourOrder(draft, buffers.i32(`${name}.byColour`, A.rows))
    const common = { shape, A, inverseDiagonal, contact, byColour, reach: reachOf(A) }
    if (Math.max(...shape) <= COARSEST) {
      levels.push({ ...common, restriction: 1 })
      return { levels, touched }
    }
    const free = levels.length === 0 ? input.free : undefined
    const next = coarsen(draft, free, choices, buffers, name)
    if (!next) {
      levels.push({ ...common, restriction: 1 })
      return { levels, touched }
    }
    levels.push({ ...common, P: next.P, restriction: next.restriction })
    touched += next.touched
    draft = next.coarse
  }
}

function finest({ source, cells, A, kind, free }: GalerkinInput, buffers: Buffers): Draft {
  const across = buffers.i32('galerkin.0.across', FACES * A.rows)
  findNeighbours(source, cells, buffers.i32('galerkin.rowOf', source.grid.cells), across)
  if (free) openPinned(free, across)
  const contact = buffers.u8('galerkin.0.contact', A.rows)
  const inverseDiagonal = buffers.f64('galerkin.0.inverseDiagonal', A.rows)
  for (let row = 0; row < A.rows; row++) {
    contact[row] = kind[row] === CONTACT ? 1 : 0
    inverseDiagonal[row] = free && !free[row] ? 0 : 1 / A.values[A.diagonalAt[row]]
  }
  return { shape: source.grid.shape, cells, across, contact, A, inverseDiagonal }
}

/** undefined if there is nothing left to coarsen. */
function coarsen(draft: Draft, free: Uint8Array | undefined, choices: GalerkinChoices, buffers: Buffers, name: string) {
  const { A, across } = draft
  const groups = groupRows(draft, free, choices.cells, buffers, name)
  const { parent, odd, axes, rows } = groups
  if (rows === 0) return undefined
  const P = interpolationMatrix(groups.grouping, choices.interpolation, choices.boundaries, buffers, `${name}.P`)
  const restriction = 1 / (1 << axes.length)
  // Piecewise constant products are twice too stiff for smooth pressure; half of it is the averaged 5/7-point operator.
  const direct = choices.coarse === 'direct'
  const Q = direct ? interpolationMatrix(groups.grouping, 'constant', 'one-sided', buffers, `${name}.Q`) : P
  const scale = direct ? restriction / 2 : restriction
  const { product, touched } = galerkinProduct(A, Q, rows, scale, buffers, `${name}.coarse`)

  const contact = buffers.u8(`${name}.coarseContact`, rows).fill(0)
  for (let row = 0; row < A.rows; row++) if (draft.contact[row] && parent[row] >= 0) contact[parent[row]] = 1
  const coarseAcross = buffers.i32(`${name}.coarseAcross`, FACES * rows)
  mergeNeighbours(across, parent, odd, axes, coarseAcross)
  const inverseDiagonal = invertDiagonal(A, Q, scale, product, buffers.f64(`${name}.coarseInverse`, rows))
  const coarse: Draft = { shape: groups.shape, cells: groups.cells, across: coarseAcross, contact, A: product, inverseDiagonal }
  return { P, restriction, coarse, touched: touched + 2 * P.rowStart[P.rows] }
}

/** 1 / aᵢᵢ, and 0 where the terms of the sum cancel to rounding. */
function invertDiagonal(
  fine: SymmetricRows,
  P: CompressedRows,
  scale: number,
  coarse: SymmetricRows,
  inverse: Float64Array,
): Float64Array {
  // First the sum of the terms that cannot cancel.
  inverse.fill(0)
  for (let row = 0; row < fine.rows; row++) {
    const diagonal = fine.values[fine.diagonalAt[row]]
    for (let at = P.rowStart[row]; at < P.rowStart[row + 1]; at++)
      inverse[P.columns[at]] += scale * P.values[at] * P.values[at] * diagonal
  }
  for (let row = 0; row < coarse.rows; row++) {
    const at = coarse.diagonalAt[row]
    if (coarse.values[at] > VANISHED * inverse[row]) inverse[row] = 1 / coarse.values[at]
    else coarse.values[at] = inverse[row] = 0
  }
  return inverse
}

function reachOf({ rows, rowStart, columns }: SymmetricRows): number {
  let reach = 0
  for (let row = 0; row < rows; row++) reach = Math.max(reach, columns[rowStart[row + 1] - 1] - row)
  return reach
}

function colourOrder({ cells, shape }: Draft, order: Int32Array): Int32Array {
  const [nx, ny] = shape
  let used = 0
  for (const colour of [0, 1]) {
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row]
      const parity = ((cell % nx) + (Math.floor(cell / nx) % ny) + Math.floor(cell / (nx * ny))) & 1
      if (parity === colour) order[used++] = row
    }
  }
  return order
}
