/** peel reproduce: the experiments of a paper on our scenes and solvers, its figures beside ours. */
import { cpus } from 'node:os'
import { join } from 'node:path'
import { Argument, Command, InvalidArgumentError } from 'commander'
import { counted } from '../../counted.js'
import { InputError } from '../../input-error.js'
import { readTextIfThere } from '../../io/files/atomic-file.js'
import { makeFolder, removeEmpty } from '../../io/files/folder.js'
import { writeFilesWhole, writeFileWhole } from '../../io/index.js'
import { PAPERS, type PaperName, published } from '../../papers/published.js'
import { LAI_TABLES, type ReproduceOptions, reproductions } from '../../papers/reproduce.js'
import {
  describeSeconds,
  formatResults,
  type Measured,
  parseResults,
  type ReproductionSession,
  type Results,
  runTasks,
  type Task,
} from '../../papers/reproduction.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import { INTERRUPTED, watchInterruption } from '../interruption.js'
import { clearProgress, showProgress } from '../output/progress.js'
import { printData, printMessage } from '../terminal.js'
import { sizes } from './bench.js'

interface ReproduceFlags {
  readonly tables?: readonly number[]
  readonly sizes?: readonly number[]
  readonly frames?: number
  readonly samples?: number
  readonly budget: number
  readonly limit: number
  readonly quick?: boolean
  readonly fresh?: boolean
  readonly output?: string
}

const REPRODUCTION_FOLDER = 'docs/reproduction'
const QUICK_FOLDER = 'out/reproduction'
/** Seconds between two times that results are written down, and between two lines without a terminal. */
const WRITE_EVERY = 5
const SPEAK_EVERY = 30

export function reproduceCommand(finish: (code: number) => void): Command {
  return new Command('reproduce')
    .description('Run the experiments of a paper and write its figures beside ours as Markdown, JSON and SVG.')
    .addArgument(new Argument('<PAPER>', 'the paper').choices(PAPERS))
    .option('--tables <N-N,N,…>', 'tables of the paper (default: all)', tableNumbers)
    .option('--sizes <N,N,…>', 'cells per side', sizes)
    .option('--frames <N>', 'frames of each simulation', value => wholeNumber(value, 1))
    .option('--samples <N>', 'evenly spaced frames of a simulation to measure', value => wholeNumber(value, 1))
    .option('--budget <minutes>', 'skip what does not fit into this time; 0 only rewrites the report', minutes, 60)
    .option('--limit <seconds>', 'skip a method if one solve takes longer', value => wholeNumber(value, 1), 120)
    .option('--quick', `small sizes, in about a minute; written to ${QUICK_FOLDER} unless -o is given`)
    .option('--fresh', 'discard earlier measurements instead of continuing')
    .option('-o, --output <folder>', `output folder, also of the run to continue (default: ${REPRODUCTION_FOLDER})`, pathArgument)
    .addHelpText('after', '\nExample:\n  peel reproduce lai --tables 1,3,5 --sizes 32,64 --budget 5 -o out/lai')
    .action(async (paper: PaperName, flags: ReproduceFlags) => finish(await reproduce(paper, flags)))
}

/** Nothing is written for tables that there are not. */
function checkTables(paper: PaperName, tables: readonly number[] = []): void {
  if (tables.length > 0 && paper !== 'lai')
    throw new InputError(`--tables: only lai has several tables; remove --tables for ${paper}.`)
  const beyond = tables.find(table => table > LAI_TABLES)
  if (beyond !== undefined) throw new InputError(`--tables: there is no table ${beyond}; lai has 1 to ${LAI_TABLES}.`)
}

async function reproduce(paper: PaperName, flags: ReproduceFlags): Promise<number> {
  checkTables(paper, flags.tables)
  const folder = flags.output ?? (flags.quick ? QUICK_FOLDER : REPRODUCTION_FOLDER)
  const file = join(folder, `${paper}.json`)
  const reproduction = reproductions[paper]
  const before = flags.fresh ? undefined : await readResults(file, paper)
  const options: ReproduceOptions = { ...flags, quick: flags.quick ?? false }
  const plan = reproduction.plan(options)
  const made = await makeFolder(folder)
  const session: ReproductionSession = {
    date: new Date().toISOString().slice(0, 10),
    command: commandLine(paper, flags),
    machine: machine(),
  }
  const interruption = watchInterruption('dropping the current measurement; all earlier ones are kept')
  try {
    const results = await run(plan.tasks, before, { paper, file, session, flags }, interruption.signal)
    const { markdown, plots } = reproduction.report(results)
    await writeFilesWhole([
      [file, formatResults(results)],
      [join(folder, `${paper}.md`), markdown],
      ...plots.map(plot => [join(folder, plot.file), plot.svg] as const),
    ])
    clearProgress()
    printData(summary(results, join(folder, `${paper}.md`), interruption.signal.aborted))
    return interruption.signal.aborted ? INTERRUPTED : 0
  } finally {
    interruption.end()
    await removeEmpty(made)
    plan.dispose()
  }
}

interface Destination {
  readonly paper: PaperName
  readonly file: string
  readonly session: ReproductionSession
  readonly flags: ReproduceFlags
}

async function run(
  tasks: readonly Task[],
  before: Results | undefined,
  { paper, file, session, flags }: Destination,
  signal: AbortSignal,
): Promise<Results> {
  const sessions = before?.sessions ?? []
  let isNew = false
  const clock = () => performance.now() / 1000
  let [written, spoken] = [clock(), -Infinity]
  const resultsOf = (measured: Measured, skipped: Results['skipped']): Results => ({
    paper,
    sessions: isNew ? [...sessions, session] : sessions,
    measured,
    skipped,
  })
  const watcher = {
    clock,
    onTask({ group, item }: Task, done: number, total: number, left: number) {
      const text = `${done} of ${total}: ${group} ${item}; about ${describeSeconds(left)} left`
      showProgress(text)
      if (process.stderr.isTTY || clock() - spoken < SPEAK_EVERY) return
      printMessage(text)
      spoken = clock()
    },
    async onMeasured(measured: Measured) {
      isNew = true
      if (clock() - written < WRITE_EVERY) return
      await writeFileWhole(file, formatResults(resultsOf(measured, before?.skipped ?? [])))
      written = clock()
    },
  }
  const bounds = { budget: flags.budget * 60, limit: flags.limit }
  const { measured, skipped } = await runTasks(tasks, before?.measured ?? {}, bounds, watcher, signal)
  return resultsOf(measured, flags.budget === 0 ? (before?.skipped ?? []) : skipped)
}

async function readResults(file: string, paper: PaperName): Promise<Results | undefined> {
  const text = await readTextIfThere(file)
  if (text === undefined) return undefined
  const results = parseResults(text, paper)
  if (!results) throw new InputError(`${file} has no results of ${paper}; move it away, or use --fresh to overwrite it.`)
  return results
}

function summary({ paper, measured, skipped }: Results, path: string, interrupted: boolean): string {
  const count = Object.values(measured).reduce((sum, items) => sum + Object.keys(items).length, 0)
  const left = skipped.reduce((sum, { items }) => sum + items, 0)
  const rest = left > 0 ? `, ${left} not measured (see its end)` : ''
  const stopped = interrupted ? ' Interrupted; run the same command to continue.' : ''
  return `${published[paper].cite}: ${counted(count, 'measurement')}${rest} → ${path}.${stopped}`
}

function commandLine(paper: string, { tables, sizes: cells, frames, samples, budget, limit, quick }: ReproduceFlags): string {
  const given = { tables, sizes: cells, frames, samples, budget, limit }
  const words = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [`--${name} ${value}`]))
  return ['peel reproduce', paper, ...words, ...(quick ? ['--quick'] : [])].join(' ')
}

function machine(): string {
  const all = cpus()
  return `${all[0]?.model.trim() ?? 'unknown processor'}, ${counted(all.length, 'thread')}, Node ${process.versions.node}`
}

/** "1-3,7": ends included. */
function tableNumbers(text: string): number[] {
  return text.split(',').flatMap(part => {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part)
    const [from, to] = [Number(range?.[1]), Number(range?.[2] ?? range?.[1])]
    if (!range || from < 1 || to < from || to > 99) throw new InvalidArgumentError('Expected numbers or ranges, as in 1-6,9.')
    return Array.from({ length: to - from + 1 }, (_, at) => from + at)
  })
}

function minutes(text: string): number {
  const number = Number(text)
  if (!(number >= 0 && number <= 10_000) || text.trim() === '') throw new InvalidArgumentError('Expected a number of minutes.')
  return number
}
