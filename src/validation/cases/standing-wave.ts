/** Damping of a standing wave, which an inviscid liquid does not have. */
import { APIC_2D, absoluteCheck, type Bench, FLIP_2D, type PlotPoint, type ValidationCase, type Variant } from '../case.js'
import { fitDampedWave } from '../fit.js'
import { waveAmplitude } from '../measure.js'
import { sceneOf } from '../scenes.js'
import { sloshFrequency, waveShape } from './sloshing.js'

const WAVE_DEPTH = 0.6
const WAVE_AMPLITUDE = 0.03
/** One wave over the tank, so that walls and the middle move alike. */
const WAVE_MODE = 2

interface Transfer {
  readonly name: string
  readonly variant: Variant
  readonly particles: { readonly flipRatio?: number; readonly band?: number }
}

const WAVE_TRANSFERS: readonly Transfer[] = [
  { name: 'FLIP', variant: FLIP_2D, particles: {} },
  { name: 'FLIP, ratio 1', variant: FLIP_2D, particles: { flipRatio: 1 } },
  { name: 'FLIP, band of 4 cells', variant: FLIP_2D, particles: { band: 4 } },
  { name: 'APIC', variant: APIC_2D, particles: {} },
]

export const standingWave: ValidationCase = {
  name: 'standing-wave',
  title: 'Damping of a standing wave',
  about: `A wave of 1 m and ${WAVE_AMPLITUDE} m amplitude on ${WAVE_DEPTH} m of water for eight periods. Peel's liquid has no viscosity, so by theory the amplitude does not change;
what it loses is the damping of the method, what it gains an instability. The change of the amplitude in a period is that of a damped oscillation through
the amplitude in the surface. There is no theory for the damping of a method:
the bound of 2 % a period is set by Peel itself, which loses 1.6 % (FLIP) with short substeps (\`cfl\` 0.5). Growth, which is an instability, gets a quarter of that.`,
  async run(bench) {
    const omega = sloshFrequency(WAVE_MODE, WAVE_DEPTH, WAVE_AMPLITUDE)
    const period = (2 * Math.PI) / omega
    const results = []
    for (const transfer of WAVE_TRANSFERS) {
      const points = await swing(bench, transfer, period)
      const { decay } = fitDampedWave(points, omega)
      results.push({ ...transfer, points, change: Math.exp(-decay * period) - 1, decay })
    }
    const end = results[0].points[results[0].points.length - 1][0]
    return {
      // On cells twice as large three times as much; with short substeps FLIP loses 4.4 % there, and 1.6 % on the fine grid.
      checks: results.map(({ name, change }) =>
        absoluteCheck(
          `change of the amplitude per period, 2D ${name}`,
          '%',
          100 * change,
          0,
          bench.choose(3, 1) * (change > 0 ? 0.5 : 2),
        ),
      ),
      figures: [
        {
          name: 'amplitude',
          title: 'Amplitude of a standing wave over time',
          x: 'time (s)',
          y: 'amplitude (m)',
          curves: [
            {
              name: 'no damping',
              kind: 'theory',
              points: [
                [0, WAVE_AMPLITUDE],
                [end, WAVE_AMPLITUDE],
              ],
            },
            ...results.map(({ name, points }) => ({ name, kind: 'measured' as const, points: crests(points) })),
          ],
        },
      ],
    }
  },
}

async function swing(bench: Bench, { variant, particles }: Transfer, period: number): Promise<PlotPoint[]> {
  const frames = Math.round(24 * bench.choose(4, 8) * period)
  const scene = sceneOf(variant, [1, 0.8, 1], bench.choose(32, 64), frames, {
    liquid: [waveShape(WAVE_MODE, WAVE_DEPTH, WAVE_AMPLITUDE)],
    particles,
  })
  const points: PlotPoint[] = []
  await bench.simulate(scene, frame => points.push([frame.time, waveAmplitude(frame, WAVE_MODE * Math.PI)]))
  return points
}

/** Largest absolute values between zeros, each from a parabola through three samples. */
function crests(points: readonly PlotPoint[]): PlotPoint[] {
  return points.slice(1, -1).flatMap(([, y], at): PlotPoint[] => {
    const [[t0, y0], [t1], [, y2]] = points.slice(at, at + 3)
    const [a, b, c] = [Math.abs(y0), Math.abs(y), Math.abs(y2)]
    if (!(b >= a && b > c) || y0 * y < 0 || y * y2 < 0) return []
    const shift = (a - c) / (2 * (a - 2 * b + c))
    return [[t1 + shift * (t1 - t0), b - ((a - c) * shift) / 4]]
  })
}
