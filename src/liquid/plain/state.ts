/** State shared by the plain loops of a liquid: its arrays and a few numbers. Lengths are in cells, velocities in m/s. */
import type { Grid } from '../../grid/grid.js'
import type { Side } from '../../pressure/walls.js'
import { ELEMENT_ARRAYS, LIQUID_ARRAYS, type LiquidArray, type LiquidArrays, liquidArrayLength } from '../arrays.js'
import type { LiquidWall, WallMotion } from '../loops.js'
import { NO_VELOCITY } from '../shared-constants.js'

export interface PlainState {
  readonly grid: Grid
  /** Arrays of particles have room for `capacity` of them. A sort, and growth, replace them: look them up where they are used. */
  readonly arrays: { -readonly [Name in keyof LiquidArrays]: LiquidArrays[Name] }
  particleCount: number
  /** Particles at the end of the list that were seeded since the last sort, with the velocity after the substep's kick. */
  seedCount: number
  /** Lower and upper side of each axis; those of z are closed in 2D. */
  sides: readonly (readonly [Side, Side])[]
  /** By number of their owner, from 1; solids without a wall are at rest. */
  readonly walls: LiquidWall[]
  motion: WallMotion
  hasSolids: boolean
  /** Cells below the surface that hold particles; 0: all of them. */
  bandWidth: number
  /** Layers of faces of the last extrapolation; 0: none was done, all velocities count as known. */
  extrapolatedLayers: number
}

const CLOSED: readonly [Side, Side] = ['separating', 'separating']

/** No particles, solids far away, all sides closed. */
export function createPlainState(grid: Grid): PlainState {
  const arrays = createArrays(grid)
  arrays.solid.fill(1e6)
  // Nothing moves through the z-faces of a 2D grid.
  if (grid.dims === 2) arrays.layerZ.fill(NO_VELOCITY)
  return {
    grid,
    arrays,
    particleCount: 0,
    seedCount: 0,
    sides: [CLOSED, CLOSED, CLOSED],
    walls: [],
    motion: { frames: [], farthest: 0, still: arrays.solid, moving: arrays.solid },
    hasSolids: true,
    bandWidth: 0,
    extrapolatedLayers: 0,
  }
}

function createArrays(grid: Grid): PlainState['arrays'] {
  const names = Object.keys(LIQUID_ARRAYS) as LiquidArray[]
  const create = (name: LiquidArray) => new ELEMENT_ARRAYS[LIQUID_ARRAYS[name][0]](liquidArrayLength(grid, name, 0, false))
  return Object.fromEntries(names.map(name => [name, create(name)])) as unknown as PlainState['arrays']
}
