/** Galerkin multigrid as the linear solver inside policy iteration and penalty: the hierarchy of the rows that are free, rebuilt
 *  when they change, and iterations that apply its cycle. Pinned rows have empty rows in P, so the products truncate the matrix
 *  by themselves; a penalty enters them unchanged. */
import type { PressureProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import type { KrylovMethod } from '../../sparse/krylov/method.js'
import type { Preconditioner } from '../../sparse/preconditioners/preconditioner.js'
import { type CycleChoices, createLinearCycle, type WorkCounter } from './cycle.js'
import { buildGalerkin, type GalerkinChoices, type GalerkinLevel } from './hierarchy.js'

/** `conjugate`: the change of a cycle is a search direction, made conjugate to the one before. */
export const ACCELERATIONS = ['conjugate', 'none'] as const
export type Acceleration = (typeof ACCELERATIONS)[number]

export interface GalerkinSetting {
  readonly source: PressureProblem
  readonly cells: Int32Array
  readonly buffers: Buffers
  readonly work: WorkCounter
  readonly show: (levels: readonly GalerkinLevel[]) => void
}

export function createGalerkinPreconditioner(setting: GalerkinSetting, choices: GalerkinChoices & CycleChoices): Preconditioner {
  const { source, cells, buffers, work, show } = setting
  let cycle: ((r: Float64Array, z: Float64Array) => void) | undefined
  return {
    // Cycles count their own work, level by level.
    nonZeros: 0,

    build(A, free, penalty) {
      const builtFor = buffers.u8('inner.free', A.rows)
      const values = penalty ? buffers.f64('inner.values', A.rowStart[A.rows]) : A.values
      if (cycle && unchanged(builtFor, free) && (!penalty || penaltyUnchanged())) return
      builtFor.set(free)
      if (penalty) {
        values.set(A.values.subarray(0, values.length))
        for (let row = 0; row < A.rows; row++) values[A.diagonalAt[row]] += penalty[row]
      }
      const input = { source, cells, A: { ...A, values }, kind: A.kind, free }
      const { levels, touched } = buildGalerkin(input, choices, buffers)
      work.add(touched)
      show(levels)
      cycle = createLinearCycle(levels, choices, buffers, work)

      function penaltyUnchanged(): boolean {
        for (let row = 0; row < A.rows; row++) {
          const at = A.diagonalAt[row]
          if (values[at] !== A.values[at] + penalty![row]) return false
        }
        return true
      }
    },

    apply(r, z) {
      cycle!(r, z)
    },
  }
}

/** The same buffers under other names, for a second hierarchy beside the first. */
export function withPrefix(buffers: Buffers, prefix: string): Buffers {
  return {
    f64: (name, length) => buffers.f64(prefix + name, length),
    i32: (name, length) => buffers.i32(prefix + name, length),
    u8: (name, length) => buffers.u8(prefix + name, length),
    clear: () => buffers.clear(),
    loops: buffers.loops,
  }
}

function unchanged(before: Uint8Array, now: Uint8Array): boolean {
  for (let row = 0; row < now.length; row++) if (before[row] !== now[row]) return false
  return true
}

/** x += z with z = M r, until the caller stops. */
export const cycles: KrylovMethod = function* (A, x, r, buffers) {
  const { step } = buffers.loops
  const z = buffers.f64('cycles.z', A.size)
  const Az = buffers.f64('cycles.Az', A.size)
  for (;;) {
    A.precondition(r, z)
    A.apply(z, Az)
    yield step(x, r, 1, z, Az)
  }
}

/** Conjugate gradients that orthogonalise explicitly, so M need not be symmetric: any order and number of sweeps will do. */
export const conjugateCycles: KrylovMethod = function* (A, x, r, buffers) {
  const { dot, step, turn } = buffers.loops
  const z = buffers.f64('cycles.z', A.size)
  const Az = buffers.f64('cycles.Az', A.size)
  const d = buffers.f64('cycles.d', A.size).fill(0)
  const Ad = buffers.f64('cycles.Ad', A.size).fill(0)
  let curvature = 0
  for (;;) {
    A.precondition(r, z)
    A.apply(z, Az)
    const beta = curvature > 0 ? -dot(z, Ad) / curvature : 0
    turn(d, z, beta)
    turn(Ad, Az, beta)
    const slope = dot(r, d)
    curvature = dot(d, Ad)
    A.countVectors(7)
    if (slope === 0) return 'exact'
    if (!(curvature > 0)) return curvature <= 0 ? 'indefinite' : 'exact'
    yield step(x, r, slope / curvature, d, Ad)
  }
}
