/** Particles drift together over many substeps, by converging flow and errors of interpolation. Where the cells around hold more particles
 *  than they have room for, particles are moved apart a little, down the slope of the excess. Velocities do not change, and nothing happens at
 *  the surface, where particles are few. */
import { LAYER } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { centreLattice, createPlace, interpolateWithSlope, locate } from '../interpolate.js'
import type { PlainState } from '../state.js'

/** Cells that a particle is moved per unit of slope. One move removes about six times this share of the excess at most, in 3D. */
const SPREAD = f32(0.1)
/** Largest displacement along an axis, in cells. */
const FARTHEST = f32(0.25)
/** Lower bound of the room of a cell and its neighbours, in cells. */
const MIN_ROOM = f32(0.1)

/** Share by which the particles of a cell and its neighbours, weighted 1 2 1 along every axis, exceed the room that solids leave; 0 if they
 *  do not, and in empty cells. Particles must be sorted. */
export function findExcess(state: PlainState, perCell: number): Float32Array {
  const { grid, arrays } = state
  const full = f32(perCell)
  const counts = countParticles(state, full)
  const particles = sumAround(state, counts)
  const room = sumAround(state, arrays.openCell)
  const excess = new Float32Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) {
    // An empty cell next to crowded ones has room.
    if (arrays.cellStart[cell + 1] === arrays.cellStart[cell]) continue
    const most = f32(full * Math.max(room[cell], MIN_ROOM))
    excess[cell] = Math.max(0, f32(particles[cell] / most) - 1)
  }
  return excess
}

/** Particles of every cell; below the band, as many as would be there. */
function countParticles({ grid, arrays, bandWidth }: PlainState, full: number): Float32Array {
  const counts = new Float32Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) {
    const isBelow = arrays.depth[cell] > LAYER * bandWidth
    counts[cell] = isBelow ? full * arrays.openCell[cell] : arrays.cellStart[cell + 1] - arrays.cellStart[cell]
  }
  return counts
}

/** Σ over a cell and its neighbours within the grid, weighted 1 2 1 along every axis. */
function sumAround({ grid }: PlainState, values: Float32Array): Float32Array {
  const [nx, ny, nz] = grid.shape
  const sums = new Float32Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) {
    const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++) {
      for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++) {
        const at = i + nx * (b + ny * c)
        const beside = f32((i > 0 ? values[at - 1] : 0) + (i < nx - 1 ? values[at + 1] : 0))
        const weight = (c === k ? 2 : 1) * (b === j ? 2 : 1)
        sums[cell] += f32(weight * f32(beside + 2 * values[at]))
      }
    }
  }
  return sums
}

/** Displacement of a particle at a position towards more room, in cells. */
export type Spreading = (position: Float32Array, displacement: Float32Array) => void

export function createSpreading({ grid }: PlainState, excess: Float32Array): Spreading {
  const lattice = centreLattice(grid)
  const place = createPlace()
  return (position, displacement) => {
    locate(lattice, position, place)
    interpolateWithSlope(excess, lattice, place, displacement)
    for (let axis = 0; axis < 3; axis++)
      displacement[axis] = Math.max(-FARTHEST, Math.min(FARTHEST, f32(-SPREAD * displacement[axis])))
  }
}
