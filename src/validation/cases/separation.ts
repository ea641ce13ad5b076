/** A sheet of liquid that is thrown at a ceiling leaves it at once; with sticking walls it hangs. */

import { GRAVITY } from '../../pressure/gallery/scene.js'
import {
  absoluteCheck,
  type Bench,
  FLIP_2D,
  nameOf,
  type PlotPoint,
  relativeCheck,
  VARIANTS,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { fitPolynomial } from '../fit.js'
import { meanOf } from '../measure.js'
import { box, sceneOf, vector } from '../scenes.js'

const THROW_SPEED = 3
/** Of the sheet at the start, m; the ceiling is at 1 m. */
const [SHEET_LOW, SHEET_HIGH] = [0.5, 0.7]
const SHEET_FPS = 48
const SHEET_FRAMES = 25

/** When the sheet reaches the ceiling, s. */
const SHEET_IMPACT = (THROW_SPEED - Math.sqrt(THROW_SPEED ** 2 - 2 * GRAVITY * (1 - SHEET_HIGH))) / GRAVITY
const SHEET_TOP = 1 - (SHEET_HIGH - SHEET_LOW) / 2

export const separation: ValidationCase = {
  name: 'separation',
  title: 'Separation of a sheet',
  about: `A sheet as wide as its tank is thrown upwards with ${THROW_SPEED} m/s, hits the ceiling and stops there. Theory: the blow takes its whole momentum, and from then on it
falls freely. A parabola through the way of its centre after the blow gives its acceleration and the time of its release; "at once" means within the
longest substep. With sticking walls, the dotted line of ordinary solvers, the sheet hangs.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ name: nameOf(variant), ...(await fling(bench, variant, 'separating')) })
    const sticking = await fling(bench, FLIP_2D, 'sticking')
    return {
      checks: results.flatMap(({ name, points, longest }) => {
        const falling = points.filter(([time, y]) => time > SHEET_IMPACT + 0.1 && y > (SHEET_HIGH - SHEET_LOW) / 2 + 0.05)
        const [, c1, c2] = fitPolynomial(falling, 2)
        const release = -c1 / (2 * c2)
        return [
          relativeCheck(`acceleration after the blow, ${name}`, 'm/s²', -2 * c2, GRAVITY, 0.01),
          absoluteCheck(`time of release, ${name}`, 's', release, SHEET_IMPACT, longest),
        ]
      }),
      figures: [
        {
          name: 'height',
          title: 'Height of a sheet that is thrown at a ceiling',
          x: 'time (s)',
          y: 'centre (m)',
          curves: [
            { name: 'theory', kind: 'theory', points: theory() },
            ...results.map(({ name, points }) => ({ name, kind: 'measured' as const, points })),
            { name: `${nameOf(FLIP_2D)}, sticking`, kind: 'measured', points: sticking.points },
          ],
        },
      ],
    }
  },
}

function theory(): PlotPoint[] {
  return Array.from({ length: 101 }, (_, at): PlotPoint => {
    const time = (at / 100) * (SHEET_FRAMES / SHEET_FPS)
    const rising = (SHEET_LOW + SHEET_HIGH) / 2 + THROW_SPEED * time - (GRAVITY * time ** 2) / 2
    return [time, time < SHEET_IMPACT ? rising : SHEET_TOP - (GRAVITY * (time - SHEET_IMPACT) ** 2) / 2]
  }).filter(([, y]) => y > (SHEET_HIGH - SHEET_LOW) / 2)
}

async function fling(
  bench: Bench,
  variant: Variant,
  walls: 'separating' | 'sticking',
): Promise<{ points: PlotPoint[]; longest: number }> {
  const { dims } = variant
  const cells = dims === 2 ? bench.choose(32, 64) : bench.choose(20, 40)
  const scene = sceneOf(variant, [1, 1, 1], cells, SHEET_FRAMES, {
    walls,
    time: { fps: SHEET_FPS },
    liquid: [{ ...box(dims, [0, SHEET_LOW, 0], [1, SHEET_HIGH, 1]), velocity: vector(dims, [0, THROW_SPEED, 0]) }],
  })
  const points: PlotPoint[] = []
  let longest = 0
  await bench.simulate(scene, (frame, record) => {
    points.push([frame.time, meanOf(frame, ({ y }) => y)])
    for (const { dt } of record?.substeps ?? []) longest = Math.max(longest, dt)
  })
  return { points, longest }
}
