/** From velocity, liquid and solids to the pressure problem: cut cells (Batty, Bertails, Bridson 2007), ghost-fluid free
 *  surface (Enright, Fedkiw 2002), moving solids (Chentanez, Müller 2011, eq. 9–10), desired divergence (Andersen 2017, eq. 48). */
import { checkChoice, checkList, checkNumbers, checkObject, refuse } from '../checks.js'
import { AXES, type Axis, cellStrides, checkGrid, type Grid } from '../grid/grid.js'
import { extendIntoSolids, openCellFractions, openFaceFractions, smallestNodeOfCells, snapToSurface } from '../grid/levelset.js'
import { addOutflow, checkFaces, createFaceField, type FaceField, faceStrides } from '../grid/staggered.js'
import { InputError } from '../input-error.js'
import { CONTACT, DRY, LIQUID, type PressureProblem, type Problem } from './problem.js'

/** Liquid can leave separating walls; it cannot leave sticking ones, as with ordinary solvers. */
export type Walls = 'separating' | 'sticking'
export const WALLS = ['separating', 'sticking'] as const satisfies readonly Walls[]

export interface Solid {
  /** Signed distance at the nodes in metres, < 0 inside. */
  readonly phi: Float64Array
  /** Velocity of the solid on all faces in or near it, m/s; at rest if absent. */
  readonly velocity?: FaceField
  /** `separating` if absent. */
  readonly walls?: Walls
}

/** An open side borders on air at p = 0; the other two are closed by a wall of that kind. */
export type Side = 'open' | Walls

/** Lower and upper side of each axis. The z sides of a 2D grid are always closed and touch nothing. */
export interface Sides {
  readonly x?: readonly [Side, Side]
  readonly y?: readonly [Side, Side]
  readonly z?: readonly [Side, Side]
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
  /** Seconds. */
  readonly dt: number
  /** kg/m³, 1000 if absent. */
  readonly density?: number
  /** Divergence the liquid shall have after projection, per cell, 1/s; 0 if absent. */
  readonly desiredDivergence?: Float64Array
  /** `extended` (the default) continues the liquid level set into solids; `as-given` trusts it there. */
  readonly liquidInSolids?: 'extended' | 'as-given'
}

/** A problem that remembers its geometry, so that `project` applies exactly the gradient the matrix stands for. */
export interface AssembledProblem extends PressureProblem {
  readonly dt: number
  readonly density: number
  /** Liquid level set at cell centres as the matrix has it, extended into solids if it was. */
  readonly liquid: Float64Array
  /** Open fraction of every face; 0 on closed sides. */
  readonly open: FaceField
  /** Distance from a liquid centre to p = 0 across each face, in cells; 1 except at the free surface and at open sides. */
  readonly theta: FaceField
}

export function isAssembled(problem: Problem): problem is AssembledProblem {
  return 'open' in problem
}

/** Bounds the diagonal at 100 times the uncut stencil. The same clamped value serves matrix and velocity update. */
export const MIN_LIQUID_FRACTION = 0.01

/** On an open side p = 0 holds on the side itself, half a cell from the centre. */
export const OPEN_SIDE_FRACTION = 0.5

/** What solids and sides leave of a grid, and what touches its cells. */
export interface OpenGeometry {
  /** Open fraction of every face; 0 on closed sides. */
  readonly open: FaceField
  /** By cell: UNTOUCHED, or what kind of wall reaches deepest into it. */
  readonly touch: Uint8Array
  /** Absent where no solid moves. */
  readonly moving?: MovingSolids
}

export interface MovingSolids {
  /** Velocity of the nearest solid on every face, m/s. */
  readonly velocity: FaceField
  /** Fraction of cells and faces that solids leave open, whatever the sides are: those are at rest. */
  readonly openCells: Float64Array
  readonly openFaces: FaceField
}

export const UNTOUCHED = 0
export const SEPARATING = 1
export const STICKING = 2

export function assemble(input: AssembleInput): AssembledProblem {
  checkInput(input)
  const { grid } = input
  const solids = (input.solids ?? []).map(solid => ({ ...solid, phi: snapToSurface(grid, solid.phi) }))
  const union = uniteSolids(grid, solids)
  const liquid = input.liquidInSolids === 'as-given' ? input.liquid : extendIntoSolids(grid, input.liquid, union)
  return assembleOpen({ ...input, liquid }, openGeometry(grid, solids, union, completeSides(grid, input.sides)))
}

/** As `assemble` where the geometry is known already and `liquid` reaches into solids as far as it should. */
export function assembleOpen(input: AssembleInput, { open, touch, moving }: OpenGeometry): AssembledProblem {
  const { grid, velocity, liquid, dt, density = 1000, desiredDivergence } = input
  const kind = markUnknowns(grid, liquid, open, touch)
  const { theta, diagonal, links } = buildMatrix(grid, kind, liquid, open, dt / (density * (grid.spacing * grid.spacing)))
  const b = rightHandSide(grid, velocity, open, moving, desiredDivergence)
  for (let cell = 0; cell < grid.cells; cell++) if (kind[cell] === DRY) b[cell] = 0
  return { grid, kind, diagonal, links, b, dt, density, liquid, open, theta }
}

function openGeometry(
  grid: Grid,
  solids: readonly Solid[],
  union: Float64Array,
  sides: readonly (readonly [Side, Side])[],
): OpenGeometry {
  const openFaces = openFaceFractions(grid, union)
  const open: FaceField = [openFaces[0].slice(), openFaces[1].slice(), openFaces[2].slice()]
  closeSides(grid, open, sides)
  const touch = markTouched(grid, solids, sides)
  if (!solids.some(solid => solid.velocity)) return { open, touch }
  const velocity = combineVelocities(grid, solids)
  return { open, touch, moving: { velocity, openCells: openCellFractions(grid, union), openFaces } }
}

/** Divergence of every cell, counting what moving solids push in, less the desired one. */
function rightHandSide(
  grid: Grid,
  velocity: FaceField,
  open: FaceField,
  moving: MovingSolids | undefined,
  desired: Float64Array | undefined,
): Float64Array {
  const b = new Float64Array(grid.cells)
  addOutflow(grid, velocity, open, b)
  if (moving) addSolidFlux(grid, moving, b)
  if (desired) for (let cell = 0; cell < grid.cells; cell++) b[cell] -= desired[cell]
  return b
}

/** Σ ± (V_cell − V_face) u_solid / spacing. Eq. 10 of the paper prints the opposite sign, with which a tank carried along
 *  with its liquid would feel a divergence; this one is Batty's, and is 0 there. */
function addSolidFlux(grid: Grid, { velocity, openCells, openFaces }: MovingSolids, b: Float64Array): void {
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

/** On each face the velocity of the solid that is nearest there. */
function combineVelocities(grid: Grid, solids: readonly Solid[]): FaceField {
  const combined = createFaceField(grid)
  const [nx, ny, nz] = grid.shape
  const nodeStep = [1, nx + 1, (nx + 1) * (ny + 1)]
  for (const axis of AXES) {
    const s = nodeStep[(axis + 1) % 3]
    const t = nodeStep[(axis + 2) % 3]
    const size = [nx, ny, nz].map((n, a) => (a === axis ? n + 1 : n))
    for (let k = 0, face = 0; k < size[2]; k++) {
      for (let j = 0; j < size[1]; j++) {
        for (let i = 0; i < size[0]; i++, face++) {
          const node = i + (nx + 1) * (j + (ny + 1) * k)
          let nearest = Infinity
          for (const { phi, velocity } of solids) {
            const distance = phi[node] + phi[node + s] + phi[node + t] + phi[node + s + t]
            if (distance >= nearest) continue
            nearest = distance
            combined[axis][face] = velocity ? velocity[axis][face] : 0
          }
        }
      }
    }
  }
  return combined
}

function uniteSolids(grid: Grid, solids: readonly Solid[]): Float64Array {
  const [nx, ny, nz] = grid.shape
  const union = new Float64Array((nx + 1) * (ny + 1) * (nz + 1)).fill(Infinity)
  // Far from every solid a finite distance keeps the interpolation free of ∞ − ∞.
  if (solids.length === 0) return union.fill(grid.spacing * (nx + ny + nz))
  for (const { phi } of solids) for (let node = 0; node < union.length; node++) union[node] = Math.min(union[node], phi[node])
  return union
}

function completeSides(grid: Grid, sides: Sides = {}): readonly (readonly [Side, Side])[] {
  const closed = ['separating', 'separating'] as const
  return [sides.x ?? closed, sides.y ?? closed, grid.dims === 2 ? closed : (sides.z ?? closed)]
}

/** Calls `visit(face, cell)` for all cells along one side of the grid; `upper` is 0 or 1. */
function forSide(grid: Grid, axis: Axis, upper: number, visit: (face: number, cell: number) => void): void {
  const [nx, ny, nz] = grid.shape
  const { row, plane, step } = faceStrides(grid, axis)
  const from = [0, 0, 0]
  const to = [nx, ny, nz]
  if (upper) from[axis] = to[axis] - 1
  else to[axis] = 1
  for (let k = from[2]; k < to[2]; k++)
    for (let j = from[1]; j < to[1]; j++)
      for (let i = from[0]; i < to[0]; i++) visit(i + row * (j + plane * k) + upper * step, i + nx * (j + ny * k))
}

function closeSides(grid: Grid, open: FaceField, sides: readonly (readonly [Side, Side])[]): void {
  for (const axis of AXES) {
    for (const upper of [0, 1]) {
      if (sides[axis][upper] === 'open') continue
      forSide(grid, axis, upper, face => {
        open[axis][face] = 0
      })
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

/** A solid touches cells with their nodes, a closed side those along it. Where several touch one cell, the one that reaches deepest
 *  into it decides; a side counts as touching with distance 0. */
function markTouched(grid: Grid, solids: readonly Solid[], sides: readonly (readonly [Side, Side])[]): Uint8Array {
  const touched = new Uint8Array(grid.cells).fill(UNTOUCHED)
  const deepest = new Float64Array(grid.cells).fill(Infinity)
  const touch = (cell: number, depth: number, walls: Walls) => {
    if (depth > 0 || depth >= deepest[cell]) return
    deepest[cell] = depth
    touched[cell] = walls === 'separating' ? SEPARATING : STICKING
  }
  for (const { phi, walls = 'separating' } of solids)
    smallestNodeOfCells(grid, phi, (cell, smallest) => touch(cell, smallest, walls))
  for (const axis of AXES) {
    if (axis === 2 && grid.dims === 2) continue
    for (const upper of [0, 1]) {
      const side = sides[axis][upper]
      if (side !== 'open') forSide(grid, axis, upper, (_, cell) => touch(cell, 0, side))
    }
  }
  return touched
}

function buildMatrix(grid: Grid, kind: Uint8Array, liquid: Float64Array, open: FaceField, scale: number) {
  const [nx, ny, nz] = grid.shape
  const theta = createFaceField(grid, 1)
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
          const face = i + row * (j + plane * k)
          const position = axis === 0 ? i : axis === 1 ? j : k
          for (let upper = 0; upper < 2; upper++) {
            const at = face + upper * step
            if (weight[at] === 0) continue
            const outside = upper ? position === last : position === 0
            const neighbour = cell + (upper ? stride : -stride)
            if (!outside && kind[neighbour] !== DRY) {
              diagonal[cell] += scale * weight[at]
              if (upper) links[axis][cell] = -scale * weight[at]
              continue
            }
            theta[axis][at] = outside ? OPEN_SIDE_FRACTION : liquidFraction(liquid[cell], liquid[neighbour])
            diagonal[cell] += (scale * weight[at]) / theta[axis][at]
          }
        }
      }
    }
  }
  return { theta, diagonal, links }
}

/** Position of the surface between a liquid and an air centre, 0 … 1 from the liquid, clamped. */
function liquidFraction(phiLiquid: number, phiAir: number): number {
  return Math.max(MIN_LIQUID_FRACTION, phiLiquid / (phiLiquid - phiAir))
}

/** Throws an InputError unless it says of some axes what is on their lower and upper side. */
export function checkSides(sides: Sides, what: string): void {
  checkObject(sides, what)
  for (const [axis, pair] of Object.entries(sides)) {
    checkChoice(axis, `${what}: an axis`, ['x', 'y', 'z'])
    if (pair === undefined) continue
    if (!Array.isArray(pair) || pair.length !== 2) refuse(`${what}.${axis}`, 'a pair of sides, lower and upper', pair)
    for (const side of pair) checkChoice(side, `${what}.${axis}`, ['open', ...WALLS])
  }
}

function checkInput(input: AssembleInput): void {
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
  if (liquidInSolids !== undefined) checkChoice(liquidInSolids, 'liquidInSolids', ['extended', 'as-given'])
  checkList(solids, 'solids')
  solids.forEach((solid, index) => {
    const name = `solids[${index}]`
    checkObject(solid, name)
    length(`${name}.phi`, solid.phi, (nx + 1) * (ny + 1) * (nz + 1), 'node')
    if (solid.velocity !== undefined) finite(`${name}.velocity`, solid.velocity)
    if (solid.walls !== undefined) checkChoice(solid.walls, `${name}.walls`, WALLS)
  })
}
