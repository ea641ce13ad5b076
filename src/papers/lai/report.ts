/** Our measurements after Lai 2020, beside its tables. */
import { type ChartPoint, formatChart } from '../../io/documents/chart.js'
import { formatTable } from '../../io/documents/markdown-table.js'
import { convergencePlot } from '../../report/convergence.js'
import { TOLERANCE } from '../frame-problems.js'
import type { Solve } from '../method.js'
import { type PublishedTable, published, publishedTable, publishedValue } from '../published.js'
import { LAI_REMARKS as REMARKS } from '../remarks.js'
import { itemsOf, type Measured, type Results } from '../reproduction.js'
import {
  comparison,
  digits,
  head,
  leftOut,
  mean,
  type Ours,
  type Plot,
  picture,
  quoted,
  type Report,
  section,
} from '../reproduction-report.js'
import { ABLATIONS, type Ablation } from './ablations.js'
import { NESTED } from './published.js'
import { LAI_CURVES, LAI_METHODS, LAI_SCENARIOS, LAI_SIMULATIONS, laiGroup, MAX_CYCLES } from './reproduce.js'

const paper = published.lai
const METHODS = LAI_METHODS.map(({ name }) => name)

type Quantity = 'iterations' | 'outer' | 'seconds'

export function laiReport(results: Results): Report {
  const { measured, skipped } = results
  const plots: Plot[] = []
  const draw = (file: string, svg: string): Plot => {
    const plot = { file, svg }
    plots.push(plot)
    return plot
  }
  const sections = [
    head(paper, results),
    REMARKS.setting,
    ...LAI_SIMULATIONS.map(simulation => simulationSection(measured, simulation)),
    scalingSection(measured, draw),
    histogramSection(measured),
    ...LAI_SCENARIOS.map(scenario => scenarioSection(measured, scenario, draw)),
    ablationSection(measured),
    section('Figures in the text', REMARKS.figures, ownFigures(measured), quoted(paper)),
    leftOut(skipped),
  ]
  return { markdown: `${sections.filter(part => part !== undefined).join('\n\n')}\n`, plots }
}

function sizesOf(measured: Measured, kind: string, scene: string): number[] {
  const sizes = Object.keys(measured).flatMap(group => {
    const [itsKind, itsScene, size] = group.split('/')
    return itsKind === kind && itsScene === scene ? [Number(size)] : []
  })
  return [...new Set(sizes)].sort((a, b) => a - b)
}

function solvesOf(measured: Measured, kind: string, scene: string, size: number, method: string): Solve[] {
  return itemsOf<Solve>(measured, laiGroup(kind, scene, size, method)).map(([, solve]) => solve)
}

/** The mean of those that converged; how many did not, and why, is printed beside it. */
function average(solves: readonly Solve[], quantity: Quantity): Ours {
  const good = solves.filter(({ status }) => status === undefined)
  const value = mean(good.map(solve => solve[quantity]))
  const failed = solves.filter(({ status }) => status !== undefined)
  if (failed.length === 0) return value
  const why = `${failed.length} of ${solves.length} ${describeFailure(failed[0])}`
  return value === undefined ? why : `${digits(value, 3)} (${why})`
}

function describeFailure({ status, iterations }: Solve): string {
  return status === 'iteration-limit' ? `over ${iterations}` : status!
}

function allSizes(table: PublishedTable, measured: readonly number[]): number[] {
  const of = table.rows.map(({ row }) => row as number)
  return [...new Set([...of, ...measured])].sort((a, b) => a - b)
}

function compareBySize(
  table: PublishedTable,
  methods: readonly string[],
  measuredSizes: readonly number[],
  ours: (size: number, method: string) => Ours,
  heading: (size: number) => string,
): string {
  const sizes = allSizes(table, measuredSizes)
  const rows = methods.map(name => ({
    name,
    pairs: sizes.map(size => ({ published: publishedValue(table, size, name), ours: ours(size, name) })),
  }))
  return comparison('method', sizes.map(heading), rows)
}

function simulationSection(
  measured: Measured,
  { scene, dims, title, tables }: (typeof LAI_SIMULATIONS)[number],
): string | undefined {
  const sizes = sizesOf(measured, 'simulation', scene)
  if (sizes.length === 0) return undefined
  const solves = (size: number, method: string) => solvesOf(measured, 'simulation', scene, size, method)
  const counts = sizes.map(size => `${solves(size, 'NAS-MGPCG').length} at ${size}${power(dims)}`).join(', ')
  const parts = tables.flatMap(number => {
    const table = publishedTable(paper, `Table ${number}`)
    const quantity: Quantity = table.unit === 's' ? 'seconds' : table.unit === 'iterations' ? 'iterations' : 'outer'
    const methods = quantity === 'outer' ? NESTED : METHODS
    const ours = (size: number, method: string) => average(solves(size, method), quantity)
    return [
      `### Table ${number}: ${table.about}`,
      compareBySize(table, methods, sizes, ours, size => `${size}${power(dims)}`),
      REMARKS.tables[number],
    ]
  })
  return section(`The ${title}: ${tables.map(number => `Table ${number}`).join(', ')}`, `Substeps averaged: ${counts}.`, ...parts)
}

function scalingSection(measured: Measured, draw: (file: string, svg: string) => Plot): string | undefined {
  const points: ChartPoint[] = LAI_SIMULATIONS.flatMap(({ scene, dims, title }) =>
    sizesOf(measured, 'simulation', scene).flatMap(size =>
      METHODS.flatMap(contender =>
        (['iterations', 'seconds'] as const).flatMap(quantity => {
          const value = average(solvesOf(measured, 'simulation', scene, size, contender), quantity)
          if (typeof value !== 'number') return []
          // Milliseconds, so that both rows of panels share a scale.
          const [row, scale] = quantity === 'seconds' ? ['milliseconds', 1000] : ['iterations', 1]
          return [{ column: `${title}, ${dims}D`, row, contender, size, value: scale * value }]
        }),
      ),
    ),
  )
  if (points.length === 0) return undefined
  const plot = draw(
    'lai-scaling.svg',
    formatChart(points, { title: 'Per pressure equation, averages of simulations', label: 'iterations or milliseconds' }),
  )
  return section('Scaling', picture(plot, 'Iterations and seconds per pressure equation by resolution'), REMARKS.scaling)
}

/** Figure 5.5, at the largest sphere there is. */
function histogramSection(measured: Measured): string | undefined {
  const size = sizesOf(measured, 'simulation', 'lai-sphere').at(-1)
  if (size === undefined) return undefined
  const methods = NESTED.filter(name => name !== 'Newton')
  const counts = methods.map(name => solvesOf(measured, 'simulation', 'lai-sphere', size, name).map(({ outer }) => outer))
  const most = Math.max(1, ...counts.flat())
  const rows = Array.from({ length: most }, (_, at) => [
    String(at + 1),
    ...counts.map(outer => String(outer.filter(count => count === at + 1).length)),
  ])
  return section(
    'Figure 5.5: outer iterations',
    `Pressure equations of the sphere at ${size}³ by number of linear systems:`,
    formatTable(['outer', ...methods], rows),
    REMARKS.histogram,
  )
}

function scenarioSection(
  measured: Measured,
  { scene, frame, table: number }: (typeof LAI_SCENARIOS)[number],
  draw: (file: string, svg: string) => Plot,
): string | undefined {
  const sizes = sizesOf(measured, 'frame', scene)
  if (sizes.length === 0) return undefined
  const table = publishedTable(paper, `Table ${number}`)
  const ours = (size: number, method: string) => average(solvesOf(measured, 'frame', scene, size, method), 'iterations')
  const size = sizes[sizes.length - 1]
  const curves = LAI_CURVES.flatMap(name => {
    const [solve] = solvesOf(measured, 'frame', scene, size, name)
    return solve?.curve ? [{ name, records: solve.curve.map(([work, residual]) => ({ work, residual })) }] : []
  })
  const title = `${scene}, frame ${frame}, ${size}³`
  const plot = draw(`${scene}-convergence.svg`, convergencePlot(curves, { title, tolerance: TOLERANCE }))
  return section(
    `Table ${number}: ${table.about}`,
    compareBySize(table, METHODS, sizes, ours, cells => `${cells}³`),
    REMARKS.tables[number],
    `Figure 5.10, for this scenario: the residual by work in sweeps over the finest matrix, so that cycles of different cost compare.`,
    picture(plot, `Convergence of the multigrid methods, ${title}`),
  )
}

const ABLATION_ROWS: Partial<Record<Ablation, string>> = {
  published: 'Ours',
  trilinear: 'Trilinear interp.',
  constant: 'PWC interp.',
  simple: 'Simple boundaries',
  direct: 'Direct discretization',
}

function ablationSection(measured: Measured): string | undefined {
  const { scene } = LAI_SCENARIOS[0]
  const sizes = sizesOf(measured, 'ablation', scene)
  if (sizes.length === 0) return undefined
  const table = publishedTable(paper, 'Table 12')
  const solves = (size: number, name: string) => solvesOf(measured, 'ablation', scene, size, name)
  const all = allSizes(table, sizes)
  const rows = ABLATIONS.map(({ name, title }) => ({
    name: title,
    pairs: all.map(size => ({
      published: publishedValue(table, size, ABLATION_ROWS[name] ?? ''),
      ours: average(solves(size, name), 'iterations'),
    })),
  }))
  const timed = sizes.map(size => {
    const [barycentric, trilinear] = ['published', 'trilinear'].map(name => solves(size, name)[0]?.seconds)
    const faster = barycentric && trilinear ? digits(trilinear / barycentric, 2) : '–'
    return [`${size}³`, digits(barycentric ?? 0, 3), digits(trilinear ?? 0, 3), faster]
  })
  return section(
    `Table 12: ${table.about}`,
    comparison(
      'method',
      all.map(size => `${size}³`),
      rows,
    ),
    `A solve that has not converged after ${MAX_CYCLES} cycles counts as failed.`,
    REMARKS.tables[12],
    '### Figure 5.11: barycentric against trilinear weights',
    formatTable(['size', 'barycentric s', 'trilinear s', 'times faster'], timed),
    REMARKS.weights,
  )
}

/** The claims of the text that follow from the tables. */
function ownFigures(measured: Measured): string {
  const rows: string[][] = []
  const speed = (scene: string, size: number, method: string) =>
    mean(solvesOf(measured, 'simulation', scene, size, method).flatMap(({ status, seconds }) => (status ? [] : [seconds])))
  for (const { scene, dims } of LAI_SIMULATIONS.filter(({ title }) => title !== 'maze')) {
    const sizes = sizesOf(measured, 'simulation', scene)
    const [small, large] = sizes.slice(-2)
    if (large === undefined) continue
    for (const method of ['FAS-MG', 'PI-MG', 'PI-PCG', 'FMG', 'Newton', 'NAS-MGPCG']) {
      const [before, after] = [speed(scene, small, method), speed(scene, large, method)]
      if (before && after)
        rows.push([`growth of the time of ${method} in ${dims}D, ${small} to ${large}`, `${digits(after / before, 2)} times`])
    }
    const [fmg, fas] = [speed(scene, large, 'FMG'), speed(scene, large, 'FAS-MG')]
    if (fmg && fas) rows.push([`FAS-MG against FMG, time at ${large}${power(dims)}`, `${digits(fmg / fas, 2)} times faster`])
  }
  return formatTable(['figure', 'ours'], rows)
}

const power = (dims: number) => (dims === 3 ? '³' : '²')
