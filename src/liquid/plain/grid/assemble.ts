/** The pressure problem of a liquid: pressure/assemble.ts on the arrays of the liquid. */
import { AXES, type Axis, faceShape } from '../../../grid/grid.js'
import { openFaceFractions } from '../../../grid/levelset.js'
import type { FaceField } from '../../../grid/staggered.js'
import { assembleOpen } from '../../../pressure/assemble.js'
import type { MovingSolids } from '../../../pressure/open-geometry.js'
import { CONTACT, DRY, LIQUID } from '../../../pressure/problem.js'
import type { Growth } from '../../loops.js'
import { TOUCH_KIND } from '../../shared-constants.js'
import type { PlainState } from '../state.js'
import { hasLetGo } from './contacts.js'
import { faceCorners, facePosition, ownerOfNearest, wallOf, wallVelocity } from './nodal-solids.js'
import { sealedCells } from './sealed.js'
import { byAxis, forFacesOf, lowestNode } from './walk.js'

export interface AssembleOptions {
  /** Seconds. */
  readonly dt: number
  /** kg/m³. */
  readonly density: number
  /** Whether any wall has a velocity. */
  readonly isMoving: boolean
  /** Target divergence after projection, 1/s. */
  readonly divergence: number
}

/** Writes `kind`, `diagonal`, `linkX` …, `b`. */
export function assemble(state: PlainState, { dt, density, isMoving, divergence }: AssembleOptions): void {
  const { grid, arrays } = state
  const { u, open } = byAxis(state)
  const input = {
    grid,
    velocity: u,
    liquid: new Float64Array(arrays.phi),
    dt,
    density,
    desiredDivergence: new Float64Array(grid.cells).fill(divergence),
  }
  const touch = arrays.touch.map(kind => kind & TOUCH_KIND)
  const moving = isMoving ? movingSolids(state) : undefined
  const openCells = new Float64Array(arrays.openCell)
  const problem = assembleOpen(input, { open: toFaceField(axis => new Float64Array(open[axis])), touch, openCells, moving })
  arrays.kind.set(problem.kind)
  arrays.diagonal.set(problem.diagonal)
  arrays.linkX.set(problem.links[0])
  arrays.linkY.set(problem.links[1])
  arrays.linkZ.set(problem.links[2])
  arrays.b.set(problem.b)
}

/** Leaves no unknowns, and rows of zeros everywhere. */
export function clearProblem({ arrays }: PlainState): void {
  for (const name of ['kind', 'diagonal', 'linkX', 'linkY', 'linkZ', 'b'] as const) arrays[name].fill(0)
}

function movingSolids(state: PlainState): MovingSolids {
  const { grid, arrays } = state
  const fractions = openFaceFractions(grid, new Float64Array(arrays.solid))
  return {
    velocity: toFaceField(axis => solidVelocity(state, axis)),
    openFaces: toFaceField(axis => fractions[axis].map(Math.fround)),
  }
}

/** Velocity of the nearest solid at the centres of faces, along their axis, m/s. */
function solidVelocity(state: PlainState, axis: Axis): Float64Array {
  const { grid } = state
  const [fx, fy, fz] = faceShape(grid, axis)
  const velocity = new Float64Array(fx * fy * fz)
  forFacesOf(grid, axis, (_axis, face, _below, _above, i, j, k) => {
    const owner = ownerOfNearest(state, faceCorners(grid, axis, lowestNode(grid, i, j, k)))
    velocity[face] = wallVelocity(wallOf(state, owner), axis, facePosition(grid, axis, i, j, k))
  })
  return velocity
}

function toFaceField(create: (axis: Axis) => Float64Array): FaceField {
  const [x, y, z] = AXES.map(create)
  return [x, y, z]
}

/** The problem of liquid at rest that is to grow or shrink within a second, by the volumes in `excess` and shares of other volumes. Sealed
 *  liquid has no room to. Shrinking liquid would separate from all walls, so contacts become ordinary unknowns, except those separated in
 *  the last substep, by `kind` and `pressure`. */
export function assembleGrowth(state: PlainState, density: number, { share, beyond, maybeCrowded, maybeSparse }: Growth): void {
  const { kind, b, openCell, excess, doubtful } = state.arrays
  const isLetGo = kind.map((_, cell) => (hasLetGo(state.arrays, cell) ? 1 : 0))
  for (const u of byAxis(state).u) u.fill(0)
  assemble(state, { dt: 1, density, isMoving: false, divergence: 0 })
  const sealed = sealedCells(state)
  for (let cell = 0; cell < kind.length; cell++) {
    const maybe = (doubtful[cell] > 0 ? maybeCrowded : maybeSparse) * doubtful[cell]
    if (!sealed?.[cell] && kind[cell] !== DRY) b[cell] -= share * openCell[cell] + beyond * excess[cell] + maybe
    if (kind[cell] === CONTACT && !isLetGo[cell]) kind[cell] = LIQUID
  }
}
