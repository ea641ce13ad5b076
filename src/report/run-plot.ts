/** Values over the time of a run, one line per run, as an SVG for a page: it inherits the text colour and can be scaled down. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'

export interface RunLine {
  readonly name: string
  /** CSS colour that is readable on light and dark. */
  readonly colour: string
  readonly points: readonly { readonly time: number; readonly value: number }[]
}

export interface RunPlotOptions {
  /** What the values are, with their unit. */
  readonly label: string
  /** Description for screen readers. */
  readonly description: string
  /** Smallest range of values shown; a line that hardly changes should not look as if it did. */
  readonly range?: readonly [number, number]
}

const WIDTH = 480
const HEIGHT = 260

export function runPlot(lines: readonly RunLine[], { label, description, range }: RunPlotOptions): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const points = lines.flatMap(({ name, points }) =>
    points.filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value)).map(point => ({ name, ...point })),
  )
  const values = [...points.map(({ value }) => value), ...(range ?? [0])]
  const low = values.reduce((a, b) => Math.min(a, b))
  const high = values.reduce((a, b) => Math.max(a, b))
  const svg = Plot.plot({
    document: document as unknown as Document,
    width: WIDTH,
    height: HEIGHT,
    marginLeft: 58,
    marginBottom: 40,
    marginTop: 34,
    ariaLabel: description,
    style: { background: 'transparent', color: 'currentColor', fontSize: '14px' },
    x: { label: 'time (s)', labelAnchor: 'center', ticks: 5 },
    y: { label: null, grid: true, ticks: 5, domain: [low, high > low ? high : low + 1] },
    color: { domain: lines.map(({ name }) => name), range: lines.map(({ colour }) => colour) },
    marks: [
      Plot.lineY(points, { x: 'time', y: 'value', stroke: 'name', strokeWidth: 2.5 }),
      Plot.text([label], { frameAnchor: 'top-left', dy: -26, dx: -50, fontWeight: 'bold' }),
      ...lines.map(({ name }, at) =>
        Plot.text([name], {
          frameAnchor: 'top-right',
          dy: -26,
          dx: -96 * (lines.length - 1 - at),
          fill: [name],
          fontWeight: 'bold',
        }),
      ),
    ],
  })
  svg.setAttribute('role', 'img')
  return svg.outerHTML
}
