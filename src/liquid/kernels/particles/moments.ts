/** Sums over a liquid, for its momentum, angular momentum, energy and volume; see plain/particles/moments.ts. */
import {
  ANGULAR_SUM,
  COUNT_SUM,
  ENERGY_SUM,
  LAYER,
  MOMENT_SUMS,
  NOISE_SUM,
  POSITION_SUM,
  THIN_SUM,
  VELOCITY_SUM,
} from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { byteAt, CELLS, endRow, f32At, firstRow, LiquidJob } from '../grid/rows'
import { firstParticle, Liquid } from '../liquid'
import { run } from '../../../machine/kernels/pool'

/** Bytes of the sums of a piece. */
export const MOMENT_BYTES: i32 = 8 * MOMENT_SUMS

@unmanaged
class MomentsJob extends LiquidJob {
  /** Particles of a full cell. */
  perCell: f64
}

/** Particles must be sorted. Returns the address of MOMENT_SUMS numbers, f64. */
export function measureMoments(liquid: Liquid, perCell: f64): usize {
  const job = jobOf<MomentsJob>()
  job.liquid = liquid
  job.perCell = perCell
  run(momentsPiece, liquid.pieceCount)
  for (let piece = 1; piece < liquid.pieceCount; piece++) {
    const from = sumsOf(liquid, piece)
    for (let n = 0; n < MOMENT_SUMS; n++) add(liquid.moments, n, load<f64>(from + ((<usize>n) << 3)))
  }
  return liquid.moments
}

@inline
function sumsOf(liquid: Liquid, piece: i32): usize {
  return liquid.moments + <usize>(piece * MOMENT_BYTES)
}

@inline
function add(sums: usize, index: i32, value: f64): void {
  const at = sums + ((<usize>index) << 3)
  store<f64>(at, load<f64>(at) + value)
}

@piece
export function momentsPiece(piece: i32): void {
  const job = jobOf<MomentsJob>()
  const liquid = job.liquid
  const perCell = job.perCell
  const nx = liquid.nx
  const band = LAYER * liquid.band
  const sums = sumsOf(liquid, piece)
  memory.fill(sums, 0, MOMENT_BYTES)
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    let next = firstParticle(liquid, row * nx)
    if (liquid.band == 0 && next == firstParticle(liquid, row * nx + nx)) continue
    for (let i = 0; i < nx; i++) {
      const cell = row * nx + i
      const first = next
      next = firstParticle(liquid, cell + 1)
      if (next > first) {
        addParticles(liquid, first, next, sums)
        // Cells beside deep liquid have particles on one side only, and are far from the surface.
        const isNearSurface = band == 0 || byteAt(liquid.carried, cell) <= band - LAYER
        if (isNearSurface && isThin(liquid, perCell, i, j, k)) add(sums, THIN_SUM, <f64>(next - first))
      }
      if (band > 0 && byteAt(liquid.carried, cell) > band) addDeep(liquid, perCell, i, j, k, sums)
    }
  }
}

/** The only place where the velocity of a particle is read. Lanes x, y, z. */
@inline
function velocityOf(liquid: Liquid, n: i32): v128 {
  return f32x4(f32At(liquid.vx, n), f32At(liquid.vy, n), f32At(liquid.vz, n), 0)
}

/** Adds the particles of a cell. */
function addParticles(liquid: Liquid, first: i32, end: i32, sums: usize): void {
  const middle = f64x2(0.5 * <f64>liquid.nx, 0.5 * <f64>liquid.ny)
  const middleZ = 0.5 * <f64>liquid.nz
  // Lanes x and y; z and w; and of position × velocity, y with the opposite sign, and x.
  let positions = f64x2.splat(0)
  let velocities = positions
  let upwards = positions
  let across = positions
  let angularZ = 0.0
  let energy = 0.0
  for (let n = first; n < end; n++) {
    const velocity = velocityOf(liquid, n)
    const at = (<usize>n) << 2
    const xy = v128.load32_lane(liquid.py + at, v128.load32_zero(liquid.px + at), 1)
    const position = f64x2.sub(f64x2.promote_low_f32x4(xy), middle)
    const horizontal = f64x2.promote_low_f32x4(velocity)
    const z = <f64>f32At(liquid.pz, n) - middleZ
    const w = <f64>f32x4.extract_lane(velocity, 2)
    positions = f64x2.add(positions, position)
    velocities = f64x2.add(velocities, horizontal)
    upwards = f64x2.add(upwards, f64x2(z, w))
    across = f64x2.add(across, f64x2.sub(f64x2.mul(position, f64x2.splat(w)), f64x2.mul(f64x2.splat(z), horizontal)))
    const crossed = f64x2.mul(position, v128.shuffle<i64>(horizontal, horizontal, 1, 0))
    angularZ += f64x2.extract_lane(crossed, 0) - f64x2.extract_lane(crossed, 1)
    const squares = f64x2.mul(horizontal, horizontal)
    energy += 0.5 * (f64x2.extract_lane(squares, 0) + f64x2.extract_lane(squares, 1) + w * w)
  }
  const sumU = f64x2.extract_lane(velocities, 0)
  const sumV = f64x2.extract_lane(velocities, 1)
  const sumW = f64x2.extract_lane(upwards, 1)
  const count = <f64>(end - first)
  add(sums, COUNT_SUM, count)
  addVector(
    sums,
    POSITION_SUM,
    f64x2.extract_lane(positions, 0),
    f64x2.extract_lane(positions, 1),
    f64x2.extract_lane(upwards, 0),
  )
  addVector(sums, VELOCITY_SUM, sumU, sumV, sumW)
  addVector(sums, ANGULAR_SUM, f64x2.extract_lane(across, 1), -f64x2.extract_lane(across, 0), angularZ)
  add(sums, ENERGY_SUM, energy)
  add(sums, NOISE_SUM, energy - (0.5 * (sumU * sumU + sumV * sumV + sumW * sumW)) / count)
}

@inline
function addVector(sums: usize, index: i32, x: f64, y: f64, z: f64): void {
  add(sums, index, x)
  add(sums, index + 1, y)
  add(sums, index + 2, z)
}

/** Whether the cells around hold less liquid than a third of what there is room for. */
function isThin(liquid: Liquid, perCell: f64, i: i32, j: i32, k: i32): bool {
  const nx = liquid.nx
  const ny = liquid.ny
  const left = max(0, i - 1)
  const right = min(nx - 1, i + 1)
  const bottom = max(0, j - 1)
  const top = min(ny - 1, j + 1)
  const back = max(0, k - 1)
  const front = min(liquid.nz - 1, k + 1)
  let there = 0
  for (let c = back; c <= front; c++) {
    for (let b = bottom; b <= top; b++) {
      const row = nx * (b + ny * c)
      there += firstParticle(liquid, row + right + 1) - firstParticle(liquid, row + left)
    }
  }
  // Enough whatever is open; so it is in most cells.
  if (3 * <f64>there >= perCell * (liquid.dims == 2 ? 9 : 27)) return false
  let open = 0.0
  for (let c = back; c <= front; c++) {
    for (let b = bottom; b <= top; b++) {
      const row = nx * (b + ny * c)
      for (let a = left; a <= right; a++) open += <f64>f32At(liquid.openCell, row + a)
    }
  }
  return 3 * <f64>there < perCell * open
}

/** The part of a cell that came from below the band, where there are no particles, moves as its faces do. */
function addDeep(liquid: Liquid, perCell: f64, i: i32, j: i32, k: i32, sums: usize): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const cell = i + nx * (j + ny * k)
  const share = min<f64>(1, <f64>(byteAt(liquid.carried, cell) - LAYER * liquid.band) / LAYER)
  const weight = perCell * share * <f64>f32At(liquid.openCell, cell)
  const faceX = i + (nx + 1) * (j + ny * k)
  const faceY = i + nx * (j + (ny + 1) * k)
  const lowX = <f64>f32At(liquid.beforeX, faceX)
  const highX = <f64>f32At(liquid.beforeX, faceX + 1)
  const lowY = <f64>f32At(liquid.beforeY, faceY)
  const highY = <f64>f32At(liquid.beforeY, faceY + nx)
  const isFlat = liquid.dims == 2
  const lowZ = isFlat ? 0.0 : <f64>f32At(liquid.beforeZ, cell)
  const highZ = isFlat ? 0.0 : <f64>f32At(liquid.beforeZ, cell + nx * ny)
  const x = <f64>i + 0.5 - 0.5 * <f64>nx
  const y = <f64>j + 0.5 - 0.5 * <f64>ny
  const z = <f64>k + 0.5 - 0.5 * <f64>liquid.nz
  const u = 0.5 * (lowX + highX)
  const v = 0.5 * (lowY + highY)
  const w = 0.5 * (lowZ + highZ)
  const square = meanSquare(lowX, highX) + meanSquare(lowY, highY) + meanSquare(lowZ, highZ)
  add(sums, COUNT_SUM, weight)
  addVector(sums, POSITION_SUM, weight * x, weight * y, weight * z)
  addVector(sums, VELOCITY_SUM, weight * u, weight * v, weight * w)
  addVector(sums, ANGULAR_SUM, weight * (y * w - z * v), weight * (z * u - x * w), weight * (x * v - y * u))
  add(sums, ENERGY_SUM, weight * (0.5 * square))
}

/** Of what goes linearly from a to b. */
@inline
function meanSquare(a: f64, b: f64): f64 {
  return (a * a + a * b + b * b) / 3
}
