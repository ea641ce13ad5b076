/** peel bench: tables of what is claimed. */
import { readFile } from 'node:fs/promises'
import { Command, InvalidArgumentError } from 'commander'
import { joinDocument, splitDocument } from '../bench/document.js'
import { formatIterationTable, runIterations } from '../bench/iterations.js'
import { InputError } from '../input-error.js'
import { writeFileWhole } from '../io/index.js'
import { findSolver, solvers } from '../solvers/registry.js'
import { DEFAULT_TOLERANCE } from '../solvers/solver.js'
import { clearProgress, showProgress } from './progress.js'

interface BenchFlags {
  readonly solver: string
  readonly problem?: readonly string[]
  readonly sizes: readonly number[]
  readonly sizes2d: readonly number[]
  readonly limit: number
  readonly into?: string
}

export function benchCommand(): Command {
  const iterations = new Command('iterations')
    .description('How iterations and work grow with the grid, for every solver, as Markdown.')
    .option('--solver <NAME[,NAME…]>', 'solvers to run, or all', 'all')
    .option('--problem <NAME[,NAME…]>', 'gallery problems of the comparison to run; all if absent', text => text.split(','))
    .option('--sizes <N,N,…>', 'cells per side in 3D', sizes, [32, 64, 128])
    .option('--sizes-2d <N,N,…>', 'cells per side in 2D', sizes, [64, 128, 256, 512])
    .option('--limit <seconds>', 'cut a solve off after this long', seconds, 60)
    .option('--into <file.md>', 'replace the table between the marks of this document')
    .addHelpText('after', '\nExample:\n  peel bench iterations --sizes 16,32 --sizes-2d 32,64 --solver nas-mgpcg,mprgp')
    .action((flags: BenchFlags) => benchIterations(flags))
  return new Command('bench').description('Measure, and print tables.').addCommand(iterations)
}

const MARK = 'peel bench iterations'

async function benchIterations({ solver, problem: problems, sizes: sizes3d, sizes2d, limit, into }: BenchFlags): Promise<void> {
  const chosen = solver === 'all' ? solvers : solver.split(',').map(findSolver)
  const document = into === undefined ? undefined : splitDocument(into, await readText(into), MARK)
  const tables: string[] = []
  const suite = { solvers: chosen, problems, sizes3d, sizes2d, tolerance: DEFAULT_TOLERANCE, limit }
  for await (const table of runIterations(suite, showProgress)) {
    tables.push(formatIterationTable(table, limit))
    if (document === undefined) console.log(`${tables[tables.length - 1]}\n`)
  }
  clearProgress()
  if (document && into !== undefined) await writeFileWhole(into, joinDocument(document, MARK, tables.join('\n\n')))
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new InputError(`${path}: this document cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}).`)
  }
}

function sizes(text: string): number[] {
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
