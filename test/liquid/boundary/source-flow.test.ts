/** Sources deliver what they promise: their own volume when they begin, and then u·A·t, whatever the substeps. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, sphere } from '../../../src/grid/shapes.js'
import type { SimulationOptions } from '../../../src/liquid/options.js'
import { createSimulation, type Simulation } from '../../../src/liquid/simulation.js'
import type { SceneSetting, Vector } from '../../../src/scene/setting.js'
import { body, EARTH, settingOf } from '../../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

const always = { from: 0, until: Infinity }
const still: Vector = [0, 0, 0]

interface Jet {
  readonly setting: SceneSetting
  /** m³, or m² in 2D: of the shape, and what leaves it in a second. */
  readonly volume: number
  readonly rate: number
}

/** A box at a side of the domain, m/s along x. */
function boxAtSide(dims: 2 | 3, gravity: Vector): Jet {
  const [n, h] = dims === 2 ? [48, 1 / 48] : [24, 1 / 24]
  const shape = dims === 2 ? [n, n] : [n, n, n]
  const [width, thickness, speed] = [0.25, 0.125, 1]
  const z = dims === 2 ? 0 : 0.5
  const phi = box([0, 0.7, z], [thickness, width / 2, width / 2])
  const area = dims === 2 ? width : width ** 2
  const sources = [{ ...body(phi, [speed, 0, 0]), ...always }]
  return { setting: settingOf(shape, h, { gravity: () => gravity, sources }), volume: thickness * area, rate: speed * area }
}

/** A ball in the open, with a velocity along no axis. */
function slantingBall(dims: 2 | 3, gravity: Vector): Jet {
  const [n, h] = dims === 2 ? [48, 1 / 48] : [24, 1 / 24]
  const shape = dims === 2 ? [n, n] : [n, n, n]
  const radius = 0.15
  const velocity: Vector = dims === 2 ? [0.8, -0.6, 0] : [0.7, -0.5, 0.51]
  const phi = sphere(dims === 2 ? [0.25, 0.75] : [0.25, 0.75, 0.25], radius)
  const [volume, area] =
    dims === 2 ? [Math.PI * radius ** 2, 2 * radius] : [(4 / 3) * Math.PI * radius ** 3, Math.PI * radius ** 2]
  const sources = [{ ...body(phi, velocity), ...always }]
  return {
    setting: settingOf(shape, h, { gravity: () => gravity, sources }),
    volume,
    rate: Math.hypot(...velocity) * area,
  }
}

/** Volumes over what they should be, after some frames: inside the surface, and by particles. */
async function deliver({ setting, volume, rate }: Jet, frames: number, substeps: number, options: SimulationOptions = {}) {
  const time = { minSubsteps: substeps, fps: 30, ...options.time }
  const simulation = await createSimulation(setting, { seed: 3, threads: 1, ...options, time })
  open.push(simulation)
  let record = await simulation.advance()
  while (record.index < frames) record = await simulation.advance()
  // Liquid comes in at the start of substeps.
  const until = record.time - record.substeps[record.substeps.length - 1].dt
  const wanted = volume + rate * until
  const { grid } = setting
  const perCell = options.particles?.perCell ?? (grid.dims === 2 ? 4 : 8)
  const particles = simulation.capture({ particles: true }).particles!.position.length / 3
  return {
    bySurface: record.volume / wanted,
    byExpectation: record.expectedVolume / wanted,
    byParticles: (particles * grid.spacing ** grid.dims) / perCell / wanted,
    simulation,
    record,
  }
}

function within(found: number, share: number): void {
  expect(Math.abs(found - 1)).toBeLessThan(share)
}

const GRAVITY = { none: still, earth: EARTH }

describe.each([
  { dims: 2, frames: 14 },
  { dims: 3, frames: 12 },
] as const)('in $dims D', ({ dims, frames }) => {
  describe.each([1, 3, 8])('with %i substeps a frame', substeps => {
    it.each(['flip', 'apic'] as const)('a box at a side delivers u A t, %s', async method => {
      const found = await deliver(boxAtSide(dims, still), frames, substeps, { particles: { method } })
      console.log(found.bySurface, found.byParticles)
      within(found.bySurface, 0.02)
      within(found.byParticles, 0.02)
      within(found.byExpectation, 0.02)
    })

    it('a slanting jet from a ball delivers u A t', async () => {
      const found = await deliver(slantingBall(dims, still), frames, substeps)
      console.log(found.bySurface, found.byParticles)
      within(found.bySurface, 0.02)
      within(found.byParticles, 0.02)
    })

    it('a jet that falls delivers u A t', async () => {
      const found = await deliver(boxAtSide(dims, GRAVITY.earth), frames, substeps)
      console.log(found.bySurface, found.byParticles)
      within(found.bySurface, 0.02)
      within(found.byParticles, 0.02)
    })
  })
})
