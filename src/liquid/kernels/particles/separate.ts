/** Moves particles apart that are too near each other: see plain/particles/separate.ts. */
import { CENTRE_SOLID, CLEARANCE, SLACK } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { byteAt, CELLS, endRow, firstRow } from '../grid/rows'
import { firstParticle, Liquid } from '../liquid'
import { Bounds, cellsAt } from '../grid/velocity'
import { pushEvenSlabsPiece, pushOddSlabsPiece, SeparateJob, storeSome } from './pushes'
import { distanceAt, GAP, lengthOf, NO_SOLID, step } from './solids'
import { walk } from './walk-along'
import { sizes } from './weights'

/** The largest that is stable, see the plain loop. */
const RELAXATION: f32 = 0.25

/** Particles must be sorted. Pairs are found once and push both particles: slabs write to their own displacements and to those of the next
 *  slab, so even ones are done first, each by one thread, then odd ones. */
export function separateParticles(liquid: Liquid, nearest: f64, perCell: f64): void {
  const job = jobOf<SeparateJob>()
  job.liquid = liquid
  job.nearest = nearest
  job.perCell = perCell
  run(pushEvenSlabsPiece, (liquid.slabs + 1) >> 1)
  run(pushOddSlabsPiece, liquid.slabs >> 1)
  run(separatePiece, liquid.pieceCount)
}

/** Unit vector from a cell towards the cells around that have no particles, solids aside; 0 where there are none, or on both sides. */
function outwardsOf(liquid: Liquid, cell: i32): v128 {
  const nx = liquid.nx
  const ny = liquid.ny
  const row = cell / nx
  const i = cell - row * nx
  const j = row % ny
  const k = row / ny
  if (!isAnyEmptyAround(liquid, i, j, k)) return f32x4.splat(0)
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

/** Whether a cell or one around it has no particles. */
@inline
function isAnyEmptyAround(liquid: Liquid, i: i32, j: i32, k: i32): bool {
  const nx = liquid.nx
  const ny = liquid.ny
  const isInGrid = i32x4(i > 0 ? -1 : 0, -1, i + 1 < nx ? -1 : 0, 0)
  let areEmpty = i32x4.splat(0)
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const starts = liquid.cellStart + ((<usize>(i + nx * (b + ny * c))) << 2)
      // Of the cells i − 1, i and i + 1, and where each ends.
      areEmpty = v128.or(areEmpty, v128.eq<i32>(v128.load(starts - 4), v128.load(starts)))
    }
  }
  return v128.any_true(v128.and(areEmpty, isInGrid))
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

@inline
function cellWithin(coordinate: f32, size: i32): i32 {
  return <i32>min<f32>(<f32>(size - 1), max<f32>(0, coordinate))
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
    const isFull = <f64>(last - n) > job.perCell
    const outwards = isFull ? f32x4.splat(0) : outwardsOf(liquid, cell)
    for (; n < last; n += 4) {
      const at = (<usize>n) << 2
      const count = min(4, last - n)
      if (isClear && moveFour(liquid, at, count, outwards)) continue
      for (let lane: usize = 0; lane < <usize>count; lane++) moveOne(liquid, at + (lane << 2), outwards, size, isClear)
    }
  }
}

/** Moves up to four particles of a cell without solids in reach. Returns false, and moves none, if one would be near a solid all the same. */
@inline
function moveFour(liquid: Liquid, at: usize, count: i32, outwards: v128): bool {
  const bounds = changetype<Bounds>(liquid.bounds)
  const relaxation = f32x4.splat(RELAXATION)
  const outX = f32x4.splat(f32x4.extract_lane(outwards, 0))
  const outY = f32x4.splat(f32x4.extract_lane(outwards, 1))
  const outZ = f32x4.splat(f32x4.extract_lane(outwards, 2))
  let x = f32x4.mul(v128.load(liquid.otherPx + at), relaxation)
  let y = f32x4.mul(v128.load(liquid.otherPy + at), relaxation)
  let z = f32x4.mul(v128.load(liquid.otherPz + at), relaxation)
  // As `limited`.
  const out = f32x4.add(f32x4.add(f32x4.mul(x, outX), f32x4.mul(y, outY)), f32x4.mul(z, outZ))
  const isOut = f32x4.gt(out, f32x4.splat(0))
  x = v128.bitselect(f32x4.sub(x, f32x4.mul(outX, out)), x, isOut)
  y = v128.bitselect(f32x4.sub(y, f32x4.mul(outY, out)), y, isOut)
  z = v128.bitselect(f32x4.sub(z, f32x4.mul(outZ, out)), z, isOut)
  const length = f32x4.sqrt(f32x4.add(f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)), f32x4.mul(z, z)))
  const longest = f32x4.splat(0.5 * <f32>jobOf<SeparateJob>().nearest)
  const isLong = f32x4.gt(length, longest)
  const share = f32x4.div(longest, length)
  x = f32x4.add(v128.load(liquid.px + at), v128.bitselect(f32x4.mul(x, share), x, isLong))
  y = f32x4.add(v128.load(liquid.py + at), v128.bitselect(f32x4.mul(y, share), y, isLong))
  z = f32x4.add(v128.load(liquid.pz + at), v128.bitselect(f32x4.mul(z, share), z, isLong))
  if (liquid.hasSolids && !areClear(liquid, cellsAt(liquid, x, y, z), count)) return false
  storeSome(liquid.px + at, between(x, bounds.sizeX), count)
  storeSome(liquid.py + at, between(y, bounds.sizeY), count)
  storeSome(liquid.pz + at, between(z, bounds.sizeZ), count)
  return true
}

@inline
function between(coordinates: v128, size: v128): v128 {
  const gap = f32x4.splat(GAP)
  return f32x4.min(f32x4.max(coordinates, gap), f32x4.sub(size, gap))
}

/** Whether the clearance of the first `count` of four cells is more than GAP. */
@inline
function areClear(liquid: Liquid, cells: v128, count: i32): bool {
  const first = i32(byteAt(liquid.clearance, i32x4.extract_lane(cells, 0)) > 0)
  const second = i32(byteAt(liquid.clearance, i32x4.extract_lane(cells, 1)) > 0) | i32(count < 2)
  const third = i32(byteAt(liquid.clearance, i32x4.extract_lane(cells, 2)) > 0) | i32(count < 3)
  return (first & second & third & (i32(byteAt(liquid.clearance, i32x4.extract_lane(cells, 3)) > 0) | i32(count < 4))) != 0
}

/** As `moveFour`, also near solids. `isClear`: none is in reach. */
function moveOne(liquid: Liquid, at: usize, outwards: v128, size: v128, isClear: bool): void {
  const pushes = f32x4(load<f32>(liquid.otherPx + at), load<f32>(liquid.otherPy + at), load<f32>(liquid.otherPz + at), 0)
  const nearest = <f32>jobOf<SeparateJob>().nearest
  const displacement = limited(f32x4.mul(pushes, f32x4.splat(RELAXATION)), outwards, nearest)
  const from = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
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
