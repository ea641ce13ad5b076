/** Where particles are too many or too few: see plain/particles/excess.ts. */
import { CONTACT } from '../../../pressure/cell-kinds'
import { CENTRE_SOLID, LAYER } from '../../shared-constants'
import { jobOf, largestOf, setResult, setSum, totalOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { firstParticle, Liquid } from '../liquid'
import { byteAt, CELLS, endRow, f32At, firstRow, hasLetGo, LiquidJob } from '../grid/rows'

/** Lower bound of the room of a cell and its neighbours, as a share of that without walls. */
const MIN_ROOM: f32 = 0.1
/** A correction halves or doubles what a cell holds at most. */
const MOST: f32 = 1
const LEAST: f32 = -0.5

@unmanaged
class ExcessJob extends LiquidJob {
  /** Particles of a full cell. */
  perCell: f64
  /** Share by which their weighted number deviates by chance. */
  chance: f64
}

/** For sorted particles. Returns Σ excess > 0; result 1: Σ excess < 0, 2 and 3: the same of `doubtful`, 4: Σ open fractions of liquid,
 *  5: particles of the fullest cell. */
export function findExcess(liquid: Liquid, perCell: f64, chance: f64): f64 {
  const job = jobOf<ExcessJob>()
  job.liquid = liquid
  job.perCell = perCell
  job.chance = chance
  run(countCellsPiece, liquid.pieceCount)
  run(findExcessPiece, liquid.pieceCount)
  for (let n: usize = 1; n < 5; n++) setResult(n, totalOf(liquid.pieceCount, n))
  setResult(5, largestOf(liquid.pieceCount, 5))
  return totalOf(liquid.pieceCount, 0)
}

/** Particles of every cell, and 1 in cells beside which liquid has a surface. Stored in displacements, which are free between substeps.
 *  Sum 5: particles of the fullest cell. */
@piece
export function countCellsPiece(piece: i32): void {
  const liquid = jobOf<ExcessJob>().liquid
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  let most = i32x4.splat(0)
  for (; cell + 4 <= end; cell += 4) {
    const at = (<usize>cell) << 2
    const counts = v128.sub<i32>(v128.load(liquid.cellStart + at, 4), v128.load(liquid.cellStart + at))
    most = i32x4.max_s(most, counts)
    v128.store(liquid.displacementX + at, f32x4.convert_i32x4_s(counts))
    v128.store(liquid.displacementY + at, v128.and(f32x4.splat(1), areBesideSurface(liquid, cell)))
  }
  for (; cell < end; cell++) {
    const at = (<usize>cell) << 2
    const count = firstParticle(liquid, cell + 1) - firstParticle(liquid, cell)
    most = i32x4.max_s(most, i32x4.splat(count))
    store<f32>(liquid.displacementX + at, <f32>count)
    store<f32>(liquid.displacementY + at, isBesideSurface(liquid, cell) ? 1 : 0)
  }
  const pair = max(i32x4.extract_lane(most, 0), i32x4.extract_lane(most, 1))
  setSum(piece, 5, <f64>max(pair, max(i32x4.extract_lane(most, 2), i32x4.extract_lane(most, 3))))
}

/** Lanes of four cells. */
@inline
function areBesideSurface(liquid: Liquid, cell: i32): v128 {
  const kinds = fourBytes(liquid.kind, cell)
  if (v128.any_true(v128.eq<i32>(kinds, i32x4.splat(CONTACT))))
    return i32x4(
      -i32(isBesideSurface(liquid, cell)),
      -i32(isBesideSurface(liquid, cell + 1)),
      -i32(isBesideSurface(liquid, cell + 2)),
      -i32(isBesideSurface(liquid, cell + 3)),
    )
  const areOutside = f32x4.ge(v128.load(liquid.phi + ((<usize>cell) << 2)), f32x4.splat(0))
  const solid = v128.and(fourBytes(liquid.touch, cell), i32x4.splat(CENTRE_SOLID))
  return v128.and(areOutside, v128.eq<i32>(solid, i32x4.splat(0)))
}

/** Bytes of four cells, as i32. */
@inline
function fourBytes(bytes: usize, cell: i32): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(bytes + <usize>cell)))
}

@inline
function isBesideSurface(liquid: Liquid, cell: i32): bool {
  if (f32At(liquid.phi, cell) >= 0 && !(byteAt(liquid.touch, cell) & CENTRE_SOLID)) return true
  return hasLetGo(liquid, cell)
}

@piece
export function findExcessPiece(piece: i32): void {
  const liquid = jobOf<ExcessJob>().liquid
  const nx = liquid.nx
  const ny = liquid.ny
  const band = liquid.band > 0 ? <f32>LAYER * (<f32>liquid.band - 1.5) : f32.MAX_VALUE
  let crowded = 0.0
  let sparse = 0.0
  let maybeCrowded = 0.0
  let maybeSparse = 0.0
  let room = 0.0
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const cell = row * nx
    storeRow(liquid, cell, row % ny, row / ny, band)
    for (let i = 0; i < nx; i++) {
      if (!(f32At(liquid.phi, cell + i) < 0)) continue
      const beyond = <f64>f32At(liquid.excess, cell + i)
      const maybe = <f64>f32At(liquid.doubtful, cell + i)
      room += <f64>f32At(liquid.openCell, cell + i)
      crowded += max(0, beyond)
      sparse += min(0, beyond)
      maybeCrowded += max(0, maybe)
      maybeSparse += min(0, maybe)
    }
  }
  setSum(piece, 0, crowded)
  setSum(piece, 1, sparse)
  setSum(piece, 2, maybeCrowded)
  setSum(piece, 3, maybeSparse)
  setSum(piece, 4, room)
}

/** Four cells at a time, but the first and the last of the row. */
function storeRow(liquid: Liquid, cell: i32, j: i32, k: i32, band: f32): void {
  const nx = liquid.nx
  memory.fill(liquid.excess + ((<usize>cell) << 2), 0, (<usize>nx) << 2)
  memory.fill(liquid.doubtful + ((<usize>cell) << 2), 0, (<usize>nx) << 2)
  for (let i = 0; i < nx; ) {
    if (i > 0 && i + 4 < nx) {
      const isLiquid = f32x4.lt(v128.load(liquid.phi + ((<usize>(cell + i)) << 2)), f32x4.splat(0))
      if (v128.any_true(isLiquid)) {
        const carried = f32x4.convert_i32x4_u(fourBytes(liquid.carried, cell + i))
        storeFour(liquid, cell + i, j, k, v128.and(isLiquid, f32x4.lt(carried, f32x4.splat(band))))
      }
      i += 4
    } else {
      if (f32At(liquid.phi, cell + i) < 0 && <f32>byteAt(liquid.carried, cell + i) < band) storeExcess(liquid, cell + i, i, j, k)
      i++
    }
  }
}

/** As `storeExcess`, for those of four cells that are measured. */
@inline
function storeFour(liquid: Liquid, cell: i32, j: i32, k: i32, areMeasured: v128): void {
  const job = jobOf<ExcessJob>()
  const most = f32x4.splat(liquid.dims == 3 ? 64 : 32)
  const room = f32x4.max(sumsAround(liquid, liquid.openCell, cell, j, k), f32x4.mul(f32x4.splat(MIN_ROOM), most))
  const counts = sumsAround(liquid, liquid.displacementX, cell, j, k)
  const share = f32x4.sub(f32x4.div(counts, f32x4.mul(f32x4.splat(<f32>job.perCell), room)), f32x4.splat(1))
  let lowest = f32x4.splat(LEAST)
  if (v128.any_true(v128.and(areMeasured, f32x4.lt(share, f32x4.splat(0)))))
    lowest = v128.andnot(lowest, f32x4.gt(sumsAround(liquid, liquid.displacementY, cell, j, k), f32x4.splat(0)))
  const error = f32x4.min(f32x4.splat(MOST), f32x4.max(share, lowest))
  const byChance = f32x4.mul(f32x4.splat(<f32>job.chance), f32x4.sqrt(f32x4.div(most, room)))
  const crowded = v128.and(f32x4.gt(error, byChance), f32x4.sub(error, byChance))
  const sparse = v128.and(f32x4.lt(error, f32x4.neg(byChance)), f32x4.add(error, byChance))
  const beyond = v128.or(crowded, sparse)
  const at = (<usize>cell) << 2
  const open = v128.load(liquid.openCell + at)
  v128.store(liquid.excess + at, v128.and(areMeasured, f32x4.mul(beyond, open)))
  v128.store(liquid.doubtful + at, v128.and(areMeasured, f32x4.mul(f32x4.sub(error, beyond), open)))
}

/** As `sumAround`, for four cells inside of a row. */
@inline
function sumsAround(liquid: Liquid, values: usize, cell: i32, j: i32, k: i32): v128 {
  const nx = liquid.nx
  const plane = nx * liquid.ny
  let sum = f32x4.splat(0)
  for (let c = k > 0 ? -1 : 0; c <= i32(k < liquid.nz - 1); c++) {
    for (let b = j > 0 ? -1 : 0; b <= i32(j < liquid.ny - 1); b++) {
      const at = values + ((<usize>(cell + nx * b + plane * c)) << 2)
      const beside = f32x4.add(v128.load(at - 4), v128.load(at, 4))
      const weight = f32x4.splat((c == 0 ? <f32>2 : <f32>1) * (b == 0 ? <f32>2 : <f32>1))
      sum = f32x4.add(sum, f32x4.mul(weight, f32x4.add(beside, f32x4.mul(f32x4.splat(2), v128.load(at)))))
    }
  }
  return sum
}

@inline
function storeExcess(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): void {
  const job = jobOf<ExcessJob>()
  const most: f32 = liquid.dims == 3 ? 64 : 32
  const room = max<f32>(sumAround(liquid, liquid.openCell, i, j, k), MIN_ROOM * most)
  const share = sumAround(liquid, liquid.displacementX, i, j, k) / (<f32>job.perCell * room) - 1
  // Only too few particles need to know.
  const isAtSurface = share < 0 && sumAround(liquid, liquid.displacementY, i, j, k) > 0
  const error = min<f32>(MOST, max<f32>(share, isAtSurface ? 0 : LEAST))
  const byChance = <f32>job.chance * sqrt<f32>(most / room)
  const beyond: f32 = error > byChance ? error - byChance : error < -byChance ? error + byChance : 0
  const open = f32At(liquid.openCell, cell)
  store<f32>(liquid.excess + ((<usize>cell) << 2), beyond * open)
  store<f32>(liquid.doubtful + ((<usize>cell) << 2), (error - beyond) * open)
}

/** Σ over a cell and its neighbours within the grid, weighted 1 2 1 along every axis. */
function sumAround(liquid: Liquid, values: usize, i: i32, j: i32, k: i32): f32 {
  const nx = liquid.nx
  const ny = liquid.ny
  let sum: f32 = 0
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const at = values + ((<usize>(i + nx * (b + ny * c))) << 2)
      const beside: f32 = (i > 0 ? load<f32>(at - 4) : 0) + (i < nx - 1 ? load<f32>(at, 4) : 0)
      const weight: f32 = (c == k ? <f32>2 : <f32>1) * (b == j ? <f32>2 : <f32>1)
      sum += weight * (beside + 2 * load<f32>(at))
    }
  }
  return sum
}
