/** Projects the velocity of a manufactured solution, and measures what pressure and velocity are wrong by. */
import {
  type AssembledProblem,
  assemble,
  CONTACT,
  createGrid,
  DRY,
  type FaceField,
  type Grid,
  type PressureSolver,
  project,
  type ScalarFunction,
  sampleCells,
  sampleFaces,
  sampleNodes,
} from 'peel'
import { gradient, plus } from './calculus.js'
import type { Manufactured } from './manufactured.js'

/** Root mean square and largest absolute value. */
export interface Norms {
  readonly rms: number
  readonly max: number
}

export interface Errors {
  /** Cells along a side. */
  readonly size: number
  /** Of unknowns, Pa. */
  readonly pressure: Norms
  /** Of open faces that border on liquid, m/s. */
  readonly velocity: Norms
  /** Of those of them that are open by more than WIDE. */
  readonly wideVelocity: Norms
  /** Where it is known which contacts separate: their number, and of those that are pinned although the liquid presses, or the reverse. */
  readonly contacts: number
  readonly wrongContacts: number
  readonly iterations: number
}

/** The divergence of a cell says little about its faces that are open by less, since little flows through them. */
export const WIDE = 0.2

/** Level set inside solids, in cells: neither liquid nor air. */
const HIDDEN = 0.4

/** 1/s; the answer is then off by less than 1e-9 Pa, far below the errors of the discretisation. */
const TOLERANCE = 1e-8

export async function measureErrors(solution: Manufactured, dims: 2 | 3, size: number, solver: PressureSolver): Promise<Errors> {
  const grid = createGrid(new Array<number>(dims).fill(size), 1 / size)
  const [exact, before] = [solution.velocity, plus(solution.velocity, gradient(solution.pressure))].map(field =>
    sampleFaces(grid, dims === 3 ? field : [field[0], field[1], () => 0]),
  )
  const problem = assemble({
    grid,
    velocity: before,
    liquid: hideInSolids(grid, solution),
    solids: solution.walls.map(({ distance, velocity }) => ({
      phi: sampleNodes(grid, distance),
      velocity: velocity && sampleFaces(grid, velocity),
      walls: solution.kind,
    })),
    desiredDivergence: solution.divergence && sampleCells(grid, solution.divergence),
    dt: 1,
    density: 1,
  })
  const pressure = new Float64Array(grid.cells)
  const result = await solver.solve(problem, pressure, { tolerance: TOLERANCE })
  if (result.status !== 'converged') throw new Error(`${solution.name}, ${dims}D, ${size}: ${result.message}`)
  const velocity: FaceField = [before[0].slice(), before[1].slice(), before[2].slice()]
  project(velocity, pressure, problem)
  return {
    size,
    pressure: pressureErrors(problem, pressure, solution),
    velocity: velocityErrors(problem, velocity, exact, 0),
    wideVelocity: velocityErrors(problem, velocity, exact, WIDE),
    ...countContacts(problem, pressure, solution.leaves),
    iterations: result.iterations,
  }
}

/** The level set of the surface, with a value in solids that says nothing about where the surface meets them. A cell is in a solid if the
 *  mean distance of its corners is negative. */
function hideInSolids(grid: Grid, { surface, walls }: Manufactured): Float64Array {
  const half = 0.5 * grid.spacing
  const depth = grid.dims === 2 ? [0] : [-half, half]
  const corners = depth.flatMap(dz => [-half, half].flatMap(dy => [-half, half].map(dx => [dx, dy, dz])))
  const nearest = (x: number, y: number, z: number) => Math.min(...walls.map(({ distance }) => distance(x, y, z)))
  return sampleCells(grid, (x, y, z) => {
    const mean = corners.reduce((sum, [dx, dy, dz]) => sum + nearest(x + dx, y + dy, z + dz), 0)
    return mean < 0 ? HIDDEN * grid.spacing : surface(x, y, z)
  })
}

/** Of all unknowns; in liquid without air up to a constant. */
function pressureErrors({ grid, kind, theta }: AssembledProblem, pressure: Float64Array, solution: Manufactured): Norms {
  const exact = sampleCells(grid, solution.pressure)
  const errors = [...exact.keys()].filter(cell => kind[cell] !== DRY).map(cell => pressure[cell] - exact[cell])
  const isClosed = theta.every(axis => axis.every(distance => distance === 1))
  const shift = isClosed ? errors.reduce((sum, error) => sum + error, 0) / errors.length : 0
  return normsOf(errors.map(error => error - shift))
}

/** Of faces that are open by more than a fraction and border on liquid. */
function velocityErrors({ grid, kind, open }: AssembledProblem, velocity: FaceField, exact: FaceField, fraction: number): Norms {
  const errors: number[] = []
  for (let axis = 0; axis < grid.dims; axis++) {
    const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]]
    const shape = grid.shape.map((n, a) => (a === axis ? n + 1 : n))
    for (let face = 0; face < exact[axis].length; face++) {
      if (open[axis][face] <= fraction) continue
      const at = [face % shape[0], Math.floor(face / shape[0]) % shape[1], Math.floor(face / (shape[0] * shape[1]))]
      const above = at[0] + grid.shape[0] * (at[1] + grid.shape[1] * at[2])
      const isWet = (position: number, cell: number) => position >= 0 && position < grid.shape[axis] && kind[cell] !== DRY
      if (isWet(at[axis], above) || isWet(at[axis] - 1, above - strides[axis]))
        errors.push(velocity[axis][face] - exact[axis][face])
    }
  }
  return normsOf(errors)
}

function countContacts({ grid, kind }: AssembledProblem, pressure: Float64Array, leaves: ScalarFunction | undefined) {
  if (!leaves) return { contacts: 0, wrongContacts: 0 }
  const expected = sampleCells(grid, leaves)
  const contacts = [...kind.keys()].filter(cell => kind[cell] === CONTACT)
  return { contacts: contacts.length, wrongContacts: contacts.filter(cell => pressure[cell] > 0 !== expected[cell] < 0).length }
}

function normsOf(errors: readonly number[]): Norms {
  let sum = 0
  let max = 0
  for (const error of errors) {
    sum += error * error
    max = Math.max(max, Math.abs(error))
  }
  return { rms: Math.sqrt(sum / errors.length), max }
}
