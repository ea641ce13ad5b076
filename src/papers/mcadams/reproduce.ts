/** The experiments of McAdams 2010: three linear solvers on smoke past a sphere, one iteration by stage, one thread against two. */
import { InputError } from '../../input-error.js'
import { type PressureProblem, pressureLength } from '../../pressure/problem.js'
import { random } from '../../random.js'
import type { SolveResult, Status } from '../../solvers/contract/solver.js'
import { createSolver } from '../../solvers/registry.js'
import { type PaperMethod, round, weightOf } from '../method.js'
import type { Need, Task } from '../reproduction.js'
import { smokePastSphere } from './smoke-past-sphere.js'
import { timeCycle } from './timed-cycle.js'

/** By the names of the paper; the last two are ours. */
export const MCADAMS_METHODS: readonly PaperMethod[] = [
  { name: 'CG', solver: 'mic-pcg', set: { preconditioner: 'none' }, growth: 'cells × side' },
  { name: 'ICPCG', solver: 'mic-pcg', set: { preconditioner: 'ic0' }, growth: 'cells × side' },
  { name: 'MGPCG', solver: 'mgpcg', growth: 'cells' },
  { name: 'MIC(0)-PCG', solver: 'mic-pcg', set: { preconditioner: 'mic0' }, growth: 'cells × side' },
  { name: 'NAS-MGPCG', solver: 'nas-mgpcg', set: { walls: 'sticking' }, growth: 'cells' },
]

export const REDUCTIONS = [1e-4, 1e-8] as const

export interface LinearSolve {
  /** Seconds. */
  readonly initialisation: number
  /** To each of the reductions; absent where it was not reached. */
  readonly to: readonly { readonly iterations: number; readonly seconds: number }[]
  readonly status?: Status
  readonly curve: readonly (readonly [number, number])[]
}

export interface McAdamsOptions {
  readonly sizes: readonly number[]
  readonly threads: readonly number[]
  /** Seconds for one solve. */
  readonly limit: number
}

export function mcadamsTasks({ sizes, threads, limit }: McAdamsOptions): { readonly tasks: readonly Task[]; dispose(): void } {
  let domain: PressureProblem | undefined
  const need = (size: number): Need => ({
    family: 'domain',
    weight: () => (domain?.grid.shape[0] === size ? 0 : size ** 3),
    async prepare() {
      domain = smokePastSphere(size, flow, WIND)
    },
  })
  const solves = (size: number) =>
    MCADAMS_METHODS.map(method => ({
      group: `solve/${size}`,
      item: method.name,
      family: method.name,
      weight: weightOf(method, 3, size),
      needs: need(size),
      run: (signal: AbortSignal) => solveSmoke(domain!, method, signal, limit),
    }))
  const cycles = (size: number) =>
    threads.map(count => ({
      group: `cycle/${size}`,
      item: String(count),
      family: 'cycle',
      weight: size ** 3,
      isLong: true,
      needs: need(size),
      run: () => timeOrSay(domain!, count),
    }))
  const tasks = [...sizes].sort((a, b) => a - b).flatMap(size => [...cycles(size), ...solves(size)])
  return {
    tasks,
    dispose() {
      domain = undefined
    },
  }
}

const WIND = 1
const EDDIES = 0.1

/** A flow upwards that has just met the sphere, with eddies of a tenth of its speed. */
function flow(cell: number, axis: number): number {
  return (axis === 1 ? WIND : 0) + EDDIES * (random(7, cell, axis) - 0.5)
}

async function solveSmoke(problem: PressureProblem, { solver: name, set }: PaperMethod, signal: AbortSignal, limit: number) {
  const solver = createSolver(name, set, { engine: 'wasm' })
  const pressure = new Float64Array(pressureLength(problem))
  try {
    // Loops are compiled on first use.
    await solver.solve(problem, pressure, { tolerance: 1e-8, relative: true, maxIterations: 1 })
    pressure.fill(0)
    const limited = AbortSignal.any([signal, AbortSignal.timeout(limit * 1000)])
    const least = REDUCTIONS[REDUCTIONS.length - 1]
    const result = await solver.solve(problem, pressure, { tolerance: least, relative: true, signal: limited })
    return summarise(result)
  } finally {
    solver.dispose()
  }
}

function summarise({ history, seconds, status }: SolveResult): LinearSolve {
  const start = history[0].residual
  const to = REDUCTIONS.flatMap(reduction => {
    const reached = history.find(({ residual }) => residual <= reduction * start)
    return reached ? [{ iterations: reached.iteration, seconds: round(reached.seconds - seconds.setup) }] : []
  })
  const curve = history.map(({ iteration, residual }) => [iteration, round(residual / start)] as const)
  const thinned = curve.filter((_, at) => at % Math.ceil(curve.length / 60) === 0)
  return { initialisation: round(seconds.setup), to, ...(status !== 'converged' && { status }), curve: thinned }
}

/** Levels of large grids may not fit into the memory that compiled loops can have. */
async function timeOrSay(problem: PressureProblem, threads: number) {
  const clock = () => performance.now() / 1000
  try {
    const { initialisation, stages, bytesPerCell } = await timeCycle(problem, threads, clock)
    const rounded = Object.fromEntries(Object.entries(stages).map(([stage, seconds]) => [stage, round(seconds)]))
    return { initialisation: round(initialisation), stages: rounded, bytesPerCell: round(bytesPerCell) }
  } catch (error) {
    if (error instanceof InputError) return { message: error.message }
    throw error
  }
}
