/** Bits of `touch`, the byte of a cell that says which kind of wall touches it. */

/** The kind of wall: OPEN, SEPARATING or STICKING. */
export const TOUCH_KIND: i32 = 3
/** Set beside the kind if the centre of the cell is inside a solid. */
export const CENTRE_SOLID: i32 = 4
