/** Layout of a piece's scratch memory while the surface is found, in bytes. */
import { PROBE, SUMS_BYTES } from './sums'

/** Three `Sums` (particles, images, images of one cell), a `Probe`, the distances of sixteen centres to walls, and for up to sixteen centres
 *  without walls in reach their `Sums` and distances. */
export const PROBE_AT: usize = 3 * SUMS_BYTES
export const WALL_DISTANCES: usize = PROBE_AT + PROBE
export const FREE: usize = WALL_DISTANCES + 64
export const FREE_DISTANCES: usize = FREE + 16 * SUMS_BYTES
/** Bytes of a piece. */
export const SURFACE_SCRATCH: i32 = <i32>(FREE_DISTANCES + 64)
