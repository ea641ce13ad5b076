/** V-cycle and full cycle of Chentanez and Müller (Algorithms 2 and 3) on a weighted Poisson hierarchy: the smoother is a
 *  red-black Gauss–Seidel sweep that keeps p ≥ lowest, and every level gets the bound on what is still to be added. */

import type { WeightedLevel } from '../multigrid/rediscretise.js'
import { balance } from '../multigrid/rediscretise-components.js'
import { relax, residual } from '../multigrid/rediscretise-matrix.js'
import type { Run } from './algebraic.js'

export interface CycleOptions {
  readonly preSweeps: number
  readonly postSweeps: number
  /** Coarse levels that know of contacts (S). */
  readonly keepContactLevels: number
  readonly project: 'inside' | 'after'
  readonly restrictPinned: 'zeroed' | 'raw'
  /** Whether floating coarse components get a right-hand side that sums to 0. */
  readonly floatingCoarse: 'balanced' | 'as-is'
}

/** Lattice vectors of one level. */
export interface CycleVectors {
  readonly p: Float64Array
  readonly b: Float64Array
  readonly r: Float64Array
  /** p may not fall below; −∞ where it is free. */
  readonly lowest: Float64Array
  readonly scratch: Float64Array
}

export interface Cycle {
  /** Solves A p = b subject to p ≥ lowest a little better. */
  readonly finest: CycleVectors
  smooth(sweeps: number): void
  vCycle(): void
  fullCycle(): void
}

/** «Solve» on the coarsest level, of 4 cells a side. */
const COARSEST_SWEEPS = 60

/** A condition that one cell alone cannot satisfy, on the finest level: restores it for p + base and marks the cells it holds. */
export type Enforce = (p: Float64Array, base: Float64Array, held: Uint8Array) => void

export function createCycle(levels: readonly WeightedLevel[], options: CycleOptions, run: Run, enforce?: Enforce): Cycle {
  const vectors = levels.map(({ lattice: { size } }, depth): CycleVectors => {
    const take = (what: string, value = 0) => run.buffers.f64(`cm.${depth}.${what}`, size).fill(value)
    return { p: take('p'), b: take('b'), r: take('r'), lowest: take('lowest', -Infinity), scratch: take('scratch') }
  })
  const bottom = levels.length - 1
  const base = run.buffers.f64('cm.base', levels[0].lattice.size).fill(0)
  const held = run.buffers.u8('cm.held', levels[0].lattice.size).fill(0)
  const bound = run.buffers.f64('cm.bound', levels[0].lattice.size)
  const rightHandSide = run.buffers.f64('cm.rightHandSide', levels[0].lattice.size)

  const smooth = (depth: number, sweeps: number) => {
    const level = levels[depth]
    const { p, b, lowest } = vectors[depth]
    const inside = options.project === 'inside' ? lowest : undefined
    for (let sweep = 0; sweep < sweeps; sweep++) {
      relax(level, level.cells, 0, level.reds, p, b, inside)
      relax(level, level.cells, level.reds, level.cells.length, p, b, inside)
      if (!inside) clamp(level, p, lowest)
      if (depth === 0) enforce?.(p, base, held)
    }
    run.work.add(sweeps * level.nonZeros)
  }

  /** Hands residual and bounds to the next coarser level, where p starts from 0. */
  const descend = (depth: number, r: Float64Array) => {
    const level = levels[depth]
    const { p, lowest, scratch } = vectors[depth]
    const coarse = vectors[depth + 1]
    let handed = r
    if (options.restrictPinned === 'zeroed') {
      withoutPinned(level, p, lowest, r, scratch)
      if (depth === 0 && enforce) for (const c of level.cells) if (held[c]) scratch[c] = 0
      handed = scratch
    }
    level.transfer!.restrict(handed, coarse.b)
    coarse.p.fill(0)
    coarse.lowest.fill(-Infinity)
    if (depth < options.keepContactLevels) boundParents(level, p, lowest, coarse.lowest)
    if (options.floatingCoarse === 'balanced') balance(levels[depth + 1].floating, coarse.b, coarse.lowest)
    run.work.add(9 * level.cells.length)
  }

  const ascend = (depth: number) => {
    levels[depth].transfer!.prolong(vectors[depth + 1].p, vectors[depth].p)
    run.work.add(8 * levels[depth].cells.length)
  }

  const descendAndReturn = (depth: number): void => {
    const { p, b, r } = vectors[depth]
    if (depth === bottom) {
      smooth(depth, COARSEST_SWEEPS)
      return
    }
    smooth(depth, options.preSweeps)
    residual(levels[depth], p, b, r)
    run.work.add(levels[depth].nonZeros)
    descend(depth, r)
    descendAndReturn(depth + 1)
    ascend(depth)
    smooth(depth, options.postSweeps)
  }

  const finest = vectors[0]
  return {
    finest,
    smooth: sweeps => smooth(0, sweeps),
    vCycle: () => descendAndReturn(0),
    fullCycle() {
      const { p, b, r, lowest } = finest
      residual(levels[0], p, b, r)
      run.work.add(levels[0].nonZeros)
      base.set(p)
      bound.set(lowest)
      rightHandSide.set(b)
      b.set(r)
      for (const c of levels[0].cells) {
        lowest[c] -= p[c]
        p[c] = 0
      }
      for (let depth = 0; depth < bottom; depth++) descend(depth, vectors[depth].b)
      for (let depth = bottom; depth >= 0; depth--) {
        if (depth < bottom) ascend(depth)
        descendAndReturn(depth)
      }
      for (const c of levels[0].cells) p[c] += base[c]
      base.fill(0)
      b.set(rightHandSide)
      lowest.set(bound)
    },
  }
}

function clamp({ cells }: WeightedLevel, p: Float64Array, lowest: Float64Array): void {
  for (const c of cells) if (p[c] < lowest[c]) p[c] = lowest[c]
}

/** A contact that rests on its bound and is pushed against it has nothing to tell the coarse grid. */
function withoutPinned({ cells }: WeightedLevel, p: Float64Array, lowest: Float64Array, r: Float64Array, to: Float64Array): void {
  for (const c of cells) to[c] = p[c] <= lowest[c] && r[c] < 0 ? 0 : r[c]
}

/** DownsampleSubtract: the tightest bound of the children on what may still be added. */
function boundParents(level: WeightedLevel, p: Float64Array, lowest: Float64Array, parents: Float64Array): void {
  const { fine, parent } = level.transfer!
  for (let n = 0; n < fine.length; n++) {
    const left = lowest[fine[n]] - p[fine[n]]
    if (left > parents[parent[n]]) parents[parent[n]] = left
  }
}
