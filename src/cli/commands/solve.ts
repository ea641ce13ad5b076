/** peel solve: one problem, one or more solvers, the results as a table, JSON, pressure and history files. */
import { extname } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { InputError, suggestion } from '../../input-error.js'
import { formatHistories, readPressure, writeFileWhole, writePressure } from '../../io/index.js'
import { checkSetting, ENGINES, type EngineName } from '../../machine/engine-choice.js'
import { isGridProblem, type Problem } from '../../pressure/problem.js'
import { DEFAULT_TOLERANCE, type IterationRecord } from '../../solvers/contract/solver.js'
import { defaultSolver, findSolver, type SolverEntry, solvers } from '../../solvers/registry.js'
import { addClusterFlags, type ClusterFlags, clusterOptions } from '../arguments/cluster-flags.js'
import { pathArgument } from '../arguments/path-argument.js'
import { addProblemFlags, loadProblem, type ProblemFlags, wholeNumber } from '../arguments/problem-argument.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { formatHierarchy } from '../output/hierarchy.js'
import { clearProgress, showProgress, stepLine } from '../output/progress.js'
import { formatTable, milliseconds, scientific } from '../output/table.js'
import { RESULT_COLUMNS, type Solved, type SolveTask, solveTask } from '../solve-all.js'
import { printData, printMessage } from '../terminal.js'

interface SolveFlags extends ProblemFlags, ClusterFlags {
  readonly solver?: string
  readonly tolerance: number
  readonly relative?: boolean
  readonly maxIterations?: number
  readonly set: readonly string[]
  readonly engine?: EngineName
  readonly threads?: number
  readonly guess?: string
  readonly output?: string
  readonly history?: string
  readonly plot?: string
  readonly monitor?: boolean
  readonly view?: boolean
  readonly repeat?: number
  readonly json?: boolean
}

export function solveCommand(finish: (exitCode: number) => void): Command {
  return addClusterFlags(addProblemFlags(new Command('solve')))
    .description('Solve a pressure problem and report the result.')
    .argument('<PROBLEM>', 'gallery:NAME, a .npz grid problem, or the prefix of Matrix Market files')
    .option('--solver <NAME[,NAME…]>', 'solvers to run, or all (default: nas-mgpcg on grids, mprgp on matrices)')
    .option('--tolerance <1/s>', 'largest accepted natural residual', positive, DEFAULT_TOLERANCE)
    .option('--relative', 'the tolerance is relative to the residual of p = 0')
    .option('--max-iterations <N>', 'largest number of iterations', value => wholeNumber(value, 1))
    .option('--set <option=value>', 'set an option of the solver; can be repeated', collect, [])
    .option('--engine <NAME>', `engine: ${ENGINES.join(', ')} (default: auto, the fastest available)`)
    .option('--threads <N>', 'number of threads (default: number of cores, at most 8)', value => wholeNumber(value, 1))
    .option('--guess <p.npy>', 'start from this pressure instead of 0')
    .option('-o, --output <p.npy>', 'write the pressure (with several solvers: p.SOLVER.npy)', pathArgument)
    .option('--history <h.json>', 'write the residual of every iteration', pathArgument)
    .option('--plot <h.svg>', 'plot the residual of every solver against its work', pathArgument)
    .option('--monitor', 'print every iteration to standard error')
    .option('--view', 'print the hierarchy of multigrid solvers to standard error')
    .option('--repeat <N>', 'solve N times after one warm-up and report the fastest', value => wholeNumber(value, 1))
    .option('--json', 'print one JSON object per solver')
    .addHelpText(
      'after',
      '\nExample:\n  peel solve gallery:half-ball --size 64 --solver mprgp,pi-pcg --tolerance 1e-8 --output p.npy',
    )
    .action(async (argument: string, flags: SolveFlags) => finish(await solve(argument, flags)))
}

async function solve(argument: string, flags: SolveFlags): Promise<number> {
  checkSetting(flags)
  // Names and values are checked before the problem is read: a typing error should not cost minutes.
  if (flags.solver !== undefined && flags.solver !== 'all') chooseTasks(flags, flags.solver.split(','))
  const { problem } = await loadProblem(argument, flags)
  const tasks = chooseTasks(flags, solverNames(flags.solver, problem))
  const guess = flags.guess === undefined ? undefined : await readPressure(flags.guess, problem)
  const interruption = watchInterruption('cancelling the current solve; nothing more is written')
  const solved: Solved[] = []
  try {
    for (const task of tasks) {
      const { tolerance, relative, maxIterations, repeat } = flags
      const monitor = monitorOf(task.entry, flags)
      const outcome = await solveTask(problem, task, {
        tolerance,
        relative,
        maxIterations,
        monitor,
        guess,
        repeat,
        signal: interruption.signal,
      })
      clearProgress()
      solved.push(outcome)
      if (flags.view) printMessage(formatHierarchy(outcome))
      if (flags.json) printData(JSON.stringify(resultObject(outcome)))
      if (interruption.happened()) break
      if (flags.output !== undefined) await writeOutput(flags.output, tasks.length, outcome, problem)
    }
    if (!interruption.happened()) await writeHistories(argument, flags, solved)
  } finally {
    interruption.end()
  }
  if (!flags.json) printData(formatTable(RESULT_COLUMNS, solved))
  for (const { solver, result } of solved) {
    if (result.note !== undefined) printMessage(`peel: ${solver}: ${result.note}`)
    if (result.status !== 'converged') printMessage(`peel: ${solver}: ${result.message}`)
  }
  if (interruption.happened()) return INTERRUPTED
  return solved.every(({ result }) => result.status === 'converged') ? 0 : 2
}

function resultObject({ solver, separating, result, seconds }: Solved): Record<string, unknown> {
  const { status, iterations, outer, residual, gap, pinned, unknowns, work, engine, message, note, infeasible } = result
  return {
    solver,
    separating,
    status,
    iterations,
    outer,
    residual,
    gap,
    pinned,
    unknowns,
    seconds,
    work,
    engine,
    message,
    note,
    infeasible: infeasible.length,
  }
}

/** Iterations on a cluster can be slow: each updates the progress line. */
function monitorOf({ name, elsewhere }: SolverEntry, { monitor }: SolveFlags): ((record: IterationRecord) => void) | undefined {
  if (monitor) return record => printMessage(monitorLine(name, record))
  return elsewhere ? record => showProgress(stepLine(name, record)) : undefined
}

function monitorLine(solver: string, { iteration, residual, pinned, work, seconds }: IterationRecord): string {
  return `${solver}  ${iteration}  residual ${scientific(residual)} 1/s  pinned ${pinned}  work ${work.toFixed(0)}  ${milliseconds(seconds)} ms`
}

async function writeHistories(problem: string, flags: SolveFlags, solved: readonly Solved[]): Promise<void> {
  if (flags.history !== undefined) {
    const histories = solved.map(({ solver, result }) => ({ solver, status: result.status, records: result.history }))
    await writeFileWhole(flags.history, formatHistories(histories))
  }
  if (flags.plot !== undefined) await writePlot(flags.plot, problem, flags, solved)
}

async function writePlot(path: string, problem: string, { tolerance }: SolveFlags, solved: readonly Solved[]): Promise<void> {
  // Loaded only here: the plotting library takes longer to load than the rest of the command line.
  const { convergencePlot } = await import('../../report/convergence.js')
  const curves = solved.map(({ solver, result }) => ({ name: solver, records: result.history }))
  await writeFileWhole(path, convergencePlot(curves, { title: `${problem}: natural residual against work`, tolerance }))
}

/** With several solvers every one gets a file of its own: p.npy becomes p.NAME.npy. */
async function writeOutput(path: string, solverCount: number, { solver, pressure }: Solved, problem: Problem): Promise<void> {
  const extension = extname(path)
  const target = solverCount === 1 ? path : `${path.slice(0, path.length - extension.length)}.${solver}${extension}`
  await writePressure(target, pressure, problem)
}

/** All solvers for this kind of problem, the named ones, or the default. */
function solverNames(named: string | undefined, problem: Problem): string[] {
  if (named === undefined) return [defaultSolver(problem)]
  if (named !== 'all') return named.split(',')
  return solvers
    .filter(({ needsGrid, elsewhere }) => !elsewhere && (!needsGrid || isGridProblem(problem)))
    .map(({ name }) => name)
}

/** An option is passed to every chosen solver that has it; an option that none has is an error. */
function chooseTasks(flags: SolveFlags, given: readonly string[]): SolveTask[] {
  const names = given.map(name => name.trim())
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined) throw new InputError(`--solver: "${repeated}" is given twice; remove one.`)
  const entries = names.map(findSolver)
  const settings = [...clusterOptions(flags, entries), ...flags.set.map(text => parseSetting(text, entries))]
  const tasks = entries.map(entry => ({
    entry,
    set: Object.fromEntries(settings.filter(([name]) => Object.hasOwn(entry.options, name))),
    setting: { engine: flags.engine, threads: flags.threads },
  }))
  for (const { entry, set, setting } of tasks) entry.create(set, setting).dispose()
  return tasks
}

function parseSetting(text: string, entries: readonly SolverEntry[]): [name: string, value: string] {
  const at = text.indexOf('=')
  if (at <= 0) throw new InputError(`--set: expected option=value, not "${text}".`)
  const name = text.slice(0, at)
  const known = [...new Set(entries.flatMap(entry => Object.keys(entry.options)))]
  if (!known.includes(name)) {
    const owners = entries.map(entry => entry.name).join(', ')
    throw new InputError(`--set: ${owners} has no option "${name}"${suggestion(name, known)}; it has ${known.join(', ')}.`)
  }
  return [name, text.slice(at + 1)]
}

function positive(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number > 0 && number < Infinity)) throw new InvalidArgumentError('Expected a positive number.')
  return number
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value]
}
