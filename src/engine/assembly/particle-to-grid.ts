/** From particles to faces: weight and momentum of every particle are added to the eight faces around it on each axis, and momentum is
 *  divided by weight. Chunks of slabs with even number go first, then the odd ones: two of a kind never write to the same face, and sums
 *  are added in the same order for any number of threads. APIC (Jiang and others 2015) adds each particle's velocity gradient. */
import { pointer, setPointer } from './jobs'
import { Liquid } from './liquid'
import { BEYOND } from './liquid-project'
import { CLEAR_PAIRS, DIVIDE_MOMENTUM, SCATTER } from './particle-pieces'
import { across, along, integers, lowerAcross, lowerAlong, planeX, planeY, planeZ, rowX, rowY, rowZ, sizes } from './particle-weights'
import { run } from './pool'

/** Pieces for loops over all faces of an axis. */
export const FACE_PIECES: i32 = 64

export function particlesToGrid(liquid: Liquid): void {
  setPointer(0, changetype<usize>(liquid))
  run(CLEAR_PAIRS, FACE_PIECES)
  setPointer(1, 0)
  run(SCATTER, (liquid.chunkCount + 1) / 2)
  setPointer(1, 1)
  run(SCATTER, liquid.chunkCount / 2)
  run(DIVIDE_MOMENTUM, FACE_PIECES)
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

export function clearPairsChunk(piece: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  for (let axis = 0; axis < liquid.dims; axis++) {
    const faces = facesOf(liquid, axis)
    const from = faceStart(faces, piece)
    const pairs = axis == 0 ? liquid.pairX : axis == 1 ? liquid.pairY : liquid.pairZ
    memory.fill(pairs + (from << 3), 0, (faceStart(faces, piece + 1) - from) << 3)
  }
}

export function scatterChunk(piece: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  const first = (2 * piece + <i32>pointer(1)) * liquid.chunkSlabs
  const last = min(liquid.slabs, first + liquid.chunkSlabs)
  const start = load<i32>(liquid.slabStart + (<usize>first << 2))
  const end = load<i32>(liquid.slabStart + (<usize>last << 2))
  if (liquid.affine) scatterAffine(liquid, start, end)
  else scatterPlain(liquid, start, end)
}

/** (1, 1, 0, 0) + f · (−1, −1, 1, 1), with every second lane times u: weight and momentum for the lower and the upper face along x. */
@inline
function rowOf(f: f32, factors: v128): v128 {
  return f32x4.mul(factors, f32x4.add(f32x4(1, 1, 0, 0), f32x4.mul(f32x4.splat(f), f32x4(-1, -1, 1, 1))))
}

@inline
function factorsOf(u: f32): v128 {
  return v128.bitselect(f32x4.splat(u), f32x4.splat(1), i32x4(0, -1, 0, -1))
}

@inline
function addRow(at: usize, row: v128, weight: f32): void {
  v128.store(at, f32x4.add(v128.load(at), f32x4.mul(row, f32x4.splat(weight))))
}

@inline
function addAll(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32, u: f32): void {
  const values = rowOf(fx, factorsOf(u))
  addRow(at, values, (1 - fy) * (1 - fz))
  addRow(at + row, values, fy * (1 - fz))
  if (plane == 0) return
  addRow(at + plane, values, (1 - fy) * fz)
  addRow(at + row + plane, values, fy * fz)
}

function scatterPlain(liquid: Liquid, start: i32, end: i32): void {
  const size = sizes(liquid)
  const nx = <usize>liquid.nx
  const ny = <usize>liquid.ny
  const strideRowX = rowX(liquid)
  const stridePlaneX = planeX(liquid)
  const strideRowY = rowY(liquid)
  const stridePlaneY = planeY(liquid)
  const strideRowZ = rowZ(liquid)
  const stridePlaneZ = planeZ(liquid)
  const solid = liquid.dims == 3
  for (let n = start; n < end; n++) {
    const at = <usize>n << 2
    const position = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
    const a = along(position, size)
    const c = across(position, size)
    const la = lowerAlong(a, size)
    const lc = lowerAcross(c, size)
    const ia = integers(la)
    const ic = integers(lc)
    const fa = f32x4.sub(a, la)
    const fc = f32x4.sub(c, lc)
    const ax = <usize>i32x4.extract_lane(ia, 0)
    const ay = <usize>i32x4.extract_lane(ia, 1)
    const cx = <usize>i32x4.extract_lane(ic, 0)
    const cy = <usize>i32x4.extract_lane(ic, 1)
    const cz = <usize>i32x4.extract_lane(ic, 2)
    const fcx = f32x4.extract_lane(fc, 0)
    const fcy = f32x4.extract_lane(fc, 1)
    const fcz = f32x4.extract_lane(fc, 2)
    const x = liquid.pairX + ((ax + (nx + 1) * (cy + ny * cz)) << 3)
    addAll(x, strideRowX, stridePlaneX, f32x4.extract_lane(fa, 0), fcy, fcz, load<f32>(liquid.vx + at))
    const y = liquid.pairY + ((cx + nx * (ay + (ny + 1) * cz)) << 3)
    addAll(y, strideRowY, stridePlaneY, fcx, f32x4.extract_lane(fa, 1), fcz, load<f32>(liquid.vy + at))
    if (!solid) continue
    const az = <usize>i32x4.extract_lane(ia, 2)
    const z = liquid.pairZ + ((cx + nx * (cy + ny * az)) << 3)
    addAll(z, strideRowZ, stridePlaneZ, fcx, fcy, f32x4.extract_lane(fa, 2), load<f32>(liquid.vz + at))
  }
}

/** One row of faces with a velocity that grows by `slope` from the lower to the upper face. */
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
  const room = <usize>liquid.capacity << 2
  // Gradients are in 1/s, coordinates in cells.
  const h = <f32>liquid.spacing
  for (let n = start; n < end; n++) {
    const at = <usize>n << 2
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
    addAffine(x, rowX(liquid), planeX(liquid), f32x4.extract_lane(fa, 0), fcy, fcz, load<f32>(liquid.vx + at),
      h * load<f32>(gradient), h * load<f32>(gradient + room), h * load<f32>(gradient + 2 * room))
    const y = liquid.pairY + ((cx + nx * (<usize>i32x4.extract_lane(ia, 1) + (ny + 1) * cz)) << 3)
    addAffine(y, rowY(liquid), planeY(liquid), fcx, f32x4.extract_lane(fa, 1), fcz, load<f32>(liquid.vy + at),
      h * load<f32>(gradient + 3 * room), h * load<f32>(gradient + 4 * room), h * load<f32>(gradient + 5 * room))
    if (liquid.dims == 2) continue
    const z = liquid.pairZ + ((cx + nx * (cy + ny * <usize>i32x4.extract_lane(ia, 2))) << 3)
    addAffine(z, rowZ(liquid), planeZ(liquid), fcx, fcy, f32x4.extract_lane(fa, 2), load<f32>(liquid.vz + at),
      h * load<f32>(gradient + 6 * room), h * load<f32>(gradient + 7 * room), h * load<f32>(gradient + 8 * room))
  }
}

/** Less weight than this says nothing about a velocity. */
const MIN_WEIGHT: f32 = 1e-4

/** Velocity = momentum / weight; layer 0 where there is weight, 255 and velocity 0 elsewhere. */
export function divideChunk(piece: i32): void {
  const liquid = changetype<Liquid>(pointer(0))
  for (let axis = 0; axis < liquid.dims; axis++) {
    const faces = facesOf(liquid, axis)
    const end = faceStart(faces, piece + 1)
    const pairs = axis == 0 ? liquid.pairX : axis == 1 ? liquid.pairY : liquid.pairZ
    const u = axis == 0 ? liquid.ux : axis == 1 ? liquid.uy : liquid.uz
    const layer = axis == 0 ? liquid.layerX : axis == 1 ? liquid.layerY : liquid.layerZ
    let face = faceStart(faces, piece)
    for (; face + 8 <= end; face += 8) {
      // Most of the grid is out of reach.
      if (!isReached(pairs + (face << 3))) {
        clear(u + (face << 3))
        store<u64>(layer + face, u64.MAX_VALUE)
        continue
      }
      const low = divideFour(pairs + (face << 3), u + (face << 3))
      const high = divideFour(pairs + (face << 3) + 32, u + (face << 3) + 32)
      const isKnown = v128.narrow<i32>(low, high)
      v128.store64_lane(layer + face, v128.not(v128.narrow<i16>(isKnown, isKnown)), 0)
    }
    for (; face < end; face++) {
      const weight = load<f32>(pairs + (face << 3))
      const isKnown = weight > MIN_WEIGHT
      store<f64>(u + (face << 3), isKnown ? <f64>(load<f32>(pairs + (face << 3), 4) / weight) : 0)
      store<u8>(layer + face, isKnown ? 0 : BEYOND)
    }
  }
}

/** Returns in which lanes there is weight. */
@inline
function divideFour(pairs: usize, u: usize): v128 {
  const low = v128.load(pairs)
  const high = v128.load(pairs, 16)
  const weight = v128.shuffle<i32>(low, high, 0, 2, 4, 6)
  const isKnown = v128.gt<f32>(weight, v128.splat<f32>(MIN_WEIGHT))
  const velocity = v128.and(v128.div<f32>(v128.shuffle<i32>(low, high, 1, 3, 5, 7), weight), isKnown)
  v128.store(u, f64x2.promote_low_f32x4(velocity))
  v128.store(u, f64x2.promote_low_f32x4(v128.shuffle<i64>(velocity, velocity, 1, 0)), 16)
  return isKnown
}

/** Sixty-four bytes. */
@inline
export function clear(at: usize): void {
  const zero = v128.splat<i32>(0)
  v128.store(at, zero)
  v128.store(at, zero, 16)
  v128.store(at, zero, 32)
  v128.store(at, zero, 48)
}

/** Is any of sixty-four bytes not 0? */
@inline
export function isReached(at: usize): bool {
  return v128.any_true(v128.or(v128.or(v128.load(at), v128.load(at, 16)), v128.or(v128.load(at, 32), v128.load(at, 48))))
}
