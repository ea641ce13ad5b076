/** Our measurements after McAdams 2010, beside its tables. */
import type { ChartPoint } from '../../io/documents/chart.js'
import { type PublishedTable, type PublishedValue, published, publishedTable, publishedValue } from '../published.js'
import { MCADAMS_REMARKS as REMARKS } from '../remarks.js'
import { itemsOf, type Measured, type Results } from '../reproduction.js'
import {
  addChart,
  comparison,
  head,
  leftOut,
  type Ours,
  type Plot,
  picture,
  quoted,
  type Report,
  section,
} from '../reproduction-report.js'
import { type LinearSolve, MCADAMS_METHODS } from './reproduce.js'
import { CYCLE_STAGES, type TimedCycle } from './timed-cycle.js'

const paper = published.mcadams
type Cycle = TimedCycle | { readonly message: string }

const REPORT_ROWS = ['initialisation', 'iterations to 1e-4', 'iterations to 1e-8', 'time to 1e-4', 'time to 1e-8'] as const

export function mcadamsReport(results: Results): Report {
  const { measured, skipped } = results
  const sizes = sizesOf(measured)
  const plots: Plot[] = []
  const sections = [
    head(paper, results),
    REMARKS.setting,
    ...MCADAMS_METHODS.map(({ name }) => methodSection(measured, name, sizes)),
    speedSection(measured, sizes),
    curveSection(measured, sizes, plots),
    breakdownSection(measured, sizes),
    growthSection(measured, sizes),
    section('Figures in the text', REMARKS.figures, quoted(paper)),
    leftOut(skipped),
  ]
  return { markdown: `${sections.filter(part => part !== undefined).join('\n\n')}\n`, plots }
}

function sizesOf(measured: Measured): number[] {
  return [...new Set(Object.keys(measured).map(group => Number(group.split('/')[1])))].sort((a, b) => a - b)
}

function solveOf(measured: Measured, size: number, method: string): LinearSolve | undefined {
  return itemsOf<LinearSolve>(measured, `solve/${size}`).find(([item]) => item === method)?.[1]
}

function cycleOf(measured: Measured, size: number, threads: number): TimedCycle | undefined {
  const found = itemsOf<Cycle>(measured, `cycle/${size}`).find(([item]) => item === String(threads))?.[1]
  return found && 'stages' in found ? found : undefined
}

function ownFigure(solve: LinearSolve | undefined, row: (typeof REPORT_ROWS)[number]): Ours {
  if (!solve) return undefined
  if (row === 'initialisation') return solve.initialisation
  const reached = solve.to[row.endsWith('1e-4') ? 0 : 1]
  if (!reached) return solve.status
  return row.startsWith('iterations') ? reached.iterations : reached.seconds
}

function methodSection(measured: Measured, name: string, sizes: readonly number[]): string | undefined {
  if (sizes.length === 0) return undefined
  const table: PublishedTable | undefined = paper.tables.find(candidate => candidate.name === `Table 1, ${name}`)
  const rows = REPORT_ROWS.map(row => ({
    name: row.startsWith('iterations') ? row : `${row}, s`,
    pairs: sizes.map(size => ({
      published: table && publishedValue(table, row, String(size)),
      ours: ownFigure(solveOf(measured, size, name), row),
    })),
  }))
  return section(
    table ? `${table.name}: ${table.about}` : `${name}, not in the paper`,
    comparison(
      'method',
      sizes.map(size => `${size}³`),
      rows,
    ),
    REMARKS.methods[name],
  )
}

function speedSection(measured: Measured, sizes: readonly number[]): string {
  const [ic, mg] = ['ICPCG', 'MGPCG'].map(name => publishedTable(paper, `Table 1, ${name}`))
  const rows = [...REPORT_ROWS.slice(3)].map(row => ({
    name: `MGPCG against ICPCG, ${row}`,
    pairs: sizes.map(size => {
      const [ours, theirs] = ['ICPCG', 'MGPCG'].map(name => ownFigure(solveOf(measured, size, name), row))
      const [a, b] = [ic, mg].map(table => publishedValue(table, row, String(size)))
      return { published: quotient(a, b), ours: quotient(ours, theirs) }
    }),
  }))
  return section(
    'Speed-up',
    comparison(
      'method',
      sizes.map(size => `${size}³`),
      rows,
    ),
    REMARKS.speed,
  )
}

function quotient(a: Ours | PublishedValue, b: Ours | PublishedValue): number | undefined {
  return typeof a === 'number' && typeof b === 'number' ? a / b : undefined
}

/** Figure 4, at the largest size there is. */
function curveSection(measured: Measured, sizes: readonly number[], plots: Plot[]): string | undefined {
  const size = sizes.findLast(candidate => solveOf(measured, candidate, 'CG'))
  if (size === undefined) return undefined
  const points: ChartPoint[] = MCADAMS_METHODS.flatMap(({ name }) =>
    (solveOf(measured, size, name)?.curve ?? []).map(([iteration, value]) => ({
      column: `${size}³`,
      row: '',
      contender: name,
      size: Math.max(1, iteration),
      value,
    })),
  )
  const plot = addChart(plots, 'mcadams-convergence.svg', points, {
    title: 'Smoke past a sphere',
    label: 'residual / starting residual',
    x: 'log',
    xLabel: 'iterations',
  })
  return section('Figure 4: convergence', picture(plot, `Residual by iteration, ${size}³`))
}

function breakdownSection(measured: Measured, sizes: readonly number[]): string | undefined {
  const size = sizes.findLast(candidate => cycleOf(measured, candidate, 1))
  if (size === undefined) return undefined
  const table = publishedTable(paper, 'Table 2, breakdown')
  const whole = {
    published: publishedValue(table, 'PCG total', '1 core') as number,
    ours: cycleOf(measured, size, 1)!.stages['PCG total'],
  }
  const rows = CYCLE_STAGES.map(stage => {
    const [one, two] = [1, 2].map(threads => cycleOf(measured, size, threads)?.stages[stage])
    const theirs = publishedValue(table, stage, '1 core') as number
    return {
      name: stage,
      pairs: [
        { published: (100 * theirs) / whole.published, ours: one === undefined ? undefined : (100 * one) / whole.ours },
        { ours: one === undefined ? undefined : 1000 * one },
        { ours: two === undefined ? undefined : 1000 * two },
        { ours: quotient(one, two) },
      ],
    }
  })
  return section(
    'Table 2: one iteration by stage',
    `The paper’s at 768³, ours at ${size}³: per cent of an iteration on one thread; ours in ms on one thread and on two, and the speed-up.`,
    comparison('stage', ['per cent', '1 thread ms', '2 threads ms', 'speed-up'], rows),
    REMARKS.breakdown,
  )
}

function growthSection(measured: Measured, sizes: readonly number[]): string {
  const table = publishedTable(paper, 'Table 2, iteration')
  const rows = sizes.map(size => {
    const [one, two] = [1, 2].map(threads => cycleOf(measured, size, threads))
    const row = `smoke past sphere ${size}x${size}x${size}`
    const published = publishedValue(table, row, '1 core')
    const [ours, both] = [one?.stages['PCG total'], two?.stages['PCG total']]
    const perCell = (seconds: Ours | PublishedValue) => (typeof seconds === 'number' ? (1e9 * seconds) / size ** 3 : undefined)
    return {
      name: `${size}³`,
      pairs: [
        { published, ours },
        { published: perCell(published), ours: perCell(ours) },
        { published: publishedValue(table, row, 'speed-up'), ours: quotient(ours, both) },
        { published: (16e9 / (768 * 768 * 1152)) as PublishedValue, ours: one?.bytesPerCell },
      ],
    }
  })
  const headings = ['one iteration s,', 'ns per cell,', 'speed-up by threads,', 'bytes per cell,']
  return section('Table 2: cost and memory by size', comparison('problem', headings, rows), REMARKS.growth)
}
