/** The same bits, whoever computes them and wherever one starts again. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { SimulationState } from '../../src/liquid/saving/state.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import * as host from '../../src/machine/host.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { stopWatching, watchMemories } from '../support/machines.js'
import { body, moving, settingOf, solid, turning } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const simulation of open.splice(0)) simulation.dispose()
})

async function simulate(setting: SceneSetting, options: SimulationOptions, state?: SimulationState): Promise<Simulation> {
  const simulation = await createSimulation(setting, { seed: 5, threads: 1, ...options }, state)
  open.push(simulation)
  return simulation
}

async function stateAfter(frames: number, setting: SceneSetting, options: SimulationOptions): Promise<SimulationState> {
  const simulation = await simulate(setting, options)
  for (let n = 0; n < frames; n++) await simulation.advance()
  return simulation.save()
}

/** A pool, a jet, a drain, a ball that moves through, a bar that turns and a block that stays. */
function busy(dims: 2 | 3): SceneSetting {
  const z = dims === 2 ? 0 : 0.5
  return settingOf(dims === 2 ? [24, 24] : [14, 14, 14], dims === 2 ? 1 / 24 : 1 / 14, {
    sideAdhesion: { y: [80, 300] },
    liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))],
    sources: [{ ...body(sphere([0.2, 0.8, z], 0.12), [1, -1, 0]), from: 0, until: 0.2 }],
    drains: [{ phi: sphere([1, 0, z], 0.2), from: 0.1, until: 1 }],
    solids: [
      solid(box([0.5, 0, z], [0.1, 0.2, 0.2]), { adhesion: 150, friction: { coulomb: 0.3, slip: 50, depth: 0.1 } }),
      moving(sphere([0, 0.4, z], 0.15), [3, 0, 0], { friction: 0.5 }),
      turning(box([0.75, 0.35, z], [0.2, 0.06, 0.3]), 12, [0.75, 0.35]),
    ],
  })
}

const everywhere = ([2, 3] as const).flatMap(dims => (['flip', 'apic'] as const).map(method => ({ dims, method, band: 0 })))
const cases = [...everywhere, { dims: 2, method: 'apic', band: 3 }, { dims: 3, method: 'flip', band: 3 }] as const

describe.each(cases)('a simulation, $dims D, $method, band $band', ({ dims, method, band }) => {
  const setting = busy(dims)
  const options = { particles: { method, band } }

  it('gives the same bits for any number of threads, and in memory that is not shared', async () => {
    const expected = await stateAfter(4, setting, options)
    expect(expected.columns[0].length).toBeGreaterThan(100)
    if (band > 0) expect(expected.deep!.carried.some(depth => depth > 16 * band)).toBe(true)
    for (const threads of [2, 3, 8]) expect(await stateAfter(4, setting, { ...options, threads })).toEqual(expected)
    vi.spyOn(host, 'canShare').mockReturnValue(false)
    const memories = watchMemories()
    expect(await stateAfter(4, setting, { ...options, engine: 'wasm' })).toEqual(expected)
    stopWatching()
    expect(memories.all.map(({ buffer }) => buffer instanceof ArrayBuffer)).toEqual([true, true])
  })

  it('goes on from a saved state to the same bits', async () => {
    const straight = await simulate(setting, options)
    for (let n = 0; n < 3; n++) await straight.advance()
    const saved = straight.save()
    const again = await simulate(setting, options, saved)
    for (let n = 0; n < 3; n++) {
      const record = await straight.advance()
      const other = await again.advance()
      expect(other.volume).toBe(record.volume)
      expect([other.added, other.removed]).toEqual([record.added, record.removed])
    }
    expect(again.save()).toEqual(straight.save())
    expect(again.capture({ particles: true, fields: true })).toEqual(straight.capture({ particles: true, fields: true }))
  })
})
