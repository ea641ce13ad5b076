/** Convergence plots: natural residual against work, one line per solver, as a self-contained SVG. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import { printable } from '../printable.js'

export interface Curve {
  readonly name: string
  readonly records: readonly { readonly work: number; readonly residual: number }[]
}

export interface ConvergencePlotOptions {
  readonly title: string
  /** Drawn as a dashed line, 1/s. */
  readonly tolerance: number
}

/** Lines as thick as this survive being shrunk to a page's width. */
const STROKE = 2

export function convergencePlot(given: readonly Curve[], { title, tolerance }: ConvergencePlotOptions): string {
  const curves = given.map(({ name, records }) => ({ name: printable(name), records }))
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  // A logarithm needs something positive; what is below this is converged by any measure.
  const floor = tolerance * 1e-3
  const points = curves.flatMap(({ name, records }) =>
    records
      .filter(({ residual }) => Number.isFinite(residual))
      .map(({ work, residual }) => ({ name, work: Math.max(work, 1), residual: Math.max(residual, floor) })),
  )
  const decades = powersOfTen(points.map(({ residual }) => residual))
  const svg = Plot.plot({
    document: document as unknown as Document,
    width: 900,
    height: 520,
    marginLeft: 64,
    marginRight: 140,
    marginBottom: 48,
    marginTop: 44,
    style: { background: 'white', color: '#222', fontSize: '13px' },
    x: {
      type: 'log',
      label: 'work (fine-grid sweeps)',
      labelAnchor: 'center',
      grid: true,
      nice: true,
      ticks: 6,
      tickFormat: 'd',
    },
    y: {
      type: 'log',
      label: 'natural residual (1/s)',
      labelAnchor: 'center',
      grid: true,
      domain: [decades[0], decades[decades.length - 1]],
      ticks: decades,
      tickFormat: '.0e',
    },
    color: { domain: curves.map(({ name }) => name), scheme: 'Paired' },
    marks: [
      Plot.ruleY([tolerance], { strokeDasharray: '6 4' }),
      Plot.lineY(points, { x: 'work', y: 'residual', stroke: 'name', strokeWidth: STROKE }),
      // A legend as text marks: Plot's own is HTML beside the SVG, which a file cannot hold.
      ...curves.map(({ name }, at) =>
        Plot.text([name], {
          frameAnchor: 'top-right',
          textAnchor: 'start',
          dx: 10,
          dy: 20 * at + 10,
          fill: [name],
          fontWeight: 'bold',
        }),
      ),
      Plot.text([printable(title)], { frameAnchor: 'top-left', dy: -32, dx: -40, fontSize: 16, fontWeight: 'bold' }),
    ],
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return svg.outerHTML
}

/** At most about a dozen ticks: every decade, or every second one, … */
function powersOfTen(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(values.reduce((a, b) => Math.min(a, b), 1)))
  const high = Math.ceil(Math.log10(values.reduce((a, b) => Math.max(a, b), 1)))
  const step = Math.max(1, Math.ceil((high - low) / 12))
  return Array.from({ length: Math.ceil((high - low) / step) + 1 }, (_, at) => 10 ** (low + at * step))
}
