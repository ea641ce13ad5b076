/** The independent measurement of a returned pressure. */
import { type Pocket, withoutExcess } from '../../pressure/pockets.js'
import type { Problem } from '../../pressure/problem.js'
import { measure } from '../../pressure/residual.js'
import type { FoundRuns } from '../../pressure/unknown-runs.js'
import type { Buffers } from '../../sparse/buffers.js'
import type { Judgement } from './subject.js'

/** The yardstick of a pressure; `infeasible`: the pockets that no pressure can satisfy, by cells or rows of the problem. */
export function judgePressure(
  problem: Problem,
  pressure: Float64Array,
  infeasible: readonly Pick<Pocket, 'rows' | 'mean'>[],
  sticking: boolean,
  unknowns: FoundRuns | undefined,
  scratch: Buffers,
): Judgement {
  const measured = measure(problem, pressure, sticking, unknowns)
  if (infeasible.length === 0) return { ...measured, feasible: measured.residual }
  const kind = scratch.u8('feasible.kind', problem.kind.length)
  const feasible = withoutExcess(problem, infeasible, kind, scratch.f64('feasible.b', problem.b.length))
  return { ...measured, feasible: measure(feasible, pressure, sticking, unknowns).residual }
}
