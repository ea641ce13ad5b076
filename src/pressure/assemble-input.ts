/** What a pressure problem is assembled from, and the check that it is complete and finite. */
import { checkChoice, checkList, checkNumber, checkNumbers, checkObject, refuse } from '../checks.js'
import { AXES, checkGrid, type Grid } from '../grid/grid.js'
import { checkFaces, type FaceField } from '../grid/staggered.js'
import { InputError } from '../input-error.js'
import { checkSideAdhesion, checkSides, MAX_ADHESION, type SideAdhesion, type Sides, WALLS, type Walls } from './walls.js'

export interface Solid {
  /** Signed distance at the nodes in metres, < 0 inside. */
  readonly phi: Float64Array
  /** Velocity of the solid on all faces in or near it, m/s; at rest if absent. */
  readonly velocity?: FaceField
  /** `separating` if absent. */
  readonly walls?: Walls
  /** Suction that separating walls withstand before liquid lets go of them, Pa; 0 if absent. */
  readonly adhesion?: number
}

export interface AssembleInput {
  readonly grid: Grid
  /** Velocity before projection on all faces, m/s. */
  readonly velocity: FaceField
  /** Signed distance to the liquid's surface at cell centres in metres, < 0 inside. */
  readonly liquid: Float64Array
  readonly solids?: readonly Solid[]
  /** All closed by separating walls if absent. */
  readonly sides?: Sides
  /** Adhesion of closed sides; 0 if absent. */
  readonly sideAdhesion?: SideAdhesion
  /** Seconds. */
  readonly dt: number
  /** kg/m³, 1000 if absent. */
  readonly density?: number
  /** Divergence that the liquid is to have after projection, per cell, 1/s; 0 if absent. In a cut cell it counts for the open part. */
  readonly desiredDivergence?: Float64Array
  /** `extended` (the default) continues the liquid level set into solids, linearly; `as-given` trusts it there. */
  readonly liquidInSolids?: 'extended' | 'as-given'
}

/** Throws an InputError that names what is missing, of the wrong length or not finite. */
export function checkAssembleInput(input: AssembleInput): void {
  checkObject(input, 'The argument of assemble', 'an object with grid, velocity, liquid and dt')
  const { grid, velocity, liquid, solids = [], sides = {}, dt, density = 1000, desiredDivergence, liquidInSolids } = input
  checkGrid(grid, 'grid')
  const positive = (name: string, value: number) => {
    if (!(typeof value === 'number' && value > 0 && Number.isFinite(value))) refuse(name, 'a positive number', value)
  }
  positive('dt', dt)
  positive('density', density)
  const length = (name: string, array: Float64Array, expected: number, unit: string) => {
    checkNumbers(array, name, Float64Array, expected, unit)
    const bad = array.findIndex(value => !Number.isFinite(value))
    if (bad >= 0) throw new InputError(`${name} is ${array[bad]} at index ${bad}; it must be finite everywhere.`)
  }
  const [nx, ny, nz] = grid.shape
  const finite = (name: string, field: FaceField) => {
    checkFaces(grid, field, name)
    for (const axis of AXES) length(`${name}[${axis}]`, field[axis], field[axis].length, 'face')
  }
  finite('velocity', velocity)
  length('liquid', liquid, grid.cells, 'cell')
  if (desiredDivergence !== undefined) length('desiredDivergence', desiredDivergence, grid.cells, 'cell')
  checkSides(sides, 'sides')
  if (input.sideAdhesion !== undefined) checkSideAdhesion(input.sideAdhesion, 'sideAdhesion')
  if (liquidInSolids !== undefined) checkChoice(liquidInSolids, 'liquidInSolids', ['extended', 'as-given'])
  checkList(solids, 'solids')
  solids.forEach((solid, index) => {
    const name = `solids[${index}]`
    checkObject(solid, name)
    length(`${name}.phi`, solid.phi, (nx + 1) * (ny + 1) * (nz + 1), 'node')
    if (solid.velocity !== undefined) finite(`${name}.velocity`, solid.velocity)
    if (solid.walls !== undefined) checkChoice(solid.walls, `${name}.walls`, WALLS)
    if (solid.adhesion !== undefined) checkNumber(solid.adhesion, `${name}.adhesion`, 0, MAX_ADHESION)
  })
}
