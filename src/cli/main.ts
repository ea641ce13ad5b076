/** The command line. Data goes to standard output, everything else to standard error; exit code 0 done, 1 bad input,
 *  2 a solve did not converge or a validation missed a bound, 130 interrupted; 141 when standard output was closed, by bin/start.js. */
import { Command, CommanderError } from 'commander'
import { clusterSolver } from '../cluster/index.js'
import { InputError } from '../input-error.js'
import { explainMemory } from '../machine/memory-limits.js'
import { addSolver } from '../solvers/registry.js'
import { benchCommand } from './commands/bench.js'
import { checkCommand } from './commands/check.js'
import { clusterCommand } from './commands/cluster.js'
import { demoCommand } from './commands/demo.js'
import { exportCommand } from './commands/export.js'
import { galleryCommand } from './commands/gallery.js'
import { infoCommand } from './commands/info.js'
import { reproduceCommand } from './commands/reproduce.js'
import { runCommand } from './commands/run.js'
import { scenesCommand } from './commands/scenes.js'
import { solveCommand } from './commands/solve.js'
import { solversCommand } from './commands/solvers.js'
import { validateCommand } from './commands/validate.js'
import { COMMANDER_OUTPUT, printMessage } from './terminal.js'
import { packageVersion } from './version.js'

const VERBS = [
  demoCommand,
  runCommand,
  checkCommand,
  scenesCommand,
  exportCommand,
  solveCommand,
  solversCommand,
  galleryCommand,
  infoCommand,
  benchCommand,
  clusterCommand,
  reproduceCommand,
  validateCommand,
]

/** Returns the exit code; never calls process.exit, so that output is always flushed. */
export async function main(args: readonly string[]): Promise<number> {
  addSolver(clusterSolver)
  let exitCode = 0
  const finish = (code: number) => {
    exitCode = code
  }
  const program = new Command('peel')
    .description('Simulate liquids that can separate from walls, and solve their pressure problems.')
    .version(packageVersion(), '-V, --version')
    .showHelpAfterError('(add --help for the options)')
    .exitOverride()
    .configureOutput(COMMANDER_OUTPUT)
  for (const create of VERBS) program.addCommand(prepare(create(finish)))
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1
    const reason = error instanceof InputError ? error : explainMemory(error)
    if (reason) {
      printMessage(`peel: ${reason.message}`)
      return 1
    }
    throw error
  }
}

/** Errors come back to us instead of ending the process, also from subcommands. */
function prepare(command: Command): Command {
  for (const verb of command.commands) prepare(verb)
  return command.exitOverride().configureOutput(COMMANDER_OUTPUT).showHelpAfterError('(add --help for the options)')
}
