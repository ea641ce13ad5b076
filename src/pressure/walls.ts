/** Kinds of walls, and what is at the six sides of a domain. */
import { checkChoice, checkObject, refuse } from '../checks.js'
import type { Grid } from '../grid/grid.js'

/** Liquid can leave separating walls; it cannot leave sticking ones, as with ordinary solvers. */
export type Walls = 'separating' | 'sticking'
export const WALLS = ['separating', 'sticking'] as const satisfies readonly Walls[]

/** An open side borders on air at p = 0; the other two are closed by a wall of that kind. */
export type Side = 'open' | Walls

/** Lower and upper side of each axis. The z sides of a 2D grid are always closed and touch nothing. */
export interface Sides {
  readonly x?: readonly [Side, Side]
  readonly y?: readonly [Side, Side]
  readonly z?: readonly [Side, Side]
}

/** Names of the sides of a domain: lower and upper along x, y, z. */
export const DOMAIN_SIDES = ['left', 'right', 'bottom', 'top', 'back', 'front'] as const
export type DomainSide = (typeof DOMAIN_SIDES)[number]

/** Sides by axis, lower and upper. */
export type CompleteSides = readonly (readonly [Side, Side])[]

export function completeSides(grid: Grid, sides: Sides = {}): CompleteSides {
  const closed = ['separating', 'separating'] as const
  return [sides.x ?? closed, sides.y ?? closed, grid.dims === 2 ? closed : (sides.z ?? closed)]
}

/** Throws an InputError unless `sides` has a lower and an upper side for some axes. */
export function checkSides(sides: Sides, what: string): void {
  checkObject(sides, what)
  for (const [axis, pair] of Object.entries(sides)) {
    checkChoice(axis, `${what}: an axis`, ['x', 'y', 'z'])
    if (pair === undefined) continue
    if (!Array.isArray(pair) || pair.length !== 2) refuse(`${what}.${axis}`, 'a pair of sides, lower and upper', pair)
    for (const side of pair) checkChoice(side, `${what}.${axis}`, ['open', ...WALLS])
  }
}
