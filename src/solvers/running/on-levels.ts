/** Runs an iteration on the levels of a grid problem, compiled or in plain TypeScript: whichever the engine offers. */
import { chooseEngine, type EngineSetting } from '../../machine/engine-choice.js'
import { buildHierarchy } from '../../multigrid/aggregate/hierarchy.js'
import { colourRows } from '../../multigrid/aggregate/load-rows.js'
import { createPlainLevels } from '../../multigrid/aggregate/plain.js'
import type { Levels } from '../../multigrid/levels.js'
import { isGridProblem } from '../../pressure/problem.js'
import type { PressureSolver } from '../contract/solver.js'
import { withSecondTry } from './fallback.js'
import { summarise } from './level-summary.js'
import { createCompiledSolver } from './on-compiled-levels.js'
import { createAlgebraicSolver, type Method } from './on-rows.js'
import type { Ending, Progress, Step, Verdict } from './subject.js'

export interface OnLevels {
  readonly separating: boolean
  /** Of compiled levels. mixed: cycles in f32, pressure and residual in f64, and a second solve in f64 if that diverges. */
  readonly precision: 'mixed' | 'double'
  /** Improves the pressure on the finest level; `target` is the largest residual to reach there. */
  iterate<Vector>(levels: Levels<Vector>, target: number, progress: Progress): Generator<Step, Ending, Verdict>
}

/** f32 has seven digits; a problem that needs more is solved again in f64. */
const WIDENED = 'f32 cycles diverged; continued in f64.'

export function createLevelsSolver(
  name: string,
  setting: EngineSetting,
  { separating, precision, iterate }: OnLevels,
): PressureSolver {
  if (!chooseEngine(setting, Infinity).compiled)
    return createAlgebraicSolver(name, separating, onPlainLevels(iterate), { needsGrid: true })
  const create = (wide: boolean) => createCompiledSolver(name, setting, { separating, wide, iterate })
  return precision === 'double' ? create(true) : withSecondTry(create(false), () => create(true), WIDENED)
}

function onPlainLevels(iterate: OnLevels['iterate']): Method {
  return function* (system, p, run) {
    const { source, cells, buffers } = run
    if (!isGridProblem(source) || !cells) throw new TypeError('levels need a grid')
    const pockets = { singular: system.singular, expanding: system.expanding.map(({ rows }) => rows) }
    const coloured = colourRows(system, source.grid, cells, pockets, buffers)
    const { rowOf } = coloured
    const pressure = buffers.f64('coloured.pressure', rowOf.length)
    for (let at = 0; at < rowOf.length; at++) pressure[at] = p[rowOf[at]]
    const handBack = () => {
      for (let at = 0; at < rowOf.length; at++) p[rowOf[at]] = pressure[at]
    }
    const levels = createPlainLevels(buildHierarchy(coloured, buffers), coloured, pressure, buffers)
    run.showLevels(summarise(levels.sizes, source.grid.dims))
    const iteration = iterate(levels, system.target, run)
    try {
      for (let verdict: Verdict = 'continue'; ; ) {
        const next = iteration.next(verdict)
        if (next.done) return next.value
        // The driver reads p only when the target is reported as met, or at the end.
        if (next.value.residual <= system.target) handBack()
        verdict = yield next.value
      }
    } finally {
      handBack()
    }
  }
}
