/** Geometry that solids and sides leave to the liquid: open fractions of faces and cells, and the kind of wall that touches a cell. */
import { openCellFractions, openFaceFractions, smallestNodeOfCells, snapToSurface } from '../../../grid/levelset.js'
import { NO_WALL, SEPARATING, STICKING } from '../../../pressure/cell-kinds.js'
import type { Walls } from '../../../pressure/walls.js'
import { CENTRE_SOLID, CLEARANCE } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { cellNodes, ownerOfNearest, wallOf } from './nodal-solids.js'
import { byAxis, forFaces, OUTSIDE, sideOfFace } from './walk.js'

export function openGeometry(state: PlainState): void {
  const { grid, arrays } = state
  const { touch, clearance } = arrays
  const solid = snapToSurface({ ...grid, spacing: 1 }, new Float64Array(arrays.solid))
  arrays.solid.set(solid)
  arrays.openCell.set(openCellFractions(grid, solid))
  smallestNodeOfCells(grid, solid, (cell, smallest) => {
    touch[cell] = smallest > 0 ? NO_WALL : touchOfSolid(state, cell)
    // Distances are linear between nodes, so the smallest of a cell is at a node.
    clearance[cell] = Math.min(255, Math.max(0, Math.trunc(CLEARANCE * smallest)))
  })
  const { open } = byAxis(state)
  const fractions = openFaceFractions(grid, solid)
  forFaces(grid, (axis, face, below, above) => {
    const side = sideOfFace(state, axis, below, above) ?? 'open'
    open[axis][face] = side === 'open' ? fractions[axis][face] : 0
    if (side === 'open') return
    // The first of several sides decides, and solids take precedence over sides.
    const inside = above === OUTSIDE ? below : above
    if (touch[inside] === NO_WALL) touch[inside] = touchOfWall(side)
  })
}

function touchOfWall(walls: Walls): number {
  return walls === 'sticking' ? STICKING : SEPARATING
}

/** The kind of the wall that reaches deepest into a cell, and whether the centre of the cell is solid: the mean of its nodes is negative. */
function touchOfSolid(state: PlainState, cell: number): number {
  const { solid } = state.arrays
  const nodes = cellNodes(state.grid, cell)
  const { walls } = wallOf(state, ownerOfNearest(state, nodes))
  const sum = nodes.reduce((total, node) => f32(total + solid[node]), 0)
  return touchOfWall(walls) | (sum < 0 ? CENTRE_SOLID : 0)
}
