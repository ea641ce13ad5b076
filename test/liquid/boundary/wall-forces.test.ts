/** Forces and torques on walls against what is known: hydrostatics, Archimedes, gates, a jet, and the momentum of all liquid. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, rotate, sphere } from '../../../src/grid/shapes.js'
import type { WallForces } from '../../../src/liquid/boundary/force-record.js'
import { simulateScene } from '../../../src/liquid/from-scene.js'
import type { SimulationOptions } from '../../../src/liquid/options.js'
import type { FrameRecord } from '../../../src/liquid/records.js'
import type { SimulationState } from '../../../src/liquid/saving/state.js'
import { createSimulation, type Simulation } from '../../../src/liquid/simulation.js'
import type { SceneInput } from '../../../src/scene/schema.js'
import type { SceneSetting, Vector } from '../../../src/scene/setting.js'
import { toMesh, torusMesh } from '../../scene/mesh/meshes.js'
import { body, moving, settingOf, solid, turning } from '../../support/settings.js'

const G = 9.81
const DENSITY = 800
const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(setting: SceneSetting, options: SimulationOptions = {}, state?: SimulationState): Promise<Simulation> {
  const simulation = await createSimulation(setting, { seed: 2, density: DENSITY, threads: 1, ...options }, state)
  open.push(simulation)
  return simulation
}

async function advance(simulation: Simulation, frames: number): Promise<FrameRecord[]> {
  const records: FrameRecord[] = []
  while (records.length < frames) records.push(await simulation.advance())
  return records
}

async function lastForces(setting: SceneSetting, frames: number, options: SimulationOptions = {}): Promise<WallForces> {
  return (await advance(await simulate(setting, options), frames)).at(-1)!.forces
}

const METHODS = [
  { name: 'FLIP', particles: { method: 'flip' } },
  { name: 'APIC', particles: { method: 'apic' } },
  { name: 'a band', particles: { method: 'flip', band: 3 } },
] as const

const SIZES = [
  { dims: 2, shape: [32, 24], h: 1 / 32, width: 1 },
  { dims: 3, shape: [16, 14, 10], h: 1 / 16, width: 10 / 16 },
] as const

describe.each(SIZES)('a tank at rest, $dims D', ({ dims, shape, h, width }) => {
  // Of half a cell more than whole ones, so that the surface is at centres.
  const H = dims === 2 ? 16.5 * h : 8.5 * h
  const setting = settingOf(shape, h, { liquid: [body(halfSpace([0, H, 0], [0, 1, 0]))] })
  it.each(METHODS)(
    'is pressed by ½ ρ g H² on its walls, at a third of the height, and by its weight on the floor: $name',
    async ({ particles }) => {
      const { sides, solids, seconds } = await lastForces(setting, 3, { particles })
      expect(seconds).toBeCloseTo(1 / 24, 9)
      expect(solids).toEqual([])
      expect(Object.keys(sides)).toEqual(['left', 'right', 'bottom', 'top', 'back', 'front'].slice(0, 2 * dims))
      const wall = 0.5 * DENSITY * G * H ** 2 * width
      const moment = (DENSITY * G * H ** 3 * width) / 6
      // Midpoint rule: second order, and exact but for the cell at the surface, which particles leave off by a few hundredths of a cell.
      const bound = (h / H) ** 2
      expect(Math.abs(sides.left!.force[0] / -wall - 1)).toBeLessThan(bound)
      expect(Math.abs(sides.right!.force[0] / wall - 1)).toBeLessThan(bound)
      expect(Math.abs(sides.left!.torque[2] / moment - 1)).toBeLessThan(2 * bound)
      expect(Math.abs(sides.right!.torque[2] / -moment - 1)).toBeLessThan(2 * bound)
      // The pressure at centres, half a cell above the floor; the level is off by a few hundredths of a cell.
      const floor = DENSITY * G * (H - h / 2) * width * shape[0] * h
      expect(Math.abs(sides.bottom!.force[1] / -floor - 1)).toBeLessThan((0.05 * h) / H)
      expect(Math.abs(sides.bottom!.force[0])).toBe(0)
      expect(sides.top!.force).toEqual([0, 0, 0])
      if (dims === 2) return expect(sides.left!.torque.slice(0, 2)).toEqual([0, 0])
      expect(Math.abs(sides.back!.force[2] / ((-wall * shape[0] * h) / width) - 1)).toBeLessThan(bound)
    },
  )
})

describe('a gate that holds back liquid', () => {
  const H = 0.53
  /** Tilted by an angle from the vertical, hinged where it meets the floor. */
  const gate = (angle: number) => rotate(box([0.6, 0.5, 0.5], [0.1, 1, 2]), -angle, [0.5, 0])
  const cases = [0, 0.4, -0.3].flatMap(angle => SIZES.map(({ dims }) => ({ angle, dims })))
  it.each(cases)('feels ρ g H³ / 6 about its hinge, more if it is tilted by $angle, $dims D', async ({ angle, dims }) => {
    const cells = dims === 2 ? 48 : 24
    const shape = dims === 2 ? [cells, cells] : [cells, cells, cells / 4]
    const width = dims === 2 ? 1 : 0.25
    const phi = gate(angle)
    const hinge: Vector = [0.5, 0, 0]
    const setting = settingOf(shape, 1 / cells, {
      liquid: [body((x, y, z) => Math.max(y - H, x - 0.5 - y * Math.tan(angle), -phi(x, y, z)))],
      solids: [solid(phi, { name: 'gate', walls: 'sticking', pivotAt: () => hinge })],
    })
    const { solids } = await lastForces(setting, 4)
    const [{ name, pivot, force, torque }] = solids
    expect([name, pivot]).toEqual(['gate', hinge])
    const length = H / Math.cos(angle)
    const moment = (DENSITY * G * Math.cos(angle) * length ** 3 * width) / 6
    const bound = 1.5 / (cells * H)
    expect(Math.abs(force[0] / (0.5 * DENSITY * G * H ** 2 * width) - 1)).toBeLessThan(bound)
    expect(Math.abs(torque[2] / -moment - 1)).toBeLessThan(bound)
  })
})

describe('Archimedes', () => {
  const R = 0.15
  const weightOf = (volume: number) => DENSITY * G * volume
  /** For an exact linear pressure at centres the error is 0.39 (h/R)^1.5 in the worse of two placements. */
  const bound = (cells: number) => (cells * R) ** -1.5 / 2

  it.each([
    { dims: 2, shape: [48, 48], volume: Math.PI * R ** 2 },
    { dims: 3, shape: [24, 24, 24], volume: (4 / 3) * Math.PI * R ** 3 },
  ])(
    'lifts a ball by the weight of the liquid it displaces, without a torque about its centre, $dims D',
    async ({ dims, shape, volume }) => {
      const centre: Vector = [0.47, 0.36, dims === 2 ? 0 : 0.52]
      const ball = solid(sphere([...centre], R), { pivotAt: () => centre })
      const setting = settingOf(shape, 1 / shape[0], { liquid: [body(halfSpace([0, 0.71, 0], [0, 1, 0]))], solids: [ball] })
      const [{ force, torque }] = (await lastForces(setting, 6)).solids
      const weight = weightOf(volume)
      expect(Math.abs(force[1] / weight - 1)).toBeLessThan(bound(shape[0]))
      expect(Math.hypot(force[0], force[2]) / weight).toBeLessThan(bound(shape[0]))
      expect(Math.hypot(...torque) / (weight * R)).toBeLessThan(bound(shape[0]))
    },
  )

  it('lifts a mesh', async () => {
    const [ring, tube] = [0.25, 0.1]
    const scene: SceneInput = {
      version: 1,
      domain: { size: [1, 1, 1], resolution: 24 },
      density: DENSITY,
      liquid: [{ shape: 'halfSpace', point: [0, 0.71, 0], normal: [0, 1, 0] }],
      solids: [
        {
          mesh: 'ring.obj',
          rotate: { axis: [1, 0, 0], angle: 60 },
          pivot: [0, 0, 0],
          translate: [0.5, 0.35, 0.5],
          name: 'ring',
        },
      ],
    }
    const simulation = await simulateScene({ scene, meshes: new Map([['ring.obj', toMesh(torusMesh(ring, tube, 48, 24))]]) })
    open.push(simulation)
    const [{ name, pivot, force, torque }] = (await advance(simulation, 4)).at(-1)!.forces.solids
    expect([name, pivot]).toEqual(['ring', [0.5, 0.35, 0.5]])
    const weight = weightOf(2 * Math.PI ** 2 * ring * tube ** 2)
    expect(Math.abs(force[1] / weight - 1)).toBeLessThan((24 * tube) ** -1.5 / 2)
    expect(Math.hypot(...torque) / (weight * ring)).toBeLessThan((24 * tube) ** -1.5 / 2)
  })

  it('lifts a box that is carried along with its tank at a constant speed', async () => {
    const h = 1 / 40
    const velocity: Vector = [0.5, 0, 0]
    const setting = settingOf([60, 40], h, {
      liquid: [body((x, y) => Math.max(y - 0.71, Math.abs(x - 0.6) - 0.4), velocity)],
      solids: [
        moving(box([0.6, 0.3, 0], [0.13, 0.1, 1]), velocity, { name: 'box' }),
        moving(x => 0.4 - Math.abs(x - 0.6), velocity, { name: 'walls', walls: 'sticking' }),
      ],
    })
    const [{ force }] = (await lastForces(setting, 8)).solids
    // Its faces are along the grid: both pressures are those of centres half a cell away, as on a box that is a cell higher.
    expect(Math.abs(force[1] / weightOf(0.26 * (0.2 + h)) - 1)).toBeLessThan(0.015)
    expect(Math.abs(force[0]) / weightOf(0.26 * 0.2)).toBeLessThan(0.02)
  })
})

describe('a jet on a plate', () => {
  const [speed, thickness, length] = [2, 0.2, 1.4]
  it.each(METHODS)('pushes with ρ A u², $name', async ({ particles }) => {
    const cells = 64
    const h = 1.6 / cells
    const setting = settingOf([cells + 8, 48], h, {
      gravity: () => [0, 0, 0],
      sides: { x: ['open', 'open'], y: ['open', 'open'] },
      liquid: [body(box([length / 2, 0.6, 0], [length / 2, thickness / 2, 1]), [speed, 0, 0])],
      solids: [solid(halfSpace([1.6 + 0.3 * h, 0, 0], [-1, 0, 0]), { pivotAt: () => [1.6, 0.6, 0] })],
    })
    const records = (await advance(await simulate(setting, { particles }), 14)).filter(({ time }) => time > 0.25)
    const mean = (value: (forces: WallForces) => number) =>
      records.reduce((sum, { forces }) => sum + value(forces), 0) / records.length
    const theory = DENSITY * thickness * speed ** 2
    expect(Math.abs(mean(({ solids }) => solids[0].force[0]) / theory - 1)).toBeLessThan(0.05)
    expect(Math.abs(mean(({ solids }) => solids[0].torque[2])) / (theory * thickness)).toBeLessThan(0.05)
  })
})

describe('all liquid', () => {
  it.each(METHODS.flatMap(method => SIZES.map(({ dims }) => ({ ...method, dims }))))(
    'changes its momentum by weight and walls, over all frames: $name, $dims D',
    async ({ particles, dims }) => {
      const shape = dims === 2 ? [48, 48] : [24, 24, 12]
      const h = 1 / shape[0]
      const setting = settingOf(shape, h, {
        liquid: [body(box([0.2, 0.4, 0], [0.2, 0.4, 2]))],
        solids: [solid(box([0.75, 0, 0], [0.08, 0.12, 2]))],
      })
      const impulse = [0, 0, 0]
      let weight = 0
      for (const { forces, momentum, particleVolume } of await advance(await simulate(setting, { particles }), 16)) {
        weight += DENSITY * G * particleVolume * forces.seconds
        impulse[1] -= DENSITY * G * particleVolume * forces.seconds
        for (const { force } of [...forces.solids, ...Object.values(forces.sides)])
          for (let axis = 0; axis < 3; axis++) impulse[axis] -= force[axis] * forces.seconds
        // The floor carries half a cell of the 0.3 m of liquid without a pressure, and a wall stops as much.
        const difference = momentum.map((part, axis) => Math.abs(part - impulse[axis]) / weight)
        expect(Math.max(...difference)).toBeLessThan(h / 0.4)
      }
    },
  )

  it('pushes a separating ceiling and never pulls it, but hangs on a sticking one', async () => {
    const hanging = (walls: 'separating' | 'sticking') =>
      settingOf([24, 24], 1 / 24, {
        sides: { x: ['open', 'open'], y: ['open', walls] },
        liquid: [body(box([0.5, 0.8, 0], [0.3, 0.2, 1]))],
      })
    expect((await lastForces(hanging('separating'), 2)).sides).toEqual({
      top: { force: [0, 0, 0], torque: [0, 0, 0] },
    })
    const { top } = (await lastForces(hanging('sticking'), 1)).sides
    expect(top!.force[1]).toBeLessThan(-0.2 * DENSITY * G * 0.24)
  })
})

describe('records of forces', () => {
  const busy = (dims: 2 | 3) => {
    const z = dims === 2 ? 0 : 0.5
    return settingOf(dims === 2 ? [24, 24] : [12, 12, 12], dims === 2 ? 1 / 24 : 1 / 12, {
      liquid: [body(box([0.3, 0.35, z], [0.3, 0.35, 0.5]), [1, 0, 0])],
      solids: [
        solid(box([0.5, 0, z], [0.1, 0.2, 0.2])),
        moving(sphere([0, 0.4, z], 0.15), [3, 0, 0]),
        turning(box([0.75, 0.35, z], [0.2, 0.08, 0.3]), 8, [0.75, 0.35], { pivotAt: () => [0.75, 0.35, z] }),
      ],
    })
  }
  const forcesOf = (records: readonly FrameRecord[]) =>
    records.map(({ forces, substeps }) => [forces, substeps.map(substep => substep.forces)])
  const variants = [
    { dims: 2, particles: { method: 'flip' } },
    { dims: 2, particles: { method: 'apic', band: 3 } },
    { dims: 3, particles: { method: 'flip', band: 3 } },
  ] as const

  it.each(variants)('have the same bits for any number of threads, and from a saved state: %j', async ({ dims, particles }) => {
    const setting = busy(dims)
    const first = await simulate(setting, { particles })
    const before = await advance(first, 3)
    const state = first.save()
    const after = await advance(first, 2)
    expect(Math.hypot(...after[1].forces.solids[2].force)).toBeGreaterThan(1)
    expect(forcesOf(await advance(await simulate(setting, { particles, threads: 3 }), 5))).toEqual(
      forcesOf([...before, ...after]),
    )
    expect(forcesOf(await advance(await simulate(setting, { particles }, state), 2))).toEqual(forcesOf(after))
  })

  it('are those of a frame that was never aborted', async () => {
    const [simulation, other] = [await simulate(busy(2)), await simulate(busy(2))]
    await simulation.advance()
    await other.advance()
    const controller = new AbortController()
    const observe = () => controller.abort()
    await expect(simulation.advance({ signal: controller.signal, observe })).rejects.toThrow()
    expect(forcesOf([await simulation.advance()])).toEqual(forcesOf([await other.advance()]))
  })

  it('of a frame are the means of its substeps, by their lengths', async () => {
    const [{ forces, substeps }] = (await advance(await simulate(busy(2), { time: { minSubsteps: 3 } }), 2)).slice(-1)
    const seconds = substeps.reduce((sum, substep) => sum + substep.forces.seconds, 0)
    expect(forces.seconds).toBeCloseTo(seconds, 12)
    const impulse = substeps.reduce((sum, substep) => sum + substep.forces.solids[0].torque[2] * substep.forces.seconds, 0)
    expect(forces.solids[0].torque[2]).toBeCloseTo(impulse / seconds, 9)
    expect(substeps[0].forces.solids[0].torque[2]).not.toBe(substeps[1].forces.solids[0].torque[2])
  })

  it('include the ball of an interaction while it is there', async () => {
    const simulation = await simulate(settingOf([32, 32], 1 / 32, { liquid: [body(halfSpace([0, 0.6, 0], [0, 1, 0]))] }))
    const [before] = await advance(simulation, 1)
    expect(before.forces.solids).toEqual([])
    simulation.influence({ obstacle: { centre: [0.5, 0.3, 0], radius: 0.1 } })
    const { solids } = (await advance(simulation, 24)).at(-1)!.forces
    expect(solids.map(({ name, pivot }) => [name, pivot])).toEqual([['the ball', [0.5, 0.3, 0]]])
    expect(Math.abs(solids[0].force[1] / (DENSITY * G * Math.PI * 0.01) - 1)).toBeLessThan(0.15)
    simulation.influence({ obstacle: null })
    expect((await advance(simulation, 2)).at(-1)!.forces.solids).toEqual([])
  })
})
