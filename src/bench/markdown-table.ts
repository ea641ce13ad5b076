/** Tables in Markdown. */

/** Columns of words; the others hold numbers and are aligned to the right. */
const WORDS = new Set([
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
])

/** Padded, so that it reads as well in a terminal. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = titles.map((title, at) => Math.max(title.length, ...rows.map(row => row[at].length)))
  const pad = (text: string, at: number) => (WORDS.has(titles[at]) ? text.padEnd(widths[at]) : text.padStart(widths[at]))
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`
  const rule = titles.map((title, at) => (WORDS.has(title) ? '-'.repeat(widths[at] + 2) : `${'-'.repeat(widths[at] + 1)}:`))
  return [line(titles), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

/** As many decimals as three digits need. */
export function threeDigits(value: number): string {
  const size = Math.abs(value)
  return value.toFixed(size < 10 ? 2 : size < 100 ? 1 : 0)
}
