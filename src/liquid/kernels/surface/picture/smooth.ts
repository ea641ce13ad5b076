/** Weights, the filter and its limits, bit for bit as plain/surface/picture/picture.ts. */
import { MAX_SMOOTHED, SMOOTHED_NEAR, SURELY_THICK, THICK, THICK_LOSS, THIN_DEPTH, THIN_LOSS } from '../../../shared-constants'
import { setSum } from '../../../../machine/kernels/job'
import { CELLS, current, endRow, firstRow } from '../../grid/rows'
import { Liquid } from '../../liquid'
import { SURFACE_SCRATCH } from '../scratch'
import { endCell, firstCell, fourLinks, haveLinks, isAway, linked, picture, PictureJob, stepOf, storeFour } from './arrays'

/** The largest of a cell and its two neighbours along `axis`. */
@piece
export function largestPiece(piece: i32): void {
  const liquid = current()
  const job = picture()
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) if (!isAway(job, row)) largestRow(liquid, job, row)
}

function largestRow(liquid: Liquid, job: PictureJob, row: i32): void {
  const from = job.from
  const to = job.to
  const links = job.links
  const step = stepOf(liquid, job.axis)
  const lowerBit = 1 << (2 * job.axis)
  const upperBit = 2 << (2 * job.axis)
  const end = (row + 1) * liquid.nx
  for (let cell = row * liquid.nx; cell < end; ) {
    const stop = min(end, cell + 16)
    if (stop - cell == 16 && haveLinks(links + <usize>cell, lowerBit | upperBit)) {
      for (; cell < stop; cell += 4) {
        const at = from + ((<usize>cell) << 2)
        v128.store(to + ((<usize>cell) << 2), f32x4.max(v128.load(at), f32x4.max(v128.load(at - step), v128.load(at + step))))
      }
      continue
    }
    for (; cell < stop; cell += 4) {
      const at = from + ((<usize>cell) << 2)
      const own = v128.load(at)
      const four = fourLinks(links + <usize>cell)
      const lower = linked(at, own, -step, four, lowerBit)
      const upper = linked(at, own, step, four, upperBit)
      storeFour(to + ((<usize>cell) << 2), f32x4.max(own, f32x4.max(lower, upper)), end - cell)
    }
  }
}

/** (1, 2, 1)/4 along `axis`. */
@piece
export function smoothPiece(piece: i32): void {
  const liquid = current()
  const job = picture()
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) if (!isAway(job, row)) smoothRow(liquid, job, row)
}

function smoothRow(liquid: Liquid, job: PictureJob, row: i32): void {
  const from = job.from
  const to = job.to
  const links = job.links
  const step = stepOf(liquid, job.axis)
  const lowerBit = 1 << (2 * job.axis)
  const upperBit = 2 << (2 * job.axis)
  const end = (row + 1) * liquid.nx
  for (let cell = row * liquid.nx; cell < end; ) {
    const stop = min(end, cell + 16)
    if (stop - cell == 16 && haveLinks(links + <usize>cell, lowerBit | upperBit)) {
      for (; cell < stop; cell += 4) {
        const at = from + ((<usize>cell) << 2)
        v128.store(to + ((<usize>cell) << 2), mean(v128.load(at), v128.load(at - step), v128.load(at + step)))
      }
      continue
    }
    for (; cell < stop; cell += 4) {
      const at = from + ((<usize>cell) << 2)
      const own = v128.load(at)
      const four = fourLinks(links + <usize>cell)
      const lower = linked(at, own, -step, four, lowerBit)
      const upper = linked(at, own, step, four, upperBit)
      storeFour(to + ((<usize>cell) << 2), mean(own, lower, upper), end - cell)
    }
  }
}

@inline
function mean(own: v128, lower: v128, upper: v128): v128 {
  return f32x4.add(f32x4.mul(f32x4.splat(0.5), own), f32x4.mul(f32x4.splat(0.25), f32x4.add(lower, upper)))
}

/** Sums of `limitPiece`: volume that was gained and area, of thick and of thin liquid. */
export const GAINED_THICK: usize = 0
export const AREA_THICK: usize = 1
export const GAINED_THIN: usize = 2
export const AREA_THIN: usize = 3

/** `surface` from what was smoothed once and twice; depths in `weight` become weights. */
@piece
export function limitPiece(piece: i32): void {
  const liquid = current()
  const job = picture()
  const sums = changetype<VolumeSums>(liquid.scratch + <usize>(piece * SURFACE_SCRATCH))
  memory.fill(changetype<usize>(sums), 0, offsetof<VolumeSums>())
  const first = firstCell(liquid, piece)
  const end = endCell(liquid, piece)
  // In fours from the first cell of the piece on, across rows: the order of the sums.
  for (let cell = first; cell < end; cell += 4) {
    const offset = (<usize>cell) << 2
    const own = v128.load(job.wide + offset)
    const isNear = f32x4.lt(f32x4.abs(own), f32x4.splat(<f32>SMOOTHED_NEAR))
    if (!v128.any_true(isNear)) {
      storeFour(job.surface + offset, own, end - cell)
      continue
    }
    const w = weightsOf(v128.load(job.weight + offset))
    const now = v128.bitselect(limited(own, w, offset), own, isNear)
    storeFour(job.weight + offset, w, end - cell)
    storeFour(job.surface + offset, now, end - cell)
    // What is not near has no weights, and what follows the end belongs to another piece.
    addVolumes(sums, v128.and(w, v128.and(isNear, before(end - cell))), own, now)
  }
  setSum(piece, GAINED_THICK, sums.gainedThick0 + sums.gainedThick1)
  setSum(piece, AREA_THICK, sums.areaThick0 + sums.areaThick1)
  setSum(piece, GAINED_THIN, sums.gainedThin0 + sums.gainedThin1)
  setSum(piece, AREA_THIN, sums.areaThin0 + sums.areaThin1)
}

/** Two of each: of the first and third of every four values, and of the second and fourth. */
@unmanaged
class VolumeSums {
  gainedThick0: f64
  gainedThick1: f64
  areaThick0: f64
  areaThick1: f64
  gainedThin0: f64
  gainedThin1: f64
  areaThin0: f64
  areaThin1: f64
}

@inline
function addVolumes(sums: VolumeSums, thick: v128, own: v128, now: v128): void {
  const at = changetype<usize>(sums)
  const thin = thinShares(thick)
  const gained = f32x4.sub(filled(now), filled(own))
  const steep = steepness(now)
  addPairs(at + offsetof<VolumeSums>('gainedThick0'), f32x4.mul(thick, gained))
  addPairs(at + offsetof<VolumeSums>('areaThick0'), f32x4.mul(f32x4.mul(thick, thick), steep))
  addPairs(at + offsetof<VolumeSums>('gainedThin0'), f32x4.mul(thin, gained))
  addPairs(at + offsetof<VolumeSums>('areaThin0'), f32x4.mul(f32x4.mul(thin, thin), steep))
}

@inline
function weightsOf(depth: v128): v128 {
  const beyond = f32x4.div(f32x4.sub(depth, f32x4.splat(<f32>THIN_DEPTH)), f32x4.splat(<f32>(THICK - THIN_DEPTH)))
  const share = f32x4.max(f32x4.splat(0), f32x4.min(f32x4.splat(1), beyond))
  const twice = f32x4.mul(f32x4.splat(2), share)
  return f32x4.mul(f32x4.mul(share, share), f32x4.sub(f32x4.splat(3), twice))
}

@inline
function limited(own: v128, w: v128, offset: usize): v128 {
  const most = f32x4.splat(<f32>MAX_SMOOTHED)
  const twice = v128.load(picture().twice + offset)
  const target = f32x4.sub(f32x4.mul(f32x4.splat(2), v128.load(picture().once + offset)), twice)
  const change = f32x4.min(f32x4.mul(w, f32x4.sub(target, own)), most)
  const ofAir = f32x4.max(change, f32x4.neg(most))
  const share = f32x4.add(f32x4.splat(<f32>THIN_LOSS), f32x4.mul(f32x4.splat(<f32>THICK_LOSS), w))
  const ofThin = f32x4.min(change, f32x4.mul(f32x4.neg(own), share))
  const ofLiquid = v128.bitselect(ofThin, change, f32x4.lt(w, f32x4.splat(<f32>SURELY_THICK)))
  const isLiquid = f32x4.lt(own, f32x4.splat(0))
  return f32x4.add(own, v128.bitselect(ofLiquid, ofAir, isLiquid))
}

/** All bits of the first `count` lanes. */
@inline
function before(count: i32): v128 {
  return i32x4.gt_s(i32x4.splat(count), i32x4(0, 1, 2, 3))
}

@inline
function thinShares(w: v128): v128 {
  return f32x4.mul(f32x4.mul(f32x4.splat(4), w), f32x4.sub(f32x4.splat(1), w))
}

@inline
function filled(distance: v128): v128 {
  const half = f32x4.mul(f32x4.splat(0.5), f32x4.sub(f32x4.splat(1), distance))
  const t = f32x4.max(f32x4.splat(0), f32x4.min(f32x4.splat(1), half))
  return f32x4.mul(f32x4.mul(t, t), f32x4.sub(f32x4.splat(3), f32x4.mul(f32x4.splat(2), t)))
}

@inline
function steepness(distance: v128): v128 {
  const inner = f32x4.sub(f32x4.splat(1), f32x4.mul(distance, distance))
  return f32x4.max(f32x4.splat(0), f32x4.mul(f32x4.splat(0.75), inner))
}

@inline
function addPairs(sums: usize, values: v128): void {
  const low = f64x2.promote_low_f32x4(values)
  const high = f64x2.promote_low_f32x4(v128.shuffle<i32>(values, values, 2, 3, 2, 3))
  v128.store(sums, f64x2.add(v128.load(sums), f64x2.add(low, high)))
}

/** Shifts the surface of thick and of thin liquid. */
@piece
export function shiftPiece(piece: i32): void {
  const liquid = current()
  const job = picture()
  const thickShift = f32x4.splat(job.thickShift)
  const thinShift = f32x4.splat(job.thinShift)
  const end = endCell(liquid, piece)
  for (let cell = firstCell(liquid, piece); cell < end; cell += 4) {
    const offset = (<usize>cell) << 2
    const isNear = f32x4.lt(f32x4.abs(v128.load(job.wide + offset)), f32x4.splat(<f32>SMOOTHED_NEAR))
    if (!v128.any_true(isNear)) continue
    const w = v128.load(job.weight + offset)
    const own = v128.load(job.surface + offset)
    const shift = f32x4.add(f32x4.mul(thickShift, w), f32x4.mul(thinShift, thinShares(w)))
    storeFour(job.surface + offset, v128.bitselect(f32x4.add(own, shift), own, isNear), end - cell)
  }
}
