/** Keeps particles in the band below the surface: deeper ones are dropped, and cells that the band has come to reach are filled with one in
 *  every empty part of a cell, at random places in them (counter-based random numbers). Only liquid that the grid has carried there is filled
 *  up, so none is invented. Pieces count seeds before they place them, so their order does not depend on threads. */
import { LAYER } from '../../shared-constants'
import { jobOf, setSum, sumOf, totalOf } from '../../../machine/kernels/job'
import { reserveParticles } from '../create'
import { firstParticle, Liquid } from '../liquid'
import { findDepth } from '../deep/depth'
import { byteAt, CELLS, current, endRow, f32At, firstRow, LiquidJob } from '../grid/rows'
import { keptVelocityAt } from '../grid/velocity'
import { distanceAt, GAP } from './solids'
import { GONE } from './sort'
import { sizes } from './weights'
import { run } from '../../../machine/kernels/pool'

/** See `keepBand`. */
@unmanaged
class BandJob extends LiquidJob {
  jitter: f64
  perCell: i32
  parts: i32
  salt: u32
}

/** For sorted particles, after a solve. A full cell holds `perCell` particles and has `parts` parts along each axis, at most 64 in all; `jitter`
 *  as at the start; `salt` is a new random number every substep. Seeds get the velocity after the kick, `beforeX` … . Returns by how many
 *  particles there will be more after the next sort. */
export function keepBand(liquid: Liquid, perCell: i32, parts: i32, jitter: f64, salt: i32): i32 {
  findDepth(liquid)
  const job = jobOf<BandJob>()
  job.liquid = liquid
  job.jitter = jitter
  job.perCell = perCell
  job.parts = parts
  job.salt = salt
  run(countSeedsPiece, liquid.pieceCount)
  const seeds = <i32>totalOf(liquid.pieceCount, 0)
  const dropped = <i32>totalOf(liquid.pieceCount, 1)
  if (seeds == 0) return -dropped
  const count = liquid.count + seeds
  if (count > liquid.capacity) reserveParticles(liquid, count + count / 2, liquid.affine ? 1 : 0)
  // The count of a piece becomes the number of its first seed.
  let place = <f64>liquid.count
  for (let piece = 0; piece < liquid.pieceCount; piece++) {
    const own = sumOf(piece, 0)
    setSum(piece, 0, place)
    place += own
  }
  run(placeSeedsPiece, liquid.pieceCount)
  liquid.count = count
  liquid.seeded = seeds
  return seeds - dropped
}

@piece
export function countSeedsPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  let cell = firstRow(liquid, CELLS, piece) * nx
  const end = endRow(liquid, CELLS, piece) * nx
  let count = 0
  let dropped = 0
  for (; cell < end; cell += 16) {
    const all = cell + 16 > end ? (1 << (end - cell)) - 1 : 0xffff
    for (let lanes = seedLanes(liquid, cell) & all; lanes != 0; lanes &= lanes - 1) {
      const own = fillCell(liquid, cell + ctz(lanes), -1)
      store<i32>(seedsOf(liquid, cell + ctz(lanes)), own)
      count += own
    }
    if (firstParticle(liquid, min(end, cell + 16)) == firstParticle(liquid, cell)) continue
    for (let lanes = ~bandLanes(liquid, cell) & all; lanes != 0; lanes &= lanes - 1) dropped += dropAll(liquid, cell + ctz(lanes))
  }
  setSum(piece, 0, <f64>count)
  setSum(piece, 1, <f64>dropped)
}

@piece
export function placeSeedsPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  let cell = firstRow(liquid, CELLS, piece) * nx
  const end = endRow(liquid, CELLS, piece) * nx
  let place = <i32>sumOf(piece, 0)
  for (; cell < end; cell += 16) {
    const all = cell + 16 > end ? (1 << (end - cell)) - 1 : 0xffff
    for (let lanes = seedLanes(liquid, cell) & all; lanes != 0; lanes &= lanes - 1) {
      if (load<i32>(seedsOf(liquid, cell + ctz(lanes)))) place += fillCell(liquid, cell + ctz(lanes), place)
    }
  }
}

/** Address of the number of seeds of a cell, i32, in `displacementX`, which is free until particles are counted. */
@inline
function seedsOf(liquid: Liquid, cell: i32): usize {
  return liquid.displacementX + ((<usize>cell) << 2)
}

/** Lanes of sixteen cells that keep particles. */
@inline
function bandLanes(liquid: Liquid, cell: i32): i32 {
  const last = v128.splat<u8>(<u8>(LAYER * liquid.band))
  return v128.bitmask<i8>(v128.le<u8>(v128.load(liquid.depth + <usize>cell), last))
}

/** Lanes of sixteen cells that keep particles although their liquid comes, at least in part, from where there were none. */
@inline
function seedLanes(liquid: Liquid, cell: i32): i32 {
  const least = v128.splat<u8>(<u8>(LAYER * liquid.band - LAYER / 2))
  const carried = v128.bitmask<i8>(v128.ge<u8>(v128.load(liquid.carried + <usize>cell), least))
  return carried == 0 ? 0 : carried & bandLanes(liquid, cell)
}

function dropAll(liquid: Liquid, cell: i32): i32 {
  const first = firstParticle(liquid, cell)
  const end = firstParticle(liquid, cell + 1)
  for (let n = first; n < end; n++) store<f32>(liquid.px + ((<usize>n) << 2), 2 * GONE)
  return end - first
}

/** Seeds the particles that a cell lacks, numbered from `place` on, and returns how many; only counts them if `place` is negative. */
function fillCell(liquid: Liquid, cell: i32, place: i32): i32 {
  const seed = seedOf(cell)
  const missing = missingIn(liquid, cell, seed)
  if (missing <= 0) return 0
  const nx = liquid.nx
  const row = cell / nx
  const k = row / liquid.ny
  const j = row - liquid.ny * k
  const i = cell - nx * row
  const size = sizes(liquid)
  const parts = jobOf<BandJob>().parts
  const total = liquid.dims == 3 ? parts * parts * parts : parts * parts
  const taken = takenParts(liquid, cell, i, j, k, parts)
  // Where no solid is in the way, all other parts can be filled.
  if (place < 0 && !liquid.hasSolids) return min(missing, total - <i32>popcnt(taken))
  const first = <i32>(scrambled(seed, 1) % <u32>total)
  let seeded = 0
  for (let n = 0; n < total && seeded < missing; n++) {
    const part = first + n < total ? first + n : first + n - total
    if ((taken >> <u64>part) & 1) continue
    const line = part / parts
    const x = <f32>i + inPart(seed, 3 * part + 2, part - parts * line, parts)
    const y = <f32>j + inPart(seed, 3 * part + 3, line % parts, parts)
    const z = <f32>k + (liquid.dims == 3 ? inPart(seed, 3 * part + 4, line / parts, parts) : 0.5)
    if (liquid.hasSolids && distanceAt(liquid, f32x4(x, y, z, 0), size) < 2 * GAP) continue
    if (place >= 0) {
      const at = (<usize>(place + seeded)) << 2
      store<f32>(liquid.px + at, x)
      store<f32>(liquid.py + at, y)
      store<f32>(liquid.pz + at, z)
      const velocity = keptVelocityAt(liquid, f32x4(x, y, z, 0), size)
      store<f32>(liquid.vx + at, f32x4.extract_lane(velocity, 0))
      store<f32>(liquid.vy + at, f32x4.extract_lane(velocity, 1))
      store<f32>(liquid.vz + at, f32x4.extract_lane(velocity, 2))
    }
    seeded++
  }
  return seeded
}

/** Liquid from below the band comes without particles. Its share of the cell is filled up, to a full cell at most, so that the band neither
 *  gains nor loses by the placement of particles; more only where they become rare. */
function missingIn(liquid: Liquid, cell: i32, seed: u32): i32 {
  const full = <f32>jobOf<BandJob>().perCell * f32At(liquid.openCell, cell)
  const there = firstParticle(liquid, cell + 1) - firstParticle(liquid, cell)
  const below = <f32>(byteAt(liquid.carried, cell) - LAYER * liquid.band) / <f32>LAYER
  // A fraction of a particle becomes one by chance.
  const share = <i32>(full * min(max(below, 0), 1) + uniform(seed, 0))
  const rare = <i32>(0.25 * full) - there
  return max(min(share, <i32>nearest(full) - there), rare)
}

/** A bit for every part of a cell that holds a particle. */
function takenParts(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32, parts: i32): u64 {
  const end = firstParticle(liquid, cell + 1)
  let taken: u64 = 0
  for (let n = firstParticle(liquid, cell); n < end; n++) {
    const at = (<usize>n) << 2
    const x = partOf(load<f32>(liquid.px + at), i, parts)
    const y = partOf(load<f32>(liquid.py + at), j, parts)
    const z = liquid.dims == 3 ? partOf(load<f32>(liquid.pz + at), k, parts) : 0
    taken |= (<u64>1) << (<u64>(x + parts * (y + parts * z)))
  }
  return taken
}

@inline
function partOf(coordinate: f32, index: i32, parts: i32): i32 {
  return min(max(<i32>((coordinate - <f32>index) * <f32>parts), 0), parts - 1)
}

/** Random coordinate within a part of a cell, along one axis. */
@inline
function inPart(seed: u32, counter: i32, index: i32, parts: i32): f32 {
  const shaken = <f32>jobOf<BandJob>().jitter * (uniform(seed, counter) - 0.5)
  return (<f32>index + 0.5 + shaken) / <f32>parts
}

/** From 0 to 1. */
@inline
function uniform(seed: u32, counter: i32): f32 {
  return <f32>(scrambled(seed, counter) >>> 8) * <f32>(1.0 / 16777216)
}

/** Seed of the random bits of a cell, by the salt of the substep. */
@inline
function seedOf(cell: i32): u32 {
  return mixBits(mixBits(jobOf<BandJob>().salt) + <u32>cell)
}

/** 32 random bits for a counter. */
@inline
function scrambled(seed: u32, counter: i32): u32 {
  return mixBits(seed + <u32>counter)
}

@inline
function mixBits(value: u32): u32 {
  let x = value
  x ^= x >>> 16
  x *= 0x7feb352d
  x ^= x >>> 15
  x *= 0x846ca68b
  return x ^ (x >>> 16)
}
