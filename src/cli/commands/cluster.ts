/** peel cluster check: reports what is installed to solve on many machines, and whether it works. */
import { Command } from 'commander'
import { checkCluster, clusterSolver, type Finding } from '../../cluster/index.js'
import { parseOptions } from '../../solvers/contract/options.js'
import { addClusterFlags, type ClusterFlags, givenOptions } from '../arguments/cluster-flags.js'
import { clearProgress, showProgress } from '../output/progress.js'
import { type Column, formatTable } from '../output/table.js'
import { printData } from '../terminal.js'

interface CheckFlags extends ClusterFlags {
  readonly json?: boolean
}

const FINDING_COLUMNS: readonly Column<Finding>[] = [
  { title: 'what', text: ({ what }) => what },
  { title: 'state', text: ({ good, optional }) => (good ? 'good' : optional ? 'absent' : 'BAD') },
  { title: 'found', text: ({ found }) => found },
]

export function clusterCommand(finish: (exitCode: number) => void): Command {
  const check = addClusterFlags(new Command('check'))
    .description('Report what is installed, build the driver, and solve a small problem on 1 and 2 ranks.')
    .option('--json', 'print one JSON object')
    .addHelpText('after', '\nExample:\n  peel cluster check --oversubscribe')
    .action(async (flags: CheckFlags) => finish(await runCheck(flags)))
  return new Command('cluster').description('Solve on many machines over MPI.').addCommand(check)
}

async function runCheck(flags: CheckFlags): Promise<number> {
  const options = parseOptions(clusterSolver.name, clusterSolver.options, Object.fromEntries(givenOptions(flags)))
  const report = await checkCluster(options, showProgress)
  clearProgress()
  if (flags.json) printData(JSON.stringify(report))
  else printData(formatTable(FINDING_COLUMNS, report.findings))
  return report.works ? 0 : 2
}
