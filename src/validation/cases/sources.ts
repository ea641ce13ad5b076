/** A source delivers what its velocity and its area say, whatever the substeps. */
import { counted } from '../../counted.js'
import {
  APIC_2D,
  type Bench,
  FLIP_2D,
  FLIP_3D,
  nameOf,
  type PlotPoint,
  relativeCheck,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { fitPolynomial } from '../fit.js'
import { box, sceneOf, vector } from '../scenes.js'

const SOURCE_SPEED = 0.7
/** m: the source is a box at the left side. */
const SOURCE_DEPTH = 0.1
const SOURCE_WIDTH = 0.2

export const sources: ValidationCase = {
  name: 'sources',
  title: 'Rates of sources',
  about: `A source of ${SOURCE_WIDTH} m (a square of that side in 3D) at a wall sends a jet of ${SOURCE_SPEED} m/s into a tank, without gravity, for 1.25 s, with 1, 3 and 8 substeps a frame. Theory: the
volume grows at the rate u A. The rate is the slope of the volume inside the surface.`,
  async run(bench) {
    const runs: readonly (readonly [Variant, number])[] = [
      [FLIP_2D, 1],
      [FLIP_2D, 3],
      [FLIP_2D, 8],
      [APIC_2D, 3],
      [FLIP_3D, 1],
      [FLIP_3D, 3],
    ]
    const results = []
    for (const [variant, substeps] of runs) {
      const name = `${nameOf(variant)}, ${counted(substeps, 'substep')}`
      results.push({ name, area: SOURCE_WIDTH ** (variant.dims - 1), points: await emit(bench, variant, substeps) })
    }
    const end = results[0].points[results[0].points.length - 1][0]
    return {
      checks: results.map(({ name, area, points }) => {
        const settled = points.filter(([time]) => time > 0.2)
        return relativeCheck(`rate over u A, ${name}`, '', fitPolynomial(settled, 1)[1] / (SOURCE_SPEED * area), 1, 0.02)
      }),
      figures: [
        {
          name: 'volume',
          title: 'Volume that a source has delivered over time',
          x: 'time (s)',
          y: 'volume over area (m)',
          curves: [
            {
              name: 'source + u t',
              kind: 'theory',
              points: [
                [0, SOURCE_DEPTH],
                [end, SOURCE_DEPTH + SOURCE_SPEED * end],
              ],
            },
            ...results.map(({ name, area, points }) => ({
              name,
              kind: 'measured' as const,
              points: points.map(([time, volume]): PlotPoint => [time, volume / area]),
            })),
          ],
        },
      ],
    }
  },
}

/** Time and volume inside the surface. */
async function emit(bench: Bench, variant: Variant, substeps: number): Promise<PlotPoint[]> {
  const { dims } = variant
  const perMetre = dims === 2 ? bench.choose(30, 60) : bench.choose(20, 30)
  const [low, high] = [(0.6 - SOURCE_WIDTH) / 2, (0.6 + SOURCE_WIDTH) / 2]
  const scene = sceneOf(variant, [1.2, 0.6, 0.6], Math.round(perMetre * 1.2), 30, {
    gravity: vector(dims, [0, 0, 0]),
    sources: [{ ...box(dims, [0, low, low], [SOURCE_DEPTH, high, high]), velocity: vector(dims, [SOURCE_SPEED, 0, 0]) }],
    time: { minSubsteps: substeps, maxSubsteps: Math.max(8, substeps) },
  })
  const points: PlotPoint[] = []
  await bench.simulate(scene, ({ time }, record) => {
    if (record) points.push([time, record.volume])
  })
  return points
}
