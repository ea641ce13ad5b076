/** Sorts the unknowns of a box into lines and records of two-cell blocks, in the layout of packed.ts. */
import type { Buffers } from '../../sparse/buffers.js'
import { IN_BAND, largestLinks, markCells, OPEN, UNKNOWN } from './cell-marks.js'
import { concatenate, IntegerList } from './integer-list.js'
import type { Box, BoxMatrix } from './lattices.js'
import { BAND, FIRST, HALF, LINE_WORDS, LIST_COUNT, originOf, type Packed, RECORD_WORDS } from './packed.js'

/** Unknowns of a piece, about, at least: smaller ones cost more to distribute than they save. */
const MIN_PIECE = 2048
const MAX_LINE_PIECES = 64

export class Packer {
  private readonly lists: readonly IntegerList[]
  private readonly slots: readonly IntegerList[]
  private readonly lines: IntegerList

  constructor(private readonly buffers: Buffers) {
    this.lists = Array.from({ length: LIST_COUNT }, (_, list) => new IntegerList(buffers, `packing.records${list}`))
    this.slots = [new IntegerList(buffers, 'packing.slots'), new IntegerList(buffers, 'packing.bandSlots')]
    this.lines = new IntegerList(buffers, 'packing.lines')
  }

  /** `bounded`: cells whose pressure may have a bound, which excludes them from open liquid. `name`: that of the level, for its buffers. */
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
    const pieces = this.packLines(box, marks, lineOf, Math.max(MIN_PIECE, Math.ceil(matrix.cells.length / MAX_LINE_PIECES)))
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
        // To the same i in the line that begins at `other`; 0 if there is none: no link leads there then.
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

  private add(
    list: IntegerList,
    slots: IntegerList,
    fresh: boolean,
    place: number,
    packed: boolean,
    cell: number,
    steps: Int32Array,
  ): void {
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
