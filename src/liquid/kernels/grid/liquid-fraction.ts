/** Where p = 0 holds between an unknown and the air beside it. */
import { MIN_LIQUID_FRACTION } from '../../../pressure/cell-kinds'

/** Position of the surface between a liquid and an air centre, 0 … 1 from the liquid, clamped. */
@inline
export function liquidFraction(phiLiquid: f32, phiAir: f32): f64 {
  return max(MIN_LIQUID_FRACTION, <f64>phiLiquid / (<f64>phiLiquid - <f64>phiAir))
}
