/** Sorts particles by cell in two stages that threads share: into bins, one for each piece of the grid, by counting the particles of each bin
 *  in each piece of the list, then within each bin. Both stages are stable, so the order depends neither on threads nor on timing. */
import { jobOf } from '../../../machine/kernels/job'
import { current, LiquidJob } from '../grid/rows'
import { Liquid, MAX_GRID_PIECES } from '../liquid'
import { run } from '../../../machine/kernels/pool'
import { integers } from './weights'

/** Pieces of the list of particles. */
export const PIECES: i32 = MAX_GRID_PIECES

/** Particles with a smaller x have left: the next sort drops them. */
export const GONE: f32 = -1e8

@inline
export function pieceStart(liquid: Liquid, piece: i32): i32 {
  return <i32>((<i64>liquid.count * <i64>piece) / PIECES)
}

export function sortParticles(liquid: Liquid): void {
  jobOf<LiquidJob>().liquid = liquid
  run(countBinsPiece, PIECES)
  const kept = startBins(liquid)
  run(placeBinsPiece, PIECES)
  run(placeCellsPiece, liquid.pieceCount)
  store<i32>(liquid.cellStart + ((<usize>liquid.cells) << 2), kept)
  liquid.count = kept
  liquid.seeded = 0
  swapParticles(liquid)
}

/** Turns counts into positions in the list; returns how many particles are kept. */
function startBins(liquid: Liquid): i32 {
  let place = 0
  let kept = 0
  // Particles that have left come after the last bin.
  for (let bin = 0; bin <= liquid.pieceCount; bin++) {
    store<i32>(liquid.binStart + ((<usize>bin) << 2), place)
    kept = place
    for (let piece = 0; piece < PIECES; piece++) {
      const at = countsOf(liquid, piece) + ((<usize>bin) << 2)
      const count = load<i32>(at)
      store<i32>(at, place)
      place += count
    }
  }
  return kept
}

@inline
function countsOf(liquid: Liquid, piece: i32): usize {
  return liquid.binCounts + ((<usize>(piece * (liquid.pieceCount + 1))) << 2)
}

@piece
export function countBinsPiece(piece: i32): void {
  const liquid = current()
  const counts = countsOf(liquid, piece)
  memory.fill(counts, 0, (<usize>(liquid.pieceCount + 1)) << 2)
  const px = liquid.px
  const across = acrossSlabs(liquid)
  const end = pieceStart(liquid, piece + 1)
  // Most particles are in the same bin as the previous ones.
  let usual = counts
  let low = noSlab()
  let high = low
  for (let n = pieceStart(liquid, piece); n < end; n += 4) {
    const x = v128.load(px + ((<usize>n) << 2))
    const slabs = v128.load(across + ((<usize>n) << 2))
    if (n + 4 <= end && areWithin(slabs, low, high, x)) {
      fetchAdd(usual, 4)
      continue
    }
    let bins = binsOf(liquid, slabs, x)
    const first = i32x4.extract_lane(bins, 0)
    usual = counts + ((<usize>first) << 2)
    low = lowest(liquid, first)
    high = lowest(liquid, first + 1)
    for (let m = n; m < min(end, n + 4); m++) {
      fetchAdd(counts + ((<usize>i32x4.extract_lane(bins, 0)) << 2), 1)
      bins = rotated(bins)
    }
  }
}

/** Column of the coordinate across slabs. */
@inline
function acrossSlabs(liquid: Liquid): usize {
  return liquid.dims == 3 ? liquid.pz : liquid.py
}

@inline
function noSlab(): v128 {
  return f32x4.splat(Infinity)
}

/** Coordinate at which the slabs of a bin begin. Particles beyond the sides of the grid belong to the first or the last bin. */
@inline
function lowest(liquid: Liquid, bin: i32): v128 {
  if (bin >= liquid.pieceCount) return noSlab()
  return f32x4.splat(bin == 0 ? -Infinity : <f32>(bin * liquid.pieceSlabs))
}

/** Whether none of four particles has left and all are in slabs from `low` to `high`. */
@inline
function areWithin(slabs: v128, low: v128, high: v128, x: v128): bool {
  const isThere = f32x4.gt(x, f32x4.splat(GONE))
  return v128.all_true<i32>(v128.and(v128.and(f32x4.ge(slabs, low), f32x4.lt(slabs, high)), isThere))
}

@inline
function rotated(lanes: v128): v128 {
  return v128.shuffle<i32>(lanes, lanes, 1, 2, 3, 0)
}

/** Adds to a word; returns its previous value. */
@inline
function fetchAdd(at: usize, count: i32): i32 {
  const word = load<i32>(at)
  store<i32>(at, word + count)
  return word
}

/** Bins of four particles; those that have left get the number after the last bin. */
function binsOf(liquid: Liquid, slabs: v128, x: v128): v128 {
  // Adding half a slab outweighs rounding errors.
  const halves = f32x4.add(wholeCells(slabs, lastOf(liquid.slabs)), f32x4.splat(0.5))
  const bins = integers(f32x4.floor(f32x4.mul(halves, f32x4.splat(1 / <f32>liquid.pieceSlabs))))
  return v128.bitselect(bins, i32x4.splat(liquid.pieceCount), f32x4.gt(x, f32x4.splat(GONE)))
}

@inline
function lastOf(size: i32): v128 {
  return f32x4.splat(<f32>(size - 1))
}

/** Cell along an axis. A particle on the upper side of the grid belongs to the last cell. */
@inline
function wholeCells(coordinates: v128, last: v128): v128 {
  return f32x4.floor(f32x4.pmin(last, f32x4.pmax(f32x4.splat(0), coordinates)))
}

@piece
export function placeBinsPiece(piece: i32): void {
  const liquid = current()
  const places = countsOf(liquid, piece)
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const order = liquid.order
  const cellOf = liquid.cellOf
  const across = acrossSlabs(liquid)
  const lastX = lastOf(liquid.nx)
  const lastY = lastOf(liquid.ny)
  const lastZ = lastOf(liquid.nz)
  const nx = i32x4.splat(liquid.nx)
  const ny = i32x4.splat(liquid.ny)
  const end = pieceStart(liquid, piece + 1)
  let usual = places
  let low = noSlab()
  let high = low
  for (let n = pieceStart(liquid, piece); n < end; n += 4) {
    const at = (<usize>n) << 2
    const x = v128.load(px + at)
    const slabs = v128.load(across + at)
    const planes = i32x4.mul(ny, integers(wholeCells(v128.load(pz + at), lastZ)))
    const rows = i32x4.add(planes, integers(wholeCells(v128.load(py + at), lastY)))
    let cells = i32x4.add(i32x4.mul(nx, rows), integers(wholeCells(x, lastX)))
    if (n + 4 <= end && areWithin(slabs, low, high, x)) {
      const to = (<usize>fetchAdd(usual, 4)) << 2
      v128.store(order + to, i32x4.add(i32x4.splat(n), i32x4(0, 1, 2, 3)))
      v128.store(cellOf + to, cells)
      continue
    }
    let bins = binsOf(liquid, slabs, x)
    const first = i32x4.extract_lane(bins, 0)
    usual = places + ((<usize>first) << 2)
    low = lowest(liquid, first)
    high = lowest(liquid, first + 1)
    for (let m = n; m < min(end, n + 4); m++) {
      const to = (<usize>fetchAdd(places + ((<usize>i32x4.extract_lane(bins, 0)) << 2), 1)) << 2
      store<i32>(order + to, m)
      store<i32>(cellOf + to, i32x4.extract_lane(cells, 0))
      bins = rotated(bins)
      cells = rotated(cells)
    }
  }
}

/** Bytes of a column that are copied before those of the next, so that the list of sources stays in cache. */
const BLOCK: usize = 8192

@piece
export function placeCellsPiece(piece: i32): void {
  const liquid = current()
  const first = (<usize>load<i32>(liquid.binStart + ((<usize>piece) << 2))) << 2
  const end = (<usize>load<i32>(liquid.binStart + ((<usize>piece) << 2), 4)) << 2
  const starts = liquid.cellStart
  const cellOf = liquid.cellOf
  // Scratch in columns of the target that are written last.
  const ranks = liquid.otherPx
  const sources = liquid.otherVz
  const firstCell = <usize>(piece * liquid.pieceSlabs * liquid.slabCells)
  const endCell = min(<usize>liquid.cells, firstCell + <usize>(liquid.pieceSlabs * liquid.slabCells))
  memory.fill(starts + (firstCell << 2), 0, (endCell - firstCell) << 2)
  for (let n = first; n < end; n += 4) {
    const at = starts + (load<usize>(cellOf + n) << 2)
    const rank = load<i32>(at)
    store<i32>(at, rank + 1)
    store<i32>(ranks + n, rank)
  }
  startCells(starts + (firstCell << 2), starts + (endCell << 2), <i32>(first >> 2))
  for (let n = first; n < end; n += 4) {
    const to = load<usize>(starts + (load<usize>(cellOf + n) << 2)) + load<usize>(ranks + n)
    store<usize>(sources + (to << 2), load<usize>(liquid.order + n) << 2)
  }
  for (let n = first; n < end; n += BLOCK) copyColumns(liquid, sources, n, min(end, n + BLOCK))
}

/** Turns counts of cells into positions in the list. */
@inline
function startCells(from: usize, behind: usize, first: i32): void {
  let place = first
  for (let at = from; at < behind; at += 4) {
    // Most cells are empty.
    while (at + 16 <= behind && !v128.any_true(v128.load(at))) {
      v128.store(at, v128.splat<i32>(place))
      at += 16
    }
    if (at == behind) break
    const count = load<i32>(at)
    store<i32>(at, place)
    place += count
  }
}

/** Copies all columns of the particles from `first` to `end`, in bytes of a column. */
function copyColumns(liquid: Liquid, sources: usize, first: usize, end: usize): void {
  copyColumn(liquid.px, liquid.otherPx, sources, first, end)
  copyColumn(liquid.py, liquid.otherPy, sources, first, end)
  copyColumn(liquid.pz, liquid.otherPz, sources, first, end)
  copyColumn(liquid.vx, liquid.otherVx, sources, first, end)
  copyColumn(liquid.vy, liquid.otherVy, sources, first, end)
  if (liquid.affine) {
    const room = (<usize>liquid.capacity) << 2
    for (let at: usize = 0; at < 9 * room; at += room)
      copyColumn(liquid.affine + at, liquid.otherAffine + at, sources, first, end)
  }
  copyColumn(liquid.vz, liquid.otherVz, sources, first, end)
}

function copyColumn(from: usize, to: usize, sources: usize, first: usize, end: usize): void {
  let n = first
  for (; n + 16 <= end; n += 16) {
    let four = v128.load_zero<u32>(from + load<usize>(sources + n))
    four = v128.load_lane<u32>(from + load<usize>(sources + n, 4), four, 1)
    four = v128.load_lane<u32>(from + load<usize>(sources + n, 8), four, 2)
    v128.store(to + n, v128.load_lane<u32>(from + load<usize>(sources + n, 12), four, 3))
  }
  for (; n < end; n += 4) store<u32>(to + n, load<u32>(from + load<usize>(sources + n)))
}

function swapParticles(liquid: Liquid): void {
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const vx = liquid.vx
  const vy = liquid.vy
  const vz = liquid.vz
  const affine = liquid.affine
  liquid.px = liquid.otherPx
  liquid.py = liquid.otherPy
  liquid.pz = liquid.otherPz
  liquid.vx = liquid.otherVx
  liquid.vy = liquid.otherVy
  liquid.vz = liquid.otherVz
  liquid.affine = liquid.otherAffine
  liquid.otherPx = px
  liquid.otherPy = py
  liquid.otherPz = pz
  liquid.otherVx = vx
  liquid.otherVy = vy
  liquid.otherVz = vz
  liquid.otherAffine = affine
}
