/** Numbers of the K-cycle that both languages read. */

/** Conjugate gradient steps on a level of a K-cycle. */
export const KRYLOV_STEPS = 2

/** Longer steps are along constants of sealed pockets, whose curvature is rounding; they would swamp the answer. Rooms connected by
 *  doorways need up to 8. */
export const MAX_STEP_LENGTH = 8
