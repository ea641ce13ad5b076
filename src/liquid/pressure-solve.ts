/** Solves the pressure problem of a liquid, and gives callers access to it afterwards. */
import { InputError } from '../input-error.js'
import { shiftPressure, shiftRightSide } from '../pressure/adhesion.js'
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

/** Solves the problem of a volume correction in the arrays for `pressure`, from 0. */
export function solveCorrection(run: LiquidRun, tolerance: number): Promise<SolveResult> {
  run.liquid.clearPressure()
  return solveArrays(run, tolerance)
}

/** Solves the problem of a substep in the arrays for `pressure`, from 0, with walls of their strength. The shift of pressure/adhesion.ts is made in
 *  the arrays themselves, because solvers need not copy what is in the memory of their machine. */
export async function solveSubstep(run: LiquidRun): Promise<SolveResult> {
  const { liquid, walls, options } = run
  liquid.clearPressure()
  if (!walls.areStrong) return solveArrays(run, options.solver.tolerance)
  run.rightSide.save()
  shiftRightSide(substepProblem(run), liquid.arrays.b)
  shiftPressure(substepProblem(run), liquid.arrays.pressure, 1)
  try {
    return await solveArrays(run, options.solver.tolerance)
  } finally {
    run.rightSide.restore()
    // Memory may have grown, and arrays with it.
    shiftPressure(substepProblem(run), liquid.arrays.pressure, -1)
  }
}

async function solveArrays(run: LiquidRun, tolerance: number): Promise<SolveResult> {
  const { liquid, options, control } = run
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

/** As solvers get it, without adhesion. */
function assembledProblem({ grid, arrays }: LiquidLoops): PressureProblem {
  const { kind, diagonal, linkX, linkY, linkZ, b } = arrays
  return { grid, kind, diagonal, links: [linkX, linkY, linkZ], b }
}

/** As callers get it. */
function substepProblem({ liquid, walls }: LiquidRun): PressureProblem {
  const problem = assembledProblem(liquid)
  return walls.areStrong ? { ...problem, adhesion: liquid.arrays.adhesion } : problem
}

/** Call before a volume correction assembles its own problem. */
export function keepProblem(run: LiquidRun): void {
  const { state, options } = run
  if (options.keepsProblem && !state.isCorrected) {
    if (run.problemBefore) copyProblemInto(run.problemBefore, substepProblem(run))
    else run.problemBefore = copyProblem(substepProblem(run))
  }
  state.isCorrected = true
}

/** The problem of the last substep. */
export function lastProblem(run: LiquidRun): PressureProblem {
  const { state, problemBefore } = run
  if (!state.isCorrected) return substepProblem(run)
  if (problemBefore) return problemBefore
  throw new InputError(
    'problem: the volume correction at the end of the frame has overwritten the problem; call problem in observe, or create ' +
      'the simulation with keepsProblem.',
  )
}
