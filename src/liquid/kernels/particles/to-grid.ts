/** From particles to faces: weight and momentum of every particle are added to the eight faces around it on each axis, and momentum is divided
 *  by weight (divide.ts). Pieces with even numbers go first, then those with odd numbers: two of a kind never write to the same face, and sums
 *  have the same order for any number of threads. APIC (Jiang and others 2015) adds each particle's velocity gradient. */
import { clearPairsPiece, dividePiece, findOccupiedPiece } from './divide'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { LiquidJob } from '../grid/rows'
import { atX, atY, atZ, BATCH, locate, Places, PLACES, placesOf } from '../grid/velocity'
import { across, along, integers, lowerAcross, lowerAlong, sizes } from './weights'
import { run, runInOrder } from '../../../machine/kernels/pool'

/** Pieces for loops over all faces of an axis. */
export const FACE_PIECES: i32 = 64

@unmanaged
class ScatterJob extends LiquidJob {
  /** 0: pieces of the grid with even numbers, 1: with odd numbers. */
  parity: i32
}

export function particlesToGrid(liquid: Liquid): void {
  const job = jobOf<ScatterJob>()
  job.liquid = liquid
  run(findOccupiedPiece, liquid.pieceCount)
  run(clearPairsPiece, liquid.pieceCount)
  // There are few pieces, and those in the middle have most particles: run from both ends, they would come last.
  job.parity = 0
  runInOrder(scatterPiece, (liquid.pieceCount + 1) / 2)
  job.parity = 1
  runInOrder(scatterPiece, liquid.pieceCount / 2)
  run(dividePiece, liquid.pieceCount)
}

@inline
export function facesOf(liquid: Liquid, axis: i32): i32 {
  if (axis == 0) return (liquid.nx + 1) * liquid.ny * liquid.nz
  if (axis == 1) return liquid.nx * (liquid.ny + 1) * liquid.nz
  return liquid.nx * liquid.ny * (liquid.nz + 1)
}

@inline
export function faceStart(faces: i32, piece: i32): usize {
  return <usize>((<i64>faces * <i64>piece) / FACE_PIECES)
}

@piece
export function scatterPiece(piece: i32): void {
  const job = jobOf<ScatterJob>()
  const liquid = job.liquid
  const starts = liquid.binStart + ((<usize>(2 * piece + job.parity)) << 2)
  const start = load<i32>(starts)
  const end = load<i32>(starts, 4)
  if (liquid.affine) scatterAffine(liquid, start, end)
  else scatterPlain(liquid, start, end, placesOf(liquid, piece))
}

/** A batch is located before any of it is added, so that adding does not wait for positions. */
function scatterPlain(liquid: Liquid, start: i32, end: i32, batch: usize): void {
  for (let first = start; first < end; first += 4 * BATCH) {
    const stop = min(end, first + 4 * BATCH)
    let places = batch
    for (let n = first; n < stop; n += 4, places += PLACES) {
      const at = (<usize>n) << 2
      locate(changetype<Places>(places), liquid, v128.load(liquid.px + at), v128.load(liquid.py + at), v128.load(liquid.pz + at))
    }
    places = batch
    for (let n = first; n < stop; n += 4, places += PLACES)
      addParticles(liquid, changetype<Places>(places), (<usize>n) << 2, min(4, stop - n))
  }
}

/** Adds the first `count` of four particles to the faces of all axes; `at`: bytes from the first particle. */
@inline
function addParticles(liquid: Liquid, places: Places, at: usize, count: i32): void {
  const u = v128.load(liquid.vx + at)
  const v = v128.load(liquid.vy + at)
  addFour(
    liquid.pairX,
    atX(places),
    liquid.rowX << 1,
    liquid.planeX << 1,
    places.alongX,
    places.acrossY,
    places.acrossZ,
    u,
    count,
  )
  addFour(
    liquid.pairY,
    atY(places),
    liquid.rowY << 1,
    liquid.planeY << 1,
    places.acrossX,
    places.alongY,
    places.acrossZ,
    v,
    count,
  )
  if (liquid.dims == 2) return
  const w = v128.load(liquid.vz + at)
  addFour(
    liquid.pairZ,
    atZ(places),
    liquid.rowZ << 1,
    liquid.planeZ << 1,
    places.acrossX,
    places.acrossY,
    places.alongZ,
    w,
    count,
  )
}

/** Adds weights and, with velocities `u`, momenta of the first `count` of four particles to the faces around them. */
@inline
function addFour(pairs: usize, at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128, u: v128, count: i32): void {
  const one = f32x4.splat(1)
  const gx = f32x4.sub(one, fx)
  const gy = f32x4.sub(one, fy)
  const gz = f32x4.sub(one, fz)
  // Weight and momentum for the lower and the upper face along x, of each particle.
  const lower = f32x4.mul(u, gx)
  const upper = f32x4.mul(u, fx)
  const lowAB = v128.shuffle<i32>(gx, lower, 0, 4, 1, 5)
  const lowCD = v128.shuffle<i32>(gx, lower, 2, 6, 3, 7)
  const highAB = v128.shuffle<i32>(fx, upper, 0, 4, 1, 5)
  const highCD = v128.shuffle<i32>(fx, upper, 2, 6, 3, 7)
  const w00 = f32x4.mul(gy, gz)
  const w10 = f32x4.mul(fy, gz)
  const w01 = f32x4.mul(gy, fz)
  const w11 = f32x4.mul(fy, fz)
  // One after the other, because particles share faces.
  addRows(
    pairs + (load<usize>(at) << 1),
    row,
    plane,
    v128.shuffle<i64>(lowAB, highAB, 0, 2),
    v128.shuffle<i32>(w00, w00, 0, 0, 0, 0),
    v128.shuffle<i32>(w10, w10, 0, 0, 0, 0),
    v128.shuffle<i32>(w01, w01, 0, 0, 0, 0),
    v128.shuffle<i32>(w11, w11, 0, 0, 0, 0),
  )
  if (count == 1) return
  addRows(
    pairs + (load<usize>(at, 4) << 1),
    row,
    plane,
    v128.shuffle<i64>(lowAB, highAB, 1, 3),
    v128.shuffle<i32>(w00, w00, 1, 1, 1, 1),
    v128.shuffle<i32>(w10, w10, 1, 1, 1, 1),
    v128.shuffle<i32>(w01, w01, 1, 1, 1, 1),
    v128.shuffle<i32>(w11, w11, 1, 1, 1, 1),
  )
  if (count == 2) return
  addRows(
    pairs + (load<usize>(at, 8) << 1),
    row,
    plane,
    v128.shuffle<i64>(lowCD, highCD, 0, 2),
    v128.shuffle<i32>(w00, w00, 2, 2, 2, 2),
    v128.shuffle<i32>(w10, w10, 2, 2, 2, 2),
    v128.shuffle<i32>(w01, w01, 2, 2, 2, 2),
    v128.shuffle<i32>(w11, w11, 2, 2, 2, 2),
  )
  if (count == 3) return
  addRows(
    pairs + (load<usize>(at, 12) << 1),
    row,
    plane,
    v128.shuffle<i64>(lowCD, highCD, 1, 3),
    v128.shuffle<i32>(w00, w00, 3, 3, 3, 3),
    v128.shuffle<i32>(w10, w10, 3, 3, 3, 3),
    v128.shuffle<i32>(w01, w01, 3, 3, 3, 3),
    v128.shuffle<i32>(w11, w11, 3, 3, 3, 3),
  )
}

@inline
function addRows(at: usize, row: usize, plane: usize, values: v128, w00: v128, w10: v128, w01: v128, w11: v128): void {
  addRow(at, values, w00)
  addRow(at + row, values, w10)
  if (plane == 0) return
  addRow(at + plane, values, w01)
  addRow(at + row + plane, values, w11)
}

@inline
function addRow(at: usize, values: v128, weight: v128): void {
  v128.store(at, f32x4.add(v128.load(at), f32x4.mul(values, weight)))
}

/** (1, 1, 0, 0) + f · (−1, −1, 1, 1), times `factors`. */
@inline
function rowOf(f: f32, factors: v128): v128 {
  return f32x4.mul(factors, f32x4.add(f32x4(1, 1, 0, 0), f32x4.mul(f32x4.splat(f), f32x4(-1, -1, 1, 1))))
}

/** Adds to two faces along x, with a velocity that grows by `slope` from the lower to the upper one. */
@inline
function addAffineRow(at: usize, fx: f32, weight: f32, lower: f32, slope: f32): void {
  const weights = rowOf(fx, f32x4.splat(weight))
  v128.store(at, f32x4.add(v128.load(at), f32x4.mul(weights, f32x4(1, lower, 1, lower + slope))))
}

@inline
function addAffine(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32, u: f32, gx: f32, gy: f32, gz: f32): void {
  // Velocity at the lowest of the eight faces.
  const low = u - gx * fx - gy * fy - gz * fz
  addAffineRow(at, fx, (1 - fy) * (1 - fz), low, gx)
  addAffineRow(at + row, fx, fy * (1 - fz), low + gy, gx)
  if (plane == 0) return
  addAffineRow(at + plane, fx, (1 - fy) * fz, low + gz, gx)
  addAffineRow(at + row + plane, fx, fy * fz, low + gy + gz, gx)
}

function scatterAffine(liquid: Liquid, start: i32, end: i32): void {
  const size = sizes(liquid)
  const nx = <usize>liquid.nx
  const ny = <usize>liquid.ny
  const room = (<usize>liquid.capacity) << 2
  // Gradients are in 1/s, coordinates in cells.
  const h = <f32>liquid.spacing
  for (let n = start; n < end; n++) {
    const at = (<usize>n) << 2
    const position = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
    const a = along(position, size)
    const c = across(position, size)
    const la = lowerAlong(a, size)
    const lc = lowerAcross(c, size)
    const ia = integers(la)
    const ic = integers(lc)
    const fa = f32x4.sub(a, la)
    const fc = f32x4.sub(c, lc)
    const cx = <usize>i32x4.extract_lane(ic, 0)
    const cy = <usize>i32x4.extract_lane(ic, 1)
    const cz = <usize>i32x4.extract_lane(ic, 2)
    const fcx = f32x4.extract_lane(fc, 0)
    const fcy = f32x4.extract_lane(fc, 1)
    const fcz = f32x4.extract_lane(fc, 2)
    const gradient = liquid.affine + at
    const x = liquid.pairX + ((<usize>i32x4.extract_lane(ia, 0) + (nx + 1) * (cy + ny * cz)) << 3)
    addAffine(
      x,
      liquid.rowX << 1,
      liquid.planeX << 1,
      f32x4.extract_lane(fa, 0),
      fcy,
      fcz,
      load<f32>(liquid.vx + at),
      h * load<f32>(gradient),
      h * load<f32>(gradient + room),
      h * load<f32>(gradient + 2 * room),
    )
    const y = liquid.pairY + ((cx + nx * (<usize>i32x4.extract_lane(ia, 1) + (ny + 1) * cz)) << 3)
    addAffine(
      y,
      liquid.rowY << 1,
      liquid.planeY << 1,
      fcx,
      f32x4.extract_lane(fa, 1),
      fcz,
      load<f32>(liquid.vy + at),
      h * load<f32>(gradient + 3 * room),
      h * load<f32>(gradient + 4 * room),
      h * load<f32>(gradient + 5 * room),
    )
    if (liquid.dims == 2) continue
    const z = liquid.pairZ + ((cx + nx * (cy + ny * <usize>i32x4.extract_lane(ia, 2))) << 3)
    addAffine(
      z,
      liquid.rowZ << 1,
      liquid.planeZ << 1,
      fcx,
      fcy,
      f32x4.extract_lane(fa, 2),
      load<f32>(liquid.vz + at),
      h * load<f32>(gradient + 6 * room),
      h * load<f32>(gradient + 7 * room),
      h * load<f32>(gradient + 8 * room),
    )
  }
}

/** Clears 64 bytes. */
@inline
export function clear(at: usize): void {
  const zero = v128.splat<i32>(0)
  v128.store(at, zero)
  v128.store(at, zero, 16)
  v128.store(at, zero, 32)
  v128.store(at, zero, 48)
}

/** Whether any of 64 bytes is not 0. */
@inline
export function isReached(at: usize): bool {
  return v128.any_true(v128.or(v128.or(v128.load(at), v128.load(at, 16)), v128.or(v128.load(at, 32), v128.load(at, 48))))
}
