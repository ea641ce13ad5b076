/** Impulse of the liquid on every solid and side, by the areas of the pressure problem (Batty, Bertails, Bridson 2007). The flux of moving solids
 *  in its right-hand side is U V for solids that move with V, and their impulse is Uᵀ p h^d dt, the same areas once more: (open share of the
 *  cell − open share of the face) h^(d−1) for a solid, what solids leave open of the face for a side. So
 *
 *  - what walls gain is what the projection takes from the liquid, to rounding: Σ m u over faces, m = ρ h^d · open share · distance to p = 0, and
 *    Σ m x × u alike;
 *  - impulse · V is the work of the solve on a solid.
 *
 *  Pressures are those of cell centres, up to half a cell away from the wall. Contacts at which liquid lets go have p = 0 and contribute nothing. */
import { AXES, nodeShape } from '../../grid/grid.js'
import { openFaceFraction } from '../../grid/levelset.js'
import { faceStrides } from '../../grid/staggered.js'
import { DRY, NO_WALL } from '../../pressure/cell-kinds.js'
import type { CompleteSides } from '../../pressure/walls.js'
import type { LiquidLoops } from '../loops.js'
import { faceCorners, ownerOfNearest } from '../plain/grid/nodal-solids.js'
import { TOUCH_KIND } from '../shared-constants.js'

/** Seconds for which the pressure of the solve acts, and that of the kick. */
export interface PressureSpans {
  readonly solve: number
  readonly kick: number
}

/** Areas over which cells press on walls, one after the other, in the order of cells. They depend on where walls are, not on the liquid. */
export interface WallAreas {
  readonly cells: Int32Array
  /** Sides of the domain from 0, lower and upper of x, y, z, and solids by their number, from FIRST_SOLID + 1. */
  readonly walls: Int32Array
  readonly axes: Uint8Array
  /** In faces of a cell, > 0 where pressure pushes up the axis. */
  readonly areas: Float64Array
}

/** Place of the first solid among walls, less its number. */
export const FIRST_SOLID = 5
/** Of every wall: impulse, N s, and angular impulse about the origin of the domain, N m s; in 2D per metre of depth. */
export const IMPULSE_SUMS = 6

/** Call it after the solids have been moved. */
export function findAreas(liquid: LiquidLoops, sides: CompleteSides): WallAreas {
  const { grid, arrays } = liquid
  const { touch, openX, openY, openZ } = arrays
  const [nx, ny, nz] = grid.shape
  const found: FoundAreas = { cells: [], walls: [], axes: [], areas: [] }
  const findAlong = findersOf(liquid, sides, found)
  for (let k = 0, cell = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++, cell++) {
        if ((touch[cell] & TOUCH_KIND) === NO_WALL) continue
        const x = cell + j + ny * k
        const y = cell + nx * k
        // Without an open face it is no unknown.
        if (openX[x] + openX[x + 1] + openY[y] + openY[y + nx] + openZ[cell] + openZ[cell + nx * ny] === 0) continue
        for (const find of findAlong) find(cell, i, j, k)
      }
  return {
    cells: Int32Array.from(found.cells),
    walls: Int32Array.from(found.walls),
    axes: Uint8Array.from(found.axes),
    areas: Float64Array.from(found.areas),
  }
}

type FoundAreas = Readonly<Record<keyof WallAreas, number[]>>

/** One per axis: finds the areas of a cell along it. */
function findersOf({ grid, arrays, hasSolids }: LiquidLoops, sides: CompleteSides, found: FoundAreas) {
  const { solid, owner, openCell, openX, openY, openZ } = arrays
  const [mx, my] = nodeShape(grid)
  const nodeSteps = [1, mx, mx * my]
  return AXES.slice(0, grid.dims).map(axis => {
    const open = [openX, openY, openZ][axis]
    const { row, plane, step } = faceStrides(grid, axis)
    const [s, t] = [nodeSteps[(axis + 1) % 3], nodeSteps[(axis + 2) % 3]]
    const last = grid.shape[axis] - 1
    const add = (cell: number, wall: number, area: number) => {
      if (area === 0) return
      found.cells.push(cell)
      found.walls.push(wall)
      found.axes.push(axis)
      found.areas.push(area)
    }
    const ownerOf = (node: number) => {
      const first = owner[node]
      // Usually there is only one.
      if (owner[node + s] === first && owner[node + t] === first && owner[node + s + t] === first) return first
      return ownerOfNearest({ arrays: { solid, owner } }, faceCorners(grid, axis, node))
    }
    /** What solids leave open of a face; sides that close it do not count. */
    const openOfSolids = (node: number) => (hasSolids ? Math.fround(openFaceFraction(solid, node, s, t)) : 1)
    const closes = (upper: 0 | 1, at: number) => at === upper * last && sides[axis][upper] !== 'open'
    return (cell: number, i: number, j: number, k: number) => {
      const face = i + row * (j + plane * k)
      const node = i + mx * (j + my * k)
      const at = axis === 0 ? i : axis === 1 ? j : k
      const isLower = closes(0, at)
      const isUpper = closes(1, at)
      const lower = isLower ? openOfSolids(node) : open[face]
      const upper = isUpper ? openOfSolids(node + nodeSteps[axis]) : open[face + step]
      if (isLower) add(cell, 2 * axis, -lower)
      if (isUpper) add(cell, 2 * axis + 1, upper)
      const whole = openCell[cell]
      if (whole === lower && whole === upper) return
      const below = ownerOf(node)
      const above = ownerOf(node + nodeSteps[axis])
      if (below === above) return add(cell, FIRST_SOLID + below, lower - upper)
      add(cell, FIRST_SOLID + below, lower - whole)
      add(cell, FIRST_SOLID + above, whole - upper)
    }
  })
}

/** IMPULSE_SUMS of every wall, of `solidCount` solids. After a solve and the prediction of the kick, before solids move. Forces along an axis
 *  have a torque by the two coordinates across it, which a cell and its faces along that axis have in common. */
export function wallImpulses(liquid: LiquidLoops, wallAreas: WallAreas, solidCount: number, spans: PressureSpans): Float64Array {
  const { grid } = liquid
  const { kind, pressure, kickPressure } = liquid.arrays
  const { cells, walls, axes, areas } = wallAreas
  const [nx, ny] = grid.shape
  const h = grid.spacing
  const faceArea = h ** (grid.dims - 1)
  const sums = new Float64Array(IMPULSE_SUMS * (FIRST_SOLID + solidCount + 1))
  const centre = [0, 0, 0]
  for (let n = 0; n < cells.length; n++) {
    const cell = cells[n]
    if (kind[cell] === DRY) continue
    const push = areas[n] * faceArea * (spans.solve * pressure[cell] + spans.kick * kickPressure[cell])
    if (push === 0) continue
    const row = Math.floor(cell / nx)
    const k = Math.floor(row / ny)
    centre[0] = (cell - nx * row + 0.5) * h
    centre[1] = (row - ny * k + 0.5) * h
    if (grid.dims === 3) centre[2] = (k + 0.5) * h
    const at = IMPULSE_SUMS * walls[n]
    const axis = axes[n]
    const s = (axis + 1) % 3
    const t = (axis + 2) % 3
    sums[at + axis] += push
    sums[at + 3 + s] += centre[t] * push
    sums[at + 3 + t] -= centre[s] * push
  }
  return sums
}
