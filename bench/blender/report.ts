/** A comparison with Blender in Markdown, and the points of its chart. */

import { formatTable } from 'peel/formats'
import type { ChartPoint } from 'peel/io'
import { formatGoals } from '../peers/report.js'
import { minimum } from '../peers/results.js'
import { threeDigits } from '../three-digits.js'
import { blenderGoals, blenderNotes, medianOf, type SceneRound, type SceneRun, timesAsLongAsPeel } from './results.js'

const COLUMNS = [
  'N',
  'frames',
  'contender',
  's / frame (min)',
  'CPU s / frame',
  'substeps / frame',
  'set-up s',
  'peak MB',
  'particles',
  'height m',
  'time ÷ Peel',
  'CPU ÷ Peel',
]

export function formatBlenderReport(run: SceneRun): string {
  const goals = blenderGoals(run)
  const notes = blenderNotes(run)
  return [
    describeSetting(run),
    formatEntries(run),
    ...(notes.length > 0 ? [notes.map(note => `- ${note}`).join('\n')] : []),
    ...(goals.length > 0 ? [formatGoals(goals)] : []),
  ].join('\n\n')
}

function describeSetting({ date, machine, blender, load, threads, substeps, band, entries }: SceneRun): string {
  const counts = entries.map(({ rounds }) => rounds.length).filter(count => count > 0)
  const [fewest, most] = [minimum(counts), Math.max(0, ...counts)]
  const rounds = `${fewest < most ? `${fewest} to ` : ''}${most} interleaved round${most === 1 ? '' : 's'}`
  return (
    `${date}, ${machine}, ${blender}, load ${load.toFixed(1)} at the start. ${threads} thread${threads === 1 ? '' : 's'} each, at most ` +
    `${substeps} substeps per frame, particles in a band of ${band} cells; medians of ${rounds}.`
  )
}

function formatEntries(run: SceneRun): string {
  return formatTable(
    COLUMNS,
    run.entries.map(entry => {
      const { size, contender, rounds } = entry
      const who = [String(size), String(run.frames), contender]
      if (rounds.length === 0) return [...who, ...Array.from({ length: COLUMNS.length - who.length }, () => '–')]
      const of = (pick: (round: SceneRound) => number) => medianOf(entry, pick)
      const ratio = (pick: (round: SceneRound) => number) => {
        const value = timesAsLongAsPeel(run, entry, pick)
        return contender === 'peel' ? '' : value === undefined ? '–' : threeDigits(value)
      }
      const fewest = minimum(rounds.map(({ wall }) => wall))
      const { substeps } = rounds[rounds.length - 1]
      return [
        ...who,
        `${threeDigits(of(({ wall }) => wall))} (${threeDigits(fewest)})`,
        threeDigits(of(({ cpu }) => cpu)),
        substeps === null ? '–' : substeps.toFixed(1),
        threeDigits(of(({ setup }) => setup)),
        of(({ peakMb }) => peakMb).toFixed(0),
        of(({ particles }) => particles).toFixed(0),
        of(({ height }) => height).toFixed(3),
        ratio(({ wall }) => wall),
        ratio(({ cpu }) => cpu),
      ]
    }),
  )
}

export function blenderPoints({ entries }: SceneRun): ChartPoint[] {
  const measured = entries.filter(({ rounds, failure }) => rounds.length > 0 && failure === undefined)
  const panel = (column: string, pick: (round: SceneRound) => number) =>
    measured.map(entry => {
      const { size, contender } = entry
      return { column, row: 'dam break', contender, size, value: medianOf(entry, pick) }
    })
  return [...panel('wall time', ({ wall }) => wall), ...panel('CPU time', ({ cpu }) => cpu)]
}
