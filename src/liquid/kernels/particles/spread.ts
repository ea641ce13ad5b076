/** Particles drift together over many substeps, by converging flow and errors of interpolation. Where the cells around hold more particles than
 *  they have room for, particles are moved apart a little, down the slope of the excess. Velocities do not change, and nothing happens at the
 *  surface, where particles are few. */
import { LAYER } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { firstParticle, Liquid } from '../liquid'
import { mixTwo } from '../grid/interpolate-four'
import { byteAt, CELLS, endRow, f32At, firstRow, LiquidJob } from '../grid/rows'
import { atCentre, Places, two } from '../grid/velocity'
import { across, integers, lowerAcross } from './weights'
import { run } from '../../../machine/kernels/pool'

/** Cells that a particle is moved per unit of slope. One move removes about six times this share of the excess at most, in 3D. */
const SPREAD: f32 = 0.1
/** Largest displacement along an axis, in cells. */
const FARTHEST: f32 = 0.25

@unmanaged
class ExcessJob extends LiquidJob {
  /** Particles of a full cell. */
  perCell: f64
}

/** Particles must be sorted. */
export function findExcess(liquid: Liquid, perCell: f64): void {
  const job = jobOf<ExcessJob>()
  job.liquid = liquid
  job.perCell = perCell
  run(countCellsPiece, liquid.pieceCount)
  run(findExcessPiece, liquid.pieceCount)
}

/** Particles per cell; below the band, as many as would be there. Stored in `displacementX`, which is free until displacements are found. */
@piece
export function countCellsPiece(piece: i32): void {
  const job = jobOf<ExcessJob>()
  const liquid = job.liquid
  const perCell = <f32>job.perCell
  const full = f32x4.splat(perCell)
  const last = v128.splat<i32>(LAYER * liquid.band)
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  for (; cell + 4 <= end; cell += 4) {
    const depth = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(liquid.depth + <usize>cell)))
    const room = f32x4.mul(full, v128.load(liquid.openCell + ((<usize>cell) << 2)))
    const counts = v128.bitselect(room, countsAt(liquid, cell), v128.gt<i32>(depth, last))
    v128.store(liquid.displacementX + ((<usize>cell) << 2), counts)
  }
  for (; cell < end; cell++) {
    const isBelow = byteAt(liquid.depth, cell) > LAYER * liquid.band
    const count = isBelow
      ? perCell * f32At(liquid.openCell, cell)
      : <f32>(firstParticle(liquid, cell + 1) - firstParticle(liquid, cell))
    store<f32>(liquid.displacementX + ((<usize>cell) << 2), count)
  }
}

/** Share by which the particles of a cell and its neighbours, weighted 1 2 1 along every axis, exceed the room that solids leave; 0 if they
 *  do not, and in empty cells. */
@piece
export function findExcessPiece(piece: i32): void {
  const job = jobOf<ExcessJob>()
  const liquid = job.liquid
  const perCell = f32x4.splat(<f32>job.perCell)
  const nx = liquid.nx
  const ny = liquid.ny
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const excess = liquid.excess + ((<usize>(row * nx)) << 2)
    let i = 0
    for (; i + 4 <= nx; i += 4) {
      const cell = row * nx + i
      const isEmpty = firstParticle(liquid, cell + 4) == firstParticle(liquid, cell)
      v128.store(excess + ((<usize>i) << 2), isEmpty ? v128.splat<f32>(0) : excessOfFour(liquid, i, j, k, perCell))
    }
    for (; i < nx; i++) store<f32>(excess + ((<usize>i) << 2), f32x4.extract_lane(excessOfFour(liquid, i, j, k, perCell), 0))
  }
}

/** Excess of four cells in a row; lanes beyond the end of the row are undefined. */
function excessOfFour(liquid: Liquid, i: i32, j: i32, k: i32, perCell: v128): v128 {
  const nx = liquid.nx
  const ny = liquid.ny
  const isFirst = i == 0
  const isLast = i + 4 >= nx
  let particles = f32x4.splat(0)
  let room = f32x4.splat(0)
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const weight = f32x4.splat((c == k ? <f32>2 : <f32>1) * (b == j ? <f32>2 : <f32>1))
      const cell = i + nx * (b + ny * c)
      const open = liquid.openCell + ((<usize>cell) << 2)
      const counts = liquid.displacementX + ((<usize>cell) << 2)
      particles = f32x4.add(
        particles,
        f32x4.mul(weight, alongRow(v128.load(counts - 4), v128.load(counts), v128.load(counts + 4), isFirst, isLast, nx - i)),
      )
      room = f32x4.add(
        room,
        f32x4.mul(weight, alongRow(v128.load(open - 4), v128.load(open), v128.load(open + 4), isFirst, isLast, nx - i)),
      )
    }
  }
  const there = f32x4.mul(perCell, f32x4.max(room, f32x4.splat(0.1)))
  const excess = f32x4.max(f32x4.splat(0), f32x4.sub(f32x4.div(particles, there), f32x4.splat(1)))
  // An empty cell next to crowded ones has room.
  return v128.and(excess, f32x4.gt(countsAt(liquid, i + nx * (j + ny * k)), f32x4.splat(0)))
}

/** Particles of four cells in a row. */
@inline
function countsAt(liquid: Liquid, cell: i32): v128 {
  const at = liquid.cellStart + ((<usize>cell) << 2)
  return f32x4.convert_i32x4_s(i32x4.sub(v128.load(at + 4), v128.load(at)))
}

/** left + 2 here + right, without cells beyond the ends of the row; `rest`: cells from the first to the end of the row. */
@inline
function alongRow(left: v128, here: v128, right: v128, isFirst: bool, isLast: bool, rest: i32): v128 {
  let before = left
  let after = right
  if (isFirst) before = v128.andnot(before, i32x4(-1, 0, 0, 0))
  if (isLast) after = v128.andnot(after, v128.ge<i32>(i32x4(1, 2, 3, 4), v128.splat<i32>(rest)))
  return f32x4.add(f32x4.add(before, after), f32x4.add(here, here))
}

/** Displacement of a particle towards more room, in cells. */
export function spreadAt(liquid: Liquid, position: v128, size: v128): v128 {
  const c = across(position, size)
  const lower = lowerAcross(c, size)
  const i = integers(lower)
  const f = f32x4.sub(c, lower)
  const row = liquid.ny > 1 ? (<usize>liquid.nx) << 2 : 0
  const plane = liquid.nz > 1 ? (<usize>(liquid.nx * liquid.ny)) << 2 : 0
  const cell = i32x4.extract_lane(i, 0) + liquid.nx * (i32x4.extract_lane(i, 1) + liquid.ny * i32x4.extract_lane(i, 2))
  const at = liquid.excess + ((<usize>cell) << 2)
  const p00 = v128.load64_zero(at)
  const p10 = v128.load64_zero(at + row)
  const p01 = v128.load64_zero(at + plane)
  const p11 = v128.load64_zero(at + plane + row)
  if (!v128.any_true(v128.or(v128.or(p00, p10), v128.or(p01, p11)))) return f32x4.splat(0)
  const fx = f32x4.extract_lane(f, 0)
  const fy = f32x4.splat(f32x4.extract_lane(f, 1))
  const fz = f32x4.splat(f32x4.extract_lane(f, 2))
  const low = f32x4.add(p00, f32x4.mul(fy, f32x4.sub(p10, p00)))
  const high = f32x4.add(p01, f32x4.mul(fy, f32x4.sub(p11, p01)))
  const both = f32x4.add(low, f32x4.mul(fz, f32x4.sub(high, low)))
  const byY = f32x4.add(f32x4.sub(p10, p00), f32x4.mul(fz, f32x4.sub(f32x4.sub(p11, p01), f32x4.sub(p10, p00))))
  const byZ = f32x4.sub(high, low)
  const slopeX = liquid.nx > 1 ? f32x4.extract_lane(both, 1) - f32x4.extract_lane(both, 0) : 0
  const slope = f32x4(slopeX, between(byY, fx), between(byZ, fx), 0)
  return downSlope(slope)
}

/** As `spreadAt` for four particles; writes into `places`. */
@inline
export function spreadFour(liquid: Liquid, places: Places): void {
  const row = liquid.ny > 1 ? (<usize>liquid.nx) << 2 : 0
  const plane = liquid.nz > 1 ? (<usize>(liquid.nx * liquid.ny)) << 2 : 0
  const a = liquid.excess + load<usize>(atCentre(places))
  const b = liquid.excess + load<usize>(atCentre(places), 4)
  const c = liquid.excess + load<usize>(atCentre(places), 8)
  const d = liquid.excess + load<usize>(atCentre(places), 12)
  const low00 = two(a, b)
  const low10 = two(a + row, b + row)
  const low01 = two(a + plane, b + plane)
  const low11 = two(a + plane + row, b + plane + row)
  const high00 = two(c, d)
  const high10 = two(c + row, d + row)
  const high01 = two(c + plane, d + plane)
  const high11 = two(c + plane + row, d + plane + row)
  const anyLow = v128.or(v128.or(low00, low10), v128.or(low01, low11))
  if (!v128.any_true(v128.or(anyLow, v128.or(v128.or(high00, high10), v128.or(high01, high11))))) {
    places.spreadX = f32x4.splat(0)
    places.spreadY = f32x4.splat(0)
    places.spreadZ = f32x4.splat(0)
    return
  }
  // Lower and upper neighbours along x.
  const left00 = v128.shuffle<i32>(low00, high00, 0, 2, 4, 6)
  const left10 = v128.shuffle<i32>(low10, high10, 0, 2, 4, 6)
  const left01 = v128.shuffle<i32>(low01, high01, 0, 2, 4, 6)
  const left11 = v128.shuffle<i32>(low11, high11, 0, 2, 4, 6)
  const right00 = v128.shuffle<i32>(low00, high00, 1, 3, 5, 7)
  const right10 = v128.shuffle<i32>(low10, high10, 1, 3, 5, 7)
  const right01 = v128.shuffle<i32>(low01, high01, 1, 3, 5, 7)
  const right11 = v128.shuffle<i32>(low11, high11, 1, 3, 5, 7)
  const fx = places.acrossX
  const fy = places.acrossY
  const fz = places.acrossZ
  const leftLow = mixTwo(left00, left10, fy)
  const leftHigh = mixTwo(left01, left11, fy)
  const rightLow = mixTwo(right00, right10, fy)
  const rightHigh = mixTwo(right01, right11, fy)
  const along = f32x4.sub(mixTwo(rightLow, rightHigh, fz), mixTwo(leftLow, leftHigh, fz))
  const leftY = mixTwo(f32x4.sub(left10, left00), f32x4.sub(left11, left01), fz)
  const rightY = mixTwo(f32x4.sub(right10, right00), f32x4.sub(right11, right01), fz)
  places.spreadX = liquid.nx > 1 ? downSlope(along) : f32x4.splat(0)
  places.spreadY = downSlope(mixTwo(leftY, rightY, fx))
  places.spreadZ = downSlope(mixTwo(f32x4.sub(leftHigh, leftLow), f32x4.sub(rightHigh, rightLow), fx))
}

@inline
function downSlope(slope: v128): v128 {
  const limit = f32x4.splat(FARTHEST)
  return f32x4.pmax(f32x4.neg(limit), f32x4.pmin(limit, f32x4.mul(slope, f32x4.splat(-SPREAD))))
}

@inline
function between(pair: v128, f: f32): f32 {
  const left = f32x4.extract_lane(pair, 0)
  return left + f * (f32x4.extract_lane(pair, 1) - left)
}
