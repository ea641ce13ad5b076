/** Moves particles apart that are too near each other. Errors of paths and of interpolation gather particles, and the grid does not see clumps
 *  that are smaller than a cell: at the surface they jump from cell to cell, and inside they empty the cells beside them.
 *
 *    δ_i = RELAXATION Σ_j (d − r) (x_i − x_j) / r    over all particles j with r = |x_i − x_j| < d,    |δ_i| ≤ d/2
 *
 *  with d = perCell^(−1/dims) cells, the distance of a square lattice. Spheres of diameter d fill 0.52 of the space (discs 0.79), less than
 *  where random packings lock (0.64 and 0.84), so particles of a full liquid find places without more room. Beside cells without particles,
 *  δ loses its part towards them (as Lind, Xu, Stansby and Rogers 2012 shift particles at a surface): nothing outside would balance it, and
 *  the surface would creep out. Only cells that hold more than a full one may spill. Velocities do not change. Inside, both particles of a pair move by the same way, so their momentum and their
 *  energy stay; at the surface particles can only sink into the liquid, which frees no energy into motion. */
import { CENTRE_SOLID } from '../../shared-constants.js'
import { addScaled, f32, lengthOf } from '../arithmetic.js'
import type { PlainState } from '../state.js'
import { PARTS, totalOf } from '../surface/particle-sums.js'
import { createSides } from './sides.js'
import { createSolids } from './solids.js'

/** The largest that is stable: a particle with twelve neighbours, as many as touch a sphere, is pushed back by 12/3 times its displacement,
 *  and by as much again where neighbours move towards it. In 2D six neighbours push by 6/2. */
const RELAXATION = f32(0.25)
/** Squared distance in cells below which a direction is rounding. Such pairs move along an axis. */
const COINCIDENT = f32(1e-8)

/** Particles must be sorted. They stay out of solids and inside of all sides. */
export function separateParticles(state: PlainState, perCell: number): void {
  const { arrays } = state
  const columns = [arrays.px, arrays.py, arrays.pz]
  const solids = createSolids(state, false)
  const sides = createSides(state)
  const [from, to, velocity] = Array.from({ length: 3 }, () => new Float32Array(3))
  // All displacements are found before the first particle moves.
  findDisplacements(state, perCell).forEach((displacement, n) => {
    for (let axis = 0; axis < 3; axis++) from[axis] = columns[axis][n]
    addScaled(to, from, displacement, 1)
    if (state.hasSolids) solids.stop(from, displacement, to, velocity)
    sides.keepInside(to)
    for (let axis = 0; axis < 3; axis++) columns[axis][n] = to[axis]
  })
}

/** One vector per particle, in cells. */
function findDisplacements(state: PlainState, perCell: number): Float32Array[] {
  const { grid, arrays } = state
  const nearest = f32(perCell ** (-1 / grid.dims))
  const pushes = findPushes(state, nearest)
  const displacements: Float32Array[] = []
  for (let cell = 0; cell < grid.cells; cell++) {
    const isFull = arrays.cellStart[cell + 1] - arrays.cellStart[cell] > perCell
    const outwards = isFull ? new Float32Array(3) : outwardsOf(state, cell)
    for (let n = arrays.cellStart[cell]; n < arrays.cellStart[cell + 1]; n++) {
      const displacement = Float32Array.from(pushes, axis => axis[n] * RELAXATION)
      displacements.push(limited(displacement, outwards, nearest))
    }
  }
  return displacements
}

/** Σ (d − r) (x_i − x_j) / r of every particle, along each axis. Pairs are added to both particles at once, in the order of the list, but
 *  those that begin in even slabs (planes of constant k in 3D, rows in 2D) before those in odd ones: threads then share the slabs. */
function findPushes(state: PlainState, nearest: number): Float32Array[] {
  const { grid, arrays } = state
  const [nx, ny, nz] = grid.shape
  const [slabs, slabCells] = grid.dims === 3 ? [nz, nx * ny] : [ny, nx]
  const pushes = [arrays.px, arrays.py, arrays.pz].map(({ length }) => new Float32Array(length))
  for (const odd of [0, 1])
    for (let slab = odd; slab < slabs; slab += 2)
      for (let n = arrays.cellStart[slab * slabCells]; n < arrays.cellStart[(slab + 1) * slabCells]; n++)
        pushOthers(state, n, nearest, pushes)
  return pushes
}

/** Unit vector from a cell towards the cells around it that have no particles, solids aside; 0 where there are none, or as many on the other
 *  side. */
function outwardsOf({ grid, arrays: { cellStart, touch } }: PlainState, cell: number): Float32Array {
  const [nx, ny, nz] = grid.shape
  const [i, j, k] = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
  const outwards = new Float32Array(3)
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++) {
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++) {
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
        const other = a + nx * (b + ny * c)
        if (cellStart[other + 1] !== cellStart[other] || touch[other] & CENTRE_SOLID) continue
        outwards[0] += a - i
        outwards[1] += b - j
        outwards[2] += c - k
      }
    }
  }
  const length = lengthOf(outwards)
  return length === 0 ? outwards : outwards.map(part => part * f32(1 / length))
}

/** A displacement without its part outwards, of at most half the distance. */
function limited(displacement: Float32Array, outwards: Float32Array, nearest: number): Float32Array {
  const [x, y, z] = displacement.map((part, axis) => part * outwards[axis])
  const out = f32(f32(x + y) + z)
  if (out > 0) addScaled(displacement, displacement, outwards, -out)
  const length = lengthOf(displacement)
  const longest = f32(0.5 * nearest)
  return length > longest ? displacement.map(part => part * f32(longest / length)) : displacement
}

/** Pairs of a particle with later ones. */
function pushOthers(state: PlainState, own: number, nearest: number, pushes: Float32Array[]): void {
  const { px, py, pz } = state.arrays
  const sums = pushes.map(() => new Float32Array(PARTS))
  const most = f32(nearest * nearest)
  forRowsWithin(state, own, nearest, (start, end) => {
    if (end <= own) return
    const first = Math.max(start, own + 1)
    for (let n = first; n < end; n++) {
      const apart = [f32(px[own] - px[n]), f32(py[own] - py[n]), f32(pz[own] - pz[n])]
      const square = f32(f32(f32(apart[0] * apart[0]) + f32(apart[1] * apart[1])) + f32(apart[2] * apart[2]))
      if (!(square < most)) continue
      if (square < COINCIDENT) {
        // Along an axis that differs from pair to pair.
        const along = pushes[(own + n) % state.grid.dims]
        along[own] -= nearest
        along[n] += nearest
        continue
      }
      const weight = f32(f32(nearest / f32(Math.sqrt(square))) - 1)
      for (let axis = 0; axis < 3; axis++) {
        const push = f32(weight * apart[axis])
        sums[axis][(n - first) % PARTS] += push
        pushes[axis][n] -= push
      }
    }
  })
  for (let axis = 0; axis < 3; axis++) pushes[axis][own] += totalOf(sums[axis])
}

/** Rows of particles in the cells that a cube around a particle reaches into. */
function forRowsWithin(
  { grid: { shape }, arrays: { px, py, pz, cellStart } }: PlainState,
  particle: number,
  reach: number,
  visit: (first: number, end: number) => void,
): void {
  const lowest = (coordinate: number, size: number) => cellWithin(f32(coordinate - reach), size)
  const highest = (coordinate: number, size: number) => cellWithin(f32(coordinate + reach), size)
  const [x, y, z] = [px[particle], py[particle], pz[particle]]
  const [nx, ny, nz] = shape
  for (let k = lowest(z, nz); k <= highest(z, nz); k++) {
    for (let j = lowest(y, ny); j <= highest(y, ny); j++) {
      const row = nx * (j + ny * k)
      visit(cellStart[row + lowest(x, nx)], cellStart[row + highest(x, nx) + 1])
    }
  }
}

function cellWithin(coordinate: number, size: number): number {
  return Math.floor(Math.min(size - 1, Math.max(0, coordinate)))
}
