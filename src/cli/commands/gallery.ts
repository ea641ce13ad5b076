/** peel gallery: the named problems. */
import { Command } from 'commander'
import { type GalleryEntry, gallery } from '../../pressure/gallery.js'
import { type Column, formatTable } from '../output/table.js'
import { printData } from '../terminal.js'

const GALLERY_COLUMNS: readonly Column<GalleryEntry>[] = [
  { title: 'problem', text: ({ name }) => `gallery:${name}` },
  { title: 'dims', text: ({ dims }) => dims.join(', ') },
  { title: 'size', right: true, text: ({ defaultSize }) => String(defaultSize) },
  { title: 'what', text: ({ about }) => about },
]

export function galleryCommand(): Command {
  return new Command('gallery')
    .description('List the named problems; --size and --dims change the sizes shown.')
    .option('--json', 'print one JSON array')
    .addHelpText('after', '\nExample:\n  peel gallery')
    .action(({ json }: { json?: boolean }) => {
      if (json) printData(JSON.stringify(gallery.map(({ build, ...described }) => described)))
      else printData(formatTable(GALLERY_COLUMNS, gallery))
    })
}
