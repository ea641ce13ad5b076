/** peel bench: tables of what is claimed. */
import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { formatAblationTable, runAblations } from '../bench/ablations.js'
import { joinDocument, splitDocument } from '../bench/document.js'
import { formatIterationTable, runIterations } from '../bench/iterations.js'
import { InputError } from '../input-error.js'
import { writeFileWhole } from '../io/index.js'
import { findSolver, solvers } from '../solvers/registry.js'
import { DEFAULT_TOLERANCE } from '../solvers/solver.js'
import { wholeNumber } from './problem-argument.js'
import { clearProgress, showProgress } from './progress.js'

interface TableFlags {
  readonly problem?: readonly string[]
  readonly sizes: readonly number[]
  readonly sizes2d: readonly number[]
  readonly into?: string
}

interface IterationFlags extends TableFlags {
  readonly solver: string
  readonly limit: number
}

interface AblationFlags extends TableFlags {
  readonly maxIterations: number
}

export function benchCommand(): Command {
  const iterations = addTableFlags(new Command('iterations'))
    .description('How iterations and work grow with the grid, for every solver, as Markdown.')
    .option('--solver <NAME[,NAME…]>', 'solvers to run, or all', 'all')
    .option('--limit <seconds>', 'cut a solve off after this long', seconds, 60)
    .addHelpText('after', '\nExample:\n  peel bench iterations --sizes 16,32 --sizes-2d 32,64 --solver nas-mgpcg,mprgp')
    .action((flags: IterationFlags) => benchIterations(flags))
  const ablations = addTableFlags(new Command('ablations'))
    .description('The full approximation scheme as published, with one part at a time replaced by the plain choice, as Markdown.')
    .option('--max-iterations <N>', 'cycles after which a solve has failed', value => wholeNumber(value, 1), 700)
    .addHelpText('after', '\nExample:\n  peel bench ablations --sizes 16,32 --sizes-2d 32,64 --max-iterations 200')
    .action((flags: AblationFlags) => benchAblations(flags))
  return new Command('bench').description('Measure, and print tables.').addCommand(iterations).addCommand(ablations)
}

function addTableFlags(command: Command): Command {
  return command
    .option('--problem <NAME[,NAME…]>', 'gallery problems of the comparison to run; all if absent', text => text.split(','))
    .option('--sizes <N,N,…>', 'cells per side in 3D', sizes, [32, 64, 128])
    .option('--sizes-2d <N,N,…>', 'cells per side in 2D', sizes, [64, 128, 256, 512])
    .option('--into <file.md>', 'replace the table between the marks of this document')
}

async function benchIterations({
  solver,
  problem: problems,
  sizes: sizes3d,
  sizes2d,
  limit,
  into,
}: IterationFlags): Promise<void> {
  const chosen = solver === 'all' ? solvers.filter(({ elsewhere }) => !elsewhere) : solver.split(',').map(findSolver)
  const suite = { solvers: chosen, problems, sizes3d, sizes2d, tolerance: DEFAULT_TOLERANCE, limit }
  await printTables('iterations', runIterations(suite, showProgress), table => formatIterationTable(table, limit), into)
}

async function benchAblations({ problem: problems, sizes: sizes3d, sizes2d, maxIterations, into }: AblationFlags): Promise<void> {
  const suite = { problems, sizes3d, sizes2d, tolerance: DEFAULT_TOLERANCE, maxIterations }
  await printTables('ablations', runAblations(suite, showProgress), formatAblationTable, into)
}

/** Prints tables as they come, or puts them all between the marks of a document. */
async function printTables<Table>(
  name: string,
  tables: AsyncIterable<Table>,
  format: (table: Table) => string,
  into: string | undefined,
): Promise<void> {
  // Read first, so that a document without marks does not cost a whole run.
  const mark = `peel bench ${name}`
  const document = into === undefined ? undefined : splitDocument(into, await readText(into), mark)
  const texts: string[] = []
  for await (const table of tables) {
    texts.push(format(table))
    if (document === undefined) console.log(`${texts[texts.length - 1]}\n`)
  }
  clearProgress()
  if (document && into !== undefined) await writeFileWhole(into, joinDocument(document, mark, texts.join('\n\n')))
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new InputError(`${path}: this document cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`)
  }
}

export function sizes(text: string): number[] {
  const numbers = text.split(',').map(Number)
  if (numbers.some(size => !Number.isSafeInteger(size) || size < 1))
    throw new InvalidArgumentError('It must be whole numbers separated by commas.')
  return numbers
}

function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('It must be a positive number of seconds, a day at most.')
  return number
}
