/** Charts as SVG: values over sizes, one line per contender, in panels. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'

export interface ChartPoint {
  /** Which panel, from left to right. */
  readonly column: string
  /** Which panel, from above. */
  readonly row: string
  readonly contender: string
  /** Cells per side, unless the axes are labelled otherwise. */
  readonly size: number
  readonly value: number
}

export interface ChartOptions {
  readonly title: string
  /** What the values are, with their unit. */
  readonly label: string
  /** Steps between the sizes that occur, or a scale of numbers; steps if absent. */
  readonly x?: 'steps' | 'linear' | 'log'
  /** `cells per side` if absent. */
  readonly xLabel?: string
  /** Logarithmic if absent. */
  readonly y?: 'linear' | 'log'
}

/** Below this, milli, micro and nano are harder to read than powers of ten. */
const SMALL_VALUE = 1e-5

/** Above as many points on a line, dots would hide it. */
const MAX_DOTS = 12

export function formatChart(points: readonly ChartPoint[], options: ChartOptions): string {
  const { title, label, x = 'steps', xLabel = 'cells per side', y = 'log' } = options
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const names = [...new Set(points.map(({ contender }) => contender))]
  const columns = [...new Set(points.map(({ column }) => column))]
  const rows = [...new Set(points.map(({ row }) => row))]
  const sizes = [...new Set(points.map(({ size }) => size))].sort((a, b) => a - b)
  const values = points.map(({ value }) => value)
  const channels = {
    x: 'size',
    y: 'value',
    stroke: 'contender',
    z: 'contender',
    fx: 'column',
    fy: 'row',
  } as const
  const svg = Plot.plot({
    document: document as unknown as Document,
    width: 1060,
    height: 560,
    marginLeft: 64,
    marginRight: 290,
    marginBottom: 48,
    marginTop: 64,
    style: { background: 'white', color: '#222', fontSize: '13px' },
    fx: { label: null, padding: 0.12, domain: columns },
    fy: { label: null, padding: 0.12, domain: rows },
    x: {
      type: x === 'steps' ? 'point' : x,
      label: xLabel,
      labelAnchor: 'center',
      ...(x === 'steps' ? { domain: sizes } : { ticks: 4 }),
    },
    y: {
      type: y,
      label,
      labelAnchor: 'center',
      grid: true,
      ticks: 4,
      ...(y === 'log' && {
        domain: [Math.min(...values) / 1.5, Math.max(...values) * 1.5],
        tickFormat: Math.min(...values) < SMALL_VALUE ? '.0e' : '~s',
      }),
    },
    color: { domain: names, scheme: names.length > 8 ? 'Tableau10' : 'Dark2' },
    marks: [
      Plot.frame({ stroke: '#ccc' }),
      Plot.lineY(points, { ...channels, strokeWidth: 2 }),
      ...(sizes.length <= MAX_DOTS ? [Plot.dot(points, { ...channels, fill: 'contender', r: 3.5 })] : []),
      // A legend as text marks in the margin of the last panel: Plot's own is HTML beside the SVG, which a file cannot hold.
      ...legend(columns[columns.length - 1], rows[0], names),
    ],
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  svg.insertAdjacentHTML(
    'beforeend',
    `<text x="20" y="24" text-anchor="start" font-size="16" font-weight="bold" fill="#222">${escapeText(title)}</text>`,
  )
  return svg.outerHTML
}

function legend(column: string, row: string, names: readonly string[]) {
  return names.map((name, at) =>
    Plot.text([{ name, column, row }], {
      text: 'name',
      fx: 'column',
      fy: 'row',
      fill: 'name',
      frameAnchor: 'top-right',
      textAnchor: 'start',
      dx: 104,
      dy: 20 * at + 10,
      fontWeight: 'bold',
    }),
  )
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
