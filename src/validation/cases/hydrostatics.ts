/** Liquid at rest: its pressure grows linearly with depth, and it stays at rest. */
import type { Frame } from '../../liquid/frame.js'
import { GRAVITY } from '../../pressure/gallery/scene.js'
import {
  absoluteCheck,
  type Bench,
  type BoundCheck,
  type CaseFindings,
  nameOf,
  type PlotPoint,
  relativeCheck,
  VARIANTS,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { fitPolynomial } from '../fit.js'
import { kineticEnergy, meanOfList, surfaceColumns, WATER_DENSITY } from '../measure.js'
import { halfSpace, sceneOf } from '../scenes.js'

/** m. Near the middle of cells at all resolutions used, where chance decides most often whether a cell is liquid. */
const REST_LEVEL = 0.49

export const hydrostatics: ValidationCase = {
  name: 'hydrostatics',
  title: 'Hydrostatics',
  about: `A tank of 1 m filled to ${REST_LEVEL} m, at rest, for two seconds. Theory: p = ρ g (H − y), and nothing moves. The slope of a line through the
pressures of all cells below the surface is compared with ρ g, and the root mean square of the distances from that line with ρ g H, over the last second. *Flicker* is
the mean change of the height of a column of the surface from one frame to the next. The force on a wall, of the records, is compared with ρ g H² / 2 per
metre of its width, and its moment about the foot of the wall with ρ g H³ / 6: a level that is off by a twentieth of a cell h changes them by h / (10 H)
and more. The speed is compared with √(g h), that of a fall through half a
cell.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push(await measure(bench, variant))
    return {
      checks: results.flatMap(({ checks }) => checks),
      figures: [
        {
          name: 'pressure',
          title: 'Pressure over depth in liquid at rest',
          x: 'height (m)',
          y: 'pressure (kPa)',
          curves: [
            {
              name: 'ρ g (H − y)',
              kind: 'theory',
              points: [
                [0, (WATER_DENSITY * GRAVITY * REST_LEVEL) / 1000],
                [REST_LEVEL, 0],
              ],
            },
            ...results.map(({ name, profile }) => ({ name, kind: 'measured' as const, points: profile })),
          ],
        },
      ],
    }
  },
}

async function measure(
  bench: Bench,
  variant: Variant,
): Promise<Pick<CaseFindings, 'checks'> & { name: string; profile: PlotPoint[] }> {
  const { dims } = variant
  const cells = dims === 2 ? bench.choose(32, 64) : bench.choose(16, 40)
  const frames = 48
  const scene = sceneOf(variant, [1, 1, 1], cells, frames, { liquid: [halfSpace(dims, [0, REST_LEVEL, 0], [0, 1, 0])] })
  const name = nameOf(variant)
  /** Of a metre of the width of the wall: the tank is as wide as it is long. */
  const weight = WATER_DENSITY * GRAVITY * REST_LEVEL ** 2
  const slopes: number[] = []
  const deviations: number[] = []
  const speeds: number[] = []
  const flickers: number[] = []
  const pushes: number[] = []
  const moments: number[] = []
  let profile: PlotPoint[] = []
  let before: number[] | undefined
  await bench.simulate(scene, (frame, record) => {
    const heights = surfaceColumns(frame).map(({ height }) => height)
    if (frame.index > frames / 2) {
      const { slope, deviation, rows } = pressureProfile(frame)
      profile = rows
      slopes.push(slope)
      deviations.push(deviation)
      speeds.push(Math.sqrt(2 * kineticEnergy(frame)))
      const { force, torque } = record!.forces.sides.left!
      pushes.push(-force[0])
      moments.push(torque[2])
      flickers.push(meanOfList(heights.map((height, at) => Math.abs(height - before![at]))) * cells)
    }
    before = heights
  })
  const checks: BoundCheck[] = [
    relativeCheck(`slope of the pressure, ${name}`, 'Pa/m', meanOfList(slopes), -WATER_DENSITY * GRAVITY, 1e-3),
    absoluteCheck(`deviation from a line over ρ g H, ${name}`, '', meanOfList(deviations), 0, 1e-3),
    relativeCheck(`force on a wall, ${name}`, 'N/m', meanOfList(pushes), weight / 2, 0.15 / (cells * REST_LEVEL)),
    relativeCheck(`moment on a wall, ${name}`, 'N', meanOfList(moments), (weight * REST_LEVEL) / 6, 0.2 / (cells * REST_LEVEL)),
    absoluteCheck(`flicker of the surface, ${name}`, 'cells', meanOfList(flickers), 0, 0.02),
    absoluteCheck(`speed over √(g h), ${name}`, '', meanOfList(speeds) / Math.sqrt(GRAVITY / cells), 0, 0.01),
  ]
  return { checks, name, profile }
}

/** A line through the pressures of cells whose upper neighbour is liquid as well, so that the surface does not cut them. */
function pressureProfile({ grid, fields }: Frame): { slope: number; deviation: number; rows: PlotPoint[] } {
  const [nx, ny] = grid.shape
  const points: PlotPoint[] = []
  const rows: PlotPoint[] = []
  const { pressure } = fields!
  for (let j = 0; j < ny - 1; j++) {
    const row: number[] = []
    pressure.forEach((p, cell) => {
      if (Math.floor(cell / nx) % ny !== j || p === 0 || pressure[cell + nx] === 0) return
      points.push([(j + 0.5) * grid.spacing, p])
      row.push(p)
    })
    if (row.length > 0) rows.push([(j + 0.5) * grid.spacing, meanOfList(row) / 1000])
  }
  const [bottom, slope] = fitPolynomial(points, 1)
  const deviation = Math.sqrt(meanOfList(points.map(([y, p]) => (p - bottom - slope * y) ** 2)))
  return { slope, deviation: deviation / (WATER_DENSITY * GRAVITY * REST_LEVEL), rows }
}
