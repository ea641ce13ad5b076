/** A fixed body under water: the pressure on it sums up to the weight of the water it displaces. */

import { GRAVITY } from '../../pressure/gallery/scene.js'
import {
  type Bench,
  FLIP_2D,
  FLIP_3D,
  nameOf,
  type PlotPoint,
  relativeCheck,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { meanOfList, WATER_DENSITY } from '../measure.js'
import { ball, halfSpace, sceneOf } from '../scenes.js'

const BODY_RADIUS = 0.15

export const archimedes: ValidationCase = {
  name: 'archimedes',
  title: 'Archimedes',
  about: `A disc (2D) and a ball (3D) of radius ${BODY_RADIUS} m, fixed in a tank of 1 m that is filled to 0.71 m. Theory: the pressure on it adds up to
ρ g V, upwards. The force is that of the records, the sum over all cut cells of pressure times wall, in the mean over the last frames. Pressures are those of cell
centres, up to h/2 away from the wall, which matters where a row of cells touches the body over √(2 R h): hence an error of the
order of (h/R)^1.5. For an exact linear pressure it is 0.39 (h/R)^1.5 for the worse of two placements in 2D; the bound is (h/R)^1.5 / 2.`,
  async run(bench) {
    const checks = []
    const sizes = { 2: bench.choose([24, 32], [32, 64, 128]), 3: bench.choose([20], [24, 36, 48]) }
    const curves = []
    for (const variant of [FLIP_2D, FLIP_3D]) {
      const points: PlotPoint[] = []
      for (const cells of sizes[variant.dims])
        points.push([cells, (await buoyancy(bench, variant, cells)) / weight(variant.dims)])
      const [cells, ratio] = points[points.length - 1]
      const bound = (cells * BODY_RADIUS) ** -1.5 / 2
      checks.push(relativeCheck(`force over ρ g V, ${cells} cells, ${nameOf(variant)}`, '', ratio, 1, bound))
      curves.push({ name: nameOf(variant), kind: 'measured' as const, points })
    }
    const all = curves.flatMap(({ points }) => points.map(([cells]) => cells))
    const theory: PlotPoint[] = [Math.min(...all), Math.max(...all)].map(cells => [cells, 1])
    return {
      checks,
      figures: [
        {
          name: 'force',
          title: 'Buoyancy by resolution',
          x: 'cells along a side',
          y: 'force over ρ g V',
          curves: [{ name: 'theory', kind: 'theory', points: theory }, ...curves],
        },
      ],
    }
  },
}

const weight = (dims: 2 | 3) =>
  WATER_DENSITY * GRAVITY * (dims === 2 ? Math.PI * BODY_RADIUS ** 2 : (4 / 3) * Math.PI * BODY_RADIUS ** 3)

/** N, or N/m. */
async function buoyancy(bench: Bench, variant: Variant, cells: number): Promise<number> {
  const { dims } = variant
  const scene = sceneOf(variant, [1, 1, 1], cells, 12, {
    liquid: [halfSpace(dims, [0, 0.71, 0], [0, 1, 0])],
    solids: [ball(dims, [0.5, 0.35, 0.5], BODY_RADIUS)],
  })
  const forces: number[] = []
  await bench.simulate(scene, (frame, record) => {
    if (frame.index > 4) forces.push(record!.forces.solids[0].force[1])
  })
  return meanOfList(forces)
}
