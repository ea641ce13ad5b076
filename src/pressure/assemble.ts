/** From velocity, liquid and solids to the pressure problem: cut cells (Batty, Bertails, Bridson 2007), ghost-fluid free
 *  surface (Enright, Fedkiw 2002), moving solids (Chentanez, Müller 2011, eq. 9–10), desired divergence (Andersen 2017, eq. 48). */
import { extendIntoSolids } from '../grid/extend-liquid.js'
import { AXES, cellStrides, type Grid } from '../grid/grid.js'
import { snapToSurface } from '../grid/levelset.js'
import { addOutflow, type FaceField, faceStrides } from '../grid/staggered.js'
import { type AssembleInput, checkAssembleInput } from './assemble-input.js'
import { SEPARATING } from './cell-kinds.js'
import { type MovingSolids, type OpenGeometry, openGeometry, uniteSolids } from './open-geometry.js'
import { CONTACT, DRY, LIQUID, type PressureProblem, type Problem } from './problem.js'
import { surfaceDistances } from './surface-distances.js'
import { completeAdhesion, completeSides } from './walls.js'

/** A problem with its geometry, so that `project` applies exactly the gradient that the matrix contains. */
export interface AssembledProblem extends PressureProblem {
  readonly dt: number
  readonly density: number
  /** Liquid level set at cell centres that the matrix was built from. */
  readonly liquid: Float64Array
  /** Open fraction of every face; 0 on closed sides. */
  readonly open: FaceField
  /** Distance from a liquid centre to p = 0 across each face, in cells, by `surfaceDistances`; 1 except at the free surface and at open sides. */
  readonly theta: FaceField
}

export function isAssembled(problem: Problem): problem is AssembledProblem {
  return 'open' in problem
}

export function assemble(input: AssembleInput): AssembledProblem {
  checkAssembleInput(input)
  const { grid } = input
  const solids = (input.solids ?? []).map(solid => ({ ...solid, phi: snapToSurface(grid, solid.phi) }))
  const union = uniteSolids(grid, solids)
  const liquid = input.liquidInSolids === 'as-given' ? input.liquid : extendIntoSolids(grid, input.liquid, union)
  const sides = { kinds: completeSides(grid, input.sides), adhesion: completeAdhesion(input.sideAdhesion) }
  const geometry = openGeometry(grid, solids, union, sides, input.desiredDivergence !== undefined)
  return assembleOpen({ ...input, liquid }, geometry)
}

/** As `assemble`, for a geometry that is known already and a `liquid` that already continues into solids. The geometry needs `openCells` if
 *  solids move or a divergence is desired. */
export function assembleOpen(input: AssembleInput, geometry: OpenGeometry): AssembledProblem {
  const { grid, velocity, liquid, dt, density = 1000, desiredDivergence } = input
  const { open, touch } = geometry
  const kind = markUnknowns(grid, liquid, open, touch)
  const theta = surfaceDistances(grid, kind, liquid, open)
  const { diagonal, links } = buildMatrix(grid, kind, open, theta, dt / (density * (grid.spacing * grid.spacing)))
  const b = rightHandSide(grid, velocity, geometry, desiredDivergence)
  for (let cell = 0; cell < grid.cells; cell++) if (kind[cell] === DRY) b[cell] = 0
  const problem = { grid, kind, diagonal, links, b, dt, density, liquid, open, theta }
  if (!geometry.adhesion) return problem
  return { ...problem, adhesion: geometry.adhesion.map((value, cell) => (kind[cell] === CONTACT ? value : 0)) }
}

/** Divergence of every cell, with the flux of moving solids, minus the desired divergence of what solids leave open of it: all three are
 *  flows out of the open part, per volume of a whole cell. */
function rightHandSide(
  grid: Grid,
  velocity: FaceField,
  { open, openCells = new Float64Array(grid.cells), moving }: OpenGeometry,
  desired: Float64Array | undefined,
): Float64Array {
  const b = new Float64Array(grid.cells)
  addOutflow(grid, velocity, open, b)
  if (moving) addSolidFlux(grid, moving, openCells, b)
  if (desired) for (let cell = 0; cell < grid.cells; cell++) b[cell] -= desired[cell] * openCells[cell]
  return b
}

/** Σ ± (V_cell − V_face) u_solid / spacing. Eq. 10 of the paper prints the opposite sign, with which a tank carried along
 *  with its liquid would feel a divergence; this one is Batty's, and is 0 there. */
function addSolidFlux(grid: Grid, { velocity, openFaces }: MovingSolids, openCells: Float64Array, b: Float64Array): void {
  const [nx, ny, nz] = grid.shape
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    const weight = openFaces[axis]
    const u = velocity[axis]
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        let face = row * (j + plane * k)
        for (let i = 0; i < nx; i++, cell++, face++) {
          const v = openCells[cell]
          b[cell] += ((v - weight[face + step]) * u[face + step] - (v - weight[face]) * u[face]) / grid.spacing
        }
      }
    }
  }
}

/** A cell is an unknown if its centre is liquid and some face of it is open, and a contact if a separating wall touches it, too. */
function markUnknowns(grid: Grid, liquid: Float64Array, open: FaceField, touch: Uint8Array): Uint8Array {
  const kind = new Uint8Array(grid.cells)
  const [nx, ny, nz] = grid.shape
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        let face = row * (j + plane * k)
        for (let i = 0; i < nx; i++, cell++, face++) {
          if (liquid[cell] < 0 && (open[axis][face] > 0 || open[axis][face + step] > 0))
            kind[cell] = touch[cell] === SEPARATING ? CONTACT : LIQUID
        }
      }
    }
  }
  return kind
}

function buildMatrix(grid: Grid, kind: Uint8Array, open: FaceField, theta: FaceField, scale: number) {
  const [nx, ny, nz] = grid.shape
  const diagonal = new Float64Array(grid.cells)
  const links: [Float64Array, Float64Array, Float64Array] = [
    new Float64Array(grid.cells),
    new Float64Array(grid.cells),
    new Float64Array(grid.cells),
  ]
  const strides = cellStrides(grid)
  for (const axis of AXES) {
    const { row, plane, step } = faceStrides(grid, axis)
    const stride = strides[axis]
    const last = grid.shape[axis] - 1
    const weight = open[axis]
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        for (let i = 0; i < nx; i++, cell++) {
          if (kind[cell] === DRY) continue
          const lower = i + row * (j + plane * k)
          const upper = lower + step
          const position = axis === 0 ? i : axis === 1 ? j : k
          if (weight[lower] > 0) diagonal[cell] += (scale * weight[lower]) / theta[axis][lower]
          if (weight[upper] === 0) continue
          diagonal[cell] += (scale * weight[upper]) / theta[axis][upper]
          if (position < last && kind[cell + stride] !== DRY) links[axis][cell] = -scale * weight[upper]
        }
      }
    }
  }
  return { diagonal, links }
}
