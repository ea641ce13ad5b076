/** What solids and sides leave open of a grid, and which cells they touch. */
import { AXES, type Axis, type Grid } from '../grid/grid.js'
import { openCellFractions, openFaceFractions, smallestNodeOfCells } from '../grid/levelset.js'
import { createFaceField, type FaceField, faceStrides } from '../grid/staggered.js'
import type { Solid } from './assemble-input.js'
import { NO_WALL, SEPARATING, STICKING } from './cell-kinds.js'
import type { CompleteSides, Walls } from './walls.js'

export interface OpenGeometry {
  /** Open fraction of every face; 0 on closed sides. */
  readonly open: FaceField
  /** By cell: NO_WALL, or the kind of the wall that reaches deepest into it. */
  readonly touch: Uint8Array
  /** By cell: adhesion of that wall, Pa. Absent where no wall has any. */
  readonly adhesion?: Float64Array
  /** Fraction of every cell that solids leave open. Absent unless asked for: not every problem needs it, and it costs much of the assembly. */
  readonly openCells?: Float64Array
  /** Absent where no solid moves. */
  readonly moving?: MovingSolids
}

export interface MovingSolids {
  /** Velocity of the nearest solid on every face, m/s. */
  readonly velocity: FaceField
  /** Fraction of faces that solids leave open. Sides do not count: they are at rest. */
  readonly openFaces: FaceField
}

export interface ClosedSides {
  readonly kinds: CompleteSides
  /** Of `completeAdhesion`. */
  readonly adhesion: readonly number[]
}

/** `union`: distance to the nearest solid at nodes. `openCells` are found for moving solids and if `withCells`. */
export function openGeometry(
  grid: Grid,
  solids: readonly Solid[],
  union: Float64Array,
  sides: ClosedSides,
  withCells: boolean,
): OpenGeometry {
  const openFaces = openFaceFractions(grid, union)
  const open: FaceField = [openFaces[0].slice(), openFaces[1].slice(), openFaces[2].slice()]
  closeSides(grid, open, sides.kinds)
  const { touch, adhesion } = markTouched(grid, solids, sides)
  const isMoving = solids.some(solid => solid.velocity)
  const openCells = withCells || isMoving ? openCellFractions(grid, union) : undefined
  const moving = isMoving ? { velocity: combineVelocities(grid, solids), openFaces } : undefined
  return { open, touch, adhesion, openCells, moving }
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

/** Distance to the nearest solid at nodes, m. */
export function uniteSolids(grid: Grid, solids: readonly Solid[]): Float64Array {
  const [nx, ny, nz] = grid.shape
  const union = new Float64Array((nx + 1) * (ny + 1) * (nz + 1)).fill(Infinity)
  // Far from every solid a finite distance keeps the interpolation free of ∞ − ∞.
  if (solids.length === 0) return union.fill(grid.spacing * (nx + ny + nz))
  for (const { phi } of solids) for (let node = 0; node < union.length; node++) union[node] = Math.min(union[node], phi[node])
  return union
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

function closeSides(grid: Grid, open: FaceField, sides: CompleteSides): void {
  for (const axis of AXES) {
    for (const upper of [0, 1]) {
      if (sides[axis][upper] === 'open') continue
      forSide(grid, axis, upper, face => {
        open[axis][face] = 0
      })
    }
  }
}

/** A solid touches cells with their nodes, a closed side those along it. Where several touch one cell, the one that reaches deepest
 *  into it decides; a side counts as touching with distance 0. */
function markTouched(grid: Grid, solids: readonly Solid[], sides: ClosedSides): Pick<OpenGeometry, 'touch' | 'adhesion'> {
  const touched = new Uint8Array(grid.cells).fill(NO_WALL)
  const isStrong = solids.some(({ adhesion = 0 }) => adhesion > 0) || sides.adhesion.some(value => value > 0)
  const strength = isStrong ? new Float64Array(grid.cells) : undefined
  const deepest = new Float64Array(grid.cells).fill(Infinity)
  const touch = (cell: number, depth: number, walls: Walls, adhesion: number) => {
    if (depth > 0 || depth >= deepest[cell]) return
    deepest[cell] = depth
    touched[cell] = walls === 'separating' ? SEPARATING : STICKING
    if (strength) strength[cell] = adhesion
  }
  for (const { phi, walls = 'separating', adhesion = 0 } of solids)
    smallestNodeOfCells(grid, phi, (cell, smallest) => touch(cell, smallest, walls, adhesion))
  for (const axis of AXES) {
    if (axis === 2 && grid.dims === 2) continue
    for (const upper of [0, 1]) {
      const side = sides.kinds[axis][upper]
      if (side !== 'open') forSide(grid, axis, upper, (_, cell) => touch(cell, 0, side, sides.adhesion[2 * axis + upper]))
    }
  }
  return { touch: touched, adhesion: strength }
}
