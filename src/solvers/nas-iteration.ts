/** The iteration of NAS-MGPCG on any level: the same code solves the given problem and, to a loose tolerance, its coarser
 *  versions for a start. */
import type { Engine } from '../engine/engine.js'
import { type AggregateLevel, createFollower } from '../multigrid/aggregate-values.js'
import { type CycleOptions, createCycle } from '../multigrid/cycle.js'
import { dot, largestMagnitude } from '../sparse/matrix.js'
import type { Ending, Run, Step, Verdict } from './algebraic.js'
import { coarsenProblem, divergenceAt, type LevelProblem } from './nas-levels.js'
import { createPinnedSet } from './nas-pinned-set.js'

export interface NestedOptions extends CycleOptions {
  readonly nested: boolean
  readonly freezeAfter: number
}

/** Sealed pockets of the problem to solve, by rows of its level. Coarser ones ignore them: they need no exact answer. */
export interface LevelPockets {
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Int32Array[]
}

/** Coarse answers are starting points: this share of their residual may stay. */
const NESTED_TOLERANCE = 3e-3
const NESTED_ITERATIONS = 40
/** Levels whose longest side is not above this start from 0. */
const NESTED_FROM = 16
/** Projected sweeps after the coarse answer is carried up: they tell which contacts are pinned. */
const PROJECTED_SWEEPS = 3
/** Drift out of the range of a singular matrix is taken out this often. */
const PROJECT_EVERY = 4
/** A given pressure is worth keeping if the best multiple of it is near itself. After an impact it is not. */
const WORTH_KEEPING = [0.5, 1.5] as const
/** Contacts change sides only if they miss by more than this share of the present residual. */
const CAUTION = 0.1

/** When more than this share of the contacts change sides at once, the old search direction belongs to another problem. */
const FRESH_START = 0.02

const NO_POCKETS: LevelPockets = { singular: [], expanding: [] }

export type NestedSolver = (problem: LevelProblem, target: number, pockets: LevelPockets) => Generator<Step, Ending, Verdict>

export function createNestedSolver(
  engine: Engine,
  levels: readonly AggregateLevel[],
  chosen: NestedOptions,
  run: Run,
): NestedSolver {
  const cycle = createCycle(engine, levels, chosen)
  const follower = createFollower(levels)

  /** Fills p with a start and marks the contacts that are pinned there. */
  function start(at: number, problem: LevelProblem, target: number, pockets: LevelPockets): void {
    const { level, contacts, p } = problem
    level.off.fill(0)
    follower.restore(at)
    if (!isWorthKeeping(problem)) {
      p.fill(0)
      if (chosen.nested && Math.max(...level.shape) > NESTED_FROM && at + 1 < levels.length) startFromCoarser(at, problem, target)
    }
    for (const row of contacts) {
      if (p[row] > 0 || (p[row] === 0 && !(divergenceAt(problem, row) > 0))) continue
      level.off[row] = 1
    }
    for (const row of contacts) if (level.off[row]) p[row] = 0
    pinOneOf(pockets.expanding, problem)
    follower.followAll(at)
    cycle.refactor()
    run.work.add(4 * (level.rows + level.column.length))
  }

  function startFromCoarser(at: number, fine: LevelProblem, target: number): void {
    const coarse = coarsenProblem(fine, levels[at + 1])
    const ofZero = residualOfZero(coarse)
    // Free fall: nothing to find out.
    if (ofZero <= target) return
    const goal = Math.max(target, NESTED_TOLERANCE * ofZero)
    const iteration = solveLevel(at + 1, coarse, goal, NO_POCKETS)
    for (let step = 0; step < NESTED_ITERATIONS; step++) {
      const next = iteration.next('continue')
      if (next.done || next.value.residual <= goal) break
    }
    const { level, b, contact, p } = fine
    for (let row = 0; row < level.rows; row++) p[row] = level.parent[row] < 0 ? 0 : coarse.p[level.parent[row]]
    follower.restore(at)
    for (let sweep = 0; sweep < PROJECTED_SWEEPS; sweep++) {
      engine.smoothProjected(level, 'red', b, contact, p)
      engine.smoothProjected(level, 'black', b, contact, p)
    }
    engine.smoothProjected(level, 'red', b, contact, p)
    run.work.add((PROJECTED_SWEEPS + 0.5) * (level.rows + level.column.length))
  }

  function* solveLevel(
    at: number,
    problem: LevelProblem,
    target: number,
    pockets: LevelPockets,
  ): Generator<Step, Ending, Verdict> {
    const { level, p } = problem
    const vectors = { p, d: new Float64Array(level.rows), q: new Float64Array(level.rows), r: new Float64Array(level.rows) }
    const { d, q, r } = vectors
    const z = new Float64Array(level.rows)
    const Az = new Float64Array(level.rows)
    const perProduct = level.rows + level.column.length
    const set = createPinnedSet(problem, vectors, pockets.expanding)
    const recompute = () => {
      engine.multiply(level, p, r)
      for (let row = 0; row < level.rows; row++) r[row] = level.inverse[row] === 0 ? 0 : -(r[row] + problem.b[row])
      projectOut(pockets.singular, r)
      run.work.add(perProduct)
      return largestMagnitude(r)
    }

    start(at, problem, target, pockets)
    let largest = recompute()
    let dAd = 0
    let dr = 0
    for (let iterations = 0; ; iterations++) {
      const step = set.look(largest)
      run.work.add(step.touched)
      if (iterations > 0 || step.residual <= target) {
        const verdict = yield step
        if (verdict === 'recompute') largest = recompute()
      }
      const settled = largest <= target
      if (settled || iterations < chosen.freezeAfter) {
        const changed = set.update(settled ? 0.3 * target : CAUTION * largest, settled ? 0 : CAUTION * largest)
        if (changed.length > 0) {
          run.work.add(follower.follow(at, changed) + 3 * level.rows)
          cycle.refactor()
          if (changed.length > FRESH_START * problem.contacts.length) {
            d.fill(0)
            q.fill(0)
          }
          dAd = dot(d, q)
          dr = dot(d, r)
        }
      }
      run.work.add(cycle.apply(at, r, z) + 0.5 * perProduct + 6 * level.rows)
      const { zr, zAz, zq } = finish(at, z, r, q, Az)
      let beta = dAd > 0 ? -zq / dAd : 0
      let curvature = zAz + 2 * beta * zq + beta * beta * dAd
      let slope = zr + beta * dr
      if (!(curvature > 0 && slope > 0)) {
        beta = 0
        curvature = zAz
        slope = zr
      }
      if (!(curvature > 0)) return noCurvature(zr)
      largest = engine.update(slope / curvature, beta, z, Az, vectors)
      dAd = curvature
      dr = 0
      if (pockets.singular.length > 0 && iterations % PROJECT_EVERY === PROJECT_EVERY - 1) {
        projectOut(pockets.singular, r)
        largest = largestMagnitude(r)
      }
    }
  }

  /** A cycle ends on red, where A z = r then; a dense solve has no colours. */
  function finish(at: number, z: Float64Array, r: Float64Array, q: Float64Array, Az: Float64Array) {
    if (at < levels.length - 1) return engine.finishProduct(levels[at], z, r, q, Az)
    engine.multiply(levels[at], z, Az)
    return { zr: dot(z, r), zAz: dot(z, Az), zq: dot(z, q) }
  }

  return (problem, target, pockets) => solveLevel(0, problem, target, pockets)
}

function noCurvature(zr: number): Ending {
  return zr === 0
    ? { status: 'stagnated', message: 'The residual is too small to go on from.' }
    : { status: 'diverged', message: 'A is not positive definite on the free rows: conjugate gradients met no curvature.' }
}

/** α = −b·p / p·Ap is 1 for the answer of the linear problem and far from 1 for a pressure that belongs to another one. */
function isWorthKeeping(problem: LevelProblem): boolean {
  const { b, p } = problem
  let energy = 0
  for (let row = 0; row < p.length; row++) if (p[row] !== 0) energy += p[row] * (divergenceAt(problem, row) - b[row])
  const alpha = -dot(b, p) / energy
  return energy > 0 && alpha > WORTH_KEEPING[0] && alpha < WORTH_KEEPING[1]
}

function residualOfZero({ b, contact }: LevelProblem): number {
  return b.reduce((largest, value, row) => Math.max(largest, contact[row] ? -value : Math.abs(value)), 0)
}

function pinOneOf(pockets: readonly Int32Array[], { level, contact, p }: LevelProblem): void {
  for (const rows of pockets) {
    const contacts = rows.filter(row => contact[row])
    if (contacts.some(row => level.off[row])) continue
    const lowest = contacts.reduce((a, b) => (p[b] < p[a] ? b : a))
    level.off[lowest] = 1
    p[lowest] = 0
  }
}

function projectOut(pockets: readonly Int32Array[], r: Float64Array): void {
  for (const rows of pockets) {
    let sum = 0
    for (const row of rows) sum += r[row]
    const mean = sum / rows.length
    for (const row of rows) r[row] -= mean
  }
}
