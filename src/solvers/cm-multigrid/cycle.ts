/** V-cycle and full cycle of Chentanez and Müller (Algorithms 2 and 3) on a weighted Poisson hierarchy: the smoother is a
 *  red-black Gauss–Seidel sweep that keeps p ≥ lowest, and every level gets the bound on what is still to be added. */

import type { Lattices } from '../../multigrid/lattice/lattices.js'
import type { WeightedLevel } from '../../multigrid/lattice/rediscretise.js'
import { balance } from '../../multigrid/lattice/rediscretise-components.js'
import type { Run } from '../running/on-rows.js'
import { type PressureBounds, passDown } from './bounds.js'

export interface CmCycleOptions {
  readonly preSweeps: number
  readonly postSweeps: number
  /** Coarse levels that have contacts (S). */
  readonly keepContactLevels: number
  readonly project: 'inside' | 'after'
  readonly restrictPinned: 'zeroed' | 'raw'
  /** Whether floating coarse components get a right-hand side that sums to 0. */
  readonly floatingCoarse: 'balanced' | 'as-is'
}

interface CycleVectors<Vector> {
  readonly p: Vector
  readonly b: Vector
  readonly r: Vector
  /** p may not fall below; −∞ where it is free. Absent where all of it is. */
  readonly lowest: Vector | undefined
}

export interface CmCycle<Vector> {
  /** Solves A p = b subject to p ≥ lowest a little better. */
  readonly p: Vector
  readonly b: Vector
  readonly lowest: Vector
  /** Where the bounded cells of the finest level are in its vectors. */
  readonly bounded: Int32Array
  smooth(sweeps: number): void
  vCycle(): void
  fullCycle(): void
}

/** Vectors of the finest level, of a coarse one, and of a coarse one with bounds. */
export const FINEST_VECTORS = 7
export const COARSE_VECTORS = 3
export const BOUNDED_VECTORS = 4

/** "Solve" on the coarsest level, of 4 cells a side. */
const CM_COARSEST_SWEEPS = 60

/** A condition that one cell alone cannot satisfy, on the finest level: restores it for p + base and marks the cells it holds. */
export type Enforce = (p: Float64Array, base: Float64Array | undefined, held: Uint8Array) => void

export function createCycle<Vector>(
  lattices: Lattices<Vector>,
  levels: readonly WeightedLevel[],
  bounds: PressureBounds,
  options: CmCycleOptions,
  run: Run,
  enforce?: Enforce,
): CmCycle<Vector> {
  const free = (at: number) => {
    const lowest = lattices.vector(at)
    lattices.values(at, lowest).fill(-Infinity)
    return lowest
  }
  const createVectors = (at: number): CycleVectors<Vector> => ({
    p: lattices.vector(at),
    b: lattices.vector(at),
    r: lattices.vector(at),
    lowest: at === 0 || bounds.bounded[at].length > 0 ? free(at) : undefined,
  })
  const vectors = levels.map((_, at) => createVectors(at))
  const [finest] = vectors
  const lowest = finest.lowest!
  // What a full cycle adds to p, with a bound of its own.
  const correction = { p: lattices.vector(0), b: lattices.vector(0), r: finest.r, lowest: free(0) }
  const { buffers } = run
  const contacts = lattices.places(0, bounds.bounded[0], buffers.i32('cm.contacts', bounds.bounded[0].length))
  const floating = levels.map(({ floating }, at) =>
    floating.map((cells, n) => lattices.places(at, cells, buffers.i32(`cm.floating${at}.${n}`, cells.length))),
  )
  const bottom = levels.length - 1
  const held = buffers.u8('cm.held', enforce ? levels[0].lattice.size : 0).fill(0)
  let base: Vector | undefined

  const smooth = (depth: number, sweeps: number) => {
    const { p, b, lowest: bound } = vectors[depth]
    const inside = options.project === 'inside' ? bound : undefined
    for (let sweep = 0; sweep < sweeps; sweep++) {
      lattices.relax(depth, 'red', p, b, inside)
      lattices.relax(depth, 'black', p, b, inside)
      if (!inside && bound) lattices.clamp(depth, p, bound)
      if (depth === 0) enforce?.(lattices.values(0, p), base && lattices.values(0, base), held)
    }
    run.work.add(sweeps * levels[depth].nonZeros)
  }

  /** Restricts residual and bounds to the next coarser level, where p starts from 0. */
  const descend = (depth: number, from: Vector) => {
    const { p, r, lowest: bound } = vectors[depth]
    const coarse = vectors[depth + 1]
    let restricted = from
    // The residual of a contact at its bound that points below the bound is no error for the coarse grid.
    if (options.restrictPinned === 'zeroed' && bound) {
      lattices.maskPinned(depth, p, bound, from, r)
      if (depth === 0 && enforce) letGo(levels[0].cells, held, lattices.values(0, r))
      restricted = r
    }
    lattices.restrict(depth, restricted, coarse.b)
    lattices.clear(depth + 1, coarse.p)
    if (bound && coarse.lowest)
      passDown(
        bounds.steps[depth],
        lattices.values(depth, p),
        lattices.values(depth, bound),
        lattices.values(depth + 1, coarse.lowest),
      )
    if (options.floatingCoarse === 'balanced')
      balance(
        floating[depth + 1],
        lattices.values(depth + 1, coarse.b),
        coarse.lowest && lattices.values(depth + 1, coarse.lowest),
      )
    run.work.add(9 * levels[depth].cells.length)
  }

  const ascend = (depth: number) => {
    lattices.prolong(depth, vectors[depth + 1].p, vectors[depth].p)
    run.work.add(8 * levels[depth].cells.length)
  }

  const descendAndReturn = (depth: number): void => {
    const { p, b, r } = vectors[depth]
    if (depth === bottom) {
      smooth(depth, CM_COARSEST_SWEEPS)
      return
    }
    smooth(depth, options.preSweeps)
    lattices.residual(depth, p, b, r)
    run.work.add(levels[depth].nonZeros)
    descend(depth, r)
    descendAndReturn(depth + 1)
    ascend(depth)
    smooth(depth, options.postSweeps)
  }

  return {
    p: finest.p,
    b: finest.b,
    lowest,
    bounded: contacts,
    smooth: sweeps => smooth(0, sweeps),
    vCycle: () => descendAndReturn(0),
    fullCycle() {
      lattices.residual(0, finest.p, finest.b, correction.b)
      run.work.add(levels[0].nonZeros)
      lattices.clear(0, correction.p)
      subtract(contacts, lattices.values(0, lowest), lattices.values(0, finest.p), lattices.values(0, correction.lowest))
      base = finest.p
      vectors[0] = correction
      for (let depth = 0; depth < bottom; depth++) descend(depth, vectors[depth].b)
      for (let depth = bottom; depth >= 0; depth--) {
        if (depth < bottom) ascend(depth)
        descendAndReturn(depth)
      }
      vectors[0] = finest
      base = undefined
      lattices.combine(0, 1, correction.p, 1, finest.p)
    },
  }
}

function letGo(cells: Int32Array, held: Uint8Array, r: Float64Array): void {
  for (const c of cells) if (held[c]) r[c] = 0
}

function subtract(places: Int32Array, lowest: Float64Array, p: Float64Array, to: Float64Array): void {
  for (const place of places) to[place] = lowest[place] - p[place]
}
