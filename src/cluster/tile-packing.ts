/** A problem in the memory of a machine, packed tile by tile as records for solvers that run elsewhere. Records come in batches, so that
 *  memory holds a few of them at a time however large the problem is. */
import { PackTilesJobLayout } from '../machine/generated/layouts.js'
import type { SolveMachine } from '../machine/generated/solve.js'
import { ARGUMENTS } from '../machine/header.js'
import { type RecordAt, recordAt } from '../machine/record.js'

/** Tiles of a grid that hold unknowns, in the order of their records. */
export interface TileTable {
  /** Cells along the side of a tile. */
  readonly size: number
  readonly count: number
  /** 12 bytes a tile: its number (i32, x first), lowest and highest cell of the box of its unknowns within it (u8 each), 2 unused. */
  readonly bytes: Uint8Array
  /** Cells of the box of its unknowns. */
  readonly cells: Int32Array
}

export interface TilePacker {
  /** All records, a few at a time. A batch is overwritten two batches later. */
  batches(): Generator<Uint8Array>
}

/** Bytes of a batch, about; a record is not divided. */
const BATCH = 8 * 2 ** 20

/** Diagonal, three links, b, perhaps p, and the kind of a cell; in whole 32-bit words. */
export function recordBytes(cells: number, warm: boolean): number {
  return (warm ? 48 : 40) * cells + 8 * Math.ceil(cells / 8)
}

/** `input`: address of the loaded problem. `marks`: what some unknowns are instead of liquid or contact, one byte each. */
export function createTilePacker(
  machine: SolveMachine,
  input: number,
  table: TileTable,
  warm: boolean,
  marks: Uint8Array | undefined,
): TilePacker {
  const { kernels, memory } = machine
  const cuts = cutBatches(table, warm)
  const largest = cuts.reduce((most, { bytes }) => Math.max(most, bytes), 8)
  const most = cuts.reduce((many, { first, end }) => Math.max(many, end - first), 1)
  const tableAt = kernels.allocate(table.bytes.length)
  const marksAt = marks ? kernels.allocate(marks.length) : 0
  const placesAt = kernels.allocate(4 * most)
  const outs = [kernels.allocate(largest), kernels.allocate(largest)]
  // After the last allocation: memory that is not shared moves when it grows.
  new Uint8Array(memory.buffer, tableAt, table.bytes.length).set(table.bytes)
  if (marks) new Uint8Array(memory.buffer, marksAt, marks.length).set(marks)
  return {
    *batches() {
      let turn = 0
      for (const { first, end, bytes } of cuts) {
        const places = new Uint32Array(memory.buffer, placesAt, end - first)
        for (let tile = first, at = 0; tile < end; tile++) {
          places[tile - first] = at
          at += recordBytes(table.cells[tile], warm)
        }
        const out = outs[turn++ % 2]
        Object.assign(recordAt(memory, PackTilesJobLayout, ARGUMENTS), {
          input,
          size: table.size,
          table: tableAt,
          first,
          count: end - first,
          marks: marksAt,
          warm: warm ? 1 : 0,
          places: placesAt,
          out,
        } satisfies RecordAt<typeof PackTilesJobLayout>)
        kernels.packTiles()
        yield new Uint8Array(memory.buffer, out, bytes)
      }
    },
  }
}

function cutBatches({ cells, count }: TileTable, warm: boolean): { first: number; end: number; bytes: number }[] {
  const cuts: { first: number; end: number; bytes: number }[] = []
  for (let tile = 0; tile < count; tile++) {
    const bytes = recordBytes(cells[tile], warm)
    const last = cuts[cuts.length - 1]
    if (last && last.bytes + bytes <= BATCH) {
      last.bytes += bytes
      last.end = tile + 1
    } else cuts.push({ first: tile, end: tile + 1, bytes })
  }
  return cuts
}
