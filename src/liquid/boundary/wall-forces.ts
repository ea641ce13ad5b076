/** Forces and torques of the liquid's pressure on solids and on the closed sides of the domain: impulses over time. Friction is not included. */
import { type CompleteSides, DOMAIN_SIDES, type DomainSide } from '../../pressure/walls.js'
import { cross } from '../../scene/rotation.js'
import type { SceneSolid, Vector } from '../../scene/setting.js'
import type { LiquidLoops } from '../loops.js'
import type { SolidForce, WallForce, WallForces } from './force-record.js'
import { FIRST_SOLID, IMPULSE_SUMS, type PressureSpans, type WallAreas, wallImpulses } from './wall-impulses.js'

export interface PressedWalls {
  readonly areas: WallAreas
  readonly sides: CompleteSides
  readonly solids: readonly SceneSolid[]
  /** s, at which pivots are where they are. */
  readonly time: number
}

/** The forces of a substep, after its solve and the prediction of its kick, before solids move. */
export function wallForces(liquid: LiquidLoops, walls: PressedWalls, spans: PressureSpans): WallForces {
  const impulses = wallImpulses(liquid, walls.areas, walls.solids.length, spans)
  const seconds = spans.solve + spans.kick
  const vectorAt = (at: number): Vector => [impulses[at] / seconds, impulses[at + 1] / seconds, impulses[at + 2] / seconds]
  const forceOn = (wall: number): WallForce => ({
    force: vectorAt(IMPULSE_SUMS * wall),
    torque: vectorAt(IMPULSE_SUMS * wall + 3),
  })
  const solids = walls.solids.map(({ name, pivotAt }, index): SolidForce => {
    const pivot = pivotAt?.(walls.time) ?? [0, 0, 0]
    const { force, torque } = forceOn(FIRST_SOLID + index + 1)
    return { name, pivot, force, torque: about(pivot, force, torque) }
  })
  const sides: Partial<Record<DomainSide, WallForce>> = {}
  for (let side = 0; side < 2 * liquid.grid.dims; side++)
    if (walls.sides[side >> 1][side & 1] !== 'open') sides[DOMAIN_SIDES[side]] = forceOn(side)
  return { seconds, solids, sides }
}

/** From a torque about the origin to that about a point. */
function about(point: Vector, force: Vector, torque: Vector): Vector {
  const moved = cross(point, force)
  return [torque[0] - moved[0], torque[1] - moved[1], torque[2] - moved[2]]
}

/** The mean of forces that follow each other in time. Solids that are not always there count as without a force while they are not; their pivot
 *  is the last one. */
export function meanForces(parts: readonly WallForces[]): WallForces {
  const seconds = parts.reduce((sum, part) => sum + part.seconds, 0)
  const most = parts.reduce<readonly SolidForce[]>((found, { solids }) => (solids.length >= found.length ? solids : found), [])
  const mean = (of: (part: WallForces) => WallForce | undefined): WallForce => {
    const along = (key: 'force' | 'torque', axis: number) =>
      parts.reduce((sum, part) => sum + (of(part)?.[key][axis] ?? 0) * part.seconds, 0) / seconds
    const vector = (key: 'force' | 'torque'): Vector => [along(key, 0), along(key, 1), along(key, 2)]
    return { force: vector('force'), torque: vector('torque') }
  }
  const sides: Partial<Record<DomainSide, WallForce>> = {}
  for (const side of DOMAIN_SIDES) if (parts.at(-1)?.sides[side]) sides[side] = mean(part => part.sides[side])
  return {
    seconds,
    solids: most.map(({ name, pivot }, index) => ({ name, pivot, ...mean(part => part.solids[index]) })),
    sides,
  }
}
