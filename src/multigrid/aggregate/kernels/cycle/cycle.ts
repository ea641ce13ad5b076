/** The cycle of multigrid/cycle.ts in one call: on small levels its loops take hardly longer than calls of the host. */
import { solveDense } from './dense'
import { Level } from '../level'
import { clear, dot, goDown, goUp, lastCurvature, lastOverlap, multiply, setProducts, smooth, smoothFromZero, update } from './level-calls'

/** As in multigrid/cycle.ts. */
const STEPS: i32 = 2
const LONGEST_STEP: f64 = 8

let touched: f64 = 0

/** Matrix non-zeros that the last cycle has touched. */
export function lastTouched(): f64 {
  return touched
}

/** z = M r and Az = A z. Returns z·r; `lastCurvature` and `lastOverlap` are z·Az and z·q. `coarseSweeps`: of the levels below; `twice`: a bit
 *  for each of them, the lowest for the next, that says whether it is solved by steps. */
export function precondition(
  wide: i32,
  level: Level,
  sweeps: i32,
  r: usize,
  z: usize,
  q: usize,
  Az: usize,
  coarseSweeps: i32,
  twice: i32,
): f64 {
  touched = 0
  return cycle(wide, level, sweeps, r, z, q, Az, coarseSweeps, twice)
}

function cycle(
  wide: i32,
  level: Level,
  sweeps: i32,
  r: usize,
  z: usize,
  q: usize,
  Az: usize,
  coarseSweeps: i32,
  twice: i32,
): f64 {
  if (level.next) return goUp(wide, level, sweeps, descend(wide, level, sweeps, r, z, coarseSweeps, twice), r, z, q, Az)
  solveLast(wide, level, r, z)
  multiply(wide, level, z, Az)
  return setProducts(dot(wide, level, z, r), dot(wide, level, z, Az), dot(wide, level, z, q))
}

/** The way down and the levels below; returns their correction. */
function descend(wide: i32, level: Level, sweeps: i32, f: usize, x: usize, coarseSweeps: i32, twice: i32): usize {
  const next = changetype<Level>(level.next)
  goDown(wide, level, sweeps, f, x, next, next.f)
  if (twice & 1) solveBySteps(wide, next, coarseSweeps, twice >> 1)
  else if (!next.next) solveLast(wide, next, next.f, next.x)
  else goUp(wide, next, coarseSweeps, descend(wide, next, coarseSweeps, next.f, next.x, coarseSweeps, twice >> 1), next.f, next.x, 0, 0)
  touched += nonZeros(level) * <f64>(2 * sweeps)
  return next.x
}

function solveLast(wide: i32, level: Level, f: usize, x: usize): void {
  if (level.dense) {
    if (wide) solveDense<f64>(f, x)
    else solveDense<f32>(f, x)
    touched += <f64>level.unknowns * <f64>level.unknowns
    return
  }
  smoothFromZero(wide, level, f, x)
  smooth(wide, level, 1, f, x, 0)
  touched += nonZeros(level)
}

function solveBySteps(wide: i32, level: Level, sweeps: i32, twice: i32): void {
  clear(wide, level, level.d)
  clear(wide, level, level.q)
  clear(wide, level, level.x)
  let dAd = 0.0
  for (let step = 0; step < STEPS; step++) {
    touched += 7 * <f64>level.unknowns
    const zr = cycle(wide, level, sweeps, level.f, level.z, level.q, level.Az, sweeps, twice)
    const zq = lastOverlap()
    const beta = dAd > 0 ? -zq / dAd : 0
    const curvature = lastCurvature() + 2 * beta * zq + beta * beta * dAd
    if (!(zr > 0 && curvature > 0 && zr <= LONGEST_STEP * curvature)) break
    update(wide, level, zr / curvature, beta, level.z, level.Az, level.d, level.q, level.x, level.f)
    dAd = curvature
  }
}

@inline
function nonZeros(level: Level): f64 {
  return <f64>(level.unknowns + level.links)
}
