/** Scenes that nobody would draw: whatever is asked, a simulation goes on, keeps its particles out of solids, and says how its solves ended. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, complement, halfSpace, intersection, rotate, shell, sphere } from '../../src/grid/shapes.js'
import { InputError } from '../../src/input-error.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import { parseMesh } from '../../src/scene/mesh/file.js'
import { createMeshShape } from '../../src/scene/mesh.js'
import type { SceneSetting, Vector } from '../../src/scene/setting.js'
import { body, moving, settingOf, solid, turning } from '../support/settings.js'
import { type Watched, watchFrames } from '../support/watched.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function watch(setting: SceneSetting, options: SimulationOptions = {}, frames = 12): Promise<Watched> {
  const simulation = await createSimulation(setting, { threads: 1, seed: 1, ...options })
  open.push(simulation)
  const watched = await watchFrames(simulation, frames)
  expect(watched.substeps).toBeLessThanOrEqual(options.time?.maxSubsteps ?? 32)
  return watched
}

const in2D = (parts: Partial<SceneSetting>, n = 16) => settingOf([n, n], 1 / n, parts)
const in3D = (parts: Partial<SceneSetting>, n = 10) => settingOf([n, n, n], 1 / n, parts)
const everywhere = () => -1
const lower = halfSpace([0, 0.5, 0], [0, 1, 0])
const left = (x: number) => halfSpace([x, 0, 0], [1, 0, 0])
const always = { from: 0, until: Infinity }
const source = (phi: typeof lower, velocity: Vector) => ({ ...body(phi, velocity), ...always })
const ball = (x: number, y: number, radius: number) => sphere([x, y, 0.5], radius)
const flatBall = (x: number, y: number, radius: number) => sphere([x, y], radius)
const OPEN = ['open', 'open'] as const
const STICKING = ['sticking', 'sticking'] as const

/** Goes well in every respect. */
function expectGood({ statuses, nearest }: Watched): void {
  expect([...statuses]).toEqual(['converged'])
  expect(nearest).toBeGreaterThan(0)
}

describe('a simulation goes on', () => {
  const cases: Record<string, SceneSetting> = {
    'without liquid': in2D({}),
    'without liquid, 3D': in3D({}),
    'with solids everywhere': in2D({ liquid: [body(lower)], solids: [solid(everywhere)] }),
    'with liquid inside of a solid': in2D({ liquid: [body(flatBall(0.5, 0.5, 0.3))], solids: [solid(flatBall(0.5, 0.5, 0.35))] }),
    'with liquid partly in a solid': in2D({ liquid: [body(flatBall(0.5, 0.5, 0.3))], solids: [solid(flatBall(0.4, 0.5, 0.25))] }),
    'in one cell': settingOf([1, 1], 1, { liquid: [body(everywhere)] }),
    'in one cell, 3D': settingOf([1, 1, 1], 1, { liquid: [body(lower)] }),
    'in one open cell': settingOf([1, 1], 1, { sides: { x: OPEN, y: OPEN }, liquid: [body(lower)] }),
    'in one column': settingOf([1, 16], 1 / 16, { liquid: [body(lower)] }),
    'in one row': settingOf([16, 1], 1 / 16, { liquid: [body(left(0.5))] }),
    'in one plane across x': settingOf([1, 12, 6], 0.1, { liquid: [body(lower)] }),
    'in one plane across y': settingOf([12, 1, 6], 0.1, { liquid: [body(left(0.5))] }),
    'in one plane across z': settingOf([12, 12, 1], 0.1, { liquid: [body(lower)] }),
    'in one row along z': settingOf([1, 1, 9], 0.1, { liquid: [body(halfSpace([0, 0, 0.5], [0, 0, 1]))] }),
    'at 1000 m/s': in2D({ liquid: [body(flatBall(0.5, 0.5, 0.3), [1000, 300, 0])] }),
    'at 1000 m/s, 3D': in3D({ liquid: [body(ball(0.5, 0.5, 0.3), [1000, 300, -500])] }),
    'at 1000 m/s in a ball': in2D({
      liquid: [body(flatBall(0.5, 0.5, 0.2), [1000, 300, 0])],
      solids: [solid(complement(flatBall(0.5, 0.5, 0.45)))],
    }),
    'in a millimetre': settingOf([16, 16], 1e-3 / 16, { liquid: [body(sphere([5e-4, 5e-4], 3e-4))] }),
    'in a millimetre, 3D': settingOf([10, 10, 10], 1e-4, { liquid: [body(sphere([5e-4, 5e-4, 5e-4], 3e-4))] }),
    'in a kilometre': settingOf([16, 16], 1000 / 16, { liquid: [body(sphere([500, 500], 300))] }),
    'in a kilometre, 3D': settingOf([10, 10, 10], 100, { liquid: [body(halfSpace([0, 500, 0], [0, 1, 0]))] }),
    'without gravity': in2D({ gravity: () => [0, 0, 0], liquid: [body(lower)] }),
    'with gravity to the side': in2D({ gravity: () => [9.81, 0, 0], liquid: [body(lower)] }),
    'with gravity upwards': in3D({ gravity: () => [0, 9.81, 0], liquid: [body(lower)] }),
    'with gravity that turns': in2D({
      gravity: time => [9.81 * Math.sin(20 * time), 9.81 * Math.cos(20 * time), 0],
      liquid: [body(lower)],
    }),
    'with gravity ten thousand times as strong': in2D({ gravity: () => [0, -1e5, 0], liquid: [body(lower)] }),
    'with a source alone': in2D({ sources: [source(flatBall(0.5, 0.8, 0.1), [0, -2, 0])] }),
    'with a source alone, 3D': in3D({ sources: [source(ball(0.5, 0.8, 0.15), [0, -2, 0])] }),
    'with a source and a drain': in2D({
      liquid: [body(lower)],
      sources: [source(flatBall(0.2, 0.8, 0.1), [1, -2, 0])],
      drains: [{ phi: flatBall(0.9, 0.1, 0.15), ...always }],
    }),
    'with a source that is a drain': in2D({
      sources: [source(flatBall(0.5, 0.5, 0.2), [1, -2, 0])],
      drains: [{ phi: flatBall(0.5, 0.5, 0.2), ...always }],
    }),
    'with a drain in full liquid': in2D({ liquid: [body(everywhere)], drains: [{ phi: flatBall(0.5, 0, 0.1), ...always }] }),
    'with a ball shot through it': in2D({ liquid: [body(lower)], solids: [moving(flatBall(-0.5, 0.4, 0.2), [20, 0, 0])] }),
    'with a ball shot through it, 3D': in3D({ liquid: [body(lower)], solids: [moving(ball(-0.5, 0.4, 0.25), [10, 0, 0])] }),
    'with a ball pressed into a side': in2D({
      liquid: [body(lower)],
      solids: [solid(flatBall(0.5, 0.4, 0.2), { walls: 'sticking', friction: 1 }), moving(flatBall(0.2, 0.4, 0.2), [1.3, 0, 0])],
    }),
    'with a paddle': in2D({ liquid: [body(lower)], solids: [turning(box([0.5, 0.5], [0.4, 0.04]), 8, [0.5, 0.5])] }),
    'with a paddle that whirls': in2D({
      liquid: [body(lower)],
      solids: [turning(box([0.5, 0.5], [0.4, 0.04]), 100, [0.5, 0.5])],
    }),
    'with a paddle, 3D': in3D({
      liquid: [body(lower)],
      solids: [turning(box([0.5, 0.5, 0.5], [0.4, 0.06, 0.3]), 8, [0.5, 0.5])],
    }),
    'with solids that overlap and pass through each other': in2D({
      liquid: [body(lower)],
      solids: [
        solid(flatBall(0.4, 0.4, 0.2)),
        solid(flatBall(0.5, 0.4, 0.2), { walls: 'sticking', friction: 1 }),
        moving(flatBall(0.2, 0.4, 0.2), [1, 0, 0]),
      ],
    }),
    'with 255 solids': in2D({ liquid: [body(lower)], solids: specks(255) }),
    'with a wall half a cell thick': in2D({ liquid: [body(left(0.45))], solids: [solid(box([0.5, 0.5], [0.25 / 16, 1]))] }),
    'with a tilted wall half a cell thick': in2D({
      liquid: [body(left(0.4))],
      solids: [solid(rotate(box([0.5, 0.5], [0.25 / 16, 1]), 0.2, [0.5, 0.5]))],
    }),
  }
  it.each(Object.entries(cases))('%s', async (_, setting) => expectGood(await watch(setting)))

  it('with a thin plate shot through it, though what it shuts in at the side has nowhere to go', async () => {
    const plate = moving(box([-0.5, 0.5], [0.02, 0.6]), [30, 0, 0])
    const { statuses, nearest } = await watch(in2D({ liquid: [body(lower)], solids: [plate] }))
    for (const status of statuses) expect(['converged', 'infeasible']).toContain(status)
    expect(nearest).toBeGreaterThan(0)
  })

  it('until open sides have taken all of it', async () => {
    const { records, statuses } = await watch(
      in3D({ sides: { x: OPEN, y: OPEN, z: OPEN }, liquid: [body(everywhere, [5, 0, 1])] }),
    )
    expect([...statuses]).toEqual(['converged'])
    const last = records.at(-1)!
    expect([last.particles, last.volume, last.expectedVolume]).toEqual([0, 0, 0])
  })

  it('when a drain takes all of it', async () => {
    const { records } = await watch(in2D({ liquid: [body(lower)], drains: [{ phi: everywhere, from: 0.1, until: Infinity }] }))
    const last = records.at(-1)!
    expect([last.particles, last.expectedVolume]).toEqual([0, 0])
  })

  it('when solids leave no room at all', async () => {
    const piston = moving(box([-0.5, 0.5], [0.5, 0.6]), [3, 0, 0])
    const { records, statuses } = await watch(in2D({ liquid: [body(lower)], solids: [piston] }))
    expect(statuses).toContain('infeasible')
    expect(records.at(-1)!.removed).toBe(0)
  })
})

/** Little balls, one a cell. */
function specks(count: number) {
  return Array.from({ length: count }, (_, n) => solid(flatBall(((n % 16) + 0.5) / 16, (Math.floor(n / 16) + 0.5) / 16, 0.01)))
}

describe('bad input', () => {
  it('of 256 solids is refused', async () => {
    await expect(watch(in2D({ liquid: [body(lower)], solids: specks(256) }))).rejects.toThrow(InputError)
  })
})

describe('liquid without air', () => {
  const cases: Record<string, SceneSetting> = {
    'fills a box': in2D({ liquid: [body(everywhere)] }),
    'fills a box, 3D': in3D({ liquid: [body(everywhere)] }),
    'fills a box, moving': in2D({ liquid: [body(everywhere, [1, 2, 0])] }),
    'fills a sticking box': in2D({ sides: { x: STICKING, y: STICKING }, liquid: [body(everywhere)] }),
    'fills a ball': in2D({ liquid: [body(everywhere)], solids: [solid(complement(flatBall(0.5, 0.5, 0.4)))] }),
    'is stirred': in2D({ liquid: [body(everywhere)], solids: [turning(box([0.5, 0.5], [0.3, 0.05]), 6, [0.5, 0.5])] }),
    'has a source in it': in2D({ liquid: [body(everywhere)], sources: [source(flatBall(0.5, 0.5, 0.1), [0, -2, 0])] }),
    'has a source in it, 3D': in3D({ liquid: [body(everywhere)], sources: [source(ball(0.5, 0.5, 0.2), [0, -2, 0])] }),
  }
  it.each(Object.entries(cases))('%s', async (_, setting) => {
    const watched = await watch(setting)
    expectGood(watched)
    expect(watched.drift).toBeLessThan(0.02)
  })

  it('cannot be squeezed, which is said', async () => {
    const piston = moving(box([-0.5, 0.5], [0.5, 0.6]), [0.5, 0, 0])
    const { statuses, nearest } = await watch(in2D({ liquid: [body(everywhere)], solids: [piston] }))
    expect([...statuses]).toEqual(['infeasible'])
    expect(nearest).toBeGreaterThan(0)
  })

  it('lets go of a wall that draws back', async () => {
    const piston = moving(box([0, 0.5], [0.3, 0.6]), [-0.5, 0, 0])
    expectGood(await watch(in2D({ liquid: [body(everywhere)], solids: [piston] })))
  })

  it('is left alone when the volume of other liquid is corrected', async () => {
    // A ball of liquid in a shell, and liquid outside of it that is taken for too little or too much.
    const around = flatBall(0.5, 0.6, 0.25)
    const setting = in2D({ liquid: [body(around), body(lower)], solids: [solid(shell(around, 0.1))] }, 32)
    const start = await createSimulation(setting, { threads: 1 })
    const state = start.save()
    start.dispose()
    const fastestInside = async (share: number) => {
      const expected = { ...state, expectedVolume: share * state.expectedVolume }
      const simulation = await createSimulation(setting, { threads: 1, time: { fps: 100 } }, expected)
      open.push(simulation)
      expectGood(await watchFrames(simulation, 5))
      const { position, velocity } = simulation.capture({ particles: true }).particles!
      let fastest = 0
      for (let p = 0; p < position.length; p += 3)
        if (around(position[p], position[p + 1], 0) < -0.1) fastest = Math.max(fastest, Math.hypot(velocity[p], velocity[p + 1]))
      return fastest
    }
    for (const share of [1, 0.5, 2]) expect(await fastestInside(share)).toBeLessThan(1e-5)
  })

  it('is what a source ends with that fills a tank', async () => {
    const setting = in2D({ sources: [source(flatBall(0.5, 0.8, 0.2), [0, -6, 0])] })
    const watched = await watch(setting, {}, 60)
    expectGood(watched)
    const { particles, volume } = watched.records.at(-1)!
    expect(volume).toBeGreaterThan(0.9)
    expect(particles).toBeLessThan(1.02 * 4 * 16 ** 2)
  })
})

describe('every option', () => {
  const options: Record<string, SimulationOptions> = {
    apic: { particles: { method: 'apic' } },
    'flipRatio 0': { particles: { flipRatio: 0 } },
    'flipRatio 1': { particles: { flipRatio: 1 } },
    'perCell 1': { particles: { perCell: 1 } },
    'perCell 3': { particles: { perCell: 3 } },
    'perCell 64': { particles: { perCell: 64 } },
    'jitter 0': { particles: { jitter: 0 } },
    'cfl 0.1': { time: { cfl: 0.1 } },
    'cfl 50': { time: { cfl: 50 } },
    'maxSubsteps 1': { time: { maxSubsteps: 1 } },
    'no correction': { volume: { correction: false } },
  }
  const half = (dims: 2 | 3) => {
    const round = sphere(dims === 2 ? [0.5, 0.5] : [0.5, 0.5, 0.5], 0.46)
    const parts = { liquid: [body(intersection(left(0.5), round))], solids: [solid(complement(round))] }
    return dims === 2 ? in2D(parts) : in3D(parts)
  }
  it.each(Object.entries(options))('%s, 2D', async (_, given) => expectGood(await watch(half(2), given)))
  it.each(Object.entries(options))('%s, 3D', async (_, given) => expectGood(await watch(half(3), given)))
})

describe('a mesh with a hole', () => {
  it('is taken for a solid as well as can be, and holds no particle', async () => {
    // A cube without its lid.
    const corners = ['0 0 0', '1 0 0', '0 1 0', '1 1 0', '0 0 1', '1 0 1', '0 1 1', '1 1 1']
    const faces = ['1 2 6 5', '1 5 7 3', '2 4 8 6', '1 3 4 2', '5 6 8 7']
    const text = [...corners.map(at => `v ${at}`), ...faces.map(face => `f ${face}`)].join('\n')
    const mesh = await parseMesh(new TextEncoder().encode(text), 'cube.obj')
    const { phi } = createMeshShape(mesh, 0.2, 'cube.obj')
    const placed = (x: number, y: number, z: number) => 0.5 * phi((x - 0.25) / 0.5, (y - 0.1) / 0.5, (z - 0.25) / 0.5)
    expectGood(await watch(in3D({ liquid: [body(halfSpace([0, 0.7, 0], [0, -1, 0]))], solids: [solid(placed)] })))
  })
})
