import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { sphere } from '../../src/grid/shapes.js'
import { liquidDifference } from '../../src/paint/liquid-difference.js'
import { createPainter } from '../../src/paint/painter.js'
import { drawPicture } from '../../src/paint/picture.js'
import { dataUri, drying, reportHtml } from '../../src/report/report.js'
import type { ReportData, ReportFrame } from '../../src/report/report-data.js'
import { frameOf, NOWHERE } from '../support/frames.js'

const grid = createGrid([30, 30], 1 / 30)
const picture = drawPicture(await createPainter({ engine: 'plain' }), frameOf(grid, sphere([0.5, 0.5], 0.3)), { size: 90 })

const run = (wet: (time: number) => number): ReportFrame[] =>
  Array.from({ length: 10 }, (_, at) => ({
    time: at / 10,
    volume: 0.2,
    energy: { kinetic: 10 * at, potential: 100 - 12 * at },
    wettedCeiling: wet(at / 10),
    substeps: 2,
    iterations: 10 + at,
    residual: 1e-5,
    pinned: at,
    seconds: { advect: 0.5, solve: 0.25 },
    forces: {
      seconds: 0.1,
      solids: [{ name: 'a <gate>', pivot: [0, 0, 0], force: [30 * wet(at / 10), 40 * wet(at / 10), 0], torque: [0, 0, 1] }],
      sides: {
        left: { force: [-300 * wet(at / 10), 0, 0], torque: [0, 0, 0] },
        top: { force: [0, 0, 0], torque: [0, 0, 0] },
      },
    },
  }))

const data: ReportData = {
  title: 'A <slab> & "its" ceiling',
  dims: 2,
  separating: run(time => Math.max(0, 0.6 - time)),
  sticking: run(() => 0.6),
  pair: { time: 0.5, separating: picture, sticking: picture },
  video: Uint8Array.from({ length: 20000 }, (_, at) => at % 256),
  solve: {
    title: 'First solve',
    tolerance: 1e-4,
    curves: [
      {
        name: 'nas-mgpcg',
        records: [
          { work: 1, residual: 1 },
          { work: 9, residual: 1e-5 },
        ],
      },
    ],
  },
  warnings: ['Walls were <too> fast.'],
  parameters: [
    ['resolution', '30 × 30'],
    ['<script>', 'alert(1)'],
  ],
  command: 'peel run a.json && echo "<done>"',
}

describe('the report', () => {
  const html = reportHtml(data)
  const { document } = parseHTML(html)

  it('fetches nothing', () => {
    for (const element of document.querySelectorAll('[src],[href],[poster],[data],[srcset]'))
      for (const name of ['src', 'href', 'poster', 'data', 'srcset']) {
        const address = element.getAttribute(name)
        if (address !== null) expect(address).toMatch(/^(data:|#)/)
      }
    expect(html).not.toMatch(/@import|url\(\s*['"]?(?!#)/)
    expect(document.querySelectorAll('script, iframe, object').length).toBe(0)
  })

  it('tells those who do not see pictures what they show', () => {
    const images = [...document.querySelectorAll('img')]
    expect(images.length).toBeGreaterThanOrEqual(3)
    for (const image of images) expect(image.getAttribute('alt')).toMatch(/\w{4}/)
    const plots = [...document.querySelectorAll('svg')]
    expect(plots.length).toBe(9)
    for (const plot of plots) {
      expect(plot.getAttribute('role')).toBe('img')
      expect(plot.getAttribute('aria-label')).toMatch(/\w{4}/)
    }
    expect(document.querySelector('video')?.getAttribute('aria-label')).toMatch(/\w{4}/)
    expect(document.documentElement.getAttribute('lang')).toBe('en')
  })

  it('plots the force on walls that are pushed, the one that is pushed most first, outwards on sides', () => {
    const labels = [...document.querySelectorAll('svg')].map(plot => plot.getAttribute('aria-label'))
    expect(labels.filter(label => label?.startsWith('Force on'))).toEqual([
      'Force on left (N/m) over time, sticking: up to 180; separating: up to 180',
      'Force on a <gate> (N/m) over time, sticking: up to 30; separating: up to 30',
    ])
  })

  it('writes what it is given as text, whatever is in it', () => {
    expect(document.querySelector('h1')?.textContent).toBe(data.title)
    expect(document.title).toBe(data.title)
    expect(document.querySelector('pre')?.textContent).toBe(data.command)
    expect([...document.querySelectorAll('th')].map(cell => cell.textContent)).toContain('<script>')
  })

  it('shows warnings before anything else', () => {
    expect([...document.querySelectorAll('.warning')].map(({ textContent }) => textContent)).toEqual(data.warnings)
    expect(html.indexOf('class="warning"')).toBeLessThan(html.indexOf('<video'))
  })

  it('plots kinetic, potential and total energy of both runs on one scale', () => {
    const plots = [...document.querySelectorAll('svg')].filter(svg => svg.getAttribute('aria-label')?.startsWith('energy'))
    expect(plots.map(svg => svg.getAttribute('aria-label'))).toEqual(
      ['sticking', 'separating'].map(
        walls => `energy, ${walls} (J/m) over time, potential: from 100 to -8; kinetic: from 0 to 90; total: from 100 to 82`,
      ),
    )
    const [first, second] = plots.map(svg => svg.querySelectorAll('[aria-label="line"] path'))
    expect(first.length).toBe(3)
    const shapes = (paths: typeof first) => [...paths].map(path => path.getAttribute('d'))
    expect(shapes(first)).toEqual(shapes(second))
    expect(new Set(shapes(first)).size).toBe(3)
  })

  it('says how much of the ceiling is wet where the difference is plain', () => {
    expect(document.querySelector('.lead')?.textContent).toBe(
      'After 0.5 s liquid touches 0.6 m of ceiling with sticking walls and 0.1 m with separating walls.',
    )
  })

  it('says when the ceiling is dry, and how much of it is wet then where walls stick', () => {
    const end = 'At the end, after 0.9 s, 0.6 m are wet with sticking walls and 0 m with separating walls.'
    expect(drying(data)).toBe(
      `With separating walls, the ceiling is dry after 0.6 s, when 0.6 m are wet with sticking walls. ${end}`,
    )
    expect([...document.querySelectorAll('p')].map(({ textContent }) => textContent)).toContain(drying(data))
    const areas = [0.6, 0.2, 0, 0.1, 0.3, 0.1, 0, 0.05, 0, 0]
    const slides = run(time => 0.6 - 0.5 * time)
    expect(drying({ ...data, separating: run(time => areas[Math.round(10 * time)]), sticking: slides })).toBe(
      'With separating walls, the ceiling is dry after 0.2 s. The splash wets 0.3 m of it once more; at 0.6 s it is dry again, ' +
        'when 0.3 m are wet with sticking walls. At the end, after 0.9 s, 0.15 m are wet with sticking walls and 0 m with separating walls.',
    )
    for (const wet of [() => 0.2, (time: number) => (time === 0.1 ? 0 : 0.2)])
      expect(drying({ ...data, separating: run(wet) })).toBe(
        'With separating walls, the ceiling is not dry yet. At the end, after 0.9 s, 0.6 m are wet with sticking walls and 0.2 m with separating walls.',
      )
  })

  it('adds up the time of stages', () => {
    const rows = [...document.querySelectorAll('table')][0].querySelectorAll('tbody tr')
    const texts = [...rows].map(row => [...row.children].map(cell => cell.textContent))
    expect(texts).toEqual([
      ['advect', '5 s', '5 s'],
      ['solve', '2.5 s', '2.5 s'],
      ['total', '7.5 s', '7.5 s'],
    ])
  })

  it('embeds the bytes of the video', () => {
    const source = document.querySelector('video source')?.getAttribute('src') ?? ''
    expect(source).toBe(`data:video/mp4;base64,${Buffer.from(data.video!).toString('base64')}`)
    expect(dataUri('a/b', new Uint8Array())).toBe('data:a/b;base64,')
  })

  it('holds without video, solve and frames', () => {
    const empty = reportHtml({ ...data, video: undefined, solve: undefined, separating: [], sticking: [] })
    expect(parseHTML(empty).document.querySelectorAll('svg').length).toBe(6)
    expect(empty).not.toMatch(/NaN|undefined|Infinity/)
  })

  it('holds with a residual and a volume that are no numbers', () => {
    const broken = data.separating.map(frame => ({ ...frame, volume: Number.NaN, wettedCeiling: Infinity }))
    expect(reportHtml({ ...data, separating: broken })).not.toMatch(/NaN|Infinity/)
  })
})

describe('how much two runs differ', () => {
  const disc = (x: number, radius = 0.1) => frameOf(grid, sphere([x, 0.5], radius))

  it('is the liquid that is in one only', () => {
    const area = (radius: number) => Math.PI * (radius * 30) ** 2
    expect(liquidDifference(disc(0.5), disc(0.5))).toBe(0)
    expect(Math.abs(liquidDifference(disc(0.5, 0.3), frameOf(grid, NOWHERE)) / area(0.3) - 1)).toBeLessThan(0.01)
    expect(Math.abs(liquidDifference(disc(0.5, 0.3), disc(0.5, 0.2)) / (area(0.3) - area(0.2)) - 1)).toBeLessThan(0.01)
  })
})
