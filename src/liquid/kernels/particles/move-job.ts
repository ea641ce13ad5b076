/** Arguments of a move of all particles, and the formulas shared by advect.ts (one particle at a time) and advect-four.ts. */
import { Liquid } from '../liquid'
import { jobOf } from '../../../machine/kernels/job'
import { LiquidJob } from '../grid/rows'

@unmanaged
export class MoveJob extends LiquidJob {
  /** Displacement in cells at 1 m/s. */
  scale: f64
  /** Share of its velocity that a particle keeps; what it adds to that is in the pairs. */
  ratio: f64
  /** Third order, else second. */
  isThird: bool
  /** Whether particles keep their velocities. */
  isShift: bool
  /** Whether walls have moved in this time. */
  hasFrames: bool
}

/** Number of frames in which particles meet walls, besides that of walls at rest. */
@inline
export function framesOf(liquid: Liquid): i32 {
  return jobOf<MoveJob>().hasFrames ? liquid.frameCount : 0
}

/** Largest displacement of a wall while particles move, in cells. */
@inline
export function farthestOf(liquid: Liquid): f32 {
  return jobOf<MoveJob>().hasFrames ? <f32>liquid.farthest : 0
}

/** Cells along an axis beyond which no velocity is looked up, because it may not have been extrapolated that far. Only spray is so fast, and
 *  it flies straight on. */
@inline
export function reachOf(liquid: Liquid): f32 {
  return liquid.layers == 0 ? f32.MAX_VALUE : max<f32>(1, <f32>liquid.layers - BESIDE)
}

/** Cells that particles may be from known faces, plus cells from a position to the faces around it. */
const BESIDE: f32 = 1.5

/** New velocity of a particle. Seeds keep theirs, which is of this substep. */
@inline
export function updated(own: v128, change: v128, ratio: v128, isSeed: v128): v128 {
  return v128.bitselect(own, f32x4.add(f32x4.mul(ratio, own), change), isSeed)
}

/** Mean velocity of Ralston's rule (1962). */
@inline
export function thirdOrder(k1: v128, k2: v128, k3: v128): v128 {
  const partial = f32x4.add(f32x4.mul(k1, f32x4.splat(<f32>(2.0 / 9))), f32x4.mul(k2, f32x4.splat(<f32>(3.0 / 9))))
  return f32x4.add(partial, f32x4.mul(k3, f32x4.splat(<f32>(4.0 / 9))))
}
