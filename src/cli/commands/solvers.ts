/** peel solvers: lists all solvers with their options. */
import { Command } from 'commander'
import { flagOf, isForHost } from '../../solvers/contract/data-limits.js'
import { describeRange, type OptionSchema } from '../../solvers/contract/options.js'
import { type SolverEntry, solvers } from '../../solvers/registry.js'
import { type Column, formatTable } from '../output/table.js'
import { printData } from '../terminal.js'

const SOLVER_COLUMNS: readonly Column<SolverEntry>[] = [
  { title: 'solver', text: ({ name }) => name },
  { title: 'walls', text: ({ separating }) => (separating ? 'separating' : 'sticking') },
  { title: 'method', text: ({ title }) => title },
  { title: 'reference', text: ({ reference }) => reference },
]

export function solversCommand(): Command {
  return new Command('solvers')
    .description('List the solvers, their references and options.')
    .option('--json', 'print one JSON array')
    .addHelpText('after', '\nExample:\n  peel solvers --json')
    .action(({ json }: { json?: boolean }) => {
      if (json) printData(JSON.stringify(solvers.map(({ create, ...described }) => described)))
      else printData([formatTable(SOLVER_COLUMNS, solvers), ...solvers.map(describeOptions)].join('\n\n'))
    })
}

function describeOptions(entry: SolverEntry): string {
  const { name, options } = entry
  const lines = Object.entries(options).map(([option, schema]) => {
    const given = isForHost(entry, schema)
      ? `${flagOf(option)}${schema.type === 'flag' ? '' : ` ${schema.default === '' ? '…' : schema.default}`}`
      : `--set ${option}=${schema.default}`
    return `  ${given}  ${schema.about} (${describeValues(schema)})`
  })
  return [name, ...lines].join('\n')
}

function describeValues(option: OptionSchema[string]): string {
  switch (option.type) {
    case 'number':
      return describeRange(option)
    case 'choice':
      return option.choices.join(' | ')
    case 'flag':
      return 'true | false'
    case 'text':
      return 'text'
  }
}
