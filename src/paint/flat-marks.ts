/** What may be visible in a cell of a 2D frame, as bits. Read by kernels and by shaders of pages. */
export const MARK_AIR = 1
/** Liquid too far below its surface to look rounded. */
export const MARK_DEEP = 2
export const MARK_SHALLOW = 4
export const MARK_SOLID = 8
