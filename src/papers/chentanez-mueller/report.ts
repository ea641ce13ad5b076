/** Our measurements after Chentanez and Müller 2011, beside its table. */
import type { ChartPoint } from '../../io/documents/chart.js'
import { formatTable } from '../../io/documents/markdown-table.js'
import { published, publishedTable, publishedValue } from '../published.js'
import { CHENTANEZ_MUELLER_REMARKS as REMARKS } from '../remarks.js'
import { itemsOf, type Measured, type Results } from '../reproduction.js'
import {
  addChart,
  comparison,
  digits,
  head,
  leftOut,
  mean,
  type Plot,
  picture,
  quoted,
  type Report,
  section,
} from '../reproduction-report.js'
import { type BudgetPair, CM_SCENES, CONTACT_PROBLEMS, type ContactStudy } from './reproduce.js'

const paper = published['chentanez-mueller']

export function chentanezMuellerReport(results: Results): Report {
  const { measured, skipped } = results
  const plots: Plot[] = []
  const sections = [
    head(paper, results),
    REMARKS.setting,
    timeSection(measured),
    residualSection(measured, plots),
    contactSection(measured),
    section('Figures in the text', quoted(paper)),
    leftOut(skipped),
  ]
  return { markdown: `${sections.filter(part => part !== undefined).join('\n\n')}\n`, plots }
}

function sizesOf(measured: Measured): number[] {
  const sizes = Object.keys(measured).flatMap(group => (group.startsWith('budget/') ? [Number(group.split('/')[2])] : []))
  return [...new Set(sizes)].sort((a, b) => a - b)
}

function pairsOf(measured: Measured, name: string, size: number): BudgetPair[] {
  return itemsOf<BudgetPair>(measured, `budget/${name}/${size}`).map(([, pair]) => pair)
}

function timeSection(measured: Measured): string | undefined {
  const sizes = sizesOf(measured)
  if (sizes.length === 0) return undefined
  const table = publishedTable(paper, 'Table 1')
  const rows = CM_SCENES.flatMap(({ name }) =>
    sizes.map(size => {
      const pairs = pairsOf(measured, name, size)
      const average = (key: keyof BudgetPair) => mean(pairs.map(pair => 1000 * pair[key].seconds))
      const percent = (letGo?: number, stick?: number) => (letGo && stick ? 100 * (letGo / stick - 1) : undefined)
      const theirs = (column: string) =>
        publishedValue(table, name, 'resolution') === size ? publishedValue(table, name, column) : undefined
      const [letGo, stick] = [average('letGo'), average('stick')]
      return {
        name: `${name} ${size}³`,
        pairs: [
          { published: theirs('No LCP'), ours: stick },
          { published: theirs('LCP'), ours: letGo },
          { published: theirs('difference'), ours: percent(letGo, stick) },
          { ours: percent(average('printedLetGo'), average('printedStick')) },
        ],
      }
    }),
  )
  return section(
    'Table 1: time of the budget',
    'Milliseconds for 3 full cycles and 4 V-cycles with sticking and with separating walls, and the difference in per cent; the last column is the difference for the method as printed, without our repairs.',
    comparison('scene', ['sticking ms,', 'separating ms,', 'per cent,', 'per cent as printed,'], rows),
    REMARKS.time,
  )
}

function residualSection(measured: Measured, plots: Plot[]): string | undefined {
  const rows = CM_SCENES.flatMap(({ name }) =>
    sizesOf(measured).flatMap(size => {
      const pairs = pairsOf(measured, name, size)
      if (pairs.length === 0) return []
      const worst = (key: keyof BudgetPair) => digits(Math.max(...pairs.map(pair => pair[key].reduction)), 2)
      const left = (key: keyof BudgetPair) => digits(Math.max(...pairs.map(pair => pair[key].residual)), 2)
      return [[`${name} ${size}³`, worst('letGo'), left('letGo'), worst('stick'), worst('printedLetGo'), worst('printedStick')]]
    }),
  )
  if (rows.length === 0) return undefined
  const points: ChartPoint[] = CM_SCENES.flatMap(({ name }) =>
    sizesOf(measured).flatMap(size =>
      itemsOf<BudgetPair>(measured, `budget/${name}/${size}`).flatMap(([frame, pair]) =>
        (['letGo', 'printedLetGo'] as const).map(key => ({
          column: `${size}³`,
          row: key === 'letGo' ? 'repaired' : 'as printed',
          contender: name,
          size: Number(frame),
          value: Math.max(pair[key].reduction, 1e-12),
        })),
      ),
    ),
  )
  const plot = addChart(plots, 'chentanez-mueller-residual.svg', points, {
    title: 'Residual after 3 full and 4 V-cycles',
    label: 'residual / that of p = 0',
    x: 'linear',
    xLabel: 'frame',
  })
  const titles = ['scene', 'separating', 'residual 1/s', 'sticking', 'as printed, separating', 'as printed, sticking']
  return section(
    'Residual after the budget',
    'The largest remaining natural residual relative to that of p = 0, in the worst of the measured substeps. The paper prints no residual.',
    formatTable(titles, rows),
    picture(plot, 'Residual left by the budget, by frame'),
    REMARKS.residual,
  )
}

function contactSection(measured: Measured): string | undefined {
  const percent = (share: number) => digits(100 * share, 2)
  const rows = CONTACT_PROBLEMS.flatMap(name =>
    itemsOf<ContactStudy>(measured, `contact/${name}`).map(([size, { contacts, letGo, unlike }]) => [
      `${name} ${size}²`,
      String(contacts),
      String(letGo.nodes),
      String(letGo.edges),
      percent(unlike.edges),
      percent(unlike.sticking),
    ]),
  )
  if (rows.length === 0) return undefined
  const titles = ['problem', 'contacts', 'pinned, nodes', 'pinned, edges', 'edges against nodes', 'sticking against nodes']
  return section(
    'Figure 2: nodes against edges',
    'Liquid in a circle. Contacts at p = 0, and velocities after projection: root-mean-square difference from those with the condition on nodes, in per cent of the largest velocity.',
    formatTable(titles, rows),
    REMARKS.contact,
  )
}
