/** Moves particles apart that are too near each other: see plain/particles/separate.ts. */
import { CENTRE_SOLID, CLEARANCE, SLACK } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { byteAt, CELLS, endRow, firstRow, LiquidJob } from '../grid/rows'
import { firstParticle, Liquid } from '../liquid'
import { distanceAt, GAP, lengthOf, NO_SOLID, step } from './solids'
import { walk } from './walk-along'
import { sizes } from './weights'

/** The largest that is stable, see the plain loop. */
const RELAXATION: f32 = 0.25
/** Squared distance in cells below which a direction is rounding. */
const COINCIDENT: f32 = 1e-8

@unmanaged
class SeparateJob extends LiquidJob {
  /** Distance in cells below which particles push each other away. */
  nearest: f64
  /** Particles of a full cell. */
  perCell: f64
}

/** Particles must be sorted. */
export function separateParticles(liquid: Liquid, nearest: f64, perCell: f64): void {
  const job = jobOf<SeparateJob>()
  job.liquid = liquid
  job.nearest = nearest
  job.perCell = perCell
  run(findSeparationPiece, liquid.pieceCount)
  run(separatePiece, liquid.pieceCount)
}

/** Displacements, stored in the target of the next sort. */
@piece
export function findSeparationPiece(piece: i32): void {
  const job = jobOf<SeparateJob>()
  const liquid = job.liquid
  const nearest = <f32>job.nearest
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  for (let cell = firstRow(liquid, CELLS, piece) * liquid.nx; cell < end; cell++) {
    const last = firstParticle(liquid, cell + 1)
    let n = firstParticle(liquid, cell)
    if (n == last) continue
    const isFull = <f64>(last - n) > job.perCell
    const outwards = isFull ? f32x4.splat(0) : outwardsOf(liquid, cell)
    for (; n < last; n++) {
      const at = (<usize>n) << 2
      const displacement = limited(awayFromOthers(liquid, n, nearest), outwards, nearest)
      store<f32>(liquid.otherPx + at, f32x4.extract_lane(displacement, 0))
      store<f32>(liquid.otherPy + at, f32x4.extract_lane(displacement, 1))
      store<f32>(liquid.otherPz + at, f32x4.extract_lane(displacement, 2))
    }
  }
}

/** Unit vector from a cell towards the cells around that have no particles, solids aside; 0 where there are none, or on both sides. */
function outwardsOf(liquid: Liquid, cell: i32): v128 {
  const nx = liquid.nx
  const ny = liquid.ny
  const row = cell / nx
  const i = cell - row * nx
  const j = row % ny
  const k = row / ny
  let x = 0
  let y = 0
  let z = 0
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      for (let a = max(0, i - 1); a <= min(nx - 1, i + 1); a++) {
        const other = a + nx * (b + ny * c)
        if (firstParticle(liquid, other + 1) != firstParticle(liquid, other)) continue
        if (byteAt(liquid.touch, other) & CENTRE_SOLID) continue
        x += a - i
        y += b - j
        z += c - k
      }
    }
  }
  const square = x * x + y * y + z * z
  if (square == 0) return f32x4.splat(0)
  return f32x4.mul(f32x4(<f32>x, <f32>y, <f32>z, 0), f32x4.splat(1 / sqrt<f32>(<f32>square)))
}

/** A displacement without its part outwards, of at most half the distance. */
@inline
function limited(displacement: v128, outwards: v128, nearest: f32): v128 {
  const products = f32x4.mul(displacement, outwards)
  const out = f32x4.extract_lane(products, 0) + f32x4.extract_lane(products, 1) + f32x4.extract_lane(products, 2)
  const inside = out > 0 ? f32x4.sub(displacement, f32x4.mul(outwards, f32x4.splat(out))) : displacement
  const length = lengthOf(inside)
  const longest: f32 = 0.5 * nearest
  return length > longest ? f32x4.mul(inside, f32x4.splat(longest / length)) : inside
}

function awayFromOthers(liquid: Liquid, own: i32, nearest: f32): v128 {
  const nx = liquid.nx
  const ny = liquid.ny
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const x = load<f32>(px + ((<usize>own) << 2))
  const y = load<f32>(py + ((<usize>own) << 2))
  const z = load<f32>(pz + ((<usize>own) << 2))
  const firstI = cellWithin(x - nearest, nx)
  const cellsI = cellWithin(x + nearest, nx) - firstI + 1
  const firstJ = cellWithin(y - nearest, ny)
  const lastJ = cellWithin(y + nearest, ny)
  const lastK = cellWithin(z + nearest, liquid.nz)
  const most = f32x4.splat(nearest * nearest)
  const least = f32x4.splat(COINCIDENT)
  const ownX = f32x4.splat(x)
  const ownY = f32x4.splat(y)
  const ownZ = f32x4.splat(z)
  let sumX = f32x4.splat(0)
  let sumY = sumX
  let sumZ = sumX
  let coincident = 0
  for (let k = cellWithin(z - nearest, liquid.nz); k <= lastK; k++) {
    for (let j = firstJ; j <= lastJ; j++) {
      const cell = firstI + nx * (j + ny * k)
      const end = firstParticle(liquid, cell + cellsI)
      for (let n = firstParticle(liquid, cell); n < end; n += 4) {
        const at = (<usize>n) << 2
        // Of eight in turn mostly none is near.
        if (end - n > 4 && !isAnyNear(px + at, py + at, pz + at, ownX, ownY, ownZ, most)) {
          n += 4
          continue
        }
        const dx = f32x4.sub(ownX, v128.load(px + at))
        const dy = f32x4.sub(ownY, v128.load(py + at))
        const dz = f32x4.sub(ownZ, v128.load(pz + at))
        const square = f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz))
        let isNear = f32x4.lt(square, most)
        if (end - n < 4) isNear = v128.and(isNear, v128.lt<i32>(i32x4(0, 1, 2, 3), v128.splat<i32>(end - n)))
        if (!v128.any_true(isNear)) continue
        const isApart = v128.and(isNear, f32x4.ge(square, least))
        coincident += popcnt(v128.bitmask<i32>(v128.xor(isNear, isApart)))
        const weight = f32x4.sub(f32x4.div(f32x4.splat(nearest), f32x4.sqrt(square)), f32x4.splat(1))
        sumX = f32x4.add(sumX, v128.and(f32x4.mul(weight, dx), isApart))
        sumY = f32x4.add(sumY, v128.and(f32x4.mul(weight, dy), isApart))
        sumZ = f32x4.add(sumZ, v128.and(f32x4.mul(weight, dz), isApart))
      }
    }
  }
  let displacement = f32x4(totalOfLanes(sumX), totalOfLanes(sumY), totalOfLanes(sumZ), 0)
  // Every particle coincides with itself.
  if (coincident > 1) displacement = awayFromCoincident(liquid, own, nearest, displacement)
  return f32x4.mul(displacement, f32x4.splat(RELAXATION))
}

/** Whether any of eight particles is nearer than the root of `most`, those beyond the end of the row included. */
@inline
function isAnyNear(px: usize, py: usize, pz: usize, x: v128, y: v128, z: v128, most: v128): bool {
  const near = v128.or(f32x4.lt(squares(px, py, pz, x, y, z), most), f32x4.lt(squares(px + 16, py + 16, pz + 16, x, y, z), most))
  return v128.any_true(near)
}

/** Squared distances of four particles. */
@inline
function squares(px: usize, py: usize, pz: usize, x: v128, y: v128, z: v128): v128 {
  const dx = f32x4.sub(x, v128.load(px))
  const dy = f32x4.sub(y, v128.load(py))
  const dz = f32x4.sub(z, v128.load(pz))
  return f32x4.add(f32x4.add(f32x4.mul(dx, dx), f32x4.mul(dy, dy)), f32x4.mul(dz, dz))
}

@inline
function totalOfLanes(sum: v128): f32 {
  return f32x4.extract_lane(sum, 0) + f32x4.extract_lane(sum, 1) + (f32x4.extract_lane(sum, 2) + f32x4.extract_lane(sum, 3))
}

@inline
function cellWithin(coordinate: f32, size: i32): i32 {
  return <i32>min<f32>(<f32>(size - 1), max<f32>(0, coordinate))
}

/** Adds opposite ways for both particles of a pair, along an axis that differs from pair to pair. */
function awayFromCoincident(liquid: Liquid, own: i32, nearest: f32, displacement: v128): v128 {
  const at = (<usize>own) << 2
  const x = load<f32>(liquid.px + at)
  const y = load<f32>(liquid.py + at)
  const z = load<f32>(liquid.pz + at)
  const firstI = cellWithin(x - nearest, liquid.nx)
  const cellsI = cellWithin(x + nearest, liquid.nx) - firstI + 1
  let moved = displacement
  for (let k = cellWithin(z - nearest, liquid.nz); k <= cellWithin(z + nearest, liquid.nz); k++) {
    for (let j = cellWithin(y - nearest, liquid.ny); j <= cellWithin(y + nearest, liquid.ny); j++) {
      const cell = firstI + liquid.nx * (j + liquid.ny * k)
      const end = firstParticle(liquid, cell + cellsI)
      for (let n = firstParticle(liquid, cell); n < end; n++) {
        const there = (<usize>n) << 2
        const dx = x - load<f32>(liquid.px + there)
        const dy = y - load<f32>(liquid.py + there)
        const dz = z - load<f32>(liquid.pz + there)
        if (n == own || !(dx * dx + dy * dy + dz * dz < COINCIDENT)) continue
        const axis = (own + n) % liquid.dims
        const way = own < n ? -nearest : nearest
        moved = f32x4.add(moved, f32x4(axis == 0 ? way : 0, axis == 1 ? way : 0, axis == 2 ? way : 0, 0))
      }
    }
  }
  return moved
}

/** Moves particles by their displacements, as far as solids and sides allow. */
@piece
export function separatePiece(piece: i32): void {
  const job = jobOf<SeparateJob>()
  const liquid = job.liquid
  const size = sizes(liquid)
  // No displacement is longer than half the distance.
  const reach = <f32>SLACK * <f32>(0.5 * job.nearest) + 4 * GAP
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  for (let cell = firstRow(liquid, CELLS, piece) * liquid.nx; cell < end; cell++) {
    const last = firstParticle(liquid, cell + 1)
    let n = firstParticle(liquid, cell)
    if (n == last) continue
    const isClear = !liquid.hasSolids || <f32>byteAt(liquid.clearance, cell) > <f32>CLEARANCE * reach
    for (; n < last; n++) moveBy(liquid, (<usize>n) << 2, size, isClear)
  }
}

/** `isClear`: no solid is in reach. */
@inline
function moveBy(liquid: Liquid, at: usize, size: v128, isClear: bool): void {
  const from = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
  const displacement = f32x4(load<f32>(liquid.otherPx + at), load<f32>(liquid.otherPy + at), load<f32>(liquid.otherPz + at), 0)
  let to = step(from, displacement, 1)
  // Across a hole of a mesh distances jump, so the end is looked at, too.
  if (liquid.hasSolids && !(isClear && isClearAt(liquid, to))) {
    const length = lengthOf(displacement)
    const away = distanceAt(liquid, from, size)
    if (away < <f32>SLACK * length + 4 * GAP || (away < NO_SOLID && distanceAt(liquid, to, size) < GAP))
      to = walk(liquid, from, to, length, 0, size)
  }
  to = f32x4.min(f32x4.max(to, f32x4.splat(GAP)), f32x4.sub(size, f32x4.splat(GAP)))
  store<f32>(liquid.px + at, f32x4.extract_lane(to, 0))
  store<f32>(liquid.py + at, f32x4.extract_lane(to, 1))
  store<f32>(liquid.pz + at, f32x4.extract_lane(to, 2))
}

/** Whether the clearance of a position's cell is more than GAP. */
@inline
function isClearAt(liquid: Liquid, position: v128): bool {
  const i = cellWithin(f32x4.extract_lane(position, 0), liquid.nx)
  const j = cellWithin(f32x4.extract_lane(position, 1), liquid.ny)
  const k = cellWithin(f32x4.extract_lane(position, 2), liquid.nz)
  return byteAt(liquid.clearance, i + liquid.nx * (j + liquid.ny * k)) > 0
}
