/** Tiles of a problem packed as records for solvers that run elsewhere: of each tile only the box of its unknowns. */
import { Input, lineRun, runFirst, runLength, runStart } from './input'
import { pointer, setPointer } from './jobs'
import { runPaintPiece } from './paint-space-pieces'
import { run } from './pool'

/** Pieces of loops over tiles, by number: 130 and above. */
const PACK_TILES = 130

export function runTileChunk(operation: i32, chunk: i32): void {
  if (operation == PACK_TILES) return packTileChunk(chunk)
  runPaintPiece(operation, chunk)
}

/** Bytes of an entry of the table: number of the tile (i32), lowest and highest cell of its box within it (u8 each), and unused ones. */
const ENTRY: usize = 12
const CONTACT: u8 = 2

/** Records of `count` tiles from entry `first` on, each `places[n]` (u32) bytes behind `out`: diagonal, links, b, and with `warm` p, 0 where
 *  there is no unknown; then what each cell is (u8): its mark if it has one, else 1 for contacts. `marks` is 0 if there are none. */
export function packTiles(
  input: Input,
  size: i32,
  table: usize,
  first: i32,
  count: i32,
  marks: usize,
  warm: i32,
  places: usize,
  out: usize,
): void {
  setPointer(0, changetype<usize>(input))
  setPointer(1, size)
  setPointer(2, table + <usize>first * ENTRY)
  setPointer(3, marks)
  setPointer(4, warm)
  setPointer(5, places)
  setPointer(6, out)
  run(PACK_TILES, count)
}

function packTileChunk(chunk: i32): void {
  const input = changetype<Input>(pointer(0))
  const size = <i32>pointer(1)
  const entry = pointer(2) + <usize>chunk * ENTRY
  const warm = pointer(4) != 0
  const record = pointer(6) + <usize>load<u32>(pointer(5) + (<usize>chunk << 2))
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
        describe(input, unknown, kinds + place, length)
      }
    }
}

@inline
function copyField(from: usize, unknown: usize, to: usize, place: usize, length: usize): void {
  memory.copy(to + (place << 3), from + (unknown << 3), length << 3)
}

function describe(input: Input, unknown: usize, to: usize, length: usize): void {
  const marks = pointer(3)
  for (let n: usize = 0; n < length; n++) {
    const mark: u8 = marks ? load<u8>(marks + unknown + n) : 0
    store<u8>(to + n, mark ? mark : load<u8>(input.kind + unknown + n) == CONTACT ? 1 : 0)
  }
}
