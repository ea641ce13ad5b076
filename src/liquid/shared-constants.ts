/** Numbers that the plain loops of a liquid and its kernels both read. */

/** Units of `depth` and `carried` per cell. */
export const LAYER = 16
/** From this depth on there is liquid, with or without particles: the surface is farther away than they reach. */
export const MIN_DEEP = (5 * LAYER) / 2

/** Bits of `touch`: the kind of the wall that touches the cell, and whether the centre of the cell is inside a solid. */
export const TOUCH_KIND = 3
export const CENTRE_SOLID = 4

/** Units of `clearance` per cell. */
export const CLEARANCE = 16

/** Factor by which a distance may change more than the position, because it is interpolated. */
export const SLACK = 1.05

/** Radius of the weights (1 − d²/REACH²)³ of the surface, in cells: from a centre it covers the cells around, and no more. */
export const REACH = 1.5

/** Of the pressure of a kick, see plain/grid/kick.ts: share of the second difference in time that is removed, pressure from which all of it
 *  is, in weights of a cell, and largest growth within a substep. */
export const RINGING_FILTER = 0.0155
export const RINGING_DEPTH = 4
export const MAX_GROWTH = 2

/** In `layerX` …: the velocity of the face is not known. */
export const NO_VELOCITY = 255

/** Places of the sums over a liquid, see plain/particles/moments.ts; vectors have three. */
export const COUNT_SUM = 0
export const POSITION_SUM = 1
export const VELOCITY_SUM = 4
export const ANGULAR_SUM = 7
export const ENERGY_SUM = 10
export const NOISE_SUM = 11
export const THIN_SUM = 12
export const MOMENT_SUMS = 13

/** A face that solids leave open by no more than this share has no velocity of its own after a projection; it is continued from other faces and
 *  constrained like one in the wall. The divergence of a cell contains the velocity of a face times its open share. So what that velocity makes
 *  up for, the errors of the up to five other faces of the cell, is divided by the share: below 1/5 even their mean comes back amplified, as
 *  metres a second beside liquid at rest. The flow through the face stays as it was solved; at most this share of one face is missing in what
 *  particles follow. */
export const SLIVER = 0.2
