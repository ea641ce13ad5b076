/** Numbers that both languages read: how small an opening between a wall and the grid can be. */

/** A node this close to a wall, in cells, is on it: 2⁻¹⁰, exact in single precision. This moves the wall itself, so that all faces of a cell
 *  still agree on its shape, and costs a velocity error of the same share. Closing small faces one by one would leave cells with a small
 *  face whose counterpart is closed, and no velocity on it could be right. Openings that remain are not so small that the tolerance of a
 *  solve, rather than the problem, decides on the pressure behind them. */
export const ON_SURFACE = 0.0009765625

/** Smaller openings of faces are rounding. Corners that a wall on no node can cut off are larger. */
export const MIN_OPEN_FRACTION = 1e-8
