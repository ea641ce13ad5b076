/** The problem of NAS-MGPCG on levels in plain TypeScript. */

import { portableEngine } from '../engine/portable.js'
import type { ContactLevels } from '../engine/stack.js'
import { type AggregateLevel, createFollower } from '../multigrid/aggregate-values.js'
import { createPortableLevels } from '../multigrid/portable-levels.js'
import { dot, largestMagnitude } from '../sparse/matrix.js'
import { coarsenProblem, divergenceAt, type LevelProblem } from './nas-levels.js'
import { createPinnedSet, type PinnedSet } from './nas-pinned-set.js'

/** Sealed pockets of the problem to solve, by rows of its level. Coarser ones ignore them: they need no exact answer. */
export interface LevelPockets {
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Int32Array[]
}

/** A given pressure is worth keeping if the best multiple of it is near itself. After an impact it is not. */
const WORTH_KEEPING = [0.5, 1.5] as const

export function createPortableProblem(
  levels: readonly AggregateLevel[],
  finest: LevelProblem,
  pockets: LevelPockets,
): ContactLevels<Float64Array> {
  const base = createPortableLevels(portableEngine, levels)
  const follower = createFollower(levels)
  const problems: LevelProblem[] = [finest]
  for (let at = 1; at < levels.length; at++) problems.push(coarsenProblem(problems[at - 1], levels[at], base.vectors(at).x))
  const vectors = levels.map((_, at) => (at === 0 ? { ...base.vectors(0), x: finest.p } : base.vectors(at)))
  const sets = problems.map(
    (problem, at): PinnedSet => createPinnedSet(problem, { ...vectors[at], p: problem.p }, at === 0 ? pockets.expanding : []),
  )

  function projectSingular(): boolean {
    const { r } = vectors[0]
    for (const rows of pockets.singular) {
      let sum = 0
      for (const row of rows) sum += r[row]
      const mean = sum / rows.length
      for (const row of rows) r[row] -= mean
    }
    return pockets.singular.length > 0
  }

  return {
    ...base,
    vectors: at => vectors[at],
    contacts: at => problems[at].contacts.length,
    takeRightSide(at) {
      const { b } = problems[at]
      for (let row = 0; row < b.length; row++) vectors[at].f[row] = -b[row]
    },
    residualOfZero: at => residualOfZero(problems[at]),
    isWorthKeeping: () => isWorthKeeping(finest),
    forget: at => problems[at].p.fill(0),
    carryUp(at) {
      const { parent, rows } = levels[at]
      const coarse = problems[at + 1].p
      for (let row = 0; row < rows; row++) problems[at].p[row] = parent[row] < 0 ? 0 : coarse[parent[row]]
    },
    smoothProjected(at, sweeps) {
      const { level, b, contact, p } = problems[at]
      for (let half = 0; half < 2 * sweeps + 1; half++)
        portableEngine.smoothProjected(level, half & 1 ? 'black' : 'red', b, contact, p)
    },
    restore(at) {
      levels[at].off.fill(0)
      follower.restore(at)
    },
    startSet(at) {
      const problem = problems[at]
      const { level, contacts, p } = problem
      for (const row of contacts) {
        if (p[row] > 0 || (p[row] === 0 && !(divergenceAt(problem, row) > 0))) continue
        level.off[row] = 1
      }
      for (const row of contacts) if (level.off[row]) p[row] = 0
      if (at === 0) pinOneOf(pockets.expanding, problem)
      follower.followAll(at)
      base.factorCoarsest()
    },
    refresh(at) {
      const { level, b, p } = problems[at]
      const { r } = vectors[at]
      base.multiply(at, p, r)
      for (let row = 0; row < level.rows; row++) r[row] = level.inverse[row] === 0 ? 0 : -(r[row] + b[row])
      if (at === 0) projectSingular()
      return largestMagnitude(r)
    },
    look: (at, largest) => sets[at].look(largest),
    changeSet(at, release, pin) {
      const changed = sets[at].update(release, pin)
      if (changed.length === 0) return { changed: 0, touched: 0 }
      const touched = follower.follow(at, changed)
      base.factorCoarsest()
      return { changed: changed.length, touched }
    },
    projectSingular,
    largestResidual: () => largestMagnitude(vectors[0].r),
  }
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
