/** Tiles of a problem packed as records for solvers that run elsewhere: of each tile only the box of its unknowns. */
import { CONTACT } from '../../pressure/cell-kinds'
import { Input, lineRun, runFirst, runLength, runStart } from '../../multigrid/aggregate/kernels/problem/input'
import { jobOf } from '../../machine/kernels/job'
import { run } from '../../machine/kernels/pool'

/** Bytes of an entry of the table: number of the tile (i32), lowest and highest cell of its box within it (u8 each), and unused ones. */
const ENTRY: usize = 12

/** Filled in by the host before it calls `packTiles`. */
@unmanaged
export class PackTilesJob {
  input: Input
  /** Cells along the side of a tile. */
  size: i32
  /** Entries of all tiles, of which `count` from `first` on are packed. */
  table: usize
  first: i32
  count: i32
  /** One byte per unknown, or 0 if there are none. */
  marks: usize
  /** 1 if records include p. */
  warm: i32
  /** Offset of each record from `out` in bytes. u32 */
  places: usize
  out: usize
}

/** Writes records: diagonal, links, b, and with `warm` p, 0 where there is no unknown; then what each cell is (u8): its mark if it has one,
 *  else 1 for contacts. */
export function packTiles(): void {
  run(packTilePiece, jobOf<PackTilesJob>().count)
}

@piece
export function packTilePiece(piece: i32): void {
  const job = jobOf<PackTilesJob>()
  const input = job.input
  const size = job.size
  const entry = job.table + <usize>(job.first + piece) * ENTRY
  const marks = job.marks
  const warm = job.warm != 0
  const record = job.out + <usize>load<u32>(job.places + ((<usize>piece) << 2))
  const id = load<i32>(entry)
  const acrossX = (input.nx + size - 1) / size
  const acrossY = (input.ny + size - 1) / size
  const x0 = (id % acrossX) * size
  const y0 = ((id / acrossX) % acrossY) * size
  const z0 = (id / acrossX / acrossY) * size
  const from = x0 + <i32>load<u8>(entry, 4)
  const to = x0 + <i32>load<u8>(entry, 7) + 1
  const lowY = y0 + <i32>load<u8>(entry, 5)
  const highY = y0 + <i32>load<u8>(entry, 8)
  const lowZ = z0 + <i32>load<u8>(entry, 6)
  const highZ = z0 + <i32>load<u8>(entry, 9)
  const width = <usize>(to - from)
  const cells = width * <usize>(highY - lowY + 1) * <usize>(highZ - lowZ + 1)
  const fields: usize = warm ? 6 : 5
  const kinds = record + fields * (cells << 3)
  memory.fill(record, 0, fields * (cells << 3) + ((cells + 7) & ~7))
  let at: usize = 0
  for (let z = lowZ; z <= highZ; z++)
    for (let y = lowY; y <= highY; y++, at += width) {
      const line = z * input.ny + y
      for (let r = lineRun(input, line), end = lineRun(input, line + 1); r < end; r++) {
        const start = runStart(input, r)
        if (start >= to) break
        const low = max(from, start)
        const high = min(to, start + runLength(input, r))
        if (low >= high) continue
        const unknown = <usize>(runFirst(input, r) + low - start)
        const place = at + <usize>(low - from)
        const length = <usize>(high - low)
        copyField(input.diagonal, unknown, record, place, length)
        copyField(input.east, unknown, record + (cells << 3), place, length)
        copyField(input.north, unknown, record + 2 * (cells << 3), place, length)
        copyField(input.up, unknown, record + 3 * (cells << 3), place, length)
        copyField(input.b, unknown, record + 4 * (cells << 3), place, length)
        if (warm) copyField(input.p, unknown, record + 5 * (cells << 3), place, length)
        describe(input, marks, unknown, kinds + place, length)
      }
    }
}

@inline
function copyField(from: usize, unknown: usize, to: usize, place: usize, length: usize): void {
  memory.copy(to + (place << 3), from + (unknown << 3), length << 3)
}

function describe(input: Input, marks: usize, unknown: usize, to: usize, length: usize): void {
  for (let n: usize = 0; n < length; n++) {
    const mark: u8 = marks ? load<u8>(marks + unknown + n) : 0
    store<u8>(to + n, mark ? mark : load<u8>(input.kind + unknown + n) == CONTACT ? 1 : 0)
  }
}
