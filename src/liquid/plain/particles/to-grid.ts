/** From particles to faces. A particle p at x with velocity u adds to the eight faces i around it, on every axis,
 *
 *    weight  m_i = Σ_p w_ip         momentum  (m u)_i = Σ_p w_ip u_p        u_i = (m u)_i / m_i
 *
 *  with trilinear weights w (Zhu and Bridson 2005). With APIC (Jiang, Schroeder, Selle, Teran and Stomakhin 2015) it carries the gradient
 *  C of its velocity, and adds u_p + C_p (x_i − x_p) instead of u_p. */
import { type Axis, faceShape } from '../../../grid/grid.js'
import { NO_VELOCITY } from '../../shared-constants.js'
import { f32 } from '../arithmetic.js'
import { mergeDeep } from '../deep/carry.js'
import { byAxis, flowAxes, rowsOfGroup } from '../grid/walk.js'
import { createPlace, faceLattice, locate, type Place, type SampleLattice } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { capacityOf } from '../store.js'

/** Less weight than this does not define a velocity. */
const MIN_WEIGHT = f32(1e-4)

interface FaceSums {
  readonly weight: Float32Array
  readonly momentum: Float32Array
}

/** Velocities on faces and, in `layerX` …, where there are any. Particles must be sorted. */
export function particlesToGrid(state: PlainState, affine: boolean): void {
  for (const axis of flowAxes(state.grid)) {
    divide(state, axis, affine ? sumAffine(state, axis) : sumPlain(state, axis))
    if (state.bandWidth > 0) mergeDeep(state, axis)
  }
}

/** Particles with a velocity that is the same everywhere around them. */
function sumPlain(state: PlainState, axis: Axis): FaceSums {
  const velocity = [state.arrays.vx, state.arrays.vy, state.arrays.vz][axis]
  const [along, across] = [new Float32Array(2), new Float32Array(4)]
  return addAll(state, axis, (sums, { steps }, { at, fraction }, n) => {
    along[1] = fraction[0]
    along[0] = 1 - fraction[0]
    weighAcross(fraction, across)
    for (let corner = 0; corner < 8; corner++) {
      const face = at + steps[0] * (corner & 1) + steps[1] * ((corner >> 1) & 1) + steps[2] * (corner >> 2)
      sums.weight[face] += f32(along[corner & 1] * across[corner >> 1])
      sums.momentum[face] += f32(f32(velocity[n] * along[corner & 1]) * across[corner >> 1])
    }
  })
}

/** Particles that carry the gradient of their velocity. */
function sumAffine(state: PlainState, axis: Axis): FaceSums {
  const velocity = [state.arrays.vx, state.arrays.vy, state.arrays.vz][axis]
  const { affine } = state.arrays
  const capacity = capacityOf(state)
  // Gradients are in 1/s, steps from face to face in cells.
  const spacing = f32(state.grid.spacing)
  const [along, across, gradient] = [new Float32Array(2), new Float32Array(4), new Float32Array(3)]
  return addAll(state, axis, (sums, { steps }, { at, fraction }, n) => {
    along[1] = fraction[0]
    along[0] = 1 - fraction[0]
    weighAcross(fraction, across)
    let lowest = velocity[n]
    for (let a = 0; a < 3; a++) {
      gradient[a] = spacing * affine[(3 * axis + a) * capacity + n]
      lowest = f32(lowest - f32(gradient[a] * fraction[a]))
    }
    for (let corner = 0; corner < 8; corner++) {
      const [dx, dy, dz] = [corner & 1, (corner >> 1) & 1, corner >> 2]
      const face = at + steps[0] * dx + steps[1] * dy + steps[2] * dz
      const weight = f32(across[corner >> 1] * along[dx])
      const there = f32(f32(f32(lowest + dy * gradient[1]) + dz * gradient[2]) + dx * gradient[0])
      sums.weight[face] += weight
      sums.momentum[face] += f32(weight * there)
    }
  })
}

/** Weights of the four rows of faces along x: lower y lower z, upper y lower z, lower y upper z, both upper. */
function weighAcross(fraction: Float32Array, weights: Float32Array): void {
  const [lowerY, lowerZ] = [f32(1 - fraction[1]), f32(1 - fraction[2])]
  weights[0] = lowerY * lowerZ
  weights[1] = fraction[1] * lowerZ
  weights[2] = lowerY * fraction[2]
  weights[3] = fraction[1] * fraction[2]
}

type AddParticle = (sums: FaceSums, lattice: SampleLattice, place: Place, n: number) => void

/** Sums in f32 depend on the order of adding: the groups of slabs with even numbers first, then those with odd numbers. Two groups of a kind
 *  share no face, so threads can add them at the same time. */
function addAll(state: PlainState, axis: Axis, add: AddParticle): FaceSums {
  const { grid, arrays } = state
  const [nx, ny, nz] = faceShape(grid, axis)
  const sums = { weight: new Float32Array(nx * ny * nz), momentum: new Float32Array(nx * ny * nz) }
  const lattice = faceLattice(grid, axis)
  const place = createPlace()
  const position = new Float32Array(3)
  const groupCells = grid.shape[0] * rowsOfGroup(grid)
  for (const parity of [0, 1]) {
    for (let first = parity * groupCells; first < grid.cells; first += 2 * groupCells) {
      const end = arrays.cellStart[Math.min(grid.cells, first + groupCells)]
      for (let n = arrays.cellStart[first]; n < end; n++) {
        position[0] = arrays.px[n]
        position[1] = arrays.py[n]
        position[2] = arrays.pz[n]
        locate(lattice, position, place)
        add(sums, lattice, place, n)
      }
    }
  }
  return sums
}

function divide(state: PlainState, axis: Axis, { weight, momentum }: FaceSums): void {
  const { u, layer } = byAxis(state)
  for (let face = 0; face < weight.length; face++) {
    const isKnown = weight[face] > MIN_WEIGHT
    u[axis][face] = isKnown ? f32(momentum[face] / weight[face]) : 0
    layer[axis][face] = isKnown ? 0 : NO_VELOCITY
  }
}
