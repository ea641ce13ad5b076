/** What a move of all particles is asked for, and the formulas that one particle at a time (advect.ts) and four at a time (advect-four.ts) share. */
import { Liquid } from '../liquid'
import { LiquidJob } from '../grid/rows'

@unmanaged
export class MoveJob extends LiquidJob {
  /** Cells that a velocity of 1 m/s leads to. */
  scale: f64
  flipRatio: f64
  /** Particles are moved apart, too. */
  spreads: bool
  /** Third order. */
  isThird: bool
  /** Particles keep the velocities that they have. */
  isShift: bool
}

/** Cells along an axis beyond which no velocity is looked up: it may not have been continued that far. Only spray is so fast, and flies
 *  straight on. */
@inline
export function reachOf(liquid: Liquid): f32 {
  return liquid.layers == 0 ? f32.MAX_VALUE : max<f32>(1, <f32>liquid.layers - BESIDE)
}

/** Cells that particles may be away from known faces, and a place from those between which it lies. */
const BESIDE: f32 = 1.5

/** Of velocities that particles have, and those and changes of the grid. */
@inline
export function blend(own: v128, pic: v128, change: v128, ratio: v128): v128 {
  return f32x4.add(pic, f32x4.mul(ratio, f32x4.sub(f32x4.add(own, change), pic)))
}

/** Ralston's mean. */
@inline
export function thirdOrder(k1: v128, k2: v128, k3: v128): v128 {
  const way = f32x4.add(f32x4.mul(k1, f32x4.splat(<f32>(2.0 / 9))), f32x4.mul(k2, f32x4.splat(<f32>(3.0 / 9))))
  return f32x4.add(way, f32x4.mul(k3, f32x4.splat(<f32>(4.0 / 9))))
}
