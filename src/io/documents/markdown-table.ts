/** Tables in Markdown. */

/** Columns of text; the others hold numbers and are aligned to the right. */
const WORD_COLUMNS = new Set([
  'problem',
  'walls',
  'contender',
  'goal',
  'verdict',
  'method',
  'scene',
  'stage',
  'preconditioner',
  'figure',
  'where',
  'case',
  'quantity',
  'pass',
])

/** Padded, so that it is readable in a terminal, too. */
export function formatTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map(row => row[at].length)))
  const pad = (text: string, at: number) => (WORD_COLUMNS.has(titles[at]) ? text.padEnd(widths[at]) : text.padStart(widths[at]))
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`
  const rule = titles.map((title, at) =>
    WORD_COLUMNS.has(title) ? '-'.repeat(widths[at] + 2) : `${'-'.repeat(widths[at] + 1)}:`,
  )
  return [line(titles), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}
