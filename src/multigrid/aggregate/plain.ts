/** The levels of a problem in plain TypeScript, double precision: the definition that compiled levels are compared with. */
import { subtractMeans } from '../../pressure/pockets.js'
import { type Buffers, createBuffers } from '../../sparse/buffers.js'
import { dot, largestMagnitude } from '../../sparse/matrix.js'
import { type CycleLoops, preconditionBy } from '../cycle.js'
import { createDenseSolver } from '../dense.js'
import { DENSE_ROWS, type Levels, type LevelVectors, type PocketRows } from '../levels.js'
import { coarsenProblem, createPinnedSet, divergenceAt, type LevelProblem, levelProblem, residualOfZero } from './contacts.js'
import * as loops from './plain-loops.js'
import { type AggregateLevel, createCoarseUpdate } from './values.js'

/** The problem on the finest level, by its rows. Coarser levels ignore pockets: they need no exact answer. */
export interface FinestProblem {
  readonly contact: Uint8Array
  readonly b: Float64Array
  readonly pockets: PocketRows
}

/** `pressure` is that of the finest rows: where the solve starts from, and where its answer is. */
export function createPlainLevels(
  levels: readonly AggregateLevel[],
  { contact, b, pockets }: FinestProblem,
  pressure: Float64Array,
  buffers: Buffers = createBuffers(),
): Levels<Float64Array> {
  const vectors = levels.map(({ rows }, at): LevelVectors<Float64Array> => {
    const create = (name: string) => buffers.f64(`level${at}.${name}`, rows).fill(0)
    const x = at === 0 ? pressure : create('x')
    return { f: create('f'), x, r: create('r'), z: create('z'), Az: create('Az'), d: create('d'), q: create('q') }
  })
  const problems: LevelProblem[] = [levelProblem(levels[0], contact, b, pressure, buffers, 'level0')]
  for (let at = 1; at < levels.length; at++)
    problems.push(coarsenProblem(problems[at - 1], levels[at], vectors[at].x, buffers, `level${at}`))
  const sets = problems.map((problem, at) =>
    createPinnedSet(problem, vectors[at], at === 0 ? pockets.expanding : [], buffers, `level${at}`),
  )
  const coarseUpdate = createCoarseUpdate(levels, buffers)
  const coarsest = createCoarsest(levels[levels.length - 1], buffers)
  const linear: CycleLoops<Float64Array> = {
    sizes: levels.map(({ shape, rows, column }) => ({ shape, unknowns: rows, nonZeros: rows + column.length })),
    dense: coarsest.dense,
    vectors: at => vectors[at],
    clear(_, x) {
      x.fill(0)
    },
    dot: (_, x, y) => dot(x, y),
    multiply: (at, x, y) => loops.multiply(levels[at], x, y),
    smooth: (at, colour, f, x) => loops.smooth(levels[at], colour, f, x),
    smoothRedFromZero: (at, f, x) => loops.smoothRedFromZero(levels[at], f, x),
    restrictResidual: (at, f, x, coarse) => loops.restrictResidual(levels[at], f, x, coarse),
    prolong: (at, coarse, x) => loops.prolong(levels[at], coarse, x),
    finishProduct: (at, r) => loops.finishProduct(levels[at], { ...vectors[at], r }),
    update: (at, alpha, beta, r) => loops.update(alpha, beta, { ...vectors[at], r }),
    solveCoarsest: coarsest.solve,
  }

  return {
    ...linear,
    precondition: preconditionBy(linear),
    factorCoarsest: coarsest.factor,
    contacts: at => problems[at].contacts.length,
    startEnergy: () => energyOf(problems[0]),
    reset(at) {
      problems[at].p.fill(0)
    },
    loadRightSide(at) {
      const { b } = problems[at]
      for (let row = 0; row < b.length; row++) vectors[at].f[row] = -b[row]
    },
    residualOfZero: at => residualOfZero(problems[at]),
    carryUp: at => loops.carryUp(levels[at], problems[at + 1].p, problems[at].p),
    smoothProjected(at, sweeps) {
      const { level, b, contact, p } = problems[at]
      for (let half = 0; half < 2 * sweeps + 1; half++) loops.smoothProjected(level, half & 1 ? 'black' : 'red', b, contact, p)
    },
    restore(at) {
      levels[at].pinned.fill(0)
      coarseUpdate.restore(at)
    },
    startSet(at) {
      sets[at].start()
      coarseUpdate.updateAll(at)
      coarsest.factor()
    },
    recomputeResidual(at) {
      const { level, b, p } = problems[at]
      const { r } = vectors[at]
      loops.multiply(level, p, r)
      for (let row = 0; row < level.rows; row++) r[row] = level.inverse[row] === 0 ? 0 : -(r[row] + b[row])
      if (at === 0) subtractMeans(pockets.singular, r)
      return largestMagnitude(r)
    },
    natural: (at, largest) => sets[at].natural(largest),
    changeSet(at, release, pin) {
      const changed = sets[at].change(release, pin)
      if (changed.length === 0) return { changed: 0, touched: 0 }
      const touched = coarseUpdate.update(at, changed)
      coarsest.factor()
      return { changed: changed.length, touched }
    },
    projectSingular(largest) {
      if (pockets.singular.length === 0) return largest
      subtractMeans(pockets.singular, vectors[0].r)
      return largestMagnitude(vectors[0].r)
    },
  }
}

function energyOf(problem: LevelProblem): { energy: number; work: number } {
  const { b, p } = problem
  let energy = 0
  for (let row = 0; row < p.length; row++) if (p[row] !== 0) energy += p[row] * (divergenceAt(problem, row) - b[row])
  return { energy, work: dot(b, p) }
}

/** The dense solve of the last level, where that is small enough. */
function createCoarsest(level: AggregateLevel, buffers: Buffers) {
  const dense = level.rows <= DENSE_ROWS
  const solver = createDenseSolver(buffers)
  return {
    dense,
    factor() {
      if (dense)
        solver.factor(
          level.rows,
          row => heldOf(level, row),
          (row, column) => weightOf(level, row, column),
        )
    },
    solve: solver.solve,
  }
}

/** Pinned rows become rows of the identity, so that they stay at 0; to the others, links to them are another hold. */
function heldOf({ rowStart, column, weight, dirichlet, inverse }: AggregateLevel, row: number): number {
  if (inverse[row] === 0) return 1
  let held = dirichlet[row]
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) if (inverse[column[at]] === 0) held += weight[at]
  return held
}

function weightOf({ rowStart, column, weight, inverse }: AggregateLevel, row: number, other: number): number {
  if (inverse[row] === 0 || inverse[other] === 0) return 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) if (column[at] === other) return weight[at]
  return 0
}
