/** Kinds of walls, and what is at the six sides of a domain. */
import { checkChoice, checkNumber, checkObject, refuse } from '../checks.js'
import type { Grid } from '../grid/grid.js'

/** Pa. Beyond this, rounding of the shift in b would reach the tolerances of solvers; no liquid is as strong. */
export const MAX_ADHESION = 1e9

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

/** Adhesion of the lower and upper side of each axis, Pa; 0 where absent. Of no effect on open sides, which are no walls. */
export interface SideAdhesion {
  readonly x?: readonly [number, number]
  readonly y?: readonly [number, number]
  readonly z?: readonly [number, number]
}

/** Lower and upper side along x, y and z in turn, Pa. */
export function completeAdhesion({ x = [0, 0], y = [0, 0], z = [0, 0] }: SideAdhesion = {}): readonly number[] {
  return [...x, ...y, ...z]
}

/** Throws an InputError unless `adhesion` has strengths of a lower and an upper side for some axes. */
export function checkSideAdhesion(adhesion: SideAdhesion, what: string): void {
  forPairs(adhesion, what, 'a pair of numbers, for the lower and the upper side', (value, where) =>
    checkNumber(value, where, 0, MAX_ADHESION),
  )
}

/** Sides by axis, lower and upper. */
export type CompleteSides = readonly (readonly [Side, Side])[]

export function completeSides(grid: Grid, sides: Sides = {}): CompleteSides {
  const closed = ['separating', 'separating'] as const
  return [sides.x ?? closed, sides.y ?? closed, grid.dims === 2 ? closed : (sides.z ?? closed)]
}

/** Throws an InputError unless `sides` has a lower and an upper side for some axes. */
export function checkSides(sides: Sides, what: string): void {
  forPairs(sides, what, 'a pair of sides, lower and upper', (side, where) => checkChoice(side, where, ['open', ...WALLS]))
}

function forPairs<Value>(
  pairs: Readonly<Partial<Record<'x' | 'y' | 'z', readonly [Value, Value]>>>,
  what: string,
  expected: string,
  check: (value: Value, where: string) => void,
): void {
  checkObject(pairs, what)
  for (const [axis, pair] of Object.entries(pairs)) {
    checkChoice(axis, `${what}: an axis`, ['x', 'y', 'z'])
    if (pair === undefined) continue
    if (!Array.isArray(pair) || pair.length !== 2) refuse(`${what}.${axis}`, expected, pair)
    for (const value of pair) check(value, `${what}.${axis}`)
  }
}
