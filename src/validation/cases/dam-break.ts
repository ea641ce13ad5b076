/** A column of water that collapses: its front and its height beside the experiments of Martin and Moyce. */
import type { Frame } from '../../liquid/frame.js'
import { GRAVITY } from '../../pressure/gallery/scene.js'
import {
  absoluteCheck,
  type Bench,
  nameOf,
  type PlotPoint,
  relativeCheck,
  VARIANTS,
  type ValidationCase,
  type Variant,
} from '../case.js'
import { fitPolynomial, interpolate } from '../fit.js'
import { meanOfList, surfaceColumns } from '../measure.js'
import { box, sceneOf } from '../scenes.js'

/** Width of the column, m; it is twice as high. Any size will do: the liquid has neither viscosity nor surface tension. */
const COLUMN_WIDTH = 2

/** Martin and Moyce 1952, Table 2, n² = 2, a = 2¼ in: T = t √(2 g/a) and Z = x/a of the front. */
const MEASURED_FRONT: readonly PlotPoint[] = [
  [0.41, 1.11],
  [0.84, 1.22],
  [1.19, 1.44],
  [1.43, 1.67],
  [1.63, 1.89],
  [1.83, 2.11],
  [1.98, 2.33],
  [2.2, 2.56],
  [2.32, 2.78],
  [2.51, 3.0],
  [2.65, 3.22],
  [2.83, 3.44],
  [2.98, 3.67],
  [3.11, 3.89],
  [3.33, 4.11],
]

/** Table 6: τ = t √(g/a) and H = η/(2 a) of the remaining column. */
const MEASURED_HEIGHT: readonly PlotPoint[] = [
  [0.56, 0.94],
  [0.77, 0.89],
  [0.93, 0.83],
  [1.08, 0.78],
  [1.28, 0.72],
  [1.46, 0.67],
  [1.66, 0.61],
  [1.84, 0.56],
  [2.0, 0.5],
  [2.21, 0.44],
  [2.45, 0.39],
]

export const damBreak: ValidationCase = {
  name: 'dam-break',
  title: 'Dam break',
  about: `A column twice as high as wide collapses onto a dry floor. Data: Martin and Moyce 1952, Tables 2 and 6 (n² = 2, a = 2¼ in), as reprinted with several
other codes (the paper itself was not at hand): front Z = x/a over T = t √(2 g/a), height H = η/(2 a) over τ = t √(g/a). In the experiment a diaphragm has to open and the floor has friction; in the
simulation the column is free at once and the floor smooth, so its front is ahead. Therefore the *speed* of the front is compared, the slope of Z from 1.89 to 4.11. The
lead, the mean distance in T at the same Z, has no theory: its bound of 0.3 is set by Peel itself, which is ahead by 0.25 to 0.26 with short substeps
(\`cfl\` 0.5). The dashed line is the limit of shallow water, 2 √(g H) (Ritter 1892).`,
  async run(bench) {
    const results = []
    for (const variant of VARIANTS) results.push({ name: nameOf(variant), ...(await collapse(bench, variant)) })
    const loose = bench.choose(1.25, 1)
    return {
      checks: results.flatMap(({ name, front, height }) => {
        const late = MEASURED_FRONT.filter(([, z]) => z >= 1.89)
        const speed = (points: readonly PlotPoint[]) => fitPolynomial(points, 1)[1]
        const times = (points: readonly PlotPoint[]) => points.map(([t, z]): PlotPoint => [z, t])
        const own = late.map(([, z]): PlotPoint => [interpolate(times(ascending(front)), z), z])
        const ahead = meanOfList(late.map(([t], at) => t - own[at][0]))
        const lower = MEASURED_HEIGHT.map(([time, h]) => Math.abs(interpolate(height, time) - h))
        return [
          relativeCheck(`speed of the front over √(2 g a), ${name}`, '', speed(own), speed(late), 0.1 * loose),
          absoluteCheck(`lead of the front in T, ${name}`, '', ahead, 0, 0.3 * loose),
          absoluteCheck(`mean distance of the height, ${name}`, '', meanOfList(lower), 0, 0.05 * loose),
        ]
      }),
      figures: [
        {
          name: 'front',
          title: 'Front of a dam break over time',
          x: 'T = t √(2 g/a)',
          y: 'Z = x/a',
          curves: [
            { name: 'Martin, Moyce 1952', kind: 'data', points: MEASURED_FRONT },
            {
              name: 'Ritter 1892',
              kind: 'theory',
              points: [
                [0, 1],
                [1.6, 4.2],
              ],
            },
            ...results.map(({ name, front }) => ({ name, kind: 'measured' as const, points: front })),
          ],
        },
        {
          name: 'height',
          title: 'Height of the collapsing column over time',
          x: 'τ = t √(g/a)',
          y: 'H = η/(2 a)',
          curves: [
            { name: 'Martin, Moyce 1952', kind: 'data', points: MEASURED_HEIGHT },
            ...results.map(({ name, height }) => ({ name, kind: 'measured' as const, points: height })),
          ],
        },
      ],
    }
  },
}

async function collapse(bench: Bench, variant: Variant): Promise<{ front: PlotPoint[]; height: PlotPoint[] }> {
  const { dims } = variant
  const across = dims === 2 ? bench.choose(10, 32) : bench.choose(6, 16)
  const scene = sceneOf(variant, [5 * COLUMN_WIDTH, 2.4 * COLUMN_WIDTH, COLUMN_WIDTH / 2], 5 * across, 28, {
    liquid: [box(dims, [0, 0, 0], [COLUMN_WIDTH, 2 * COLUMN_WIDTH, COLUMN_WIDTH])],
  })
  const front: PlotPoint[] = []
  const height: PlotPoint[] = []
  await bench.simulate(scene, frame => {
    const t = frame.time * Math.sqrt(GRAVITY / COLUMN_WIDTH)
    const z = frontOf(frame) / COLUMN_WIDTH
    // At the far wall the front ends.
    if (z < 4.4 && front.every(([, before]) => before <= z)) front.push([t * Math.SQRT2, z])
    if (t < 2.5) height.push([t, meanOfList(columnsAtWall(frame)) / (2 * COLUMN_WIDTH)])
  })
  return { front, height }
}

/** Farthest point of the surface within three cells of the floor, m. A thrown drop is higher. */
function frontOf({ grid, liquid }: Frame): number {
  const [nx, ny, nz] = grid.shape
  const fronts: number[] = []
  for (let k = 0; k < nz; k++) {
    let farthest = 0
    for (let j = 0; j < 3; j++)
      for (let i = nx - 2; i >= 0; i--) {
        const [inner, outer] = [liquid[i + nx * (j + ny * k)], liquid[i + 1 + nx * (j + ny * k)]]
        if (!(inner < 0 && outer >= 0)) continue
        farthest = Math.max(farthest, (i + 0.5 + inner / (inner - outer)) * grid.spacing)
        break
      }
    fronts.push(farthest)
  }
  return meanOfList(fronts)
}

const columnsAtWall = (frame: Frame) => surfaceColumns(frame, x => x < 2 * frame.grid.spacing).map(({ height }) => height)

/** Without points behind an earlier one. */
function ascending(points: readonly PlotPoint[]): PlotPoint[] {
  let farthest = 0
  return points.filter(([, z]) => {
    if (z <= farthest) return false
    farthest = z
    return true
  })
}
