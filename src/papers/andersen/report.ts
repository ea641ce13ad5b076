/** Our measurements after Andersen 2017, beside its table and its statements about its plots. */
import type { ChartPoint } from '../../io/documents/chart.js'
import { formatTable } from '../../io/documents/markdown-table.js'
import { KRYLOV_METHODS } from '../../sparse/krylov/krylov.js'
import { PRECONDITIONERS } from '../../sparse/preconditioners/preconditioner.js'
import type { Solve } from '../method.js'
import { published, publishedTable, publishedValue } from '../published.js'
import { ANDERSEN_REMARKS as REMARKS } from '../remarks.js'
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
import {
  ANDERSEN_METHODS,
  type FrameSeconds,
  type NewtonPath,
  VOLUME_RUNS,
  VOLUME_SCENES,
  type VolumeStudy,
  XI,
} from './reproduce.js'

const paper = published.andersen
/** Frames of a scene at 24 a second. */
const FPS = 24

export function andersenReport(results: Results): Report {
  const { measured, skipped } = results
  const plots: Plot[] = []
  const sections = [
    head(paper, results),
    REMARKS.setting,
    slowdownSection(measured, plots),
    pathSection(measured, plots),
    ...['sticking', 'unmasked', 'masked'].map(kind => innerSection(measured, kind)),
    xiSection(measured),
    volumeSection(measured, plots),
    section('Figures in the text', quoted(paper)),
    leftOut(skipped),
  ]
  return { markdown: `${sections.filter(part => part !== undefined).join('\n\n')}\n`, plots }
}

function sizesOf(measured: Measured, kind: string): number[] {
  const sizes = Object.keys(measured).flatMap(group => (group.startsWith(`${kind}/`) ? [Number(group.split('/')[1])] : []))
  return [...new Set(sizes)].sort((a, b) => a - b)
}

function averageOf(measured: Measured, group: string, quantity: 'iterations' | 'outer' | 'seconds'): number | undefined {
  return mean(itemsOf<Solve>(measured, group).map(([, solve]) => solve[quantity]))
}

function slowdownSection(measured: Measured, plots: Plot[]): string | undefined {
  const sizes = sizesOf(measured, 'slowdown')
  if (sizes.length === 0) return undefined
  const table = publishedTable(paper, 'Table 1')
  const seconds = (size: number, name: string) => averageOf(measured, `slowdown/${size}/${name}`, 'seconds')
  const slower = (size: number, a: string, b: string) => {
    const [mine, other] = [seconds(size, a), seconds(size, b)]
    return mine && other ? 100 * (mine / other - 1) : undefined
  }
  const pairs = [
    ['Newton', 'PCG'],
    ['Newton, MIC(0)', 'PCG, MIC(0)'],
    ['NAS-MGPCG', 'NAS-MGPCG, sticking'],
  ]
  const rows = sizes.map(size => ({
    name: `${size}²`,
    pairs: [
      { published: publishedValue(table, size, 'slowdown'), ours: frameSlowdown(measured, size) },
      ...pairs.map(([a, b]) => ({ ours: slower(size, a, b) })),
    ],
  }))
  const counts = sizes.map(size => [
    `${size}²`,
    ...ANDERSEN_METHODS.map(({ name }) => {
      const [iterations, outer] = (['iterations', 'outer'] as const).map(of =>
        averageOf(measured, `slowdown/${size}/${name}`, of),
      )
      if (iterations === undefined || outer === undefined) return '–'
      return name.startsWith('Newton') ? `${digits(outer, 2)} / ${digits(iterations, 3)}` : digits(iterations, 3)
    }),
  ])
  const points: ChartPoint[] = sizes.flatMap(size =>
    ANDERSEN_METHODS.flatMap(({ name }) => {
      const value = seconds(size, name)
      return value ? [{ column: 'block on circles', row: 'seconds per solve', contender: name, size, value }] : []
    }),
  )
  const plot = addChart(plots, 'andersen-time.svg', points, { title: 'Separating walls beside sticking ones, 2D', label: 's' })
  return section(
    'Table 1: slowdown by separating walls, per cent',
    comparison('problem', ['whole substeps,', ...pairs.map(([a, b]) => `solves, ${a} against ${b},`)], rows),
    REMARKS.slowdown,
    'Newton steps / iterations of the inner method, or iterations:',
    formatTable(['problem', ...ANDERSEN_METHODS.map(({ name }) => name)], counts),
    picture(plot, 'Seconds per solve by resolution'),
    REMARKS.counts,
  )
}

function frameSlowdown(measured: Measured, size: number): number | undefined {
  const runs = new Map(itemsOf<FrameSeconds>(measured, `frames/${size}`))
  const [newton, pcg] = [runs.get('Newton')?.all, runs.get('PCG')?.all]
  return newton && pcg ? 100 * (newton / pcg - 1) : undefined
}

/** Figures 8 and 11: quartiles of the residual after every Newton step. Solves that are done count with what they ended with. */
function pathSection(measured: Measured, plots: Plot[]): string | undefined {
  const size = sizesOf(measured, 'path').at(-1)
  if (size === undefined) return undefined
  const paths = itemsOf<NewtonPath>(measured, `path/${size}`).map(([, { residuals }]) => residuals)
  const most = Math.max(...paths.map(path => path.length))
  const rows = Array.from({ length: most }, (_, step) => {
    const values = paths.map(path => path[Math.min(step, path.length - 1)]).sort((a, b) => a - b)
    const quartiles = [0, 0.25, 0.5, 0.75, 1].map(share => values[Math.round(share * (values.length - 1))])
    return { step, quartiles, running: paths.filter(path => path.length > step).length }
  })
  const names = ['least', 'first quartile', 'median', 'third quartile', 'largest']
  const points: ChartPoint[] = rows.flatMap(({ step, quartiles }) =>
    quartiles.map((value, at) => ({
      column: `${size}²`,
      row: '',
      contender: names[at],
      size: step,
      value: Math.max(value, 1e-12),
    })),
  )
  const axes = { x: 'linear', xLabel: 'Newton steps' } as const
  const plot = addChart(plots, 'andersen-quartiles.svg', points, {
    title: 'Convergence of minimum-map Newton',
    label: 'residual, 1/s',
    ...axes,
  })
  const lines = rows.map(({ step, quartiles, running }) => [
    String(step),
    String(running),
    ...quartiles.map(value => digits(value, 2)),
  ])
  return section(
    'Figures 8 and 11: convergence by quartiles',
    `Natural residual in 1/s after every Newton step, ${paths.length} substeps at ${size}², inner CG without preconditioner.`,
    formatTable(['step', 'solves with that many', ...names], lines),
    picture(plot, 'Quartiles of the residual by Newton step'),
    REMARKS.quartiles,
  )
}

const STUDIES: Readonly<Record<string, string>> = {
  sticking: 'Figure 12: inner methods, sticking walls',
  unmasked: 'Figure 13: inner methods, separating walls, one preconditioner for all Newton systems',
  masked: 'Inner methods, separating walls, a preconditioner for each Newton system',
}

function innerSection(measured: Measured, kind: string): string | undefined {
  const size = sizesOf(measured, 'inner').at(-1)
  const solves = new Map(itemsOf<Solve>(measured, `inner/${size}/${kind}`))
  if (solves.size === 0) return undefined
  const rows = PRECONDITIONERS.map(preconditioner => [
    preconditioner,
    ...KRYLOV_METHODS.map(inner => {
      const solve = solves.get(`${inner} ${preconditioner}`)
      if (!solve) return '–'
      const { iterations, outer, status } = solve
      const counts = kind === 'sticking' ? String(iterations) : `${outer} / ${iterations}`
      return status ? `${status} at ${counts}` : counts
    }),
  ])
  const what = kind === 'sticking' ? 'Iterations' : 'Newton steps / iterations'
  return section(
    STUDIES[kind],
    `${what} to 1e-6 1/s, one substep at ${size}².`,
    formatTable(['preconditioner', ...KRYLOV_METHODS], rows),
    REMARKS.inner[kind],
  )
}

function xiSection(measured: Measured): string | undefined {
  const sizes = sizesOf(measured, 'xi')
  if (sizes.length === 0) return undefined
  const rows = XI.map(xi => [
    String(xi),
    ...sizes.map(size => {
      const solves = itemsOf<Solve & { residual: number }>(measured, `xi/${size}/${xi}`).map(([, solve]) => solve)
      if (solves.length === 0) return '–'
      const sorted = solves.map(({ residual }) => residual).sort((a, b) => a - b)
      const [outer, iterations] = [mean(solves.map(solve => solve.outer))!, mean(solves.map(solve => solve.iterations))!]
      return `${digits(outer, 2)} / ${digits(iterations, 3)}, ${digits(sorted[Math.floor(sorted.length / 2)], 1)}`
    }),
  ])
  return section(
    'Figures 16 and 17: ξ',
    'Newton steps / iterations on average, and the median of the residual in 1/s where the tests of the paper stop.',
    formatTable(['ξ', ...sizes.map(size => `${size}²`)], rows),
    REMARKS.xi,
  )
}

/** Figure 15. */
function volumeSection(measured: Measured, plots: Plot[]): string | undefined {
  const size = sizesOf(measured, 'volume').at(-1)
  if (size === undefined) return undefined
  const names = Object.keys(VOLUME_RUNS)
  const studies = VOLUME_SCENES.flatMap(scene =>
    itemsOf<VolumeStudy>(measured, `volume/${size}/${scene}`).map(([name, { drift }]) => ({ scene, name, drift })),
  )
  const percent = (drift: readonly number[] | undefined) => {
    if (!drift) return '–'
    const worst = drift.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0)
    return `${digits(100 * drift[drift.length - 1], 2)} (${digits(100 * worst, 2)})`
  }
  const rows = VOLUME_SCENES.map(scene => [
    scene.replace('andersen-', ''),
    ...names.map(name => percent(studies.find(study => study.scene === scene && study.name === name)?.drift)),
  ])
  const points: ChartPoint[] = studies.flatMap(({ scene, name, drift }) =>
    drift.map((value, at) => ({
      column: scene.replace('andersen-', ''),
      row: '',
      contender: name,
      size: (at + 1) / FPS,
      value: 100 * value,
    })),
  )
  const axes = { x: 'linear', xLabel: 'seconds', y: 'linear' } as const
  const plot = addChart(plots, 'andersen-volume.svg', points, { title: 'Volume, change in per cent', label: 'per cent', ...axes })
  const frames = studies[0]?.drift.length ?? 0
  return section(
    'Figure 15: volume',
    `Change of the volume in per cent after ${digits(frames / FPS, 2)} s at ${size}², with the largest change during the run in parentheses. The last column has our volume correction of frames that are off by more than half a per cent.`,
    formatTable(['scene', 'sticking', 'separating', 'separating, corrected'], rows),
    picture(plot, 'Change of the volume by time, five scenes'),
    REMARKS.volume,
  )
}
