/** Tanks that move uniformly or with constant acceleration: in their frame the liquid is at rest. */

import { GRAVITY } from '../../pressure/gallery/scene.js'
import {
  absoluteCheck,
  type Bench,
  type BoundCheck,
  nameOf,
  type PlotPoint,
  relativeCheck,
  VARIANTS,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { fitPolynomial } from '../fit.js'
import { meanOf, meanOfList, surfaceColumns } from '../measure.js'
import { box, halfSpace, openTank, sceneOf, type Vector3, vector } from '../scenes.js'

/** m/s, m/s². */
const TANK_SPEED = 3
const TANK_ACCELERATION = 2
const TANK_FRAMES = 29
const TANK_WALL = 0.14

export const uniformTank: ValidationCase = {
  name: 'uniform-tank',
  title: 'Tank in uniform motion',
  about: `A tank of 1 m with 0.35 m of water, both at ${TANK_SPEED} m/s from the start (in 3D along the diagonal of the floor), for 1.2 s. Theory: nothing happens (Galileo).
*Lag* is how far the centre of the liquid stays behind the tank, energy that of the motion relative to it.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ name: nameOf(variant), ...(await carry(bench, variant)) })
    return {
      checks: results.flatMap(({ name, lag, energy, volumes }) => [
        absoluteCheck(`largest lag, ${name}`, 'cells', largest(lag), 0, 0.3),
        absoluteCheck(`relative energy at the end, ${name}`, 'J/kg', energy[energy.length - 1][1], 0, 1e-3),
        volumeCheck(name, volumes),
      ]),
      figures: [
        {
          name: 'lag',
          title: 'How far the liquid is behind its tank',
          x: 'time (s)',
          y: 'lag (cells)',
          curves: [
            {
              name: 'theory',
              kind: 'theory',
              points: [
                [0, 0],
                [TANK_FRAMES / 24, 0],
              ],
            },
            ...results.map(({ name, lag }) => ({ name, kind: 'measured' as const, points: lag })),
          ],
        },
      ],
    }
  },
}

export const acceleratedTank: ValidationCase = {
  name: 'accelerated-tank',
  title: 'Accelerated tank',
  about: `A tank of 1 m starts from rest with ${TANK_ACCELERATION} m/s², for 1.2 s. Its water has the slope −a/g from the start. Theory: it keeps it, at rest in the frame of the
tank. The slope is that of a line through the surface, away from the walls, in the mean over the last half of the time.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ name: nameOf(variant), ...(await accelerate(bench, variant)) })
    const end = TANK_FRAMES / 24
    return {
      checks: results.flatMap(({ name, lag, slopes, volumes }) => [
        relativeCheck(
          `slope, ${name}`,
          '',
          meanOfList(slopes.filter(([time]) => time > end / 2).map(([, slope]) => slope)),
          -TANK_ACCELERATION / GRAVITY,
          bench.choose(0.1, 0.05),
        ),
        absoluteCheck(`largest lag, ${name}`, 'cells', largest(lag), 0, 0.5),
        volumeCheck(name, volumes),
      ]),
      figures: [
        {
          name: 'slope',
          title: 'Slope of the surface in an accelerated tank',
          x: 'time (s)',
          y: 'slope',
          curves: [
            {
              name: 'theory, −a/g',
              kind: 'theory',
              points: [
                [0, -TANK_ACCELERATION / GRAVITY],
                [end, -TANK_ACCELERATION / GRAVITY],
              ],
            },
            ...results.map(({ name, slopes }) => ({ name, kind: 'measured' as const, points: slopes })),
          ],
        },
      ],
    }
  },
}

const largest = (points: readonly PlotPoint[]) => points.reduce((most, [, value]) => Math.max(most, Math.abs(value)), 0)

/** Volume inside the surface over what it should be, where it is farthest from it. */
export function volumeCheck(name: string, volumes: readonly number[]): BoundCheck {
  const worst = volumes.reduce((a, b) => (Math.abs(b - 1) > Math.abs(a - 1) ? b : a), 1)
  return relativeCheck(`worst volume, ${name}`, '', worst, 1, 0.01)
}

async function carry(bench: Bench, variant: Variant): Promise<{ lag: PlotPoint[]; energy: PlotPoint[]; volumes: number[] }> {
  const { dims } = variant
  const perMetre = dims === 2 ? bench.choose(24, 48) : bench.choose(16, 24)
  const end = TANK_FRAMES / 24
  const velocity: Vector3 = dims === 2 ? [TANK_SPEED, 0, 0] : [TANK_SPEED * Math.SQRT1_2, 0, TANK_SPEED * Math.SQRT1_2]
  const inner = dims === 2 ? 1 : 0.6
  const min: Vector3 = [0.2, 0.2, 0.2]
  const size: Vector3 = [0.4 + inner + velocity[0] * end, 1, 0.4 + inner + velocity[2] * end]
  const scene = sceneOf(variant, size, Math.round(perMetre * size[0]), TANK_FRAMES, {
    liquid: [{ ...box(dims, min, [0.2 + inner, 0.55, 0.2 + inner]), velocity: vector(dims, velocity) }],
    solids: [
      {
        ...openTank(dims, min, [0.2 + inner, 0.9, 0.2 + inner], TANK_WALL),
        motion: {
          interpolation: 'linear',
          keyframes: [{ time: 0 }, { time: 10, position: vector(dims, [10 * velocity[0], 0, 10 * velocity[2]]) }],
        },
      },
    ],
  })
  const [lag, energy, volumes]: [PlotPoint[], PlotPoint[], number[]] = [[], [], []]
  const along = (x: number, z: number) => (x * velocity[0] + z * velocity[2]) / TANK_SPEED
  let start = 0
  await bench.simulate(scene, (frame, record) => {
    const centre = meanOf(frame, ({ x, z }) => along(x, z)) - TANK_SPEED * frame.time
    if (frame.index === 0) start = centre
    lag.push([frame.time, (start - centre) / frame.grid.spacing])
    energy.push([frame.time, meanOf(frame, ({ u, v, w }) => ((u - velocity[0]) ** 2 + v ** 2 + (w - velocity[2]) ** 2) / 2)])
    if (record) volumes.push(record.volume / record.expectedVolume)
  })
  return { lag, energy, volumes }
}

async function accelerate(bench: Bench, variant: Variant): Promise<{ lag: PlotPoint[]; slopes: PlotPoint[]; volumes: number[] }> {
  const { dims } = variant
  const perMetre = dims === 2 ? bench.choose(24, 48) : bench.choose(16, 24)
  const way = (time: number) => (TANK_ACCELERATION * time ** 2) / 2
  const min: Vector3 = [0.2, 0.2, 0.2]
  const max: Vector3 = [1.2, 0.9, 0.6]
  const size: Vector3 = [1.4 + way(TANK_FRAMES / 24), 1.1, 0.8]
  // Smooth motion through many keyframes is a parabola but for the first of them.
  const keyframes = Array.from({ length: 601 }, (_, at) => ({ time: at / 480, position: vector(dims, [way(at / 480), 0, 0]) }))
  const below = halfSpace(dims, [0.7, 0.5, 0], [TANK_ACCELERATION, GRAVITY, 0])
  const scene = sceneOf(variant, size, Math.round(perMetre * size[0]), TANK_FRAMES, {
    liquid: [{ shape: 'intersection', of: [box(dims, min, max), below] }],
    solids: [{ ...openTank(dims, min, max, TANK_WALL), motion: { keyframes } }],
  })
  const [lag, slopes, volumes]: [PlotPoint[], PlotPoint[], number[]] = [[], [], []]
  let start = 0
  await bench.simulate(scene, (frame, record) => {
    const rear = min[0] + way(frame.time)
    const centre = meanOf(frame, ({ x }) => x) - way(frame.time)
    if (frame.index === 0) start = centre
    lag.push([frame.time, (start - centre) / frame.grid.spacing])
    const middle = surfaceColumns(frame, (x, z) => x > rear + 0.15 && x < rear + 0.85 && (dims === 2 || (z > 0.25 && z < 0.55)))
    slopes.push([
      frame.time,
      fitPolynomial(
        middle.map(({ x, height }): PlotPoint => [x, height]),
        1,
      )[1],
    ])
    if (record) volumes.push(record.volume / record.expectedVolume)
  })
  return { lag, slopes, volumes }
}
