/** Kinds of cells in a pressure problem, and where p = 0 holds between an unknown and the air beside it: as in src/pressure. */

export const DRY: u8 = 0
export const LIQUID: u8 = 1
export const CONTACT: u8 = 2

const MIN_LIQUID_FRACTION: f64 = 0.01
/** On an open side p = 0 holds on the side itself, half a cell from the centre. */
export const OPEN_SIDE_FRACTION: f64 = 0.5

/** Position of the surface between a liquid and an air centre, 0 … 1 from the liquid, clamped. */
@inline
export function liquidFraction(phiLiquid: f32, phiAir: f32): f64 {
  return max(MIN_LIQUID_FRACTION, <f64>phiLiquid / (<f64>phiLiquid - <f64>phiAir))
}
