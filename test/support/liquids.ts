/** Liquids in the memory of a machine with random solids, surfaces and velocities, and their arrays as the definitions take them. */
import { sampleCells, sampleNodes } from '../../src/grid/field.js'
import { AXES, type Axis, createGrid, faceShape, type Grid, nodeShape } from '../../src/grid/grid.js'
import type { FaceField } from '../../src/grid/staggered.js'
import type { LiquidArrays } from '../../src/liquid/arrays.js'
import { type CompiledLiquid, createCompiledLiquid } from '../../src/liquid/compiled/liquid.js'
import type { LiquidLoops, LiquidWall } from '../../src/liquid/loops.js'
import type { LiquidMachine } from '../../src/machine/generated/liquid.js'
import type { Solid } from '../../src/pressure/assemble-input.js'
import type { Sides } from '../../src/pressure/walls.js'
import { random } from '../../src/random.js'

export type Distance = (x: number, y: number, z: number) => number

export interface LiquidCase {
  readonly shape: readonly number[]
  readonly spacing?: number
  /** In cells. */
  readonly liquid: Distance
  readonly solids?: readonly { readonly phi: Distance; readonly wall?: Partial<LiquidWall> }[]
  readonly sides?: Sides
}

export const ball =
  (x: number, y: number, z: number, radius: number): Distance =>
  (a, b, c) =>
    Math.hypot(a - x, b - y, c - z) - radius

export const AT_REST: LiquidWall = { walls: 'separating', linear: [0, 0, 0], angular: [0, 0, 0] }

export interface PlacedLiquid {
  readonly liquid: CompiledLiquid
  readonly grid: Grid
  /** The same grid with cells of size 1: distances in memory are in cells. */
  readonly unit: Grid
  /** As the definition takes them: distances in cells, rounded as memory has them. */
  readonly solids: readonly Solid[]
}

/** Replaces what was in the memory of the machine. */
export function placeLiquid(
  machine: LiquidMachine,
  { shape, spacing = 0.37, liquid: phi, solids = [], sides = {} }: LiquidCase,
): PlacedLiquid {
  const grid = createGrid(shape, spacing)
  const unit = createGrid(shape)
  machine.kernels.releaseAll()
  const liquid = createCompiledLiquid(machine, grid)
  liquid.setSides(sides)
  const { arrays } = liquid
  const placed = solids.map(({ phi: distance, wall }, index) => {
    const { walls } = { ...AT_REST, ...wall }
    liquid.setWall(index + 1, { ...AT_REST, ...wall })
    return { phi: sampleNodes(unit, distance).map(Math.fround), walls }
  })
  arrays.solid.forEach((_, node) => {
    placed.forEach(({ phi: distance }, index) => {
      if (index > 0 && distance[node] >= arrays.solid[node]) return
      arrays.solid[node] = distance[node]
      arrays.owner[node] = index + 1
    })
  })
  arrays.phi.set(sampleCells(unit, phi))
  const [u, before] = [faceArrays(liquid, 'u'), faceArrays(liquid, 'before')]
  for (const axis of AXES) {
    if (axis === 2 && grid.dims === 2) continue
    u[axis].forEach((_, face) => {
      u[axis][face] = 4 * random(11, axis, face) - 2
      before[axis][face] = 4 * random(12, axis, face) - 2
    })
  }
  return { liquid, grid, unit, solids: placed }
}

const FACE_ARRAYS = {
  u: ['ux', 'uy', 'uz'],
  open: ['openX', 'openY', 'openZ'],
  before: ['beforeX', 'beforeY', 'beforeZ'],
  layer: ['layerX', 'layerY', 'layerZ'],
  pair: ['pairX', 'pairY', 'pairZ'],
} as const

/** One array per axis. */
export function faceArrays<Name extends keyof typeof FACE_ARRAYS>({ arrays }: LiquidLoops, name: Name) {
  return FACE_ARRAYS[name].map(key => arrays[key]) as LiquidArrays[(typeof FACE_ARRAYS)[Name][0]][]
}

export const toFaceField = (arrays: readonly ArrayLike<number>[]): FaceField => [
  Float64Array.from(arrays[0]),
  Float64Array.from(arrays[1]),
  Float64Array.from(arrays[2]),
]

/** Calls `visit` for all faces of an axis, with the index of the node at their lower corner. */
export function forFaces(
  grid: Grid,
  axis: Axis,
  visit: (face: number, i: number, j: number, k: number, node: number) => void,
): void {
  const [fx, fy, fz] = faceShape(grid, axis)
  const [mx, my] = nodeShape(grid)
  for (let k = 0, face = 0; k < fz; k++)
    for (let j = 0; j < fy; j++) for (let i = 0; i < fx; i++, face++) visit(face, i, j, k, i + mx * (j + my * k))
}

/** Nodes at the corners of a face, the first being `node`. */
export function faceCorners(grid: Grid, axis: Axis, node: number): number[] {
  const [mx, my] = nodeShape(grid)
  const step = [1, mx, mx * my]
  const [s, t] = [step[(axis + 1) % 3], step[(axis + 2) % 3]]
  return [node, node + s, node + t, node + s + t]
}

/** Particles at random places of a regular pattern, `perAxis` along each axis of a cell, where `inside` says so; sorted by cell. */
export function seedParticles(
  { liquid, grid }: PlacedLiquid,
  inside: (x: number, y: number, z: number, cell: number) => boolean,
  perAxis = 2,
): number {
  const [nx, ny] = grid.shape
  const positions: number[][] = []
  const starts = [0]
  for (let cell = 0; cell < grid.cells; cell++) {
    const corner = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    for (let n = 0; n < perAxis ** grid.dims; n++) {
      const place = [n % perAxis, Math.floor(n / perAxis) % perAxis, Math.floor(n / perAxis ** 2)]
      const at = corner.map((c, a) => (a < grid.dims ? c + (place[a] + random(21, cell, n, a)) / perAxis : 0.5))
      if (inside(at[0], at[1], at[2], cell)) positions.push(at)
    }
    starts.push(positions.length)
  }
  placeParticles(liquid, positions, starts)
  return positions.length
}

/** Positions in cells, sorted by cell; where those of each cell begin. */
export function placeParticles(liquid: LiquidLoops, positions: readonly (readonly number[])[], starts: readonly number[]): void {
  liquid.reserveParticles(positions.length + 1, false)
  liquid.particleCount = positions.length
  const { px, py, pz, cellStart } = liquid.arrays
  ;[px, py, pz].forEach((array, axis) => {
    array.set(positions.map(position => position[axis]))
  })
  cellStart.set(starts)
}
