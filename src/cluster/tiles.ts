/** The liquid cut into tiles: those that hold unknowns, in Morton order, each trimmed to the box of its unknowns. Every rank gets one
 *  contiguous run of about equal trimmed volume, because a solver on boxes pays for volume and not for unknowns. */
import type { TileTable } from './tile-packing.js'

/** Cells along a tile. Small ones balance better, large ones are swept faster; flat tiles have fewer cells, so they are longer. */
const TILE_SIZES = { 2: [128, 64, 32], 3: [32, 16] } as const
/** A rank with fewer tiles than this is hard to balance. */
const TILES_PER_RANK = 8

/** `runs`: first cell and length of every run of unknowns along x. */
export function cutTiles(shape: readonly number[], runs: Int32Array, ranks: number): TileTable {
  const sizes = TILE_SIZES[shape[2] > 1 ? 3 : 2]
  for (const size of sizes) {
    const table = tilesOf(shape, runs, size)
    if (ranks === 1 || table.count >= TILES_PER_RANK * ranks || size === sizes[sizes.length - 1]) return table
  }
  throw new Error('unreachable')
}

export function tilesOf(shape: readonly number[], runs: Int32Array, size: number): TileTable {
  const [nx, ny] = shape
  const across = shape.map(side => Math.ceil(side / size))
  // Per tile: lowest and highest cell of its unknowns along each axis.
  const boxes = new Uint8Array(6 * across[0] * across[1] * across[2])
  const used = new Uint8Array(boxes.length / 6)
  for (let run = 0; run < runs.length; run += 2) {
    const line = Math.floor(runs[run] / nx)
    const [y, z] = [line % ny, Math.floor(line / ny)]
    const begin = runs[run] - line * nx
    const end = begin + runs[run + 1] - 1
    const row = across[0] * (Math.floor(y / size) + across[1] * Math.floor(z / size))
    for (let i = Math.floor(begin / size); i * size <= end; i++) {
      const low = Math.max(0, begin - i * size)
      const high = Math.min(size - 1, end - i * size)
      enlarge(boxes, used, row + i, low, high, y % size, z % size)
    }
  }
  return listTiles(boxes, used, across, size)
}

function enlarge(boxes: Uint8Array, used: Uint8Array, tile: number, low: number, high: number, y: number, z: number): void {
  const at = 6 * tile
  if (!used[tile]) {
    used[tile] = 1
    boxes.set([low, y, z, high, y, z], at)
    return
  }
  if (low < boxes[at]) boxes[at] = low
  if (y < boxes[at + 1]) boxes[at + 1] = y
  if (z < boxes[at + 2]) boxes[at + 2] = z
  if (high > boxes[at + 3]) boxes[at + 3] = high
  if (y > boxes[at + 4]) boxes[at + 4] = y
  if (z > boxes[at + 5]) boxes[at + 5] = z
}

function listTiles(boxes: Uint8Array, used: Uint8Array, across: readonly number[], size: number): TileTable {
  const place = (id: number) => [id % across[0], Math.floor(id / across[0]) % across[1], Math.floor(id / across[0] / across[1])]
  const ids: number[] = []
  for (let id = 0; id < used.length; id++) if (used[id]) ids.push(id)
  const places = new Map(ids.map(id => [id, place(id)]))
  ids.sort((a, b) => compareMorton(places.get(a)!, places.get(b)!))
  const bytes = new Uint8Array(12 * ids.length)
  const numbers = new DataView(bytes.buffer)
  const cells = new Int32Array(ids.length)
  ids.forEach((id, at) => {
    const box = boxes.subarray(6 * id, 6 * id + 6)
    numbers.setInt32(12 * at, id, true)
    bytes.set(box, 12 * at + 4)
    cells[at] = (box[3] - box[0] + 1) * (box[4] - box[1] + 1) * (box[5] - box[2] + 1)
  })
  return { size, count: ids.length, bytes, cells }
}

/** Along a curve that halves the grid again and again, so that runs of tiles are compact. The axis whose coordinates differ in the highest
 *  bit decides. */
export function compareMorton(a: readonly number[], b: readonly number[]): number {
  let decides = 0
  let highest = 0
  for (let axis = a.length - 1; axis >= 0; axis--) {
    const differs = a[axis] ^ b[axis]
    // The highest bit of one number is below that of another if they are larger together.
    if (highest >= differs || highest >= (highest ^ differs)) continue
    highest = differs
    decides = axis
  }
  return a[decides] - b[decides]
}

/** First tile of every rank, and the number of tiles: the middle of a tile decides whose it is. */
export function shareTiles(cells: Int32Array, ranks: number): Int32Array {
  const total = cells.reduce((sum, count) => sum + count, 0)
  const starts = new Int32Array(ranks + 1)
  let rank = 0
  let before = 0
  cells.forEach((count, tile) => {
    const owner = Math.min(ranks - 1, Math.floor(((before + count / 2) * ranks) / total))
    while (rank < owner) starts[++rank] = tile
    before += count
  })
  starts.fill(cells.length, rank + 1)
  return starts
}

/** Cells per rank that a perfect partition would have, over those that the busiest rank sweeps. */
export function shareEfficiency(cells: Int32Array, starts: Int32Array, unknowns: number): number {
  let most = 0
  for (let rank = 0; rank + 1 < starts.length; rank++)
    most = Math.max(
      most,
      cells.subarray(starts[rank], starts[rank + 1]).reduce((sum, count) => sum + count, 0),
    )
  return unknowns / (starts.length - 1) / most
}

/** How evenly tiles of `size` cells per side deal out a liquid among ranks, from 0 to 1; from geometry alone, nothing is solved.
 *  `runs`: first cell and length of every run of liquid cells along x, ascending. */
export function tileEfficiency(shape: readonly number[], runs: Int32Array, size: number, ranks: number): number {
  const { cells } = tilesOf(shape, runs, size)
  let unknowns = 0
  for (let at = 1; at < runs.length; at += 2) unknowns += runs[at]
  return shareEfficiency(cells, shareTiles(cells, ranks), unknowns)
}
