/** Scratch memory of a piece while the surface is found, in bytes from its beginning. */
import { SIGHT, SUMS } from './sums'

/** A piece has three `Sums`, of particles, of their images and of some of these, a `Sight`, the distances of sixteen centres to walls, and
 *  the `Sums` of as many that see no wall, with the distances that these give. */
export const SEEN: usize = 3 * SUMS
export const WALLS: usize = SEEN + SIGHT
export const FREE: usize = WALLS + 64
export const FREE_DISTANCES: usize = FREE + 16 * SUMS
/** Bytes of a piece. */
export const SURFACE_SCRATCH: i32 = <i32>(FREE_DISTANCES + 64)
