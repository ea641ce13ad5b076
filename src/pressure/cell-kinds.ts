/** Numbers that both languages read: kinds of cells and walls in a pressure problem, and where p = 0 holds between an unknown and air. */

/** No unknown: air, solid, or a liquid cell all of whose faces are closed. */
export const DRY = 0
/** (A p + b) = 0. */
export const LIQUID = 1
/** 0 ≤ p ⊥ (A p + b) ≥ 0: liquid that touches a separating solid and can separate from it. */
export const CONTACT = 2

/** Kinds of walls at a cell, and of sides of the domain; an open side is no wall. */
export const NO_WALL = 0
export const SEPARATING = 1
export const STICKING = 2

/** Smallest distance of an unknown from p = 0, in cells, which bounds the diagonal. Where the surface is nearer to a centre it is moved away
 *  by up to this share of a cell, which changes the velocity around by the same share of dt/ρ ∇p: on grids of less than some thousand cells
 *  a side that is less than the error of first order, the spacing times a curvature, which the velocity at a surface has in any case. */
export const MIN_LIQUID_FRACTION = 1e-4

/** Keeps the factor by which distances are enlarged finite, whatever the level set is. */
export const SMALLEST_RATIO = 1e-100

/** On an open side p = 0 holds on the side itself, half a cell from the centre. */
export const OPEN_SIDE_FRACTION = 0.5
