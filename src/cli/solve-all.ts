/** Solves one problem with several solvers, each from the same start. */
import type { EngineSetting } from '../machine/engine-choice.js'
import type { Problem } from '../pressure/problem.js'
import { pressureLength } from '../pressure/problem.js'
import type { SolveOptions, SolveResult } from '../solvers/contract/solver.js'
import type { SolverEntry } from '../solvers/registry.js'
import { type Column, milliseconds, scientific } from './output/table.js'

export interface SolveTask {
  readonly entry: SolverEntry
  readonly set: Readonly<Record<string, unknown>>
  readonly setting?: EngineSetting
}

export interface Solved {
  readonly solver: string
  readonly separating: boolean
  readonly pressure: Float64Array
  readonly result: SolveResult
  /** The fastest of the repetitions. */
  readonly seconds: { readonly setup: number; readonly solve: number }
}

/** Repetitions follow one warm-up, so that compilation and page faults are not measured. */
export async function solveTask(
  problem: Problem,
  { entry, set, setting }: SolveTask,
  options: SolveOptions & { readonly guess?: Float64Array; readonly repeat?: number },
): Promise<Solved> {
  const { guess, repeat, ...solveOptions } = options
  const solver = entry.create(set, setting)
  const pressure = new Float64Array(pressureLength(problem))
  const runs: SolveResult[] = []
  const count = repeat === undefined ? 1 : repeat + 1
  for (let run = 0; run < count && !options.signal?.aborted; run++) {
    if (guess) pressure.set(guess)
    else pressure.fill(0)
    runs.push(await solver.solve(problem, pressure, run === 0 ? solveOptions : { ...solveOptions, monitor: undefined }))
  }
  solver.dispose()
  const timed = runs.length > 1 ? runs.slice(1) : runs
  const seconds = {
    setup: Math.min(...timed.map(run => run.seconds.setup)),
    solve: Math.min(...timed.map(run => run.seconds.solve)),
  }
  return { solver: entry.name, separating: entry.separating, pressure, result: runs[runs.length - 1], seconds }
}

export const RESULT_COLUMNS: readonly Column<Solved>[] = [
  { title: 'solver', text: ({ solver }) => solver },
  { title: 'walls', text: ({ separating }) => (separating ? 'separating' : 'sticking') },
  { title: 'engine', text: ({ result }) => result.engine },
  { title: 'status', text: ({ result }) => result.status },
  { title: 'iterations', right: true, text: ({ result }) => String(result.iterations) },
  { title: 'outer', right: true, text: ({ result }) => String(result.outer) },
  { title: 'residual 1/s', right: true, text: ({ result }) => scientific(result.residual) },
  { title: 'pinned', right: true, text: ({ result }) => String(result.pinned) },
  { title: 'work', right: true, text: ({ result }) => result.work.toFixed(0) },
  { title: 'set-up ms', right: true, text: ({ seconds }) => milliseconds(seconds.setup) },
  { title: 'solve ms', right: true, text: ({ seconds }) => milliseconds(seconds.solve) },
]
