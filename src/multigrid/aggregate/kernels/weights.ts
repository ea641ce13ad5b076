/** Coefficients of single rows. */
import { laneOf, Level, Record, UNIFORM } from './level'

/** At least the share that open liquid has: below it corrections would overshoot. */
export const MIN_SHARE: f64 = 0.5
/** What pulls a coarse row towards p = 0 is a little weaker than the sum over its children, whose centres are nearer to it. */
export const DIRICHLET_SHARE: f64 = 0.7

/** Weight of the link in one direction, 0 if there is none. Not for listed rows. */
@inline
export function weightOf<T>(level: Level, record: Record, row: i32, direction: i32): f64 {
  if (record.kind == UNIFORM) return direction < 4 || !level.flat ? level.weight : 0
  return <f64>load<T>(laneOf<T>(record, row) + ((<usize>direction) << 4), 32)
}

export function heldOf<T>(record: Record, row: i32): f64 {
  return record.kind == UNIFORM ? 0 : <f64>load<T>(laneOf<T>(record, row), 16)
}
