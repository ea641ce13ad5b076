/** Figures of validations as SVG files: theory dashed, published data as rings, what was measured in colour. */
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'
import type { Figure, PlotPoint, PlottedCurve } from './case.js'

const PLOT_WIDTH = 640
const PLOT_HEIGHT = 360
const PLOT_INK = '#222'
/** Told apart by colour-blind readers, too (Okabe, Ito 2008). */
const CURVE_COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9']
/** Pixels between two entries of the legend, which is right of the frame. */
const LEGEND_LINE = 20
const LEGEND_WIDTH = 190

/** Above as many points a curve is a line without dots. */
const MAX_DOTTED_POINTS = 12

export function formatFigure({ title, x, y, curves }: Figure): string {
  const { document } = parseHTML('<!doctype html><html><body></body></html>')
  const measured = curves.filter(({ kind }) => kind === 'measured')
  const colourOf = (curve: PlottedCurve) =>
    curve.kind === 'measured' ? CURVE_COLOURS[measured.indexOf(curve) % CURVE_COLOURS.length] : PLOT_INK
  const svg = Plot.plot({
    document: document as unknown as Document,
    width: PLOT_WIDTH,
    height: PLOT_HEIGHT,
    marginLeft: 62,
    marginRight: LEGEND_WIDTH,
    marginBottom: 44,
    marginTop: 30,
    ariaLabel: title,
    style: { background: 'white', color: PLOT_INK, fontSize: '13px' },
    x: { label: x, labelAnchor: 'center', labelArrow: 'none', ticks: 6, nice: true },
    y: { label: y, labelAnchor: 'top', labelArrow: 'none', grid: true, ticks: 6, nice: true },
    marks: [
      Plot.frame({ stroke: '#ccc' }),
      ...curves.flatMap(curve => marksOf(curve, colourOf(curve))),
      ...curves.map((curve, at) =>
        Plot.text([legendText(curve)], {
          frameAnchor: 'top-right',
          textAnchor: 'start',
          dx: 12,
          dy: LEGEND_LINE * at + 6,
          fill: colourOf(curve),
          fontWeight: 'bold',
        }),
      ),
    ],
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  svg.setAttribute('role', 'img')
  return `${roundAttributes(svg.outerHTML)}\n`
}

function marksOf({ kind, points }: PlottedCurve, stroke: string) {
  const place = { x: (point: PlotPoint) => point[0], y: (point: PlotPoint) => point[1] }
  const finite = points.filter(point => point.every(Number.isFinite))
  if (kind === 'data') return [Plot.dot(finite, { ...place, stroke, r: 4 })]
  if (kind === 'theory') return [Plot.line(finite, { ...place, stroke, strokeWidth: 1.5, strokeDasharray: '6 4' })]
  const line = Plot.line(finite, { ...place, stroke, strokeWidth: 2 })
  return finite.length > MAX_DOTTED_POINTS ? [line] : [line, Plot.dot(finite, { ...place, fill: stroke, r: 3 })]
}

const LEGEND_SIGNS = { data: '○', theory: '- -', measured: '—' }
const legendText = ({ kind, name }: PlottedCurve) => `${LEGEND_SIGNS[kind]} ${name}`

/** Attributes to tenths of a pixel: files stay small, and the last bits of a run do not show. */
function roundAttributes(svg: string): string {
  const round = (number: string) => String(Number(Number(number).toFixed(1)))
  return svg.replace(/="[^"]*"/g, attribute => attribute.replace(/-?\d+\.\d{2,}/g, round))
}
