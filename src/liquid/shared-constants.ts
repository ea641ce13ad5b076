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

// ---- The surface for pictures and meshes, see plain/surface/picture.ts. Lengths are in cells.
/** Distances to the surface are found up to here; farther liquid and air have this one. */
export const WIDEST = 3
/** Each pass carries distances to the next neighbours: a path along a diagonal of three axes, WIDEST long, crosses this many faces. */
export const DISTANCE_PASSES = 6
/** A cell is farther from the surface than the nearest of its neighbours by at least this, 1/√3 along a diagonal. */
export const LEAST_STEP = 0.577
/** The level set is kept up to here from the surface, and is a distance from twice this on. */
export const KEPT_NEAR = 0.5
/** What is farther from the surface is not smoothed: nothing that is drawn depends on it. */
export const SMOOTHED_NEAR = 2
/** Depth of liquid below which its surface is left as it is, and above which it is smoothed wholly; cells around that count for the depth. */
export const THIN_DEPTH = 1
export const THICK = 2
export const DEPTH_ROUNDS = 3
/** Smoothing moves no surface by more than this. */
export const MAX_SMOOTHED = 0.3
/** Liquid whose weight is below this stays liquid where it is. */
export const SURELY_THICK = 0.98
/** Shares of its depth that thin liquid may lose: where its weight is 0, and how much more where it is 1. */
export const THIN_LOSS = 0.5
export const THICK_LOSS = 0.45
/** Largest shift that makes up for changes of volume. */
export const MAX_SHIFT = 0.15
/** Layers of cells in solids that the surface is continued into: one for meshes, one more for cubics between centres. */
export const PICTURE_LAYERS = 2
