/** peel scenes: the scenes that come with Peel. */
import { Command } from 'commander'
import { loadScene, shippedScenes } from '../io/index.js'
import { dimsOf } from '../scene/schema.js'
import { type Column, formatTable } from './table.js'

interface Row {
  readonly name: string
  readonly dims: 2 | 3
  readonly title: string
  readonly description: string
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'scene', text: ({ name }) => name },
  { title: 'dims', text: ({ dims }) => String(dims) },
  { title: 'title', text: ({ title }) => title },
]

export function scenesCommand(): Command {
  return new Command('scenes')
    .description('List the scenes that come with Peel.')
    .option('--json', 'as one JSON array')
    .addHelpText('after', '\nExample:\n  peel scenes')
    .action(async ({ json }: { json?: boolean }) => {
      const rows: Row[] = []
      for (const name of await shippedScenes()) {
        const { scene } = await loadScene(name)
        rows.push({ name, dims: dimsOf(scene), title: scene.title, description: scene.description })
      }
      console.log(json ? JSON.stringify(rows) : formatTable(COLUMNS, rows))
    })
}
