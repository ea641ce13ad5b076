/** The cycle of multigrid/cycle.ts in one call: on small levels, loops are hardly longer than calls from the host. */
import { solveDense } from './dense'
import { resultsOf } from '../../../../machine/kernels/job'
import { KRYLOV_STEPS, MAX_STEP_LENGTH } from '../../../k-cycle'
import { Level } from '../level'
import { ascendTo, clear, descendFrom, dot, multiply, ProductResults, smooth, smoothFromZero, update } from './level-calls'

/** z = M r and Az = A z, with z, Az and q of the level. `coarseSweeps`: those of the coarser levels; `twice`: a bit for each of them, the
 *  lowest for the next, set if it is solved by steps of conjugate gradients. Results: ProductResults. */
export function precondition(level: Level, sweeps: i32, r: usize, coarseSweeps: i32, twice: i32): void {
  resultsOf<ProductResults>().touched = 0
  cycle(level, sweeps, r, coarseSweeps, twice)
}

function cycle(level: Level, sweeps: i32, r: usize, coarseSweeps: i32, twice: i32): void {
  const z = level.z
  if (level.next) {
    descend(level, sweeps, r, z, coarseSweeps, twice)
    ascendTo(level, sweeps, r, z, true)
    return
  }
  solveLast(level, r, z)
  multiply(level, z, level.Az)
  const results = resultsOf<ProductResults>()
  results.zr = dot(level, z, r)
  results.zAz = dot(level, z, level.Az)
  results.zq = dot(level, z, level.q)
}

/** The way down and the coarser levels; leaves their correction in x of the next one. */
function descend(level: Level, sweeps: i32, f: usize, x: usize, coarseSweeps: i32, twice: i32): void {
  const next = changetype<Level>(level.next)
  descendFrom(level, sweeps, f, x)
  if (twice & 1) solveBySteps(next, coarseSweeps, twice >> 1)
  else if (!next.next) solveLast(next, next.f, next.x)
  else {
    descend(next, coarseSweeps, next.f, next.x, coarseSweeps, twice >> 1)
    ascendTo(next, coarseSweeps, next.f, next.x, false)
  }
  touch(nonZeros(level) * <f64>(2 * sweeps))
}

function solveLast(level: Level, f: usize, x: usize): void {
  if (level.dense) {
    solveDense(level, f, x)
    touch(<f64>level.unknowns * <f64>level.unknowns)
    return
  }
  smoothFromZero(level, f, x)
  smooth(level, 1, f, x, 0)
  touch(nonZeros(level))
}

function solveBySteps(level: Level, sweeps: i32, twice: i32): void {
  clear(level, level.d)
  clear(level, level.q)
  clear(level, level.x)
  const results = resultsOf<ProductResults>()
  let dAd = 0.0
  for (let step = 0; step < KRYLOV_STEPS; step++) {
    touch(7 * <f64>level.unknowns)
    cycle(level, sweeps, level.f, sweeps, twice)
    const zr = results.zr
    const zq = results.zq
    const beta = dAd > 0 ? -zq / dAd : 0
    const curvature = results.zAz + 2 * beta * zq + beta * beta * dAd
    if (!(zr > 0 && curvature > 0 && zr <= <f64>MAX_STEP_LENGTH * curvature)) break
    update(level, zr / curvature, beta, level.f)
    dAd = curvature
  }
}

@inline
function touch(nonZeros: f64): void {
  const results = resultsOf<ProductResults>()
  results.touched = results.touched + nonZeros
}

@inline
function nonZeros(level: Level): f64 {
  return <f64>(level.unknowns + level.links)
}
