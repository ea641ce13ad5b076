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

/** Bounds the diagonal at 100 times the uncut stencil. The same clamped value serves matrix and velocity update. */
export const MIN_LIQUID_FRACTION = 0.01

/** On an open side p = 0 holds on the side itself, half a cell from the centre. */
export const OPEN_SIDE_FRACTION = 0.5
