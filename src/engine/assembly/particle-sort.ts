/** Particles in the order of their cells, in two stages that threads share: into slabs, by counting what each piece of the list has for
 *  each slab, then within each slab. Both keep the order of equals, so it depends neither on threads nor on timing. */
import { pointer, setPointer } from './jobs'
import { Liquid, MOST_CHUNKS } from './liquid'
import { run } from './pool'
import { COUNT_SLABS, PLACE_CELLS, PLACE_SLABS } from './particle-pieces'

/** Pieces that the list of particles is cut into. */
export const PIECES: i32 = MOST_CHUNKS

/** Particles with a smaller x have left: the next sort drops them. */
export const GONE: f32 = -1e8

@inline
export function pieceStart(liquid: Liquid, piece: i32): i32 {
  return <i32>((<i64>liquid.count * <i64>piece) / PIECES)
}

export function sortParticles(liquid: Liquid): void {
  setPointer(0, changetype<usize>(liquid))
  run(COUNT_SLABS, PIECES)
  const kept = startSlabs(liquid)
  run(PLACE_SLABS, PIECES)
  run(PLACE_CELLS, liquid.chunkCount)
  store<i32>(liquid.cellStart + (<usize>liquid.cells << 2), kept)
  liquid.count = kept
  liquid.seeded = 0
  swapParticles(liquid)
}

/** Turns counts into places; returns how many particles are still there. */
function startSlabs(liquid: Liquid): i32 {
  let place = 0
  let kept = 0
  // Those that have left come behind the last slab.
  for (let slab = 0; slab <= liquid.slabs; slab++) {
    store<i32>(liquid.slabStart + (<usize>slab << 2), place)
    kept = place
    for (let piece = 0; piece < PIECES; piece++) {
      const at = countAt(liquid, piece, slab)
      const count = load<i32>(at)
      store<i32>(at, place)
      place += count
    }
  }
  return kept
}

@inline
function countAt(liquid: Liquid, piece: i32, slab: i32): usize {
  return liquid.slabCounts + (<usize>(piece * (liquid.slabs + 1) + slab) << 2)
}

export function countSlabsChunk(piece: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  const counts = countAt(liquid, piece, 0)
  memory.fill(counts, 0, <usize>(liquid.slabs + 1) << 2)
  const end = pieceStart(liquid, piece + 1)
  for (let n = pieceStart(liquid, piece); n < end; n += 4) {
    const slabs = slabsOfFour(liquid, n)
    const cells = cellsOfFour(liquid, n, slabs)
    let slab = slabs
    if (n + 4 <= end) v128.store(liquid.cellOf + (<usize>n << 2), cells)
    else storeFirst(liquid.cellOf + (<usize>n << 2), cells, end - n)
    for (let m = n; m < min(end, n + 4); m++) {
      const at = counts + (<usize>i32x4.extract_lane(slab, 0) << 2)
      store<i32>(at, load<i32>(at) + 1)
      slab = v128.shuffle<i32>(slab, slab, 1, 2, 3, 0)
    }
  }
}

@inline
function storeFirst(at: usize, lanes: v128, count: i32): void {
  store<i32>(at, i32x4.extract_lane(lanes, 0))
  if (count > 1) store<i32>(at, i32x4.extract_lane(lanes, 1), 4)
  if (count > 2) store<i32>(at, i32x4.extract_lane(lanes, 2), 8)
}

/** Of four particles. One on the upper side of the grid belongs to the last slab there; those that have left come behind it. */
@inline
function slabsOfFour(liquid: Liquid, n: i32): v128 {
  const at = <usize>n << 2
  const slabs = clampTo(v128.load((liquid.dims == 3 ? liquid.pz : liquid.py) + at), liquid.slabs)
  return v128.bitselect(slabs, i32x4.splat(liquid.slabs), f32x4.gt(v128.load(liquid.px + at), f32x4.splat(GONE)))
}

/** −1: it has left. */
@inline
function cellsOfFour(liquid: Liquid, n: i32, slabs: v128): v128 {
  const at = <usize>n << 2
  let rows = slabs
  if (liquid.dims == 3) {
    rows = i32x4.add(clampTo(v128.load(liquid.py + at), liquid.ny), i32x4.mul(slabs, i32x4.splat(liquid.ny)))
  }
  const cells = i32x4.add(clampTo(v128.load(liquid.px + at), liquid.nx), i32x4.mul(rows, i32x4.splat(liquid.nx)))
  return v128.or(cells, v128.eq<i32>(slabs, i32x4.splat(liquid.slabs)))
}

/** Whole cells along an axis, as far as there are any. */
@inline
function clampTo(coordinates: v128, size: i32): v128 {
  return i32x4.min_s(i32x4.max_s(i32x4.trunc_sat_f32x4_s(coordinates), i32x4.splat(0)), i32x4.splat(size - 1))
}

export function placeSlabsChunk(piece: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  const places = countAt(liquid, piece, 0)
  const end = pieceStart(liquid, piece + 1)
  for (let n = pieceStart(liquid, piece); n < end; n += 4) {
    let slab = slabsOfFour(liquid, n)
    for (let m = n; m < min(end, n + 4); m++) {
      const at = places + (<usize>i32x4.extract_lane(slab, 0) << 2)
      const place = load<i32>(at)
      store<i32>(at, place + 1)
      store<i32>(liquid.order + (<usize>place << 2), m)
      slab = v128.shuffle<i32>(slab, slab, 1, 2, 3, 0)
    }
  }
}

export function placeCellsChunk(chunk: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  const end = min(liquid.slabs, (chunk + 1) * liquid.chunkSlabs)
  for (let slab = chunk * liquid.chunkSlabs; slab < end; slab++) placeSlab(liquid, slab)
}

function placeSlab(liquid: Liquid, slab: i32): void {
  const cells = <usize>liquid.slabCells
  const starts = liquid.cellStart + (<usize>slab * cells << 2)
  const first = load<i32>(liquid.slabStart + (<usize>slab << 2))
  const end = load<i32>(liquid.slabStart + (<usize>slab << 2), 4)
  memory.fill(starts, 0, cells << 2)
  const base = <i32>(<usize>slab * cells)
  for (let n = first; n < end; n++) {
    const at = starts + (<usize>(cellOfOrdered(liquid, n) - base) << 2)
    store<i32>(at, load<i32>(at) + 1)
  }
  const behind = starts + (cells << 2)
  let place = first
  for (let at = starts; at < behind; at += 4) {
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
  for (let n = first; n < end; n++) {
    const from = load<i32>(liquid.order + (<usize>n << 2))
    const at = starts + (<usize>(load<i32>(liquid.cellOf + (<usize>from << 2)) - base) << 2)
    const to = load<i32>(at)
    store<i32>(at, to + 1)
    copyParticle(liquid, <usize>from << 2, <usize>to << 2)
  }
  // Each start has moved on to the next one's.
  let at = behind
  for (; at >= starts + 20; at -= 16) v128.store(at - 16, v128.load(at - 20))
  for (; at > starts + 4; at -= 4) store<i32>(at - 4, load<i32>(at - 8))
  store<i32>(starts, first)
}

@inline
function cellOfOrdered(liquid: Liquid, n: i32): i32 {
  return load<i32>(liquid.cellOf + (<usize>load<i32>(liquid.order + (<usize>n << 2)) << 2))
}

@inline
function copyParticle(liquid: Liquid, from: usize, to: usize): void {
  store<f32>(liquid.otherPx + to, load<f32>(liquid.px + from))
  store<f32>(liquid.otherPy + to, load<f32>(liquid.py + from))
  store<f32>(liquid.otherPz + to, load<f32>(liquid.pz + from))
  store<f32>(liquid.otherVx + to, load<f32>(liquid.vx + from))
  store<f32>(liquid.otherVy + to, load<f32>(liquid.vy + from))
  store<f32>(liquid.otherVz + to, load<f32>(liquid.vz + from))
  if (!liquid.affine) return
  const room = <usize>liquid.capacity << 2
  for (let part: usize = 0; part < 9; part++) {
    store<f32>(liquid.otherAffine + part * room + to, load<f32>(liquid.affine + part * room + from))
  }
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
