/** Figures about the pressure solves and the liquid, side by side. */
import { type FrameRecord, STAGES } from 'peel'
import type { Moment } from 'peel/web'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { createForceTable } from './force-table.js'
import type { SideName } from './settings.js'

type BySide<T> = Partial<Record<SideName, T>>

export interface Instruments {
  /** At once, or, with `inPassing`, not every time but always the last one: figures cannot be read at sixty per second, and
   *  painting them slows the simulation down. */
  show(moments: BySide<Moment>, tolerance: number, inPassing?: boolean): void
  /** After light has become dark. */
  recolour(): void
}

const ROWS: readonly [string, (record: FrameRecord) => string][] = [
  ['engine', record => lastSolve(record)?.engine ?? '–'],
  ['substeps', record => String(record.substeps.length)],
  ['cells crossed per substep', ({ travel }) => Math.max(travel.liquid, travel.walls).toFixed(1)],
  ['iterations, last substep', record => String(lastSolve(record)?.iterations ?? 0)],
  ['residual, 1/s', record => lastSolve(record)?.residual.toExponential(1) ?? '–'],
  ['pinned contacts', record => String(lastSolve(record)?.pinned ?? 0)],
  ['volume', record => percent(record.volume, record.expectedVolume)],
  ['particles', record => record.particles.toLocaleString('en')],
  ['in drops thinner than a cell', record => percent(record.thinVolume, record.particleVolume)],
  ['fastest, m/s', record => record.largestSpeed.toFixed(2)],
  ['kinetic energy, J', record => record.energy.kinetic.toPrecision(3)],
  ['potential energy, J', record => record.energy.potential.toPrecision(3)],
  ['whole frame, ms', record => milliseconds(record, STAGES)],
  ...STAGES.map(
    stage =>
      [`${stage}, ms`, (record: FrameRecord) => milliseconds(record, [stage])] as const as [
        string,
        (record: FrameRecord) => string,
      ],
  ),
]

/** Milliseconds for which figures stay while the liquid plays. */
const READ = 100

export function createInstruments(container: HTMLElement): Instruments {
  container.innerHTML = `
    <div class="plot"><h2>Residual after every iteration, 1/s</h2><div class="chart" role="img" aria-label="Residual after every iteration of the last pressure solve, for both sides"></div></div>
    <div class="figures"><table><thead><tr><th scope="col">Last frame</th><th scope="col" class="a">left</th><th scope="col" class="b">right</th></tr></thead><tbody></tbody></table><div class="forces"></div></div>`
  const forces = createForceTable(container.querySelector('.forces')!)
  const body = container.querySelector('tbody')!
  const chart = container.querySelector<HTMLElement>('.chart')!
  for (const [name] of ROWS) {
    const row = body.insertRow()
    if (name.endsWith(', ms') && !name.startsWith('whole')) row.className = 'stage'
    row.innerHTML = `<th scope="row">${name}</th><td></td><td></td>`
  }
  let data: uPlot.AlignedData = [[0], [null], [null], [null]]
  let plot = draw()

  function draw(): uPlot {
    chart.replaceChildren()
    const made = new uPlot(plotOptions(chart), data, chart)
    made.setSize(sizeOf(chart))
    return made
  }
  new ResizeObserver(() => plot.setSize(sizeOf(chart))).observe(chart)

  function write(moments: BySide<Moment>, tolerance: number): void {
    const sides = [moments.a?.record, moments.b?.record]
    for (const [at, [, textOf]] of ROWS.entries())
      for (const [side, record] of sides.entries()) body.rows[at].cells[side + 1].textContent = record ? textOf(record) : '–'
    forces.show([moments.a, moments.b])
    data = residuals(sides, tolerance)
    plot.setData(data)
    written = performance.now()
  }
  let written = -READ
  let waiting: ReturnType<typeof setTimeout> | undefined

  return {
    show(moments, tolerance, inPassing = false) {
      clearTimeout(waiting)
      const rest = written + READ - performance.now()
      if (inPassing && rest > 0) waiting = setTimeout(() => write(moments, tolerance), rest)
      else write(moments, tolerance)
    },
    recolour() {
      plot.destroy()
      plot = draw()
    },
  }
}

function percent(part: number, whole: number): string {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)} %` : '–'
}

const lastSolve = (record: FrameRecord) => record.substeps.at(-1)?.solve

function milliseconds(record: FrameRecord, stages: readonly (typeof STAGES)[number][]): string {
  const seconds = record.substeps.reduce(
    (sum, substep) => sum + stages.reduce((part, stage) => part + substep.seconds[stage], 0),
    0,
  )
  return (1000 * seconds).toFixed(1)
}

function residuals(sides: readonly (FrameRecord | undefined)[], tolerance: number): uPlot.AlignedData {
  const histories = sides.map(record => (record && lastSolve(record)?.history) || [])
  const length = Math.max(2, ...histories.map(history => (history.at(-1)?.iteration ?? 0) + 1))
  const lines = histories.map(history => {
    const line: (number | null)[] = Array(length).fill(null)
    for (const { iteration, residual } of history) if (residual > 0) line[iteration] = residual
    return line
  })
  const iterations = Array.from({ length }, (_, at) => at)
  return [iterations, ...lines, iterations.map(() => tolerance)] as uPlot.AlignedData
}

function sizeOf({ clientWidth }: HTMLElement) {
  return { width: Math.max(200, clientWidth), height: clientWidth > 400 ? 400 : 240 }
}

/** One line for each power of ten, or for every second one and so on where there are many. */
function powersOfTen(_: uPlot, __: number, low: number, high: number): number[] {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))]
  const step = Math.max(1, Math.ceil((last - first) / 9))
  const powers: number[] = []
  for (let power = step * Math.ceil(first / step); power <= last; power += step) powers.push(10 ** power)
  return powers
}

function plotOptions(chart: HTMLElement): uPlot.Options {
  const colour = (name: string) => getComputedStyle(chart).getPropertyValue(`--${name}`).trim()
  const axis = {
    stroke: colour('quiet'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { stroke: colour('line'), width: 1 },
  }
  const line = { width: 2, spanGaps: true, points: { show: true, size: 5 } }
  return {
    width: 400,
    height: 220,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false }, y: { distr: 3 } },
    axes: [
      {
        ...axis,
        label: 'iteration',
        labelSize: 18,
        size: 34,
        labelFont: '12px system-ui',
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000],
      },
      {
        ...axis,
        size: 56,
        splits: powersOfTen,
        filter: (_, splits) => splits,
        values: (_, ticks) => ticks.map(tick => tick.toExponential(0)),
      },
    ],
    series: [
      {},
      { ...line, stroke: colour('a') },
      { ...line, stroke: colour('b') },
      { stroke: colour('quiet'), width: 1, dash: [4, 4], points: { show: false } },
    ],
  }
}
