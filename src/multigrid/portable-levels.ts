/** The levels of aggregate.ts in plain TypeScript, double precision: the definition that compiled levels are compared with. */
import type { Engine } from '../engine/engine.js'
import type { LevelLoops, Levels, LevelVectors } from '../engine/stack.js'
import { dot } from '../sparse/matrix.js'
import type { AggregateLevel } from './aggregate-values.js'
import { preconditionBy } from './cycle.js'
import { createDenseSolver } from './dense.js'

/** Levels of at most this many rows are solved densely. */
export const DENSE_ROWS = 64

export function createPortableLevels(engine: Engine, levels: readonly AggregateLevel[]): Levels<Float64Array> {
  const vectors = levels.map(({ rows }): LevelVectors<Float64Array> => {
    const create = () => new Float64Array(rows)
    return { f: create(), x: create(), r: create(), z: create(), Az: create(), d: create(), q: create() }
  })
  const coarsest = levels[levels.length - 1]
  const dense = coarsest.rows <= DENSE_ROWS
  const solver = createDenseSolver()
  const goUp: LevelLoops<Float64Array>['goUp'] = (at, sweeps, coarse, f, x) => {
    engine.prolong(levels[at], 'red', coarse, x)
    for (let sweep = 0; sweep < sweeps; sweep++) {
      engine.smooth(levels[at], 'black', f, x)
      engine.smooth(levels[at], 'red', f, x)
    }
  }
  const loops: LevelLoops<Float64Array> = {
    sizes: levels.map(({ shape, rows, column }) => ({ shape, unknowns: rows, nonZeros: rows + column.length })),
    dense,
    vectors: at => vectors[at],
    clear: (_, x) => x.fill(0),
    smooth: (at, colour, f, x) => engine.smooth(levels[at], colour, f, x),
    smoothRedFromZero: (at, f, x) => engine.smoothRedFromZero(levels[at], f, x),
    restrictResidual: (at, f, x, coarse) => engine.restrictResidual(levels[at], 'red', f, x, coarse),
    prolong: (at, coarse, x) => engine.prolong(levels[at], 'red', coarse, x),
    goDown(at, sweeps, f, x, coarse) {
      engine.smoothRedFromZero(levels[at], f, x)
      engine.smooth(levels[at], 'black', f, x)
      for (let sweep = 1; sweep < sweeps; sweep++) {
        engine.smooth(levels[at], 'red', f, x)
        engine.smooth(levels[at], 'black', f, x)
      }
      engine.restrictResidual(levels[at], 'red', f, x, coarse)
    },
    goUp,
    goUpAndFinish(at, sweeps, coarse, r, z, q, Az) {
      goUp(at, sweeps, coarse, r, z)
      return engine.finishProduct(levels[at], z, r, q, Az)
    },
    multiply: (at, x, y) => engine.multiply(levels[at], x, y),
    dot: (_, x, y) => dot(x, y),
    finishProduct: (at, z, r, q, Az) => engine.finishProduct(levels[at], z, r, q, Az),
    update: (_, alpha, beta, { x, r, z, Az, d, q }) => engine.update(alpha, beta, z, Az, { d, q, p: x, r }),
    factorCoarsest() {
      if (dense) solver.factor(coarsest.rows, (row, column) => entry(coarsest, row, column))
    },
    solveCoarsest: (f, x) => solver.solve(f, x),
  }
  return { ...loops, precondition: preconditionBy(loops) }
}

/** Rows that are off become rows of the identity, so that they stay at 0. */
function entry({ rowStart, column, weight, diagonal, inverse }: AggregateLevel, row: number, other: number): number {
  if (row === other) return inverse[row] === 0 ? 1 : diagonal[row]
  if (inverse[row] === 0 || inverse[other] === 0) return 0
  for (let at = rowStart[row]; at < rowStart[row + 1]; at++) if (column[at] === other) return -weight[at]
  return 0
}
