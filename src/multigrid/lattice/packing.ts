/** Sorts the unknowns of a box into lines and records of two-cell blocks, as kernels/lattice.ts wants them. */
import type { Buffers } from '../../sparse/buffers.js'

import type { Box, BoxMatrix } from './lattices.js'

/** Lists of records: red, black, and the same in the band. */
const LIST_COUNT = 4
const BAND = 2

// Marks of cells.
const UNKNOWN = 1
const IN_BAND = 2
/** All six links as in open liquid, and no bound. */
const OPEN = 4

/** Words of a record: start in values, blocks, first slot or −1, and the steps to −x, −y, +y, −z, +z in values. */
export const RECORD_WORDS = 8
/** Words of a line: j, k, first and last unknown, first record of each list, start in values, i / 2 of its first cell, and how many
 *  values each half has. */
export const LINE_WORDS = 11
const LINE_START = 8
const FIRST = 9
const HALF = 10
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

/** Where a cell stands in a vector; −1 where no line reaches. */
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

/** Pieces hold about this many unknowns at least; smaller ones cost more to hand out than they save. */
const PIECE = 2048
/** At most this many pieces. */
const PIECES = 64

/** Deviation of a diagonal from the sum of its links that is rounding. */
const UNIFORM_ROUNDING = 1e-14

export class Packer {
  private readonly lists: readonly List[]
  private readonly slots: readonly List[]
  private readonly lines: List

  constructor(private readonly buffers: Buffers) {
    this.lists = Array.from({ length: LIST_COUNT }, (_, list) => new List(buffers, `packing.records${list}`))
    this.slots = [new List(buffers, 'packing.slots'), new List(buffers, 'packing.bandSlots')]
    this.lines = new List(buffers, 'packing.lines')
  }

  /** `bounded`: cells whose pressure may have a bound, which open liquid has not. `name`: that of the level, for its buffers. */
  pack(matrix: BoxMatrix, bounded: Int32Array, name: string): Packed {
    const { lattice: box } = matrix
    const weights = largestLinks(matrix)
    const diagonal = 2 * (weights[0] + weights[1] + weights[2])
    const { buffers } = this
    const marks = buffers.u8(`${name}.marks`, box.size).fill(0)
    markCells(matrix, bounded, weights, diagonal, marks)
    for (const list of [this.lines, ...this.lists, ...this.slots]) list.length = 0
    const lineOf = buffers.i32(`${name}.lineOf`, box.shape[1] * box.shape[2]).fill(-1)
    const length = this.findLines(box, marks, lineOf)
    const pieces = this.packLines(box, marks, lineOf, Math.max(PIECE, Math.ceil(matrix.cells.length / PIECES)))
    return {
      box,
      weights,
      diagonal,
      lineOf,
      ...this.joinLists(name),
      slotCells: concatenate(this.slots, buffers, `${name}.slotCells`),
      bandSlot: this.slots[0].length,
      marks,
      pieces,
      length,
    }
  }

  /** Extent and place of every line with unknowns; returns how many values a vector has. */
  private findLines({ shape: [nx, ny, nz], origin, strides }: Box, marks: Uint8Array, lineOf: Int32Array): number {
    const { lines } = this
    let place = 0
    for (let k = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        const base = origin + j * strides[1] + k * strides[2]
        let from = 0
        while (from < nx && marks[base + from] === 0) from++
        if (from === nx) continue
        let to = nx - 1
        while (marks[base + to] === 0) to--
        lineOf[j + ny * k] = lines.length / LINE_WORDS
        // Whole blocks of two in both halves.
        const first = (from >> 1) & ~1
        const half = ((to >> 1) | 1) + 1 - first
        lines.push(j, k, from, to, 0, 0, 0, 0, place, first, half)
        place += 2 * half
      }
    }
    lines.push(0, 0, 0, 0, 0, 0, 0, 0, place, 0, 0)
    return place
  }

  /** Records of all lines; returns the first line of every piece. */
  private packLines(box: Box, marks: Uint8Array, lineOf: Int32Array, piece: number): Int32Array {
    const lines = this.lines.values
    const count = this.lines.length / LINE_WORDS - 1
    const [, ny, nz] = box.shape
    const flat = box.strides[2] === 0
    const steps = new Int32Array(5)
    const pieces = [0]
    let inPiece = 0
    for (let line = 0, at = 0; line <= count; line++, at += LINE_WORDS) {
      for (let list = 0; list < LIST_COUNT; list++) lines[at + 4 + list] = this.lists[list].length / RECORD_WORDS
      if (line === count) break
      if (inPiece >= piece) {
        pieces.push(line)
        inPiece = 0
      }
      const j = lines[at]
      const k = lines[at + 1]
      for (let parity = 0; parity < 2; parity++) {
        // To the same i in the line that begins at `other`; nowhere in particular if there is none, for then no link leads there.
        const stepTo = (there: boolean, other: number) => {
          const to = there ? LINE_WORDS * lineOf[other] : -1
          return to < 0 ? 0 : originOf(lines, to, parity) - originOf(lines, at, parity)
        }
        const half = lines[at + HALF]
        steps[0] = parity ? -half : half - 1
        steps[1] = stepTo(j > 0, j - 1 + ny * k)
        steps[2] = stepTo(j + 1 < ny, j + 1 + ny * k)
        steps[3] = stepTo(!flat && k > 0, j + ny * (k - 1))
        steps[4] = stepTo(!flat && k + 1 < nz, j + ny * (k + 1))
        inPiece += this.packHalf(at, marks, box.origin + j * box.strides[1] + k * box.strides[2], parity, steps)
      }
    }
    pieces.push(count)
    return Int32Array.from(pieces)
  }

  /** The cells of one parity in a line; returns how many are unknowns. */
  private packHalf(at: number, marks: Uint8Array, base: number, parity: number, steps: Int32Array): number {
    const lines = this.lines.values
    const colour = (parity + lines[at] + lines[at + 1]) & 1
    const to = lines[at + 3]
    let place = originOf(lines, at, parity) + lines[at + FIRST]
    let count = 0
    let fresh = true
    let freshBand = true
    for (let i = 2 * lines[at + FIRST] + parity; i <= to; i += 4, place += 2) {
      const here = marks[base + i]
      const next = i + 2 <= to ? marks[base + i + 2] : 0
      const either = here | next
      if (either & UNKNOWN) {
        count += (here & UNKNOWN) + (next & UNKNOWN)
        this.add(this.lists[colour], this.slots[0], fresh, place, (here & next & OPEN) === 0, base + i, steps)
      }
      fresh = !(either & UNKNOWN)
      if (either & IN_BAND) {
        const packed = (here & next & OPEN) === 0 || (here & next & IN_BAND) === 0
        this.add(this.lists[BAND + colour], this.slots[1], freshBand, place, packed, base + i, steps)
      }
      freshBand = !(either & IN_BAND)
    }
    return count
  }

  private add(list: List, slots: List, fresh: boolean, place: number, packed: boolean, cell: number, steps: Int32Array): void {
    const last = list.length - RECORD_WORDS
    if (!fresh && list.values[last + 2] >= 0 === packed) list.values[last + 1]++
    else list.push(place, 1, packed ? slots.length : -1, steps[0], steps[1], steps[2], steps[3], steps[4])
    if (packed) slots.push(cell)
  }

  /** One array of records: red, black, red of the band, black of the band. Lines and slots are numbered accordingly. */
  private joinLists(name: string): { lines: Int32Array; records: Int32Array } {
    const lines = concatenate([this.lines], this.buffers, `${name}.lines`)
    const records = concatenate(this.lists, this.buffers, `${name}.records`)
    let before = 0
    for (let list = 0; list < LIST_COUNT; list++) {
      const count = this.lists[list].length / RECORD_WORDS
      for (let line = 4 + list; line < lines.length; line += LINE_WORDS) lines[line] += before
      if (list >= BAND)
        for (let record = before; record < before + count; record++)
          if (records[RECORD_WORDS * record + 2] >= 0) records[RECORD_WORDS * record + 2] += this.slots[0].length
      before += count
    }
    return { lines, records }
  }
}

/** Coefficients of all slots: inverse, diagonal, and the six weights, for two cells each. A neighbour that is no unknown keeps
 *  p = 0, so its link weighs nothing, and what stands where it would be does not matter. */
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

function largestLinks({ cells, links: [lx, ly, lz] }: BoxMatrix): [number, number, number] {
  let [x, y, z] = [0, 0, 0]
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    if (lx[c] < x) x = lx[c]
    if (ly[c] < y) y = ly[c]
    if (lz[c] < z) z = lz[c]
  }
  return [-x, -y, -z]
}

/** `marks` come as zeros. */
function markCells(
  matrix: BoxMatrix,
  bounded: Int32Array,
  [wx, wy, wz]: readonly number[],
  uniform: number,
  marks: Uint8Array,
): void {
  const { lattice, cells, band, diagonal, links } = matrix
  const [lx, ly, lz] = links
  const [, sy, sz] = lattice.strides
  for (let n = 0; n < cells.length; n++) marks[cells[n]] = UNKNOWN
  for (let n = 0; n < cells.length; n++) {
    const c = cells[n]
    const alike = lx[c] === -wx && lx[c - 1] === -wx && ly[c] === -wy && ly[c - sy] === -wy && lz[c] === -wz && lz[c - sz] === -wz
    if (!alike || !(Math.abs(diagonal[c] - uniform) <= UNIFORM_ROUNDING * uniform)) continue
    const inside =
      (wx === 0 || (marks[c - 1] && marks[c + 1])) &&
      (wy === 0 || (marks[c - sy] && marks[c + sy])) &&
      (wz === 0 || (marks[c - sz] && marks[c + sz]))
    if (inside) marks[c] = UNKNOWN | OPEN
  }
  if (band) for (let n = 0; n < band.length; n++) marks[band[n]] |= IN_BAND
  for (let n = 0; n < bounded.length; n++) marks[bounded[n]] &= ~OPEN
}

/** Where cell 0 of a line's half would stand. */
function originOf(lines: Int32Array, at: number, parity: number): number {
  return lines[at + LINE_START] - lines[at + FIRST] + (parity ? lines[at + HALF] : 0)
}

/** Integers that grow in number, in a buffer that keeps the length it has once had. */
class List {
  values: Int32Array
  length = 0

  constructor(
    private readonly buffers: Buffers,
    private readonly name: string,
  ) {
    this.values = buffers.i32(name, 1024)
  }

  push(...numbers: number[]): void {
    if (this.length + numbers.length > this.values.length) {
      const longer = this.buffers.i32(this.name, 2 * this.values.length)
      longer.set(this.values)
      this.values = longer
    }
    for (let n = 0; n < numbers.length; n++) this.values[this.length++] = numbers[n]
  }
}

function concatenate(lists: readonly List[], buffers: Buffers, name: string): Int32Array {
  const whole = buffers.i32(
    name,
    lists.reduce((sum, list) => sum + list.length, 0),
  )
  let at = 0
  for (const list of lists) {
    whole.set(list.values.subarray(0, list.length), at)
    at += list.length
  }
  return whole
}
