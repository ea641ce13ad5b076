/** Sections of Markdown documents that commands write, each between two marks. */
import { InputError } from '../../input-error.js'
import { readText, writeFileWhole } from '../files/atomic-file.js'

export interface DocumentSection {
  /** The document as it was when it was opened, with this content between the marks. */
  write(content: string): Promise<void>
}

/** Opened before the content exists, so that a document without marks does not cost a whole measurement. Throws an InputError where the
 *  marks `<!-- begin: NAME -->` and `<!-- end: NAME -->` are missing. */
export async function openSection(path: string, name: string): Promise<DocumentSection> {
  const text = await readText(path)
  const [begin, end] = [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`]
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from)
    throw new InputError(`${path}: the marks "${begin}" and "${end}" are missing; add them where the table belongs.`)
  const [before, after] = [text.slice(0, from), text.slice(to + end.length)]
  return { write: content => writeFileWhole(path, `${before}${begin}\n\n${content}\n\n${end}${after}`) }
}
