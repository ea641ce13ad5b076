/** The layout of a packed lattice, as kernels/lattice.ts reads it, and where cells are in it. */
import { IN_BAND, UNKNOWN } from './cell-marks.js'
import type { Box, BoxMatrix } from './lattices.js'

/** Lists of records: red, black, and the same in the band. */
export const LIST_COUNT = 4
export const BAND = 2

/** Words of a record: start in values, blocks, first slot or −1, and the steps to −x, −y, +y, −z, +z in values. */
export const RECORD_WORDS = 8
/** Words of a line: j, k, first and last unknown, first record of each list, start in values, i / 2 of its first cell, and how many
 *  values each half has. */
export const LINE_WORDS = 11
export const LINE_START = 8
export const FIRST = 9
export const HALF = 10
/** Values of a slot. */
export const SLOT_VALUES = 16

export interface Packed {
  readonly box: Box
  readonly weights: readonly [number, number, number]
  readonly diagonal: number
  /** Line of every (j + ny k), or −1. */
  readonly lineOf: Int32Array
  /** One more at the end. */
  readonly lines: Int32Array
  readonly records: Int32Array
  /** Cell of the first of the two of each slot. */
  readonly slotCells: Int32Array
  /** Slots from here on belong to the band. */
  readonly bandSlot: number
  readonly marks: Uint8Array
  /** First line of every piece; one more at the end. */
  readonly pieces: Int32Array
  /** Values of a vector. */
  readonly length: number
}

/** Index of a cell in a vector; −1 where no line reaches. */
export function placeOf({ box, lineOf, lines }: Packed, cell: number): number {
  const [, ny] = box.shape
  const [, sy, sz] = box.strides
  const k = sz === 0 ? 0 : Math.floor(cell / sz) - 1
  const inPlane = sz === 0 ? cell : cell - (k + 1) * sz
  const j = Math.floor(inPlane / sy) - 1
  const at = LINE_WORDS * lineOf[j + ny * k]
  if (at < 0) return -1
  const i = inPlane - (j + 1) * sy - 1
  const n = (i >> 1) - lines[at + FIRST]
  const half = lines[at + HALF]
  return n < 0 || n >= half ? -1 : lines[at + LINE_START] + (i & 1 ? half : 0) + n
}

/** Index that cell 0 of a line's half would have. */
export function originOf(lines: Int32Array, at: number, parity: number): number {
  return lines[at + LINE_START] - lines[at + FIRST] + (parity ? lines[at + HALF] : 0)
}

/** Coefficients of all slots: inverse, diagonal, and the six weights, for two cells each. A neighbour that is not an unknown
 *  has p = 0, so its weight is 0, and the value read in its place does not matter. */
export function fillSlots(
  { diagonal, links, lattice }: BoxMatrix,
  { slotCells, bandSlot, marks }: Packed,
  slots: Float64Array,
): void {
  const [lx, ly, lz] = links
  const [, sy, sz] = lattice.strides
  slots.fill(0)
  for (let slot = 0, at = 0; slot < slotCells.length; slot++, at += SLOT_VALUES) {
    const mark = slot < bandSlot ? UNKNOWN : IN_BAND
    for (let lane = 0; lane < 2; lane++) {
      const c = slotCells[slot] + 2 * lane
      if (!(marks[c] & mark)) continue
      slots[at + lane] = 1 / diagonal[c]
      slots[at + lane + 2] = diagonal[c]
      if (marks[c - 1]) slots[at + lane + 4] = -lx[c - 1]
      if (marks[c + 1]) slots[at + lane + 6] = -lx[c]
      if (marks[c - sy]) slots[at + lane + 8] = -ly[c - sy]
      if (marks[c + sy]) slots[at + lane + 10] = -ly[c]
      if (marks[c - sz]) slots[at + lane + 12] = -lz[c - sz]
      if (marks[c + sz]) slots[at + lane + 14] = -lz[c]
    }
  }
}
