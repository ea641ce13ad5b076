/** Liquid that swings to and fro in a tank: periods of its first modes. */

import { GRAVITY } from '../../pressure/gallery/scene.js'
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
import { type DampedWave, fitDampedWave } from '../fit.js'
import { waveAmplitude } from '../measure.js'
import { halfSpace, sceneOf } from '../scenes.js'

const TANK_DEPTH = 0.5
const SLOSH_AMPLITUDE = 0.03
/** Of the surface of the 3D tank at the start. */
const SLOSH_SLOPE = 0.07

export const sloshing: ValidationCase = {
  name: 'sloshing',
  title: 'Sloshing frequencies',
  about: `A tank of 1 m, ${TANK_DEPTH} m deep, whose surface is a cosine of ${SLOSH_AMPLITUDE} m at the start (a slope of ${SLOSH_SLOPE} in 3D, which is mostly the first mode); four periods of
modes 1, 2 and 3, with as many cells in a wave for each. Theory: ω² = g k tanh(k H) with k = n π/L, and for the amplitude a the factor 1 + (k a)² (9 τ⁻⁴ − 12 τ⁻² − 3 − 2 τ²)/64, τ = tanh(k H)
(Tadjbakhsh and Keller 1960), here below 0.4 %. The period is that of a damped oscillation through the amplitude of the mode in the surface.`,
  async run(bench) {
    const runs: readonly (readonly [Variant, number, number])[] = [
      [FLIP_2D, 1, 0.005],
      [FLIP_2D, 2, 0.005],
      [FLIP_2D, 3, 0.005],
      [APIC_2D, 1, 0.005],
      [FLIP_3D, 1, 0.01],
    ]
    const coarse = bench.choose(3, 1)
    const results = []
    for (const [variant, mode, bound] of runs) results.push({ variant, mode, bound, ...(await slosh(bench, variant, mode)) })
    const first = results[0]
    return {
      checks: results.map(({ variant, mode, bound, wave, omega }) =>
        relativeCheck(`period of mode ${mode}, ${nameOf(variant)}`, 's', period(wave.omega), period(omega), coarse * bound),
      ),
      figures: [
        {
          name: 'amplitude',
          title: 'Amplitude of the first mode over time',
          x: 'time (s)',
          y: 'amplitude (m)',
          curves: [
            {
              name: 'theory',
              kind: 'theory',
              points: dense(first.points).map(time => [time, SLOSH_AMPLITUDE * Math.cos(first.omega * time)]),
            },
            ...results
              .filter(({ mode, variant }) => mode === 1 && variant.dims === 2)
              .map(({ variant, points }) => ({ name: nameOf(variant), kind: 'measured' as const, points })),
          ],
        },
      ],
    }
  },
}

const period = (omega: number) => (2 * Math.PI) / omega
const dense = (points: readonly PlotPoint[]) => Array.from({ length: 201 }, (_, at) => (at / 200) * points[points.length - 1][0])

/** rad/s of mode n of the tank, for waves of finite amplitude. */
export function sloshFrequency(mode: number, depth: number, amplitude: number): number {
  const k = mode * Math.PI
  const tau = Math.tanh(k * depth)
  const correction = ((k * amplitude) ** 2 * (9 / tau ** 4 - 12 / tau ** 2 - 3 - 2 * tau ** 2)) / 64
  return Math.sqrt(GRAVITY * k * tau) * (1 + correction)
}

/** Surface y = depth + a cos(n π x) over a tank of 1 m, as a polygon. */
export function waveShape(mode: number, depth: number, amplitude: number) {
  const top = Array.from({ length: 129 }, (_, at) => 1 - at / 128).map(x => [x, depth + amplitude * Math.cos(mode * Math.PI * x)])
  return { shape: 'polygon', corners: [[0, 0], [1, 0], ...top] as [number, number][] } as const
}

export interface SloshResult {
  readonly wave: DampedWave
  /** By theory, rad/s. */
  readonly omega: number
  readonly points: readonly PlotPoint[]
}

export async function slosh(bench: Bench, variant: Variant, mode: number, cells?: number): Promise<SloshResult> {
  const { dims } = variant
  const resolution = cells ?? (dims === 2 ? mode * bench.choose(32, 64) : bench.choose(20, 40))
  // A slope is a sum of modes; the first has 4/π² of its rise over the tank.
  const amplitude = dims === 2 ? SLOSH_AMPLITUDE : (4 / Math.PI ** 2) * SLOSH_SLOPE
  const omega = sloshFrequency(mode, TANK_DEPTH, amplitude)
  const frames = Math.round(24 * bench.choose(2.5, 4) * period(omega))
  const liquid = dims === 2 ? waveShape(mode, TANK_DEPTH, amplitude) : halfSpace(dims, [0.5, TANK_DEPTH, 0], [SLOSH_SLOPE, 1, 0])
  const scene = sceneOf(variant, [1, 0.75, 0.3], resolution, frames, { liquid: [liquid] })
  const points: PlotPoint[] = []
  await bench.simulate(scene, frame => points.push([frame.time, waveAmplitude(frame, mode * Math.PI)]))
  return { wave: fitDampedWave(points, omega), omega, points }
}
