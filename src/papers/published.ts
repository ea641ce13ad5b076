/** Published results as data, with their place in the paper, for comparison. Numbers are the authors'; descriptions are ours. */
import { publishedAndersen } from './andersen/published.js'
import { publishedChentanezMueller } from './chentanez-mueller/published.js'
import { publishedLai } from './lai/published.js'
import { publishedMcAdams } from './mcadams/published.js'

/** `NA`: the authors left it out, as too slow. */
export type PublishedValue = number | 'NA' | 'diverged'

export interface PublishedTable {
  /** As in the paper: "Table 12". Parts of one table have a letter or a word more. */
  readonly name: string
  /** Where in the paper. */
  readonly section: string
  /** What the numbers are. */
  readonly about: string
  readonly unit: string
  readonly columns: readonly string[]
  readonly rows: readonly PublishedRow[]
}

export interface PublishedRow {
  /** Cells per side where the rows are resolutions; else what the paper calls it. */
  readonly row: number | string
  readonly values: readonly PublishedValue[]
}

/** A figure in running text. */
export interface PublishedFigure {
  readonly section: string
  readonly about: string
  readonly value: number
  readonly unit: string
}

export interface PublishedPaper {
  readonly name: PaperName
  readonly cite: string
  readonly title: string
  readonly tables: readonly PublishedTable[]
  readonly figures: readonly PublishedFigure[]
}

export const PAPERS = ['lai', 'mcadams', 'chentanez-mueller', 'andersen'] as const
export type PaperName = (typeof PAPERS)[number]

export const published: Readonly<Record<PaperName, PublishedPaper>> = {
  lai: publishedLai,
  mcadams: publishedMcAdams,
  'chentanez-mueller': publishedChentanezMueller,
  andersen: publishedAndersen,
}

/** undefined where the table has no such row or column. */
export function publishedValue(
  { columns, rows }: PublishedTable,
  row: number | string,
  column: string,
): PublishedValue | undefined {
  return rows.find(candidate => candidate.row === row)?.values[columns.indexOf(column)]
}

export function publishedTable(paper: PublishedPaper, name: string): PublishedTable {
  const table = paper.tables.find(candidate => candidate.name === name)
  if (!table) throw new RangeError(`${paper.cite} has no ${name}`)
  return table
}
