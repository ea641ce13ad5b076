/** Arrays of the loops that find the surface for pictures, in the pairs: scratch that is free between substeps and large enough for two f32 a
 *  cell along each axis. */
import { jobOf } from '../../../../machine/kernels/job'
import { LiquidJob } from '../../grid/rows'
import { Liquid } from '../../liquid'

@unmanaged
export class PictureJob extends LiquidJob {
  /** f32 arrays of cells. */
  from: usize
  to: usize
  /** As they were before smoothing, smoothed once and twice, and weights. */
  wide: usize
  once: usize
  twice: usize
  weight: usize
  surface: usize
  /** u8: cells that loops read across, a bit for each direction −x, +x, −y, … ; and 0 outside solids, the layer in them, or NOT_REACHED. */
  links: usize
  layers: usize
  /** u8 of rows along x: rows, across corners too, to the nearest one with cells near the surface. */
  away: usize
  axis: i32
  layer: i32
  /** Distances up to here are final. */
  settled: f32
  /** Rows farther away are left out. */
  farthest: i32
  /** Of thick and of thin liquid. */
  thickShift: f32
  thinShift: f32
}

@inline
export function picture(): PictureJob {
  return jobOf<PictureJob>()
}

/** The second array in a pair. */
@inline
function behind(liquid: Liquid, pair: usize): usize {
  return pair + ((((<usize>liquid.cells) << 2) + 63) & ~63)
}

/** One of six arrays of cells, f32. */
export function arrayOf(liquid: Liquid, n: i32): usize {
  const pair = n >> 1 == 0 ? liquid.pairX : n >> 1 == 1 ? liquid.pairY : liquid.pairZ
  return n & 1 ? behind(liquid, pair) : pair
}

/** Cells of a piece follow each other in memory; loops walk over four at a time, across the ends of rows: links know them. */
@inline
export function firstCell(liquid: Liquid, piece: i32): i32 {
  return piece * liquid.pieceSlabs * liquid.slabCells
}

@inline
export function endCell(liquid: Liquid, piece: i32): i32 {
  return piece < liquid.pieceCount - 1 ? firstCell(liquid, piece + 1) : liquid.cells
}

/** Whether a row is left out because it is too far from all surfaces. */
@inline
export function isAway(job: PictureJob, row: i32): bool {
  return <i32>load<u8>(job.away + <usize>row) > job.farthest
}

/** Of four values those before the end of a piece: what follows belongs to another one. */
@inline
export function storeFour(to: usize, values: v128, left: i32): void {
  if (left >= 4) {
    v128.store(to, values)
    return
  }
  store<f32>(to, f32x4.extract_lane(values, 0))
  if (left > 1) store<f32>(to, f32x4.extract_lane(values, 1), 4)
  if (left > 2) store<f32>(to, f32x4.extract_lane(values, 2), 8)
}

/** The links of four cells, one in each lane. */
@inline
export function fourLinks(links: usize): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(links)))
}

/** Four values beside those at `at`, `step` bytes away; their own where there is no link in this direction. */
@inline
export function linked(at: usize, own: v128, step: isize, links: v128, bit: i32): v128 {
  const isLinked = i32x4.ne(v128.and(links, i32x4.splat(bit)), i32x4.splat(0))
  return v128.bitselect(v128.load(at + step), own, isLinked)
}

/** Whether sixteen cells have all links of `bits`: most groups do, and need no selection. */
@inline
export function haveLinks(links: usize, bits: i32): bool {
  const wanted = i8x16.splat(<i8>bits)
  return i8x16.all_true(i8x16.eq(v128.and(v128.load(links), wanted), wanted))
}

/** Bytes between f32 of neighbours. */
@inline
export function stepOf(liquid: Liquid, axis: i32): isize {
  return (<isize>(axis == 0 ? 1 : axis == 1 ? liquid.nx : liquid.nx * liquid.ny)) << 2
}
