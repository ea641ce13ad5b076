/** peel gallery: the named problems. */
import { Command } from 'commander'
import { type GalleryEntry, gallery } from '../pressure/gallery.js'
import { type Column, formatTable } from './table.js'

const COLUMNS: readonly Column<GalleryEntry>[] = [
  { title: 'problem', text: ({ name }) => `gallery:${name}` },
  { title: 'dims', text: ({ dims }) => dims.join(', ') },
  { title: 'size', right: true, text: ({ defaultSize }) => String(defaultSize) },
  { title: 'what', text: ({ about }) => about },
]

export function galleryCommand(): Command {
  return new Command('gallery')
    .description('List the named problems; --size and --dims choose others than the sizes shown.')
    .option('--json', 'as one JSON array')
    .addHelpText('after', '\nExample:\n  peel gallery')
    .action(({ json }: { json?: boolean }) => {
      if (json) console.log(JSON.stringify(gallery.map(({ build, ...described }) => described)))
      else console.log(formatTable(COLUMNS, gallery))
    })
}
