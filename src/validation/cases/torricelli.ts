/** Efflux through a hole in the floor of a tank. */
import type { Frame } from '../../liquid/frame.js'
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
import { meanOf, meanOfList, surfaceLevel } from '../measure.js'
import { box, sceneOf, type Vector3 } from '../scenes.js'

/** Floor of the tank: its lower and upper side, m. */
const FLOOR_SIDES = [0.4, 0.5] as const
/** The jet is measured here, below its contraction, m. */
const JET_SLAB = [0.1, 0.3] as const
const FILL_LEVEL = 1.3

export const torricelli: ValidationCase = {
  name: 'torricelli',
  title: 'Torricelli',
  about: `Water flows out of a tank through a hole in its floor and falls. Theory, without the slow motion in the tank: a particle of the jet has the speed √(2 g Δ), where Δ is
how far it is below the surface. The jet contracts behind the hole, so speeds are compared and not rates: the mean over all particles between ${JET_SLAB[0]} and
${JET_SLAB[1]} m, from the time when the jet is steady. Velocities are of the middle of a substep, and Δ is that of the place there. The sinking surface and the inertia of the liquid that flows to the hole make the true speed up to
1 % higher.`,
  async run(bench) {
    const results = []
    for (const variant of [FLIP_2D, APIC_2D, FLIP_3D]) results.push({ name: nameOf(variant), ...(await flowOut(bench, variant)) })
    return {
      checks: results.map(({ name, speed, theory }) => {
        const steady = (points: readonly PlotPoint[]) =>
          meanOfList(points.filter(([time]) => time > 0.45).map(([, value]) => value))
        return relativeCheck(`speed of the jet, ${name}`, 'm/s', steady(speed), steady(theory), bench.choose(0.05, 0.03))
      }),
      figures: [
        {
          name: 'speed',
          title: 'Speed of the jet over time',
          x: 'time (s)',
          y: 'speed (m/s)',
          curves: [
            { name: '√(2 g Δ), 2D FLIP', kind: 'theory', points: results[0].theory },
            ...results.map(({ name, speed }) => ({ name, kind: 'measured' as const, points: speed })),
          ],
        },
      ],
    }
  },
}

/** Of the particles between the heights of the slab. */
const inSlab = ({ y }: { readonly y: number }) => y > JET_SLAB[0] && y < JET_SLAB[1]

async function flowOut(bench: Bench, variant: Variant): Promise<{ speed: PlotPoint[]; theory: PlotPoint[] }> {
  const { dims } = variant
  const width = dims === 2 ? 2 : 1
  const hole = dims === 2 ? 0.125 : 0.25
  const perMetre = dims === 2 ? bench.choose(40, 64) : bench.choose(24, 32)
  const [low, high] = [(width - hole) / 2, (width + hole) / 2]
  const opening = box(dims, [low, 0, low], [high, 1, high])
  const floor = { shape: 'difference', of: [box(dims, [-1, FLOOR_SIDES[0], -1], [3, FLOOR_SIDES[1], 3]), opening] } as const
  const size: Vector3 = [width, 1.5, width]
  const scene = sceneOf(variant, size, Math.round(perMetre * Math.max(width, 1.5)), 20, {
    liquid: [box(dims, [0, FLOOR_SIDES[1], 0], [width, FILL_LEVEL, width])],
    solids: [floor],
    sides: { bottom: 'open' },
  })
  const speed: PlotPoint[] = []
  const theory: PlotPoint[] = []
  await bench.simulate(scene, (frame, record) => {
    if (!record || frame.time < 0.25) return
    const drop = dropTo(frame, 0.5 * record.substeps.at(-1)!.dt)
    if (Number.isNaN(drop)) return
    speed.push([frame.time, -meanOf(frame, ({ v }) => v, inSlab)])
    theory.push([frame.time, drop])
  })
  return { speed, theory }
}

/** Mean of √(2 g Δ) over the particles of the jet, m/s, where they were `before` seconds ago, when they had their velocities. */
function dropTo(frame: Frame, before: number): number {
  const level = surfaceLevel(frame)
  return meanOf(frame, ({ y, v }) => Math.sqrt(2 * GRAVITY * Math.max(0, level - (y - before * v))), inSlab)
}
