/** The linear cycle on a Galerkin hierarchy: z ≈ A⁻¹ r from z = 0, by Gauss–Seidel sweeps. A contraction in the energy norm for any
 *  order of the sweeps, because the coarse correction is a projection; pinned rows stay 0. */
import type { Buffers } from '../../sparse/buffers.js'
import type { SweepOrder } from '../../sparse/sweeps.js'
import type { GalerkinLevel } from './hierarchy.js'

export const CYCLES = ['V', 'W', 'F'] as const
export type GalerkinCycle = (typeof CYCLES)[number]

/** `symmetric`: forward before the coarse correction, backward after it. */
export const ORDERS = ['lexicographic', 'symmetric', 'red-black'] as const
export type Order = (typeof ORDERS)[number]

export interface CycleChoices {
  readonly cycle: GalerkinCycle
  readonly preSweeps: number
  readonly postSweeps: number
  readonly order: Order
}

export interface WorkCounter {
  add(nonZeros: number): void
}

/** Sweeps on the coarsest level, forward and backward in turns. */
export const COARSEST_SWEEPS = 100

/** They end early when a pair of sweeps changes this little, relative to the first. */
export const COARSEST_CHANGE = 1e-10

/** The cycles a visit to a coarser level is made of: one for V, two for W, and an F followed by a V for F. */
export function visits(cycle: GalerkinCycle): readonly GalerkinCycle[] {
  return VISITS[cycle]
}
const VISITS: Readonly<Record<GalerkinCycle, readonly GalerkinCycle[]>> = { V: ['V'], W: ['W', 'W'], F: ['F', 'V'] }

/** The way of a sweep before the coarse correction, and after it. */
export function waysOf(order: Order): { readonly before: SweepOrder; readonly after: SweepOrder } {
  const coloured = order === 'red-black'
  return { before: { coloured, backward: false }, after: { coloured, backward: order === 'symmetric' } }
}

/** The way back. */
export function turned({ coloured, backward }: SweepOrder): SweepOrder {
  return { coloured, backward: !backward }
}

export function createLinearCycle(
  levels: readonly GalerkinLevel[],
  { cycle, preSweeps, postSweeps, order }: CycleChoices,
  buffers: Buffers,
  work: WorkCounter,
) {
  const vectors = levels.map(({ A }, at) => ({
    x: buffers.f64(`linear.${at}.x`, A.rows),
    f: buffers.f64(`linear.${at}.f`, A.rows),
    r: buffers.f64(`linear.${at}.r`, A.rows),
  }))
  const { before, after } = waysOf(order)
  const back = turned(before)
  const { loops } = buffers

  function solveCoarsest(level: GalerkinLevel, x: Float64Array, f: Float64Array): void {
    let first = 0
    for (let done = 0; done < COARSEST_SWEEPS; done += 2) {
      const change = Math.max(loops.sweep(level, f, x, before, 1), loops.sweep(level, f, x, back, 1))
      work.add(2 * level.A.rowStart[level.A.rows])
      if (done === 0) first = change
      if (change <= COARSEST_CHANGE * first) return
    }
  }

  function descend(at: number, x: Float64Array, f: Float64Array, shape: GalerkinCycle): void {
    const level = levels[at]
    if (!level.P) {
      solveCoarsest(level, x, f)
      return
    }
    const { r } = vectors[at]
    const coarse = vectors[at + 1]
    loops.sweep(level, f, x, before, preSweeps)
    loops.residual(level, f, x, r)
    loops.restrictBy(level.P, level.restriction, r, coarse.f)
    coarse.x.fill(0)
    for (const visit of VISITS[shape]) descend(at + 1, coarse.x, coarse.f, visit)
    loops.addInterpolated(level.P, coarse.x, x)
    loops.sweep(level, f, x, after, postSweeps)
    work.add((preSweeps + postSweeps + 1) * level.A.rowStart[level.A.rows] + 2 * level.P.rowStart[level.P.rows])
  }

  /** z = one cycle on r. */
  return (r: Float64Array, z: Float64Array): void => {
    z.fill(0)
    descend(0, z, r, cycle)
  }
}
