/** The arrays that the loops of a liquid work on, by name. Lengths are in cells, velocities in m/s. Arrays are laid out as in `grid/`: cells with
 *  x first, one array of faces per axis, nodes at the corners of cells. A 2D grid is one cell deep, with particles at z = ½. */
import type { Grid } from '../grid/grid.js'

/** Type of the elements of every array, and the set of points that it has one element for. */
export const LIQUID_ARRAYS = {
  // ---- Cells.
  /** Index of the first particle of each cell, after a sort. */
  cellStart: ['i32', 'cells and one'],
  /** Signed distance to the surface of the liquid, < 0 inside. */
  phi: ['f32', 'cells'],
  /** Pressure problem of the last `assemble`: DRY, LIQUID or CONTACT. */
  kind: ['u8', 'cells'],
  diagonal: ['f64', 'cells'],
  linkX: ['f64', 'cells'],
  linkY: ['f64', 'cells'],
  linkZ: ['f64', 'cells'],
  b: ['f64', 'cells'],
  /** Pa. */
  pressure: ['f64', 'cells'],
  /** Pa: suction that the wall of a contact withstands before liquid lets go of it, in the problem of the last substep; 0 elsewhere. */
  adhesion: ['f64', 'cells'],
  /** Pa: pressure of the next half kick, see plain/grid/kick.ts; 0 in dry cells. Values are f32. */
  kickPressure: ['f64', 'cells'],
  /** Pa: pressure of the last three substeps, by the same solve as `pressure`; 0 in cells that were dry. */
  lastPressure: ['f32', 'cells'],
  earlierPressure: ['f32', 'cells'],
  earliestPressure: ['f32', 'cells'],
  /** 0: no wall touches the cell; else the kind of the wall that reaches deepest into it, see plain/grid/geometry.ts. */
  touch: ['u8', 'cells'],
  /** Fraction of the cell that solids leave open. */
  openCell: ['f32', 'cells'],
  /** Sixteenths of a cell to the nearest solid, rounded down; 0 where a solid may be in the cell. */
  clearance: ['u8', 'cells'],
  /** Sixteenths of a cell below the surface: now, and where the content of the cell was before the last substep. */
  depth: ['u8', 'cells'],
  carried: ['u8', 'cells'],
  /** Volume in cells by which particles of the cell are too many or too few (< 0): beyond chance, and what may be chance. */
  excess: ['f32', 'cells'],
  doubtful: ['f32', 'cells'],
  /** 1 where particles are kept at any depth. */
  kept: ['u8', 'cells'],

  // ---- Nodes.
  /** Signed distance to the nearest solid, < 0 inside; 1e6 without any. */
  solid: ['f32', 'nodes'],
  /** Number of that solid, from 1; 0 without any. */
  owner: ['u8', 'nodes'],

  // ---- Faces.
  ux: ['f64', 'x-faces'],
  uy: ['f64', 'y-faces'],
  uz: ['f64', 'z-faces'],
  /** Velocity that came from the particles; from `fillChanges` on, after the kick; from `carryDeep` until the next `toGrid`, of deep liquid. */
  beforeX: ['f32', 'x-faces'],
  beforeY: ['f32', 'y-faces'],
  beforeZ: ['f32', 'z-faces'],
  /** Velocity of known faces before the kick. */
  startX: ['f32', 'x-faces'],
  startY: ['f32', 'y-faces'],
  startZ: ['f32', 'z-faces'],
  /** Fraction that solids leave open; 0 on closed sides of the domain. */
  openX: ['f32', 'x-faces'],
  openY: ['f32', 'y-faces'],
  openZ: ['f32', 'z-faces'],
  /** 0 where the velocity is known, n where it was extrapolated in layer n, 255 elsewhere. */
  layerX: ['u8', 'x-faces'],
  layerY: ['u8', 'y-faces'],
  layerZ: ['u8', 'z-faces'],
  /** Velocities of paths on all faces, followed by what particles add to their own velocity. Other loops use the first half as scratch, and
   *  some the whole. */
  pairX: ['f32', 'pairs of x'],
  pairY: ['f32', 'pairs of y'],
  pairZ: ['f32', 'pairs of z'],

  // ---- Particles: `capacity` elements, of which the first `particleCount` are in use.
  px: ['f32', 'particles'],
  py: ['f32', 'particles'],
  pz: ['f32', 'particles'],
  vx: ['f32', 'particles'],
  vy: ['f32', 'particles'],
  vz: ['f32', 'particles'],
  /** APIC: nine arrays of `capacity` elements, one after the other; three for the gradient of each velocity component, 1/s. */
  affine: ['f32', 'gradients'],
} as const satisfies Readonly<Record<string, readonly [ElementType, Points]>>

type ElementType = keyof ElementArrays
type Points =
  | ('cells' | 'cells and one' | 'nodes' | 'particles' | 'gradients')
  | ('x-faces' | 'y-faces' | 'z-faces' | 'pairs of x' | 'pairs of y' | 'pairs of z')

interface ElementArrays {
  readonly u8: Uint8Array
  readonly i32: Int32Array
  readonly f32: Float32Array
  readonly f64: Float64Array
}

export const ELEMENT_ARRAYS = { u8: Uint8Array, i32: Int32Array, f32: Float32Array, f64: Float64Array } as const

export type LiquidArray = keyof typeof LIQUID_ARRAYS
export type LiquidArrays = { readonly [Name in LiquidArray]: ElementArrays[(typeof LIQUID_ARRAYS)[Name][0]] }

/** Number of elements of an array, where there is room for `capacity` particles. */
export function liquidArrayLength(grid: Grid, name: LiquidArray, capacity: number, affine: boolean): number {
  const [nx, ny, nz] = grid.shape
  switch (LIQUID_ARRAYS[name][1]) {
    case 'cells':
      return grid.cells
    case 'cells and one':
      return grid.cells + 1
    case 'nodes':
      return (nx + 1) * (ny + 1) * (nz + 1)
    case 'x-faces':
      return (nx + 1) * ny * nz
    case 'y-faces':
      return nx * (ny + 1) * nz
    case 'z-faces':
      return nx * ny * (nz + 1)
    case 'pairs of x':
      return 2 * (nx + 1) * ny * nz
    case 'pairs of y':
      return 2 * nx * (ny + 1) * nz
    case 'pairs of z':
      return 2 * nx * ny * (nz + 1)
    case 'particles':
      return capacity
    case 'gradients':
      return affine ? 9 * capacity : 0
  }
}
