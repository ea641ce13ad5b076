/** Published figures beside ours, as Markdown. */
import { type ChartOptions, type ChartPoint, formatChart } from '../io/documents/chart.js'
import { formatTable } from '../io/documents/markdown-table.js'
import type { PublishedPaper, PublishedValue } from './published.js'
import type { Results, Skipped } from './reproduction.js'

export interface Report {
  readonly markdown: string
  /** Beside the document, under these names. */
  readonly plots: readonly Plot[]
}

export interface Plot {
  readonly file: string
  readonly svg: string
}

/** A chart that is written beside the document. */
export function addChart(plots: Plot[], file: string, points: readonly ChartPoint[], options: ChartOptions): Plot {
  const plot = { file, svg: formatChart(points, options) }
  plots.push(plot)
  return plot
}

/** A figure of ours; a text where there is none, and why. */
export type Ours = number | string | undefined

export interface ComparedRow {
  readonly name: string
  readonly pairs: readonly { readonly published?: PublishedValue; readonly ours: Ours }[]
}

/** Three columns for every heading: published, ours, ours over published. Headings without any published figure get one. */
export function comparison(first: string, headings: readonly string[], rows: readonly ComparedRow[]): string {
  const compared = headings.map((_, at) => rows.some(({ pairs }) => pairs[at].published !== undefined))
  const titles = headings.flatMap((heading, at) => (compared[at] ? [`${heading} paper`, 'ours', 'ratio'] : [`${heading} ours`]))
  const lines = rows.map(({ name, pairs }) => [
    name,
    ...pairs.flatMap(({ published, ours }, at) => {
      const own = describe(ours)
      return compared[at] ? [describe(published), own, ratio(published, ours)] : [own]
    }),
  ])
  return formatTable([first, ...titles], lines)
}

function ratio(published: PublishedValue | undefined, ours: Ours): string {
  return typeof published === 'number' && typeof ours === 'number' && published > 0 ? digits(ours / published, 2) : ''
}

export function describe(value: Ours): string {
  return value === undefined ? '–' : typeof value === 'string' ? value : digits(value, 3)
}

/** Whole numbers as they are, others to so many digits, without an exponent where one can read it. */
export function digits(value: number, count: number): string {
  if (value === 0 || (Number.isInteger(value) && Math.abs(value) < 1e6)) return String(value)
  const rounded = Number(value.toPrecision(count))
  return Math.abs(rounded) < 1e-4 || Math.abs(rounded) >= 1e6 ? rounded.toExponential(count - 1) : String(rounded)
}

export function head({ cite, title }: PublishedPaper, { sessions }: Results): string {
  const runs = sessions.map(({ date, command, machine }) => `- ${date}: \`${command}\` (${machine})`)
  return [
    `# ${cite}, reproduced`,
    `"${title}": published figures, ours, and the ratio of ours to theirs. Written by \`peel reproduce\`; all our figures were measured in these runs:`,
    [...new Set(runs)].join('\n'),
  ].join('\n\n')
}

export function section(title: string, ...parts: readonly (string | undefined)[]): string {
  return [`## ${title}`, ...parts.filter(part => part !== undefined && part !== '')].join('\n\n')
}

export function picture({ file }: Plot, about: string): string {
  return `![${about}](${file})`
}

export function leftOut(skipped: readonly Skipped[]): string | undefined {
  if (skipped.length === 0) return undefined
  const lines = skipped.map(({ group, items, reason }) => `- \`${group}\` (${items}): ${reason}.`)
  return section('Not measured', 'Not measured because it would take too long or does not fit into memory:', lines.join('\n'))
}

export function quoted({ figures }: PublishedPaper): string {
  const rows = figures.map(({ about, value, unit, section: where }) => [about, `${digits(value, 4)} ${unit}`.trim(), where])
  return formatTable(['figure', 'published', 'where'], rows)
}

export function mean(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b, 0) / values.length
}
