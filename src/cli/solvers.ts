/** peel solvers: the family with its options. */
import { Command } from 'commander'
import { describeRange, type OptionSchema } from '../solvers/options.js'
import { type SolverEntry, solvers } from '../solvers/registry.js'
import { type Column, formatTable } from './table.js'

const COLUMNS: readonly Column<SolverEntry>[] = [
  { title: 'solver', text: ({ name }) => name },
  { title: 'walls', text: ({ separating }) => (separating ? 'let go' : 'stick') },
  { title: 'method', text: ({ title }) => title },
  { title: 'reference', text: ({ reference }) => reference },
]

export function solversCommand(): Command {
  return new Command('solvers')
    .description('List the solvers, their references and options.')
    .option('--json', 'as one JSON array')
    .addHelpText('after', '\nExample:\n  peel solvers --json')
    .action(({ json }: { json?: boolean }) => {
      if (json) console.log(JSON.stringify(solvers.map(({ create, ...described }) => described)))
      else console.log([formatTable(COLUMNS, solvers), ...solvers.map(describeOptions)].join('\n\n'))
    })
}

function describeOptions({ name, options }: SolverEntry): string {
  const lines = Object.entries(options).map(([option, schema]) => {
    return `  --set ${option}=${schema.default}  ${schema.about} (${describeValues(schema)})`
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
