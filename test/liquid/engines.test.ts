/** Simulations in plain TypeScript beside compiled ones. The loops of both agree bit for bit, and so do whole simulations where the same solver
 *  gives both the same pressure. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import { type FrameRecord, hasConverged } from '../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { hashed } from '../support/hashed.js'
import { body, moving, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(setting: SceneSetting, options: SimulationOptions = {}): Promise<Simulation> {
  const simulation = await createSimulation(setting, { seed: 3, ...options })
  open.push(simulation)
  return simulation
}

/** A solver that has no compiled loops, so that its answers are the same on every engine. */
const SAME = { name: 'pi-pcg', tolerance: 1e-4 } as const

/** Everything that later frames depend on, and what callers see of this one. */
function look(simulation: Simulation) {
  return hashed({ state: simulation.save(), frame: simulation.capture({ fields: true }) })
}

function expectSameRecord(found: FrameRecord, wanted: FrameRecord): void {
  const { volume, expectedVolume, particles, added, removed, exchanged, largestSpeed } = wanted
  const { momentum, angularMomentum, energy, particleVolume, thinVolume, forces } = wanted
  expect(found).toMatchObject({ expectedVolume, particles, added, removed, exchanged, largestSpeed })
  expect(found).toMatchObject({ momentum, angularMomentum, energy, particleVolume, thinVolume, forces })
  expect(Math.abs(found.volume / volume - 1)).toBeLessThan(1e-12)
  expect(found.substeps.map(({ dt }) => dt)).toEqual(wanted.substeps.map(({ dt }) => dt))
}

describe('every scene has the same bits on both engines', async () => {
  it.each(await shippedScenes())('%s', async name => {
    const isFlat = (await loadScene(name)).scene.domain.size.length === 2
    const loaded = await loadScene(name, [['domain.resolution', isFlat ? 24 : 12]])
    const compiled = await simulateScene(loaded, { engine: 'wasm', solver: SAME })
    const plain = await simulateScene(loaded, { engine: 'portable', solver: SAME })
    open.push(compiled, plain)
    expect([compiled.engine, plain.engine]).toEqual(['wasm', 'portable'])
    for (let frame = 0; frame < 2; frame++) {
      expect(look(plain)).toEqual(look(compiled))
      const wanted = await compiled.advance()
      expectSameRecord(await plain.advance(), wanted)
    }
    expect(look(plain)).toEqual(look(compiled))
    expect(plain.particles).toBeGreaterThan(10)
  })
})

/** A pool, a jet, a drain, a ball that moves through, a block that stays and an open side. */
function busy(dims: 2 | 3): SceneSetting {
  const z = dims === 2 ? 0 : 0.5
  return settingOf(dims === 2 ? [20, 20] : [12, 12, 12], dims === 2 ? 1 / 20 : 1 / 12, {
    sides: { x: ['separating', 'open'] },
    sideAdhesion: { y: [80, 300] },
    liquid: [body(halfSpace([0, 0.45, 0], [0, 1, 0]))],
    sources: [{ ...body(sphere([0.2, 0.8, z], 0.12), [1, -1, 0]), from: 0, until: 0.2 }],
    drains: [{ phi: sphere([1, 0, z], 0.2), from: 0.05, until: 1 }],
    solids: [
      solid(box([0.5, 0, z], [0.1, 0.2, 0.2]), { adhesion: 150, friction: { coulomb: 0.3, slip: 50, depth: 0.1 } }),
      moving(sphere([0, 0.4, z], 0.15), [3, 0, 0], { friction: 0.5 }),
    ],
  })
}

const methods = ([2, 3] as const).flatMap(dims =>
  (['flip', 'apic'] as const).flatMap(method => [0, 3].map(band => ({ dims, method, band }))),
)

describe.each(methods)('a busy scene, $dims D, $method, band $band', ({ dims, method, band }) => {
  it('has the same bits on both engines, also while it is interacted with', async () => {
    const options = { particles: { method, band }, solver: SAME, keepsProblem: true }
    const compiled = await simulate(busy(dims), { ...options, engine: 'wasm' })
    const plain = await simulate(busy(dims), { ...options, engine: 'portable' })
    const records = { added: 0, removed: 0, exchanged: 0 }
    for (let frame = 0; frame < 3; frame++) {
      if (frame === 1)
        for (const simulation of [compiled, plain])
          simulation.influence({
            obstacle: { centre: [0.6, 0.5, 0.5], radius: 0.1 },
            stir: { place: [0.4, 0.3, 0.5], velocity: [1, 0, 0], radius: 0.2 },
          })
      const wanted = await compiled.advance()
      expectSameRecord(await plain.advance(), wanted)
      expect(look(plain)).toEqual(look(compiled))
      expect(hashed(plain.problem())).toEqual(hashed(compiled.problem()))
      for (const key of ['added', 'removed', 'exchanged'] as const) records[key] += Math.abs(wanted[key])
    }
    expect(records.added).toBeGreaterThan(0)
    expect(records.removed).toBeGreaterThan(0)
    expect(records.exchanged > 0).toBe(band > 0)
  })
})

describe('a saved state', () => {
  it.each([
    { dims: 2, method: 'apic', band: 3 },
    { dims: 3, method: 'flip', band: 3 },
    { dims: 2, method: 'flip', band: 0 },
  ] as const)('is continued on any engine to the same bits, $dims D, $method, band $band', async ({ dims, method, band }) => {
    const options = { particles: { method, band }, solver: SAME }
    const straight = await simulate(busy(dims), { ...options, engine: 'portable' })
    for (let n = 0; n < 2; n++) await straight.advance()
    const saved = straight.save()
    const continued = await Promise.all(
      (['portable', 'wasm'] as const).map(engine => createSimulation(busy(dims), { seed: 3, ...options, engine }, saved)),
    )
    open.push(...continued)
    for (let n = 0; n < 2; n++) {
      await straight.advance()
      for (const simulation of continued) await simulation.advance()
    }
    for (const simulation of continued) expect(look(simulation)).toEqual(look(straight))
  })
})

describe('with the default solver', () => {
  it.each(['andersen-dam-break', 'splash'])('%s has the same course on both engines', async name => {
    const loaded = await loadScene(name, [['domain.resolution', name === 'splash' ? 14 : 32]])
    const [compiled, plain] = await Promise.all((['wasm', 'portable'] as const).map(engine => simulateScene(loaded, { engine })))
    open.push(compiled, plain)
    for (let frame = 0; frame < 6; frame++) {
      const wanted = await compiled.advance()
      const found = await plain.advance()
      for (const record of [found, wanted]) expect(hasConverged(record)).toBe(true)
      expect(found.substeps[0].solve.engine).toBe('portable')
      // Pressures differ within the tolerance of the solve, 1e-4 1/s, and particles that bounce off walls make more of it.
      expect(Math.abs(found.volume / wanted.volume - 1)).toBeLessThan(1e-3)
      expect(Math.abs(found.energy.kinetic / wanted.energy.kinetic - 1)).toBeLessThan(1e-3)
    }
    const momentum = (simulation: Simulation) => {
      const [, , , u, v, w] = simulation.save().columns
      return [u, v, w].map(column => column.reduce((sum, value) => sum + value, 0) / column.length)
    }
    const wanted = momentum(compiled)
    momentum(plain).forEach((part, axis) => {
      expect(Math.abs(part - wanted[axis])).toBeLessThan(1e-3 * Math.hypot(...wanted))
    })
  })
})

describe('a host without compiled loops', () => {
  /** A program that has not asked yet what its host can do, because it asks only once. */
  async function freshSimulation() {
    vi.resetModules()
    return (await import('../../src/liquid/simulation.js')).createSimulation
  }
  const pool = settingOf([16, 16], 1 / 16, { liquid: [body(halfSpace([0, 0.4, 0], [0.5, 1, 0]))] })

  it.each(['no WebAssembly', 'no vector instructions'])('with %s simulates in plain TypeScript, and says so', async what => {
    if (what === 'no WebAssembly') vi.stubGlobal('WebAssembly', undefined)
    else
      vi.spyOn(WebAssembly, 'Module').mockImplementation(function refuse() {
        throw new WebAssembly.CompileError('Wasm SIMD unsupported')
      })
    const createSimulation = await freshSimulation()
    const simulation = await createSimulation(pool)
    open.push(simulation)
    expect([simulation.engine, simulation.threads]).toEqual(['portable', 1])
    expect(simulation.note).toMatch(/^The simulation runs in plain TypeScript .* does not support WebAssembly SIMD/)
    const record = await simulation.advance()
    expect(record.substeps.map(({ solve }) => solve.engine)).toEqual(record.substeps.map(() => 'portable'))
    expect(hasConverged(record)).toBe(true)
    await expect(createSimulation(pool, { engine: 'wasm' })).rejects.toThrow(/use --engine portable/)
  })

  it('has nothing to note where plain TypeScript was asked for', async () => {
    expect((await simulate(pool, { engine: 'portable' })).note).toBeUndefined()
  })
})

describe('the setting of the engine', () => {
  const pool = settingOf([8, 8], 1 / 8, { liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))] })

  it.each([
    [{ engine: 'portable' }, 'portable', 'portable'],
    [{ engine: 'wasm' }, 'wasm', 'wasm'],
    [{ engine: 'threads', threads: 2 }, 'threads (2)', 'threads (2)'],
    [{ threads: 2 }, 'threads (2)', 'threads (2)'],
    [{ threads: 1 }, 'wasm', 'wasm'],
  ] as const)('%o is for the liquid and for its solves', async (options, engine, solver) => {
    const simulation = await simulate(pool, options)
    expect(simulation.engine).toBe(engine)
    expect((await simulation.advance()).substeps[0].solve.engine).toBe(solver)
  })

  it.each([
    [{ engine: 'gpu' }, /engine/],
    [{ engine: 'portable', threads: 2 }, /has one thread/],
    [{ engine: 'wasm', threads: 3 }, /has one thread/],
    [{ solver: { engine: 'wasm' } }, /use engine beside solver/],
    [{ solver: { threads: 2 } }, /use threads beside solver/],
  ])('%o is refused with a sentence', async (options, sentence) => {
    await expect(simulate(pool, options as SimulationOptions)).rejects.toThrow(sentence)
  })
})
