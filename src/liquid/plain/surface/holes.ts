/** Fills false holes: a few cells inside liquid that look like air by chance, or because a wall passes through them. As air they would have no
 *  pressure, and all liquid around would rush in within a substep. */

import { f32 } from '../arithmetic.js'
import { OUTSIDE, openNeighbours } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** Cells at a larger distance have no liquid next to them. */
const FAR = f32(1.2)
/** Smallest distance at centres of filled holes. */
const SHALLOW = -0.25
/** A hole at distance 0 becomes liquid, too. */
const JUST_INSIDE = f32(1e-3)

/** All are found before the first is filled, so the order of cells does not matter. */
export function fillHoles(state: PlainState, particlesPerCell: number): void {
  const { phi } = state.arrays
  const holes: number[] = []
  phi.forEach((distance, cell) => {
    if (distance >= 0 && distance < FAR && isHole(state, cell, particlesPerCell)) holes.push(cell)
  })
  // As far inside as it seemed to be outside: a pit of the surface at the height of a centre changes little.
  for (const cell of holes) phi[cell] = Math.max(SHALLOW, f32(-phi[cell] - JUST_INSIDE))
}

/** Flood fill of air from a cell, which ends soon in a hole. A half full cell that a wall cuts, with only one air neighbour, is a hole, too; a
 *  cell without any open face is not. */
function isHole(state: PlainState, cell: number, particlesPerCell: number): boolean {
  const { grid, arrays } = state
  // Two cells along every axis at most; larger ones are bubbles, and stay.
  const largest = 2 ** grid.dims
  const first = openNeighbours(state, cell)
  if (first.length === 0) return false
  const ways = first.filter(next => next === OUTSIDE || arrays.phi[next] >= 0)
  if (ways.length === 1 && ways[0] !== OUTSIDE && isHalfFullAtWall(state, cell, particlesPerCell)) return true
  const found = [cell]
  for (const at of found) {
    for (const next of openNeighbours(state, at)) {
      if (next !== OUTSIDE && (arrays.phi[next] < 0 || found.includes(next))) continue
      if (next === OUTSIDE || found.length === largest) return false
      found.push(next)
    }
  }
  return true
}

/** Particles in front of a wall do not tell by their mean position how full a cut cell is. In other cells they do, and such a cell is a pit of the
 *  surface: filled or not by a particle more or less, it would flicker. */
function isHalfFullAtWall({ arrays: { cellStart, openCell } }: PlainState, cell: number, particlesPerCell: number): boolean {
  const count = cellStart[cell + 1] - cellStart[cell]
  return openCell[cell] < 1 && count > 0 && count >= f32(f32(0.5 * f32(particlesPerCell)) * openCell[cell])
}
