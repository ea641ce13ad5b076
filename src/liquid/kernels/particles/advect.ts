/** Updates velocities of particles from the grid and moves particles with the flow: midpoint rule, or Ralston's rule of third order. Solids
 *  stop particles, see solids.ts. */
import { gatherPiece } from './from-grid'
import { jobOf, setSum, totalOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { BATCH, changeAt, velocityAt } from '../grid/velocity'
import { moveFours } from './advect-four'
import { displace } from './displace'
import { MoveJob, reachOf, thirdOrder, updated } from './move-job'
import { step } from './solids'
import { pieceStart, PIECES } from './sort'
import { sizes } from './weights'
import { run } from '../../../machine/kernels/pool'

/** Updates velocities, then positions. A particle keeps `ratio` of its velocity and adds what `fillChanges` has found for that ratio: 1 is FLIP,
 *  0 is PIC (Zhu and Bridson 2005); for particles with gradients it is 0, see from-grid.ts. `isThird`: third order, else second. Returns how
 *  many particles left through open sides. */
export function moveParticles(liquid: Liquid, dt: f64, ratio: f64, isThird: i32): i32 {
  const job = jobOf<MoveJob>()
  job.liquid = liquid
  job.scale = dt / liquid.spacing
  job.ratio = ratio
  job.isThird = isThird != 0
  job.isShift = false
  job.hasFrames = dt > 0
  if (liquid.affine) run(gatherPiece, PIECES)
  run(movePiece, PIECES)
  return <i32>totalOf(PIECES, 0)
}

/** Moves particles by the velocities of the pairs and keeps their own velocities. Returns how many left through open sides. */
export function shiftParticles(liquid: Liquid, dt: f64): i32 {
  const job = jobOf<MoveJob>()
  job.liquid = liquid
  job.scale = dt / liquid.spacing
  job.ratio = 0
  job.isThird = false
  job.isShift = true
  job.hasFrames = false
  run(movePiece, PIECES)
  return <i32>totalOf(PIECES, 0)
}

@piece
export function movePiece(piece: i32): void {
  const job = jobOf<MoveJob>()
  const liquid = job.liquid
  const size = sizes(liquid)
  const scale = <f32>job.scale
  const end = pieceStart(liquid, piece + 1)
  let left = 0
  let n = pieceStart(liquid, piece)
  while (n + 4 <= end) {
    const fours = min(BATCH, (end - n) >> 2)
    left += moveFours(liquid, piece, n, fours, scale, size)
    n += 4 * fours
  }
  for (; n < end; n++) left += moveOne(liquid, n, scale, size)
  setSum(piece, 0, <f64>left)
}

/** Updates the velocity of particle `n` and moves it. Returns 1 if it has left. */
function moveOne(liquid: Liquid, n: i32, scale: f32, size: v128): i32 {
  const at = (<usize>n) << 2
  const from = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
  const job = jobOf<MoveJob>()
  const k1 = velocityAt(liquid, from, size)
  if (!job.isShift && !liquid.affine && n < liquid.count - liquid.seeded) {
    const own = f32x4(load<f32>(liquid.vx + at), load<f32>(liquid.vy + at), load<f32>(liquid.vz + at), 0)
    const velocity = updated(own, changeAt(liquid, from, size), f32x4.splat(<f32>job.ratio), f32x4.splat(0))
    store<f32>(liquid.vx + at, f32x4.extract_lane(velocity, 0))
    store<f32>(liquid.vy + at, f32x4.extract_lane(velocity, 1))
    if (liquid.dims == 3) store<f32>(liquid.vz + at, f32x4.extract_lane(velocity, 2))
  }
  const reach = reachOf(liquid)
  let mean = velocityAt(liquid, within(from, k1, 0.5 * scale, reach), size)
  if (job.isThird) mean = thirdOrder(k1, mean, velocityAt(liquid, within(from, mean, 0.75 * scale, reach), size))
  return displace(liquid, at, from, f32x4.mul(mean, f32x4.splat(scale)), size)
}

/** from + time · velocity, shortened so that no component exceeds `reach`; lanes x, y, z. */
@inline
function within(from: v128, velocity: v128, time: f32, reach: f32): v128 {
  const displacement = f32x4.mul(velocity, f32x4.splat(time))
  const farthest = max<f32>(
    max<f32>(abs(f32x4.extract_lane(displacement, 0)), abs(f32x4.extract_lane(displacement, 1))),
    abs(f32x4.extract_lane(displacement, 2)),
  )
  return step(from, displacement, reach / max<f32>(farthest, reach))
}
