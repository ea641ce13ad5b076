/** Plots of the forces on those walls of two runs that are pushed most, one per wall, with a line for each run. */
import type { WallForces } from '../liquid/boundary/force-record.js'
import { DOMAIN_SIDES } from '../pressure/walls.js'
import { type ReportData, type ReportFrame, short, WALL_COLOURS, WALLS_IN_ORDER } from './report-data.js'
import { runPlot } from './run-plot.js'

/** More would hide the ones that matter. */
const MAX_PLOTS = 4

interface PlottedWall {
  readonly title: string
  /** N, or N/m. */
  readonly force: (forces: WallForces) => number
}

export function forcePlots(data: ReportData): string[] {
  const frames = WALLS_IN_ORDER.flatMap(walls => data[walls])
  const peakOf = ({ force }: PlottedWall) =>
    Math.max(0, ...frames.map(({ forces }) => Math.abs(force(forces))).filter(Number.isFinite))
  const walls = wallsOf(frames).map(wall => ({ wall, peak: peakOf(wall) }))
  const pushed = walls.filter(each => each.peak > 0).sort((a, b) => b.peak - a.peak)
  return pushed.slice(0, MAX_PLOTS).map(({ wall, peak }) => forcePlot(data, wall, peak))
}

function wallsOf(frames: readonly ReportFrame[]): PlottedWall[] {
  const names = frames.reduce<readonly string[]>(
    (most, { forces: { solids } }) => (solids.length > most.length ? solids.map(({ name }) => name) : most),
    [],
  )
  const solids = names.map((name, index) => ({
    title: name,
    force: (forces: WallForces) => Math.hypot(...(forces.solids[index]?.force ?? [])),
  }))
  const sides = DOMAIN_SIDES.map((side, index) => ({
    title: side,
    force: ({ sides: bySide }: WallForces) => (index % 2 === 0 ? -1 : 1) * (bySide[side]?.force[index >> 1] ?? 0),
  }))
  return [...solids, ...sides]
}

function forcePlot(data: ReportData, { title, force }: PlottedWall, peak: number): string {
  // Long numbers do not fit beside the axis.
  const scale = peak < 1e4 ? 1 : 1000
  const label = `${shortened(title)} (${scale === 1 ? '' : 'k'}${data.dims === 2 ? 'N/m' : 'N'})`
  const lines = WALLS_IN_ORDER.map(walls => ({
    name: walls,
    colour: WALL_COLOURS[walls],
    points: data[walls].map(({ time, forces }) => ({ time, value: force(forces) / scale })),
  }))
  const largest = lines.map(({ name, points }) => `${name}: up to ${short(Math.max(...points.map(({ value }) => value)))}`)
  return runPlot(lines, { label: `force on ${label}`, description: `Force on ${label} over time, ${largest.join('; ')}` })
}

/** Beside the names of the lines there is room for this much. */
const shortened = (name: string) => (name.length > 18 ? `${name.slice(0, 17)}…` : name)
