/** A jet that hits a plate: the force is the momentum that it loses. */
import { type Bench, nameOf, type PlotPoint, relativeCheck, VARIANTS, type ValidationCase, type Variant } from '../case.js'
import { fitPolynomial } from '../fit.js'
import { meanOfList, WATER_DENSITY } from '../measure.js'
import { box, sceneOf } from '../scenes.js'

const JET_SPEED = 2
const JET_LENGTH = 1.4
const JET_THICKNESS = 0.2
/** The plate is a side of the domain, m. */
const PLATE_AT = 1.6

/** s. */
const JET_IMPACT = (PLATE_AT - JET_LENGTH) / JET_SPEED
/** Between these times the flow at the plate is steady: the head of the jet has spread, and its end is far away. */
const STEADY_TIMES = [JET_IMPACT + 0.15, JET_IMPACT + 0.5] as const

export const jetOnPlate: ValidationCase = {
  name: 'jet-on-plate',
  title: 'Jet on a plate',
  about: `A jet of ${JET_THICKNESS} m (a square of that side in 3D) hits a plate with ${JET_SPEED} m/s, without gravity, and leaves along it. Theory: the force is
ρ u² A. It is measured twice: by the momentum that the liquid loses, and by the force on the plate in the records, in the mean over the frames between
${STEADY_TIMES[0].toFixed(2)} and ${STEADY_TIMES[1].toFixed(2)} s.`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ variant, name: nameOf(variant), ...(await hit(bench, variant)) })
    const steady = (points: readonly PlotPoint[]) => points.filter(([time]) => time >= STEADY_TIMES[0] && time <= STEADY_TIMES[1])
    return {
      checks: results.flatMap(({ variant, name, momentum, pressure }) => [
        relativeCheck(
          `force by momentum, ${name}`,
          'N',
          -fitPolynomial(steady(momentum), 1)[1],
          force(variant),
          bench.choose(0.04, 0.02),
        ),
        relativeCheck(
          `force by pressure, ${name}`,
          'N',
          meanOfList(steady(pressure).map(([, value]) => value)),
          force(variant),
          bench.choose(0.1, 0.05),
        ),
      ]),
      figures: [
        {
          name: 'force',
          title: 'Force of the pressure on the plate over time',
          x: 'time (s)',
          y: 'force over ρ u² A',
          curves: [
            {
              name: 'theory',
              kind: 'theory',
              points: [
                [0, 0],
                [JET_IMPACT, 0],
                [JET_IMPACT, 1],
                [JET_IMPACT + JET_LENGTH / JET_SPEED, 1],
              ],
            },
            ...results.map(({ variant, name, pressure }) => ({
              name,
              kind: 'measured' as const,
              // The blow of the first frame is an impulse; its height depends on the length of a substep.
              points: pressure.map(([time, value]): PlotPoint => [time, Math.min(2, value / force(variant))]),
            })),
          ],
        },
      ],
    }
  },
}

const force = ({ dims }: Variant) => WATER_DENSITY * JET_SPEED ** 2 * JET_THICKNESS ** (dims - 1)

async function hit(bench: Bench, variant: Variant): Promise<{ momentum: PlotPoint[]; pressure: PlotPoint[] }> {
  const { dims } = variant
  const perMetre = dims === 2 ? bench.choose(40, 80) : bench.choose(30, 45)
  const side = dims === 2 ? 1.2 : 1
  const [low, high] = [(side - JET_THICKNESS) / 2, (side + JET_THICKNESS) / 2]
  const scene = sceneOf(variant, [PLATE_AT, side, side], Math.round(perMetre * PLATE_AT), 16, {
    gravity: dims === 2 ? [0, 0] : [0, 0, 0],
    liquid: [
      { ...box(dims, [0, low, low], [JET_LENGTH, high, high]), velocity: dims === 2 ? [JET_SPEED, 0] : [JET_SPEED, 0, 0] },
    ],
    sides: { left: 'open', bottom: 'open', top: 'open', ...(dims === 3 && { back: 'open', front: 'open' }) },
  })
  const momentum: PlotPoint[] = []
  const pressure: PlotPoint[] = []
  let mass = 0
  await bench.simulate(scene, (frame, record) => {
    const { position, velocity } = frame.particles!
    // What leaves has no momentum along the jet any more, so the sum over those that remain is that of all.
    if (frame.index === 0) mass = (WATER_DENSITY * JET_LENGTH * JET_THICKNESS ** (dims - 1)) / (position.length / 3)
    let sum = 0
    for (let at = 0; at < velocity.length; at += 3) sum += velocity[at]
    momentum.push([frame.time, mass * sum])
    if (record) pressure.push([frame.time, record.forces.sides.right!.force[0]])
  })
  return { momentum, pressure }
}
