/** Runs solvers on adversarial problems and sums up what became of them. */
import { CONFIGURATIONS, type Configuration, type CreateSolver } from './configurations.js'
import { type Case, judge, openCase, type Verdict } from './judge.js'
import { makeGridProblem, makeSparseProblem } from './problems.js'
import { type Reference, solveReference } from './reference.js'

export interface Range {
  readonly seed: number
  readonly from: number
  readonly count: number
  /** Only every so many, so that several runs share a range. */
  readonly step?: number
  readonly sparse?: boolean
}

/** One solve that went wrong. */
export interface Incident extends Verdict {
  readonly solver: string
  readonly className: string
  readonly seed: number
  readonly number: number
  readonly sparse: boolean
  readonly tolerance: number
  readonly start: string
  readonly unknowns: number
  readonly contacts: number
  /** Whether f64 can reach half the tolerance; unknown where the reference takes too long. */
  readonly possible: 'yes' | 'no' | 'unknown'
  /** What f64 can reach, 1/s. */
  readonly reachable: number
}

export interface Outcome {
  readonly problems: number
  readonly solves: number
  readonly incidents: readonly Incident[]
  /** By solver: iterations of all solves that were solved, and seconds of all. */
  readonly iterations: ReadonlyMap<string, number>
  readonly seconds: ReadonlyMap<string, number>
}

export interface Attack {
  readonly createSolver: CreateSolver
  readonly configurations?: readonly Configuration[]
  readonly onIncident?: (incident: Incident) => void
  readonly onProblem?: (done: number) => void
}

export async function attack(
  range: Range,
  { createSolver, configurations = CONFIGURATIONS, onIncident, onProblem }: Attack,
): Promise<Outcome> {
  const { seed, from, count, step = 1, sparse = false } = range
  const chosen = configurations.filter(({ needsGrid }) => !(sparse && needsGrid))
  const solvers = chosen.map(configuration => ({ configuration, solver: configuration.create(createSolver) }))
  const incidents: Incident[] = []
  const iterations = new Map(chosen.map(({ name }) => [name, 0]))
  const seconds = new Map(chosen.map(({ name }) => [name, 0]))
  let problems = 0
  for (let number = from; number < from + count; number += step) {
    const adversary = sparse ? makeSparseProblem(seed, number) : makeGridProblem(seed, number)
    const cases = { separating: openCase(adversary, false), sticking: openCase(adversary, true) }
    const trials = { separating: [] as Trial[], sticking: [] as Trial[] }
    for (const { configuration, solver } of solvers) {
      const side = configuration.sticking ? 'sticking' : 'separating'
      const before = performance.now()
      const trial = await runSolve(cases[side], configuration, solver)
      add(seconds, configuration.name, (performance.now() - before) / 1000)
      if (trial.verdict.solved) add(iterations, configuration.name, trial.verdict.iterations)
      trials[side].push(trial)
    }
    for (const side of ['separating', 'sticking'] as const)
      for (const incident of incidentsOf(cases[side], trials[side], sparse)) {
        incidents.push(incident)
        onIncident?.(incident)
      }
    problems++
    onProblem?.(problems)
  }
  for (const { solver } of solvers) solver.dispose()
  return { problems, solves: problems * chosen.length, incidents, iterations, seconds }
}

function add(sums: Map<string, number>, name: string, value: number): void {
  sums.set(name, (sums.get(name) ?? 0) + value)
}

interface Trial {
  readonly solver: string
  readonly verdict: Verdict
  readonly pressure: Float64Array
}

async function runSolve(
  found: Case,
  { name, maxIterations }: Configuration,
  solver: ReturnType<Configuration['create']>,
): Promise<Trial> {
  const { problem, start, tolerance } = found.adversary
  const pressure = start.slice()
  const outcome = await solver
    .solve(problem, pressure, { tolerance, maxIterations })
    .catch(error => (error instanceof Error ? error : new Error(String(error))))
  return { solver: name, verdict: judge(found, pressure, outcome), pressure }
}

function incidentsOf(found: Case, trials: readonly Trial[], sparse: boolean): Incident[] {
  const wrong = trials.filter(({ verdict }) => !verdict.solved || verdict.faults.length > 0)
  if (wrong.length === 0) return []
  const { adversary, rows } = found
  const { possible, reachable } = judgePossible(found, trials)
  return wrong.map(({ solver, verdict }) => ({
    ...verdict,
    solver,
    className: adversary.className,
    seed: adversary.seed,
    number: adversary.number,
    sparse,
    tolerance: adversary.tolerance,
    start: adversary.startName,
    unknowns: rows.count,
    contacts: rows.contact.reduce((sum, value) => sum + value, 0),
    possible,
    reachable,
  }))
}

/** An answer of any solver that is good enough shows that there is one; else the reference decides, from the best answer on. */
function judgePossible(found: Case, trials: readonly Trial[]): Pick<Incident, 'possible' | 'reachable'> {
  const best = trials.reduce((a, c) => (c.verdict.residual < a.verdict.residual || Number.isNaN(a.verdict.residual) ? c : a))
  // Where a pocket is squeezed by less than the tolerance, half of what is left of it.
  const spread = found.bodies.reduce((most, { nature, mean }) => (nature === 'linear' ? Math.max(most, Math.abs(mean)) : most), 0)
  const half = (found.adversary.tolerance + spread) / 2
  if (best.verdict.residual <= half) return { possible: 'yes', reachable: best.verdict.residual }
  const reference: Reference | undefined = solveReference(found, best.pressure) ?? solveReference(found)
  if (!reference) return { possible: 'unknown', reachable: best.verdict.residual }
  return { possible: reference.reachable <= half ? 'yes' : 'no', reachable: reference.reachable }
}

/** No right answer although f64 can hold one, or is not known not to. */
export function isFailure({ solved, possible }: Incident): boolean {
  return !solved && possible !== 'no'
}

/** Of attacks on parts of a range. */
export function joinOutcomes(parts: readonly Outcome[]): Outcome {
  const sum = (of: (part: Outcome) => ReadonlyMap<string, number>) => {
    const sums = new Map<string, number>()
    for (const part of parts) for (const [name, value] of of(part)) add(sums, name, value)
    return sums
  }
  return {
    problems: parts.reduce((total, { problems }) => total + problems, 0),
    solves: parts.reduce((total, { solves }) => total + solves, 0),
    incidents: parts.flatMap(({ incidents }) => incidents).sort((a, b) => a.number - b.number),
    iterations: sum(({ iterations }) => iterations),
    seconds: sum(({ seconds }) => seconds),
  }
}
