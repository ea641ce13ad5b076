/** What becomes of errors with shorter substeps and smaller cells. */
import type { SceneInput } from '../../scene/schema.js'
import {
  APIC_2D,
  absoluteCheck,
  type Bench,
  FLIP_2D,
  nameOf,
  type PlotPoint,
  relativeCheck,
  type ValidationCase,
} from '../case.js'
import { kineticEnergy, totalEnergy } from '../measure.js'
import { ball, box, sceneOf } from '../scenes.js'
import { slosh } from './sloshing.js'

/** rad/s. */
const DISC_SPIN = 4
/** Frames after which energies are compared. */
const DAM_FRAMES = 23
const SPIN_FRAMES = 24

export const timeConvergence: ValidationCase = {
  name: 'time-convergence',
  title: 'Convergence in time',
  about: `Two scenes with shorter and shorter substeps. *Dam break*: a column of 0.5 m × 0.8 m in a tank of 2 m × 1 m; its energy after 0.96 s with the default step is
compared with that for short substeps (the smallest \`cfl\` of the plot), and no energy may exceed that of the start. *Rotation*: a disc full of water that turns with ω = ${DISC_SPIN}/s, FLIP ratio 1. A
scheme of first order loses kinetic energy at the rate ω² dt; one of second order must stay below a tenth of it.`,
  async run(bench) {
    const cfls = bench.choose([0.5, 1, undefined], [0.25, 0.5, 1, 2, undefined])
    const dams = []
    for (const cfl of cfls) dams.push(await collapse(bench, cfl))
    const [limit, usual] = [dams[0], dams[dams.length - 1]]
    const most = Math.max(...dams.map(({ highest }) => highest))
    const decays: PlotPoint[] = []
    for (const substeps of bench.choose([1, 2], [1, 2, 4, 8])) decays.push(await turn(bench, substeps))
    const [step, decay] = decays[0]
    return {
      checks: [
        relativeCheck('energy of a dam break, default step, over E at the start', '', usual.energy, limit.energy, 0.02),
        absoluteCheck('highest energy over E at the start', '', most, 1, 0.005),
        absoluteCheck('decay of a rotation over ω² dt, one substep a frame', '', decay / (DISC_SPIN ** 2 * step), 0, 0.1),
      ],
      figures: [
        {
          name: 'dam-break',
          title: 'Energy of a dam break by length of the substeps',
          x: 'mean substep (ms)',
          y: 'E after 0.96 s over E at the start',
          curves: [
            {
              name: 'shortest substeps',
              kind: 'theory',
              points: [
                [0, limit.energy],
                [1000 * usual.step, limit.energy],
              ],
            },
            { name: nameOf(FLIP_2D), kind: 'measured', points: dams.map(({ step: dt, energy }) => [1000 * dt, energy]) },
          ],
        },
        {
          name: 'rotation',
          title: 'Decay of a rotation by length of the substeps',
          x: 'substep (ms)',
          y: 'decay of the kinetic energy (1/s)',
          curves: [
            {
              name: 'first order, ω² dt',
              kind: 'theory',
              points: [
                [0, 0],
                [1000 * step, DISC_SPIN ** 2 * step],
              ],
            },
            { name: nameOf(FLIP_2D), kind: 'measured', points: decays.map(([dt, rate]) => [1000 * dt, rate]) },
          ],
        },
      ],
    }
  },
}

export const spaceConvergence: ValidationCase = {
  name: 'space-convergence',
  title: 'Convergence in space',
  about: `The first mode of [sloshing](#sloshing-frequencies) on finer and finer grids, at 24 frames a second. Theory: the error of the period falls with the cells. The finest
grid must be within 0.3 %, and no worse than the coarsest.`,
  async run(bench) {
    const sizes = bench.choose([16, 32], [16, 32, 64, 128])
    const curves = []
    const checks = []
    for (const variant of [FLIP_2D, APIC_2D]) {
      const points: PlotPoint[] = []
      for (const cells of sizes) {
        const { wave, omega } = await slosh(bench, variant, 1, cells)
        points.push([cells, 100 * (omega / wave.omega - 1)])
      }
      const [coarse, fine] = [points[0][1], points[points.length - 1][1]]
      checks.push(
        absoluteCheck(
          `error of the period, ${sizes[sizes.length - 1]} cells, ${nameOf(variant)}`,
          '%',
          fine,
          0,
          bench.choose(1, 0.3),
        ),
        absoluteCheck(`finest over coarsest error, ${nameOf(variant)}`, '', Math.abs(fine / coarse), 0, 1),
      )
      curves.push({ name: nameOf(variant), kind: 'measured' as const, points })
    }
    const ends: PlotPoint[] = [sizes[0], sizes[sizes.length - 1]].map(cells => [cells, 0])
    return {
      checks,
      figures: [
        {
          name: 'period',
          title: 'Error of the sloshing period by resolution',
          x: 'cells along the tank',
          y: 'error of the period (%)',
          curves: [{ name: 'theory', kind: 'theory', points: ends }, ...curves],
        },
      ],
    }
  },
}

async function collapse(bench: Bench, cfl: number | undefined): Promise<{ step: number; energy: number; highest: number }> {
  const scene = sceneOf(FLIP_2D, [2, 1, 1], bench.choose(48, 96), DAM_FRAMES, {
    liquid: [box(2, [0, 0, 0], [0.5, 0.8, 1])],
    time: cfl === undefined ? {} : { cfl, maxSubsteps: 200 },
  })
  const energies: number[] = []
  const { substeps } = await watch(bench, scene, frame => energies.push(totalEnergy(frame)))
  const over = energies.map(energy => energy / energies[0])
  return { step: DAM_FRAMES / 24 / substeps, energy: over[over.length - 1], highest: Math.max(...over) }
}

/** Length of a substep and decay rate of the kinetic energy, 1/s. */
async function turn(bench: Bench, minSubsteps: number): Promise<PlotPoint> {
  const inside = ball(2, [0.5, 0.5, 0], 0.45)
  const scene = sceneOf(FLIP_2D, [1, 1, 1], bench.choose(32, 64), SPIN_FRAMES, {
    gravity: [0, 0],
    liquid: [{ ...inside, spin: { centre: [0.5, 0.5], rate: DISC_SPIN } }],
    solids: [{ shape: 'complement', of: inside }],
    particles: { flipRatio: 1 },
    // As few substeps as asked for, whatever the speed.
    time: { minSubsteps, maxSubsteps: minSubsteps },
  })
  const energies: number[] = []
  const { substeps } = await watch(bench, scene, frame => energies.push(kineticEnergy(frame)))
  const seconds = SPIN_FRAMES / 24
  return [seconds / substeps, Math.log(energies[0] / energies[energies.length - 1]) / seconds]
}

async function watch(bench: Bench, scene: SceneInput, visit: Parameters<Bench['simulate']>[1]): Promise<{ substeps: number }> {
  let substeps = 0
  await bench.simulate(scene, (frame, record) => {
    substeps += record?.substeps.length ?? 0
    visit(frame, record)
  })
  return { substeps }
}
