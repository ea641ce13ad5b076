/** Solves the pressure problem of a liquid, and gives callers access to it afterwards. */
import { InputError } from '../input-error.js'
import { copyProblem, copyProblemInto, type PressureProblem } from '../pressure/problem.js'
import type { IterationRecord, SolveResult } from '../solvers/contract/solver.js'
import type { LiquidRun } from './liquid-run.js'
import type { LiquidLoops } from './loops.js'

/** Wraps an error thrown by the caller's code, as its cause. The liquid is between two substeps, or two corrections of its volume, and can continue. */
export class CallbackError extends Error {
  constructor(cause: unknown) {
    super('A callback threw an error.', { cause })
  }
}

/** Solves the problem in the arrays for `pressure`, from 0. */
export async function solvePressure(run: LiquidRun, tolerance: number): Promise<SolveResult> {
  const { liquid, options, control } = run
  liquid.clearPressure()
  const result = await run.solver.solve(assembledProblem(liquid), liquid.arrays.pressure, {
    tolerance,
    maxIterations: options.solver.maxIterations,
    monitor: options.monitor && (record => callMonitor(run, record)),
    signal: control?.signal,
  })
  await control?.check()
  return result
}

/** Defers an error of the monitor to the end of the substep: half a substep could not continue. */
function callMonitor(run: LiquidRun, record: IterationRecord): void {
  if (run.thrown) return
  try {
    run.options.monitor?.(record)
  } catch (error) {
    run.thrown = { error }
  }
  run.control?.checkNow()
}

/** Throws the deferred error of the monitor, after a substep or correction. */
export function throwDeferred(run: LiquidRun): void {
  if (!run.thrown) return
  const { error } = run.thrown
  run.thrown = undefined
  throw new CallbackError(error)
}

function assembledProblem({ grid, arrays }: LiquidLoops): PressureProblem {
  const { kind, diagonal, linkX, linkY, linkZ, b } = arrays
  return { grid, kind, diagonal, links: [linkX, linkY, linkZ], b }
}

/** Call before a volume correction assembles its own problem. */
export function keepProblem(run: LiquidRun): void {
  const { state, liquid, options } = run
  if (options.keepsProblem && !state.isCorrected) {
    if (run.problemBefore) copyProblemInto(run.problemBefore, assembledProblem(liquid))
    else run.problemBefore = copyProblem(assembledProblem(liquid))
  }
  state.isCorrected = true
}

/** The problem of the last substep. */
export function lastProblem({ state, liquid, problemBefore }: LiquidRun): PressureProblem {
  if (!state.isCorrected) return assembledProblem(liquid)
  if (problemBefore) return problemBefore
  throw new InputError(
    'problem: the volume correction at the end of the frame has overwritten the problem; call problem in observe, or create ' +
      'the simulation with keepsProblem.',
  )
}
