/** Arguments of a move of all particles, and the formulas shared by advect.ts (one particle at a time) and advect-four.ts. */
import { Liquid } from '../liquid'
import { LiquidJob } from '../grid/rows'

@unmanaged
export class MoveJob extends LiquidJob {
  /** Displacement in cells at 1 m/s. */
  scale: f64
  flipRatio: f64
  /** Third order, else second. */
  isThird: bool
  /** Whether particles keep their velocities. */
  isShift: bool
}

/** Cells along an axis beyond which no velocity is looked up, because it may not have been extrapolated that far. Only spray is so fast, and
 *  it flies straight on. */
@inline
export function reachOf(liquid: Liquid): f32 {
  return liquid.layers == 0 ? f32.MAX_VALUE : max<f32>(1, <f32>liquid.layers - BESIDE)
}

/** Cells that particles may be from known faces, plus cells from a position to the faces around it. */
const BESIDE: f32 = 1.5

/** Mixes FLIP (`own` + `change`) and PIC (`pic`). */
@inline
export function blend(own: v128, pic: v128, change: v128, ratio: v128): v128 {
  return f32x4.add(pic, f32x4.mul(ratio, f32x4.sub(f32x4.add(own, change), pic)))
}

/** Mean velocity of Ralston's rule (1962). */
@inline
export function thirdOrder(k1: v128, k2: v128, k3: v128): v128 {
  const partial = f32x4.add(f32x4.mul(k1, f32x4.splat(<f32>(2.0 / 9))), f32x4.mul(k2, f32x4.splat(<f32>(3.0 / 9))))
  return f32x4.add(partial, f32x4.mul(k3, f32x4.splat(<f32>(4.0 / 9))))
}
