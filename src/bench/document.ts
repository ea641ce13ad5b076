/** Tables that a command writes into a document, between two marks. */
import { InputError } from '../input-error.js'

/** The text around the marks «begin: NAME» and «end: NAME». Throws an InputError if they are missing. */
export function splitDocument(path: string, text: string, name: string): { before: string; after: string } {
  const [begin, end] = marks(name)
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from)
    throw new InputError(`${path}: the marks «${begin}» and «${end}» are missing; add them where the table belongs.`)
  return { before: text.slice(0, from), after: text.slice(to + end.length) }
}

export function joinDocument({ before, after }: { before: string; after: string }, name: string, content: string): string {
  const [begin, end] = marks(name)
  return `${before}${begin}\n\n${content}\n\n${end}${after}`
}

function marks(name: string): readonly [string, string] {
  return [`<!-- begin: ${name} -->`, `<!-- end: ${name} -->`]
}
