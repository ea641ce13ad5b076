/** Sums over a liquid, for its momentum, angular momentum, energy and volume. A particle counts 1; deep liquid, which has no particles, counts by
 *  cells as many as would fill it. Positions are in cells from the middle of the grid, velocities in m/s.
 *
 *  Particles are points: with APIC, the gradient of a particle's velocity describes what the particles around it have as well, and would be
 *  counted twice. */
import {
  ANGULAR_SUM,
  COUNT_SUM,
  ENERGY_SUM,
  LAYER,
  MOMENT_SUMS,
  NOISE_SUM,
  POSITION_SUM,
  THIN_SUM,
  VELOCITY_SUM,
} from '../../shared-constants.js'
import { byAxis, flowAxes, rowsOfGroup } from '../grid/walk.js'
import type { PlainState } from '../state.js'

/** MOMENT_SUMS numbers. Particles must be sorted. Cells are added up first, then groups of slabs, then all. */
export function measureMoments(state: PlainState, perCell: number): Float64Array {
  const { grid } = state
  const [nx, ny, nz] = grid.shape
  const total = new Float64Array(MOMENT_SUMS)
  const groupRows = rowsOfGroup(grid)
  for (let first = 0; first < ny * nz; first += groupRows) {
    const sums = new Float64Array(MOMENT_SUMS)
    for (let row = first; row < Math.min(ny * nz, first + groupRows); row++)
      for (let i = 0; i < nx; i++) addCell(state, perCell, [i, row % ny, Math.floor(row / ny)], sums)
    for (let n = 0; n < MOMENT_SUMS; n++) total[n] += sums[n]
  }
  return total
}

type Place = readonly [number, number, number]

function addCell(state: PlainState, perCell: number, place: Place, sums: Float64Array): void {
  const { grid, arrays, bandWidth } = state
  const [i, j, k] = place
  const cell = i + grid.shape[0] * (j + grid.shape[1] * k)
  const [first, end] = [arrays.cellStart[cell], arrays.cellStart[cell + 1]]
  if (end > first) {
    addParticles(state, first, end, sums)
    // Cells beside deep liquid have particles on one side only, and are far from the surface.
    const isNearSurface = bandWidth === 0 || arrays.carried[cell] <= LAYER * (bandWidth - 1)
    if (isNearSurface && isThin(state, perCell, place)) sums[THIN_SUM] += end - first
  }
  if (bandWidth > 0 && arrays.carried[cell] > LAYER * bandWidth) addDeep(state, perCell, cell, place, sums)
}

/** The only place where the velocity of a particle is read. */
function velocityOf({ arrays }: PlainState, n: number): Place {
  return [arrays.vx[n], arrays.vy[n], arrays.vz[n]]
}

function addParticles(state: PlainState, first: number, end: number, sums: Float64Array): void {
  const { grid, arrays } = state
  const own = new Float64Array(MOMENT_SUMS)
  for (let n = first; n < end; n++) {
    const x = arrays.px[n] - 0.5 * grid.shape[0]
    const y = arrays.py[n] - 0.5 * grid.shape[1]
    const z = arrays.pz[n] - 0.5 * grid.shape[2]
    const [u, v, w] = velocityOf(state, n)
    own[POSITION_SUM] += x
    own[POSITION_SUM + 1] += y
    own[POSITION_SUM + 2] += z
    own[VELOCITY_SUM] += u
    own[VELOCITY_SUM + 1] += v
    own[VELOCITY_SUM + 2] += w
    own[ANGULAR_SUM] += y * w - z * v
    own[ANGULAR_SUM + 1] += z * u - x * w
    own[ANGULAR_SUM + 2] += x * v - y * u
    own[ENERGY_SUM] += 0.5 * (u * u + v * v + w * w)
  }
  own[COUNT_SUM] = end - first
  const [u, v, w] = [own[VELOCITY_SUM], own[VELOCITY_SUM + 1], own[VELOCITY_SUM + 2]]
  own[NOISE_SUM] = own[ENERGY_SUM] - (0.5 * (u * u + v * v + w * w)) / own[COUNT_SUM]
  for (let n = 0; n < MOMENT_SUMS; n++) sums[n] += own[n]
}

/** Whether the cells around hold less liquid than a third of what there is room for outside solids: less than a sheet as thick as a cell, which
 *  no surface between centres of cells can show reliably. Around a cell of a flat surface they hold a third at least. */
function isThin({ grid, arrays }: PlainState, perCell: number, [i, j, k]: Place): boolean {
  const [nx, ny, nz] = grid.shape
  let [there, open] = [0, 0]
  for (let c = Math.max(0, k - 1); c <= Math.min(nz - 1, k + 1); c++)
    for (let b = Math.max(0, j - 1); b <= Math.min(ny - 1, j + 1); b++)
      for (let a = Math.max(0, i - 1); a <= Math.min(nx - 1, i + 1); a++) {
        const cell = a + nx * (b + ny * c)
        there += arrays.cellStart[cell + 1] - arrays.cellStart[cell]
        open += arrays.openCell[cell]
      }
  return 3 * there < perCell * open
}

/** The part of a cell that came from below the band, where there are no particles, moves as its faces do. Along an axis the velocity goes from
 *  a to b, so the mean of its square is (a² + a b + b²) / 3. */
function addDeep(state: PlainState, perCell: number, cell: number, [i, j, k]: Place, sums: Float64Array): void {
  const { grid, arrays, bandWidth } = state
  const [nx, ny, nz] = grid.shape
  const { before } = byAxis(state)
  const lower = [i + (nx + 1) * (j + ny * k), i + nx * (j + (ny + 1) * k), cell]
  const steps = [1, nx, nx * ny]
  const share = Math.min(1, (arrays.carried[cell] - LAYER * bandWidth) / LAYER)
  const weight = perCell * share * arrays.openCell[cell]
  const velocity = [0, 0, 0]
  let square = 0
  for (const axis of flowAxes(grid)) {
    const a = before[axis][lower[axis]]
    const b = before[axis][lower[axis] + steps[axis]]
    velocity[axis] = 0.5 * (a + b)
    square += (a * a + a * b + b * b) / 3
  }
  const [x, y, z] = [i + 0.5 - 0.5 * nx, j + 0.5 - 0.5 * ny, k + 0.5 - 0.5 * nz]
  const [u, v, w] = velocity
  const own = [1, x, y, z, u, v, w, y * w - z * v, z * u - x * w, x * v - y * u, 0.5 * square]
  for (let n = 0; n < own.length; n++) sums[n] += weight * own[n]
}
