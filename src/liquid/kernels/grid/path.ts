/** The velocity of paths, bit for bit as plain/grid/path.ts, which explains it. Four faces in a row at a time. */
import { NO_VELOCITY, SLIVER } from '../../shared-constants'
import { DRY } from '../../../pressure/cell-kinds'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { counting, mixTwo } from './interpolate-four'
import { fourInWalls } from './in-walls'
import { byAxis, byteAt, CELLS, cellStep, endRow, f32At, f64At, firstRow, LiquidJob, planeRows, rowLength } from './rows'
import { atX, atY, atZ, locate, mixX, mixY, mixZ, Places, placesOf } from './velocity'

@unmanaged
export class PathJob extends LiquidJob {
  /** Displacement in cells at 1 m/s in half a substep. */
  scale: f32
  /** Pa. */
  allowance: f64
}

/** Share of the kick that every cell was given, f32, in `displacementX`. */
@piece
export function sharePiece(piece: i32): void {
  const job = jobOf<PathJob>()
  const liquid = job.liquid
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  for (let cell = firstRow(liquid, CELLS, piece) * liquid.nx; cell < end; cell++) {
    // Of four dry cells.
    if (cell + 4 <= end && load<u32>(liquid.kind + <usize>cell) == 0) {
      v128.store(liquid.displacementX + ((<usize>cell) << 2), f32x4.splat(1))
      cell += 3
      continue
    }
    let share: f32 = 1
    if (byteAt(liquid.kind, cell) != DRY) {
      const kick = abs(f64At(liquid.kickPressure, cell))
      const solved = abs(f64At(liquid.pressure, cell))
      if (!(kick >= solved)) share = <f32>((kick + job.allowance) / (solved + job.allowance))
    }
    store<f32>(liquid.displacementX + ((<usize>cell) << 2), share)
  }
}

/** Reads `beforeX` …, the velocity after the kick, and writes `ux` … where it is known or extrapolated. */
@piece
export function pathPiece(piece: i32): void {
  const liquid = jobOf<PathJob>().liquid
  const places = changetype<Places>(placesOf(liquid, piece))
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const j = row % rows
      const k = row / rows
      const isInside = j > 0 && j < liquid.ny - 1 && (liquid.dims == 2 || (k > 0 && k < liquid.nz - 1))
      for (let i = 0; i < length; i += 4) {
        const marks = load<u32>(layer + <usize>(row * length + i))
        // In the last group there may be marks of the next row.
        if (marks == 0xffffffff) continue
        if (liquid.hasSolids && !hasZero(marks) && areDeep(liquid, axis, row, i)) continue
        const areInside = isInside && i > 0 && i + 4 < liquid.nx
        goBack(liquid, places, axis, i, j, k, areInside)
        if (marks != 0) storeExtrapolated(liquid, places, axis, row, i, velocityThere(liquid, places, axis))
        if (!hasZero(marks)) continue
        goBackAgain(liquid, places, axis, i, j, k)
        const there = velocityThere(liquid, places, axis)
        if (marks == 0 && areInside) storeFour(liquid, axis, row * length + i, i, j, k, there)
        else storeKnownOf(liquid, axis, row, i, j, k, there)
      }
    }
  }
}

/** Whether one of four bytes is 0. */
@inline
function hasZero(bytes: u32): bool {
  return ((bytes - 0x01010101) & ~bytes & 0x80808080) != 0
}

/** Whether no particle can reach any of four faces, because they are deep in solids. */
@inline
function areDeep(liquid: Liquid, axis: i32, row: i32, i: i32): bool {
  if (fourInWalls(liquid, axis, row, i) != 0) return false
  const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ) + ((<usize>(row * rowLength(liquid, axis) + i)) << 2)
  return v128.all_true<i32>(f32x4.le(v128.load(open), f32x4.splat(<f32>SLIVER)))
}

/** Finds the places that the velocities of four faces lead back to. `areInside`: none of them is at a side. */
@inline
function goBack(liquid: Liquid, places: Places, axis: i32, i: i32, j: i32, k: i32, areInside: bool): void {
  let u: v128
  let v: v128
  let w: v128
  if (areInside) {
    u = meanX(liquid, axis, i, j, k)
    v = meanY(liquid, axis, i, j, k)
    w = meanZ(liquid, axis, i, j, k)
  } else {
    goTo(places, liquid, axis, i, j, k, f32x4.splat(0), f32x4.splat(0), f32x4.splat(0))
    u = mixX(liquid, places, liquid.beforeX, true)
    v = mixY(liquid, places, liquid.beforeY, true)
    w = mixZ(liquid, places, liquid.beforeZ, true)
  }
  goTo(places, liquid, axis, i, j, k, u, v, w)
}

/** Finds the places that the velocities at the places found before lead back to from four faces. */
@inline
function goBackAgain(liquid: Liquid, places: Places, axis: i32, i: i32, j: i32, k: i32): void {
  const u = mixX(liquid, places, liquid.beforeX, true)
  const v = mixY(liquid, places, liquid.beforeY, true)
  const w = mixZ(liquid, places, liquid.beforeZ, true)
  goTo(places, liquid, axis, i, j, k, u, v, w)
}

/** Finds the places from which the velocity u, v, w leads to four faces. */
function goTo(places: Places, liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, u: v128, v: v128, w: v128): void {
  const back = f32x4.splat(-jobOf<PathJob>().scale)
  const x = f32x4.add(counting(<f32>i + (axis == 0 ? 0 : 0.5)), f32x4.mul(u, back))
  const y = f32x4.add(f32x4.splat(<f32>j + (axis == 1 ? 0 : 0.5)), f32x4.mul(v, back))
  locate(places, liquid, x, y, f32x4.add(f32x4.splat(<f32>k + (axis == 2 ? 0 : 0.5)), f32x4.mul(w, back)))
}

/** Velocity along the axis at the four places. */
function velocityThere(liquid: Liquid, places: Places, axis: i32): v128 {
  if (axis == 0) return mixX(liquid, places, liquid.beforeX, true)
  return axis == 1 ? mixY(liquid, places, liquid.beforeY, true) : mixZ(liquid, places, liquid.beforeZ, true)
}

// Velocities along x, y and z on four faces of an axis: their own, or the mean of the four faces around, with the bits of `mixX` … .

@inline
function meanX(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): v128 {
  const row = j - i32(axis == 1) + liquid.ny * (k - i32(axis == 2))
  const at = liquid.beforeX + ((<usize>(i + (liquid.nx + 1) * row)) << 2)
  return axis == 0 ? v128.load(at) : meanOf(at, axis == 1 ? liquid.rowX : liquid.planeX, 4)
}

@inline
function meanY(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): v128 {
  const row = j + (liquid.ny + 1) * (k - i32(axis == 2))
  const at = liquid.beforeY + ((<usize>(i - i32(axis == 0) + liquid.nx * row)) << 2)
  return axis == 1 ? v128.load(at) : meanOf(at, liquid.rowY, axis == 0 ? 4 : liquid.planeY)
}

/** 0 in 2D. */
@inline
function meanZ(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): v128 {
  if (liquid.dims == 2) return f32x4.splat(0)
  const row = j - i32(axis == 1) + liquid.ny * k
  const at = liquid.beforeZ + ((<usize>(i - i32(axis == 0) + liquid.nx * row)) << 2)
  if (axis == 2) return v128.load(at)
  return axis == 0 ? meanOf(at, liquid.planeZ, 4) : meanOf(at, liquid.rowZ, liquid.planeZ)
}

@inline
function meanOf(at: usize, first: usize, second: usize): v128 {
  const half = f32x4.splat(0.5)
  const lower = mixTwo(v128.load(at), v128.load(at + first), half)
  return mixTwo(lower, mixTwo(v128.load(at + second), v128.load(at + second + first), half), half)
}

/** Four known faces between cells. */
@inline
function storeFour(liquid: Liquid, axis: i32, face: i32, i: i32, j: i32, k: i32, there: v128): void {
  const at = (<usize>face) << 2
  const cell = liquid.displacementX + ((<usize>(i + liquid.nx * (j + liquid.ny * k))) << 2)
  const share = f32x4.pmin(v128.load(cell), v128.load(cell - ((<usize>cellStep(liquid, axis)) << 2)))
  const start = v128.load(byAxis(axis, liquid.startX, liquid.startY, liquid.startZ) + at)
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + (at << 1)
  storeTwo(u, start, share, there)
  storeTwo(u + 16, upperHalf(start), upperHalf(share), upperHalf(there))
}

@inline
function upperHalf(four: v128): v128 {
  return v128.shuffle<i32>(four, four, 2, 3, 2, 3)
}

/** By the lower two lanes. */
@inline
function storeTwo(u: usize, start: v128, share: v128, there: v128): void {
  const from = f64x2.promote_low_f32x4(start)
  const way = f64x2.sub(f64x2.promote_low_f32x4(there), from)
  v128.store(u, f64x2.add(from, f64x2.mul(f64x2.promote_low_f32x4(share), way)))
}

/** Those of four faces that are known. */
@inline
function storeKnownOf(liquid: Liquid, axis: i32, row: i32, i: i32, j: i32, k: i32, found: v128): void {
  const first = row * rowLength(liquid, axis) + i
  const count = min(4, rowLength(liquid, axis) - i)
  let there = found
  for (let n = 0; n < count; n++, there = v128.shuffle<i32>(there, there, 1, 2, 3, 0)) {
    const mark = byteAt(byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ), first + n)
    const at = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>(first + n)) << 3)
    if (mark == 0) storeKnown(liquid, axis, first + n, i + n, j, k, at, f32x4.extract_lane(there, 0))
  }
}

/** Those of four faces that are extrapolated. */
@inline
function storeExtrapolated(liquid: Liquid, places: Places, axis: i32, row: i32, i: i32, found: v128): void {
  const first = row * rowLength(liquid, axis) + i
  const count = min(4, rowLength(liquid, axis) - i)
  const inWalls = liquid.hasSolids ? fourInWalls(liquid, axis, row, i) : 15
  let there = found
  for (let n = 0; n < count; n++, there = v128.shuffle<i32>(there, there, 1, 2, 3, 0)) {
    const mark = byteAt(byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ), first + n)
    const at = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>(first + n)) << 3)
    if (mark != 0 && mark != NO_VELOCITY && ((inWalls >> n) & 1 || isWide(liquid, axis, first + n))) {
      // Where nothing is known the face keeps its own velocity.
      if (isReached(liquid, places, axis, n)) store<f64>(at, <f64>f32x4.extract_lane(there, 0))
    }
  }
}

@inline
function isWide(liquid: Liquid, axis: i32, face: i32): bool {
  return f32At(byAxis(axis, liquid.openX, liquid.openY, liquid.openZ), face) > <f32>SLIVER
}

/** Stores the velocity of one known face at `at`, of which `there` is the velocity half a substep before it on its path. */
@inline
function storeKnown(liquid: Liquid, axis: i32, face: i32, i: i32, j: i32, k: i32, at: usize, there: f32): void {
  const start = <f64>f32At(byAxis(axis, liquid.startX, liquid.startY, liquid.startZ), face)
  store<f64>(at, start + <f64>shareOfFace(liquid, axis, i, j, k) * (<f64>there - start))
}

/** Whether velocities are known or extrapolated at two opposite corners of where `locate` has found a lane. */
@inline
function isReached(liquid: Liquid, places: Places, axis: i32, lane: i32): bool {
  const offsets = axis == 0 ? atX(places) : axis == 1 ? atY(places) : atZ(places)
  const row = byAxis(axis, liquid.rowX, liquid.rowY, liquid.rowZ)
  const plane = byAxis(axis, liquid.planeX, liquid.planeY, liquid.planeZ)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>load<i32>(offsets + ((<usize>lane) << 2)) / 4
  const beside = <usize>(rowLength(liquid, axis) > 1)
  return load<u8>(layer) != NO_VELOCITY && load<u8>(layer + beside + (row + plane) / 4) != NO_VELOCITY
}

/** The smaller share of the cells on both sides. */
@inline
function shareOfFace(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const position = axis == 0 ? i : axis == 1 ? j : k
  const size = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  const above = i + liquid.nx * (j + liquid.ny * k)
  const upper: f32 = position < size ? f32At(liquid.displacementX, above) : 1
  return position > 0 ? min<f32>(upper, f32At(liquid.displacementX, above - cellStep(liquid, axis))) : upper
}
