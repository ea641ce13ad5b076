/** What was measured after Chentanez and Müller 2011, beside its table. */
import { type PeerPoint, peersPlot } from '../render/peers.js'
import { markdownTable } from './markdown-table.js'
import { published, publishedTable, publishedValue } from './published.js'
import { type BudgetPair, CM_SCENES, type ContactStudy } from './reproduce-chentanez-mueller.js'
import { CHENTANEZ_MUELLER_REMARKS as REMARKS } from './reproduce-chentanez-mueller-remarks.js'
import { itemsOf, type Measured, type Results } from './reproduction.js'
import {
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
} from './reproduction-report.js'

const paper = published['chentanez-mueller']

/** Frames of a scene at 24 a second. */
const FPS = 24

export function chentanezMuellerReport(results: Results): Report {
  const { measured, skipped } = results
  const plots: Plot[] = []
  const sections = [
    head(paper, results),
    REMARKS.setting,
    timeSection(measured),
    residualSection(measured),
    contactSection(measured, plots),
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
    'Milliseconds for 3 full cycles and 4 V-cycles with walls that stick and with walls that let go, and the difference in per cent; the last column is the difference for the method as printed, without our repairs.',
    comparison('scene', ['stick ms,', 'let go ms,', 'per cent,', 'per cent as printed,'], rows),
    REMARKS.time,
  )
}

function residualSection(measured: Measured): string | undefined {
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
  const titles = ['scene', 'let go', 'residual 1/s', 'stick', 'as printed, let go', 'as printed, stick']
  return section(
    'What the budget reaches',
    'The largest natural residual left, as a share of that of p = 0; the worst of the substeps measured. The paper prints no residual.',
    markdownTable(titles, rows),
    REMARKS.residual,
  )
}

function contactSection(measured: Measured, plots: Plot[]): string | undefined {
  const group = Object.keys(measured).findLast(name => name.startsWith('contact/'))
  const study = group && itemsOf<ContactStudy>(measured, group).at(-1)?.[1]
  if (!group || !study) return undefined
  const points: PeerPoint[] = [
    ...Object.entries(study.wetted).flatMap(([contender, values]) => line('wet ceiling, m', contender, values)),
    ...Object.entries(study.elsewhere).flatMap(([contender, values]) =>
      line('share elsewhere than with nodes', contender, values),
    ),
  ]
  const axes = { x: 'linear', xLabel: 'seconds', y: 'linear' } as const
  const plot = { file: 'chentanez-mueller-contact.svg', svg: peersPlot(points, 'p ≥ 0 on nodes or on edges', '', axes) }
  plots.push(plot)
  const percent = (values: readonly number[]) => `${digits(100 * (values.at(-1) ?? 0), 2)} per cent`
  const last = study.elsewhere.edges.length
  return section(
    'Figure 2: nodes against edges',
    `A ball thrown in a circle at ${group.split('/')[1]}², ${last} frames of 1/${FPS} s. In the last one, ${percent(study.elsewhere.edges)} of the liquid are elsewhere with the condition on edges than with that on nodes, and ${percent(study.elsewhere.sticking)} with walls that stick.`,
    picture(plot, 'Wet ceiling, and how much of the liquid is elsewhere, by time'),
    REMARKS.contact,
  )
}

function line(row: string, contender: string, values: readonly number[]): PeerPoint[] {
  return values.map((value, at) => ({ column: '', row, contender, size: (at + 1) / FPS, value }))
}
