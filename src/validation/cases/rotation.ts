/** Liquid that turns like a rigid body: in a round tank at rest, and in a square tank that turns with it. */
import type { SceneInput } from '../../scene/schema.js'
import { type Bench, nameOf, type PlotPoint, relativeCheck, VARIANTS, type ValidationCase, type Variant } from '../case.js'
import { angularMomentum, kineticEnergy } from '../measure.js'
import { ball, box, sceneOf, type Vector3 } from '../scenes.js'
import { volumeCheck } from './moving-tanks.js'

/** rad/s. */
const BALL_SPIN = 4
const TANK_SPIN = 3
const SPUN_RADIUS = 0.45
/** Of the turning tank: half its side, and the radius of the air around its axis, m. */
const TANK_HALF = 0.4
const CORE_RADIUS = 0.2

export const rigidRotation: ValidationCase = {
  name: 'rigid-rotation',
  title: 'Rigid rotation',
  about: `A disc and a ball full of water that turns with ${BALL_SPIN}/s like a rigid body, without gravity and friction, for 2 s. Theory: angular momentum L and kinetic energy E
remain. A scheme of first order loses energy at the rate ω² dt.`,
  run: bench => compare(bench, 'momentum', fullBall, { angular: 0.03, energy: 0.05 }),
}

export const turningTank: ValidationCase = {
  name: 'turning-tank',
  title: 'Turning square tank',
  about: `A square tank of ${2 * TANK_HALF} m (a square prism in 3D) turns with ${TANK_SPIN}/s about its middle, and its water with it, around a core of air of radius ${CORE_RADIUS} m, without gravity,
for 2 s. Theory: p = ρ ω² (r² − r₀²)/2, and in the frame of the tank nothing moves. Volume, angular momentum and energy remain.`,
  run: bench => compare(bench, 'momentum', turning, { angular: 0.03, energy: 0.05 }),
}

/** A scene of liquid that turns about a line through its middle. */
interface Spinning {
  readonly scene: SceneInput
  readonly middle: Vector3
}

interface History {
  readonly angular: PlotPoint[]
  readonly energy: PlotPoint[]
  readonly volumes: number[]
}

async function compare(
  bench: Bench,
  figure: string,
  sceneFor: (bench: Bench, variant: Variant) => Spinning,
  bounds: { readonly angular: number; readonly energy: number },
) {
  const results = []
  for (const variant of VARIANTS) results.push({ name: nameOf(variant), ...(await spin(bench, sceneFor(bench, variant))) })
  const last = (points: readonly PlotPoint[]) => points[points.length - 1][1]
  const end = results[0].angular[results[0].angular.length - 1][0]
  const loose = bench.choose(1.5, 1)
  return {
    checks: results.flatMap(({ name, angular, energy, volumes }) => [
      relativeCheck(`L after 2 s over L at the start, ${name}`, '', last(angular), 1, loose * bounds.angular),
      relativeCheck(`E after 2 s over E at the start, ${name}`, '', last(energy), 1, loose * bounds.energy),
      volumeCheck(name, volumes),
    ]),
    figures: [
      {
        name: figure,
        title: 'Angular momentum over time',
        x: 'time (s)',
        y: 'L over L at the start',
        curves: [
          {
            name: 'theory',
            kind: 'theory' as const,
            points: [
              [0, 1],
              [end, 1],
            ] as PlotPoint[],
          },
          ...results.map(({ name, angular }) => ({ name, kind: 'measured' as const, points: angular })),
        ],
      },
    ],
  }
}

function fullBall(bench: Bench, variant: Variant): Spinning {
  const { dims } = variant
  const cells = dims === 2 ? bench.choose(32, 64) : bench.choose(20, 40)
  const middle: Vector3 = [0.5, 0.5, 0.5]
  const inside = ball(dims, middle, SPUN_RADIUS)
  const scene = sceneOf(variant, [1, 1, 1], cells, 48, {
    ...weightless(dims),
    liquid: [{ ...inside, spin: spinOf(dims, middle, BALL_SPIN) }],
    solids: [{ shape: 'complement', of: inside }],
  })
  return { scene, middle }
}

function turning(bench: Bench, variant: Variant): Spinning {
  const { dims } = variant
  const cells = dims === 2 ? bench.choose(36, 72) : bench.choose(24, 48)
  const middle: Vector3 = dims === 2 ? [0.6, 0.6, 0] : [0.6, 0.3, 0.6]
  const [low, high] = [0.6 - TANK_HALF, 0.6 + TANK_HALF]
  const inside = dims === 2 ? box(2, [low, low, 0], [high, high, 0]) : box(3, [low, 0.06, low], [high, 0.54, high])
  const core =
    dims === 2
      ? ball(2, middle, CORE_RADIUS)
      : ({ shape: 'cylinder', from: [0.6, -1, 0.6], to: [0.6, 2, 0.6], radius: CORE_RADIUS } as const)
  const turn = (angle: number) => (dims === 2 ? angle : { axis: [0, 1, 0] as [number, number, number], angle })
  const size: Vector3 = dims === 2 ? [1.2, 1.2, 0] : [1.2, 0.6, 1.2]
  const scene = sceneOf(variant, size, cells, 48, {
    ...weightless(dims),
    liquid: [{ shape: 'difference', of: [inside, core], spin: spinOf(dims, middle, TANK_SPIN) }],
    solids: [
      {
        shape: 'complement',
        of: inside,
        motion: {
          pivot: dims === 2 ? [0.6, 0.6] : [...middle],
          interpolation: 'linear',
          keyframes: [
            { time: 0, rotation: turn(0) },
            { time: 10, rotation: turn((10 * TANK_SPIN * 180) / Math.PI) },
          ],
        },
      },
    ],
  })
  return { scene, middle }
}

const weightless = (dims: 2 | 3) => ({ gravity: dims === 2 ? [0, 0] : [0, 0, 0] })

function spinOf(dims: 2 | 3, [x, y, z]: Vector3, rate: number) {
  return dims === 2 ? { centre: [x, y], rate } : { centre: [x, y, z], rate: [0, rate, 0] as [number, number, number] }
}

async function spin(bench: Bench, { scene, middle }: Spinning): Promise<History> {
  const history: History = { angular: [], energy: [], volumes: [] }
  let start = { angular: 1, energy: 1 }
  await bench.simulate(scene, (frame, record) => {
    const now = { angular: angularMomentum(frame, middle), energy: kineticEnergy(frame) }
    if (frame.index === 0) start = now
    history.angular.push([frame.time, now.angular / start.angular])
    history.energy.push([frame.time, now.energy / start.energy])
    if (record) history.volumes.push(record.volume / record.expectedVolume)
  })
  return history
}
