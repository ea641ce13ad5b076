/** peel scenes: the scenes that come with Peel. */
import { Command } from 'commander'
import { loadScene, shippedScenes } from '../../io/index.js'
import { printableLine } from '../../printable.js'
import { dimsOf } from '../../scene/schema.js'
import { type Column, formatTable } from '../output/table.js'
import { printData } from '../terminal.js'

interface Row {
  readonly name: string
  readonly dims: 2 | 3
  readonly title: string
  readonly description: string
}

const SCENE_COLUMNS: readonly Column<Row>[] = [
  { title: 'scene', text: ({ name }) => name },
  { title: 'dims', text: ({ dims }) => String(dims) },
  { title: 'title', text: ({ title }) => printableLine(title) },
]

export function scenesCommand(): Command {
  return new Command('scenes')
    .description('List the scenes included with Peel.')
    .option('--json', 'print one JSON array')
    .addHelpText('after', '\nExample:\n  peel scenes')
    .action(async ({ json }: { json?: boolean }) => {
      const rows: Row[] = []
      for (const name of await shippedScenes()) {
        const { scene } = await loadScene(name)
        rows.push({ name, dims: dimsOf(scene), title: scene.title, description: scene.description })
      }
      printData(json ? JSON.stringify(rows) : formatTable(SCENE_COLUMNS, rows))
    })
}
