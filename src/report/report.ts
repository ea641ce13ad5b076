/** One page that compares two runs of a scene, with separating and with sticking walls: everything in one file, nothing is fetched. */
import { formatPng } from '../io/formats/png.js'
import { convergencePlot } from './convergence.js'
import { forcePlots } from './force-plots.js'
import { type ReportData, type ReportFrame, short, WALL_COLOURS, WALLS_IN_ORDER, type WallKind } from './report-data.js'
import { escapeText, REPORT_STYLE } from './report-style.js'
import { type RunLine, runPlot } from './run-plot.js'

export function reportHtml(data: ReportData): string {
  const body = [
    `<h1>${escapeText(data.title)}</h1>`,
    `<p class="lead">${escapeText(summary(data))}</p>`,
    ...data.warnings.map(warning => `<p class="warning">${escapeText(warning)}</p>`),
    video(data),
    section('Side by side', pair(data)),
    section('Over time', `<p>${escapeText(drying(data))}</p>\n<div class="plots">${plots(data).join('')}</div>`),
    forces(data),
    data.solve
      ? section('One solve', `<div class="wide">${describedSvg(convergence(data.solve), 'Residual against work')}</div>`)
      : '',
    section('Time per stage', stages(data)),
    section('Parameters', parameters(data)),
    section('Reproduce', `<pre><code>${escapeText(data.command)}</code></pre>`),
  ].join('\n')
  // The policy makes sure that a browser fetches nothing.
  const policy = "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="icon" href="data:,">
<title>${escapeText(data.title)}</title>
<style>${REPORT_STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`
}

function section(title: string, content: string): string {
  return `<section>\n<h2>${escapeText(title)}</h2>\n${content}\n</section>`
}

/** One sentence: how much of the ceiling is wet at the moment of the pair. */
export function summary(data: ReportData): string {
  const unit = data.dims === 2 ? 'm' : 'm²'
  const at = (frames: readonly ReportFrame[]) =>
    frames.reduce<ReportFrame | undefined>(
      (best, frame) => (best && Math.abs(best.time - data.pair.time) <= Math.abs(frame.time - data.pair.time) ? best : frame),
      undefined,
    )
  const separating = at(data.separating)
  const sticking = at(data.sticking)
  if (!separating || !sticking) return 'No frames were simulated.'
  return (
    `After ${short(data.pair.time)} s liquid touches ${short(sticking.wettedCeiling)} ${unit} of ceiling with sticking walls ` +
    `and ${short(separating.wettedCeiling)} ${unit} with separating walls.`
  )
}

/** What becomes of the ceiling: when it is dry with separating walls, though the splash has wetted it once more, and how much is wet then where
 *  they stick. In the end both may be dry: from a round ceiling liquid slides off. */
export function drying({ dims, separating, sticking }: ReportData): string {
  const unit = dims === 2 ? 'm' : 'm²'
  const areas = separating.map(({ wettedCeiling }) => wettedCeiling)
  const last = Math.min(separating.length, sticking.length) - 1
  if (last < 0) return ''
  const end =
    `At the end, after ${short(separating[last].time)} s, ${short(sticking[last].wettedCeiling)} ${unit} are wet with sticking walls ` +
    `and ${short(areas[last])} ${unit} with separating walls.`
  const first = areas.indexOf(0)
  const splash = first < 0 ? 0 : areas.reduce((most, area, at) => (at > first && area > areas[most] ? at : most), first)
  const dry = areas.indexOf(0, splash)
  if (first < 0 || dry < 0 || dry > last) return `With separating walls, the ceiling is not dry yet. ${end}`
  const wet = `when ${short(sticking[dry].wettedCeiling)} ${unit} are wet with sticking walls.`
  const dried = `With separating walls, the ceiling is dry after ${short(separating[first].time)} s`
  if (splash === first) return `${dried}, ${wet} ${end}`
  return (
    `${dried}. The splash wets ${short(areas[splash])} ${unit} of it once more; ` +
    `at ${short(separating[dry].time)} s it is dry again, ${wet} ${end}`
  )
}

function video({ video: bytes, pair: { separating } }: ReportData): string {
  if (!bytes) return ''
  const still = dataUri('image/png', formatPng(separating))
  const label = 'Video of both runs: sticking walls on the left, separating walls on the right'
  return `<video controls loop muted playsinline preload="metadata" aria-label="${label}">
<source src="${dataUri('video/mp4', bytes)}" type="video/mp4">
<img src="${still}" alt="Still picture of the run with separating walls, in place of the video that cannot be played here">
</video>`
}

function pair({ pair }: ReportData): string {
  const figures = WALLS_IN_ORDER.map(walls => {
    const words = walls === 'sticking' ? 'Sticking walls' : 'Separating walls'
    const { width, height } = pair[walls]
    const source = dataUri('image/png', formatPng(pair[walls]))
    return `<figure><img src="${source}" width="${width}" height="${height}" alt="${words}: the liquid after ${short(pair.time)} s">
<figcaption><b style="color:${WALL_COLOURS[walls]}">${words}</b> at ${short(pair.time)} s</figcaption></figure>`
  })
  return `<div class="pair">${figures.join('\n')}</div>`
}

function plots(data: ReportData): string[] {
  const [length, area] = data.dims === 2 ? ['m', 'm²'] : ['m²', 'm³']
  const lines = (value: (frame: ReportFrame) => number): RunLine[] =>
    WALLS_IN_ORDER.map(walls => ({
      name: walls,
      colour: WALL_COLOURS[walls],
      points: data[walls].map(frame => ({ time: frame.time, value: value(frame) })),
    }))
  const volumes = WALLS_IN_ORDER.flatMap(walls => data[walls].slice(0, 1).map(frame => frame.volume))
  const largest = volumes.reduce((a, b) => Math.max(a, b), 0)
  const plot = (label: string, value: (frame: ReportFrame) => number, range?: readonly [number, number]) =>
    `<figure>${runPlot(lines(value), { label, description: `${label} over time, ${describe(data, value)}`, range })}</figure>`
  return [
    plot(`wetted ceiling (${length})`, frame => frame.wettedCeiling),
    plot(`volume (${area})`, frame => frame.volume, [0.9 * largest, 1.1 * largest]),
    plot('iterations per solve', frame => frame.iterations / Math.max(frame.substeps, 1)),
    plot('pinned contacts', frame => frame.pinned),
    ...WALLS_IN_ORDER.map(walls => energyPlot(data, walls)),
  ]
}

function forces(data: ReportData): string {
  const plots = forcePlots(data).map(svg => `<figure>${svg}</figure>`)
  const about = 'Of the pressure, in the mean over every frame: outwards on sides of the domain, the size of the force on solids.'
  return plots.length === 0 ? '' : section('Forces on walls', `<p>${about}</p>\n<div class="plots">${plots.join('')}</div>`)
}

const ENERGIES = [
  { name: 'potential', colour: '#2f9e6e', value: ({ energy }: ReportFrame) => energy.potential },
  { name: 'kinetic', colour: '#c2408f', value: ({ energy }: ReportFrame) => energy.kinetic },
  { name: 'total', colour: '#7d8590', value: ({ energy }: ReportFrame) => energy.potential + energy.kinetic },
] as const

/** Energy by kind of one run, on the same scale for both runs. */
function energyPlot(data: ReportData, walls: WallKind): string {
  const frames = data[walls]
  const lines = ENERGIES.map(({ name, colour, value }) => ({
    name,
    colour,
    points: frames.map(frame => ({ time: frame.time, value: value(frame) })),
  }))
  const label = `energy, ${walls} (${data.dims === 2 ? 'J/m' : 'J'})`
  const all = WALLS_IN_ORDER.flatMap(each => data[each].flatMap(frame => ENERGIES.map(({ value }) => value(frame))))
  const values = all.filter(Number.isFinite)
  const range = [values.reduce((a, b) => Math.min(a, b), 0), values.reduce((a, b) => Math.max(a, b), 0)] as const
  const ends = ENERGIES.map(({ name, value }) =>
    frames.length === 0
      ? `${name}: nothing`
      : `${name}: from ${short(value(frames[0]))} to ${short(value(frames[frames.length - 1]))}`,
  )
  return `<figure>${runPlot(lines, { label, description: `${label} over time, ${ends.join('; ')}`, range })}</figure>`
}

/** First and last values, for screen readers. */
function describe(data: ReportData, value: (frame: ReportFrame) => number): string {
  return WALLS_IN_ORDER.map(walls => {
    const frames = data[walls]
    if (frames.length === 0) return `${walls}: nothing`
    return `${walls}: from ${short(value(frames[0]))} to ${short(value(frames[frames.length - 1]))}`
  }).join('; ')
}

function convergence({ curves, tolerance, title }: NonNullable<ReportData['solve']>): string {
  return convergencePlot(curves, { title, tolerance })
}

function describedSvg(svg: string, label: string): string {
  return svg.replace('<svg ', `<svg role="img" aria-label="${label}" `)
}

function stages(data: ReportData): string {
  const names = [...new Set(WALLS_IN_ORDER.flatMap(walls => data[walls].flatMap(frame => Object.keys(frame.seconds))))]
  const total = (walls: WallKind, name: string) => data[walls].reduce((sum, frame) => sum + (frame.seconds[name] ?? 0), 0)
  const longest = Math.max(1e-9, ...names.flatMap(name => WALLS_IN_ORDER.map(walls => total(walls, name))))
  const cell = (walls: WallKind, name: string) => {
    const seconds = total(walls, name)
    const bar = `<span class="bar" style="width:${((100 * seconds) / longest).toFixed(1)}%;background:${WALL_COLOURS[walls]}"></span>`
    return `<td>${short(seconds)} s${bar}</td>`
  }
  const rows = names.map(
    name => `<tr><th scope="row">${escapeText(name)}</th>${WALLS_IN_ORDER.map(walls => cell(walls, name)).join('')}</tr>`,
  )
  const sum = (walls: WallKind) => names.reduce((seconds, name) => seconds + total(walls, name), 0)
  rows.push(
    `<tr class="sum"><th scope="row">total</th>${WALLS_IN_ORDER.map(walls => `<td>${short(sum(walls))} s</td>`).join('')}</tr>`,
  )
  const head = WALLS_IN_ORDER.map(walls => `<th scope="col">${walls}</th>`).join('')
  return `<table><thead><tr><th scope="col">stage</th>${head}</tr></thead><tbody>${rows.join('')}</tbody></table>`
}

function parameters(data: ReportData): string {
  const rows = data.parameters.map(
    ([name, value]) => `<tr><th scope="row">${escapeText(name)}</th><td>${escapeText(value)}</td></tr>`,
  )
  return `<table><tbody>${rows.join('')}</tbody></table>`
}

/** Bytes as an address that holds them. */
export function dataUri(type: string, bytes: Uint8Array): string {
  let text = ''
  // Arguments of a call are limited in number.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return `data:${type};base64,${btoa(text)}`
}
