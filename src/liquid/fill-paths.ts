/** Hands the velocities of the grid to the particles that move along them, unless they have grown beyond what positions can be computed with. */
import { InputError } from '../input-error.js'
import type { LiquidLoops } from './loops.js'

/** Cells within a substep: squares of longer displacements are no finite f32. */
const MAX_DISPLACEMENT = 1e18

/** Call before particles move by `dt` seconds. Velocities come from callers, too: their forces, solids, sources and solvers. */
export function fillPaths(liquid: LiquidLoops, dt: number): void {
  const largest = liquid.fillVelocities()
  if ((largest * dt) / liquid.grid.spacing < MAX_DISPLACEMENT) return
  throw new InputError(
    `The liquid would move at ${Number(largest.toPrecision(3))} m/s, which cannot be computed; make gravity, forces and the velocities of bodies, ` +
      'sources and solids smaller, and see that they and the pressure of your own solver are finite numbers.',
  )
}
