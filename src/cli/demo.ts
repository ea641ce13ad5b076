/** peel demo: one gallery problem, every solver, a table and a convergence plot. */
import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { writeFileWhole } from '../io/index.js'
import { galleryProblem } from '../pressure/gallery.js'
import { countUnknowns } from '../pressure/problem.js'
import { solvers } from '../solvers/registry.js'
import { DEFAULT_TOLERANCE } from '../solvers/solver.js'
import { addProblemFlags, type ProblemFlags } from './problem-argument.js'
import { clearProgress, showProgress } from './progress.js'
import { RESULT_COLUMNS, type Solved, solveTask } from './solve-all.js'
import { formatTable } from './table.js'

interface DemoFlags extends ProblemFlags {
  readonly output: string
}

const PROBLEM = 'half-ball'

export function demoCommand(finish: (exitCode: number) => void): Command {
  return addProblemFlags(new Command('demo'))
    .description('Solve half a ball of liquid thrown at a wall with every solver, and plot how they converge.')
    .option('-o, --output <folder>', 'where the plot goes', 'out')
    .addHelpText('after', '\nExample:\n  peel demo --size 48')
    .action(async (flags: DemoFlags) => finish(await demo(flags)))
}

async function demo({ size = 40, dims = 3, output }: DemoFlags): Promise<number> {
  const { problem } = galleryProblem(PROBLEM, { size, dims })
  const { unknowns, contacts } = countUnknowns(problem)
  console.log(
    `Half a ball of liquid thrown at the wall of a sphere: ${unknowns} unknowns, ${contacts} of them may let go of the wall.`,
  )
  console.log(`Every solver of the family, from p = 0 to a natural residual of ${DEFAULT_TOLERANCE} 1/s:\n`)
  const solved: Solved[] = []
  for (const entry of solvers) {
    showProgress(entry.name)
    solved.push(await solveTask(problem, { entry, set: {} }, { tolerance: DEFAULT_TOLERANCE }))
  }
  clearProgress()
  console.log(formatTable(RESULT_COLUMNS, solved))

  // Loaded only here: the plotting library is the slowest thing to start in the whole command line.
  const { convergencePlot } = await import('../render/convergence.js')
  const plot = convergencePlot(
    solved.map(({ solver, result }) => ({ name: solver, records: result.history })),
    { title: `${PROBLEM}, ${size}${dims === 3 ? '³' : '²'} cells: natural residual against work`, tolerance: DEFAULT_TOLERANCE },
  )
  await mkdir(output, { recursive: true })
  const path = join(output, 'convergence.svg')
  await writeFileWhole(path, plot)
  console.log(`\nConvergence plot: ${resolve(path)}`)
  return solved.every(({ result }) => result.status === 'converged') ? 0 : 2
}
