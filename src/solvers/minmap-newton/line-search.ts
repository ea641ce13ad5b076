/** The projected Armijo line search of the minimum-map Newton method, on ½‖H‖². */
import { dot, multiplyFree, nonZeros } from '../../sparse/matrix.js'
import type { Run } from '../running/on-rows.js'
import type { System } from '../running/system.js'
import type { MinimumMap } from './minimum-map.js'

export interface LineSearchOptions {
  readonly sufficientDecrease: number
  readonly stepReduction: number
  readonly lineSearchSteps: number
}

/** Moves p along Δ and leaves the map evaluated there. Contacts are projected to p ≥ 0 at every trial. */
export function lineSearch(
  chosen: LineSearchOptions,
  system: System,
  map: MinimumMap,
  p: Float64Array,
  delta: Float64Array,
  run: Run,
): { largestChange: number } {
  const { rows, contacts } = system
  const start = run.buffers.f64('newton.start', rows)
  start.set(p)
  const before = map.merit
  const slope = directionalDerivative(system, map, delta, run)
  const moveTo = (step: number, projected: boolean) => {
    for (let row = 0; row < rows; row++) p[row] = start[row] + step * delta[row]
    if (projected) for (const row of contacts) if (p[row] < 0) p[row] = 0
    map.evaluate(p)
  }
  let found = false
  let step = 1
  for (let tries = 0; tries < chosen.lineSearchSteps && !found && step > 1e-10; tries++, step *= chosen.stepReduction) {
    moveTo(step, true)
    found = map.merit <= before + chosen.sufficientDecrease * step * Math.min(slope, 0)
  }
  if (!found) moveTo(1, false)
  let largestChange = 0
  for (let row = 0; row < rows; row++) largestChange = Math.max(largestChange, Math.abs(p[row] - start[row]))
  return { largestChange }
}

/** Hᵀ BH(p, Δ), eq. 19. */
function directionalDerivative(system: System, map: MinimumMap, delta: Float64Array, run: Run): number {
  const v = run.buffers.f64('newton.v', system.rows)
  multiplyFree(system, map.free, delta, v)
  run.work.add(nonZeros(system))
  for (const row of system.contacts) if (!map.free[row]) v[row] = map.weight(row) * delta[row]
  return dot(map.H, v)
}
