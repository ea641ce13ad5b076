/** peel bench: measures solvers and prints tables. */
import { Command, InvalidArgumentError } from 'commander'
import { openSection } from '../../io/documents/document.js'
import { formatIterationTable, runIterations } from '../../papers/iterations.js'
import { formatAblationTable, runAblations } from '../../papers/lai/ablations.js'
import { DEFAULT_TOLERANCE } from '../../solvers/contract/solver.js'
import { findSolver, solvers } from '../../solvers/registry.js'
import { pathArgument } from '../arguments/path-argument.js'
import { wholeNumber } from '../arguments/problem-argument.js'
import { clearProgress, showProgress } from '../output/progress.js'
import { printData } from '../terminal.js'

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
    .description('Print iterations and work of every solver by grid size, as Markdown.')
    .option('--solver <NAME[,NAME…]>', 'solvers to run, or all', 'all')
    .option('--limit <seconds>', 'stop a solve after this time', seconds, 60)
    .addHelpText('after', '\nExample:\n  peel bench iterations --sizes 16,32 --sizes-2d 32,64 --solver nas-mgpcg,mprgp')
    .action((flags: IterationFlags) => benchIterations(flags))
  const ablations = addTableFlags(new Command('ablations'))
    .description('Print cycles of the full approximation scheme with one part at a time replaced by a simpler one, as Markdown.')
    .option('--max-iterations <N>', 'cycles after which a solve counts as failed', value => wholeNumber(value, 1), 700)
    .addHelpText('after', '\nExample:\n  peel bench ablations --sizes 16,32 --sizes-2d 32,64 --max-iterations 200')
    .action((flags: AblationFlags) => benchAblations(flags))
  return new Command('bench').description('Measure solvers and print tables.').addCommand(iterations).addCommand(ablations)
}

function addTableFlags(command: Command): Command {
  return command
    .option('--problem <NAME[,NAME…]>', 'gallery problems to run (default: all)', text => text.split(','))
    .option('--sizes <N,N,…>', 'cells per side in 3D', sizes, [32, 64, 128])
    .option('--sizes-2d <N,N,…>', 'cells per side in 2D', sizes, [64, 128, 256, 512])
    .option('--into <file.md>', 'also replace the table between the marks of this document', pathArgument)
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

/** Prints each table when it is done, or writes all of them between the marks of a document. */
async function printTables<Table>(
  name: string,
  tables: AsyncIterable<Table>,
  format: (table: Table) => string,
  into: string | undefined,
): Promise<void> {
  const section = into === undefined ? undefined : await openSection(into, `peel bench ${name}`)
  const texts: string[] = []
  for await (const table of tables) {
    texts.push(format(table))
    if (!section) printData(`${texts[texts.length - 1]}\n`)
  }
  clearProgress()
  await section?.write(texts.join('\n\n'))
}

export function sizes(text: string): number[] {
  const numbers = text.split(',').map(Number)
  if (numbers.some(size => !Number.isSafeInteger(size) || size < 1))
    throw new InvalidArgumentError('Expected whole numbers separated by commas.')
  return numbers
}

function seconds(text: string): number {
  const number = Number(text)
  if (!(number > 0 && number <= 86_400)) throw new InvalidArgumentError('Expected a positive number of seconds, at most one day.')
  return number
}
