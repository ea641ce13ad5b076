/** A drop in free fall. */

import { GRAVITY } from '../../pressure/gallery/scene.js'
import { type Bench, nameOf, type PlotPoint, relativeCheck, VARIANTS, type ValidationCase, type Variant } from '../case.js'
import { meanOf } from '../measure.js'
import { ball, sceneOf } from '../scenes.js'

const DROP_RADIUS = 0.12
const FALL_HEIGHT = 2.75

export const freeFall: ValidationCase = {
  name: 'free-fall',
  title: 'Free fall',
  about: `A drop of radius ${DROP_RADIUS} m falls for 16 frames, 2.18 m, and touches nothing. Theory: its centre falls by g t²/2. A scheme of second order in time
does this exactly, at any length of the substeps; one of first order errs by g t dt/2.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ name: nameOf(variant), points: await fall(bench, variant) })
    const end = results[0].points[results[0].points.length - 1][0]
    return {
      checks: results.map(({ name, points }) => {
        const [time, way] = points[points.length - 1]
        return relativeCheck(`fall, ${name}`, 'm', way, (GRAVITY * time ** 2) / 2, 1e-3)
      }),
      figures: [
        {
          name: 'error',
          title: 'How much farther than g t²/2 a drop has fallen',
          x: 'time (s)',
          y: 'fall − g t²/2 (m)',
          curves: [
            {
              name: 'theory',
              kind: 'theory',
              points: [
                [0, 0],
                [end, 0],
              ],
            },
            ...results.map(({ name, points }) => ({
              name,
              kind: 'measured' as const,
              points: points.map(([time, way]): PlotPoint => [time, way - (GRAVITY * time ** 2) / 2]),
            })),
          ],
        },
      ],
    }
  },
}

/** Time and way of the centre. */
async function fall(bench: Bench, variant: Variant): Promise<PlotPoint[]> {
  const { dims } = variant
  const cells = dims === 2 ? bench.choose(44, 88) : bench.choose(33, 66)
  const scene = sceneOf(variant, [0.5, FALL_HEIGHT, 0.5], cells, 16, {
    liquid: [ball(dims, [0.25, FALL_HEIGHT - 0.2, 0.25], DROP_RADIUS)],
  })
  const points: PlotPoint[] = []
  let start = 0
  await bench.simulate(scene, frame => {
    const centre = meanOf(frame, ({ y }) => y)
    if (frame.index === 0) start = centre
    points.push([frame.time, start - centre])
  })
  return points
}
