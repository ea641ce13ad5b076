/** Numbers from callers that grow beyond all bounds, or are none: they read wild memory in compiled loops, and let liquid vanish without a word
 *  in plain ones. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sphere } from '../../src/grid/shapes.js'
import type { Influence } from '../../src/liquid/boundary/interaction.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { SimulationState } from '../../src/liquid/saving/state.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting, Vector } from '../../src/scene/setting.js'
import { addSolver, createSolver, findSolver } from '../../src/solvers/registry.js'
import { body, moving, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

const pool = (_x: number, y: number) => y - 0.6
const stone = sphere([0.5, 0.3], 0.15)

function settingIn(dims: 2 | 3, parts: Partial<SceneSetting> = {}): SceneSetting {
  return settingOf(dims === 2 ? [12, 12] : [8, 8, 8], dims === 2 ? 1 / 12 : 1 / 8, { liquid: [body(pool)], ...parts })
}

interface Attack {
  readonly setting?: Partial<SceneSetting>
  readonly options?: SimulationOptions
  readonly influences?: readonly Influence[]
  readonly spoil?: (state: SimulationState) => SimulationState
}

const RUNS: readonly (readonly [string, 2 | 3, SimulationOptions])[] = [
  ['wasm, 2D', 2, { engine: 'wasm' }],
  ['wasm, 3D', 3, { engine: 'wasm' }],
  ['wasm, 3D, APIC, deep liquid', 3, { engine: 'wasm', particles: { method: 'apic', band: 3 } }],
  ['wasm, 2D, deep liquid', 2, { engine: 'wasm', particles: { band: 3 } }],
  ['portable, 2D, deep liquid', 2, { engine: 'portable', particles: { band: 3 } }],
]

async function start(setting: SceneSetting, options: SimulationOptions, state?: SimulationState): Promise<Simulation> {
  const simulation = await createSimulation(setting, { threads: 1, time: { fps: 24, maxSubsteps: 4 }, ...options }, state)
  open.push(simulation)
  return simulation
}

/** Three frames under attack, or the error that ended them. */
async function attack(dims: 2 | 3, given: SimulationOptions, { setting, options, influences = [], spoil }: Attack) {
  const scene = settingIn(dims, setting)
  const all = { ...given, ...options }
  try {
    let state: SimulationState | undefined
    if (spoil) {
      const before = await start(scene, all)
      await before.advance()
      state = spoil(before.save())
    }
    const simulation = await start(scene, all, state)
    const particles = simulation.particles
    for (let frame = 0; frame < 3; frame++) {
      if (influences[frame]) simulation.influence(influences[frame])
      await simulation.advance()
    }
    return { simulation, particles }
  } catch (error) {
    return { error: error as Error }
  }
}

const each = (values: Vector) => () => values
/** Not even a hundredth of it is a number of 32 bits. */
const HUGE = 1.7e308
const jet = (velocity: Vector) => [{ phi: sphere([0.3, 0.8], 0.2), velocity: () => velocity, from: 0, until: 9 }]

/** The state with other numbers; `column`: 0 to 2 are positions, 3 to 5 velocities. */
const withNumbers = (change: (value: number, particle: number, column: number) => number) => (state: SimulationState) => ({
  ...state,
  columns: state.columns.map((values, column) => values.map((value, particle) => change(value, particle, column))),
})

beforeAll(() => {
  const spoilt = (name: string, spoil: (pressure: Float64Array) => void) => {
    const definition = findSolver('nas-mgpcg')
    addSolver({
      ...definition,
      name,
      create: () => {
        const solver = createSolver('nas-mgpcg', {}, { engine: 'portable' })
        return {
          ...solver,
          async solve(problem, pressure, options) {
            const result = await solver.solve(problem, pressure, options)
            spoil(pressure)
            return result
          },
        }
      },
    })
  }
  spoilt('spoilt-by-nan', pressure => pressure.fill(NaN))
  spoilt('spoilt-by-size', pressure => pressure.set(pressure.map((_, cell) => (cell % 2 ? 1e300 : -1e300))))
})

const REFUSED: Record<string, Attack> = {
  'gravity of 1e300': { influences: [{ gravity: [0, -1e300, 0] }] },
  'a force of 1e300': { options: { force: each([1e300, -1e300, 1e300]) } },
  'a force whose length is infinite': { options: { force: each([HUGE, HUGE, HUGE]) } },
  'gravity of a setting that is NaN': { setting: { gravity: each([0, NaN, 0]) } },
  'gravity of a setting that is nothing': { setting: { gravity: (() => undefined) as never } },
  'a body that starts with NaN': { setting: { liquid: [body(pool, [NaN, 0, 0])] } },
  'a body that starts with 1e300 m/s': { setting: { liquid: [body(pool, [1e300, 0, 0])] } },
  'a source of NaN': { setting: { sources: jet([0, NaN, 0]) } },
  'a source of 1e300 m/s': { setting: { sources: jet([0, -1e300, 0]) } },
  'a solid that moves with NaN': { setting: { solids: [moving(stone, [NaN, 0, 0], { phiAt: () => stone })] } },
  'a solid that moves with 1e300 m/s': { setting: { solids: [moving(stone, [1e300, 0, 0], { phiAt: () => stone })] } },
  'a solid whose friction is NaN': { setting: { solids: [solid(stone, { friction: NaN })] } },
  'a solver that returns NaN': { options: { solver: { name: 'spoilt-by-nan' } } },
  'a solver that returns 1e300 Pa': { options: { solver: { name: 'spoilt-by-size' } } },
  'a state with a position that is NaN': { spoil: withNumbers((value, particle, n) => (particle === 1 && n < 3 ? NaN : value)) },
  'a state with a position that is infinite': {
    spoil: withNumbers((value, particle, n) => (particle === 1 && n === 0 ? Infinity : value)),
  },
  'a state with a velocity that is NaN': {
    spoil: withNumbers((value, particle, n) => (particle === 1 && n === 4 ? NaN : value)),
  },
  'a state with velocities of 3e38 m/s': {
    spoil: withNumbers((value, particle, n) => (n < 3 ? value : particle % 2 ? 3e38 : -3e38)),
  },
}

const ENDURED: Record<string, Attack> = {
  'a brush of 1e300 m/s': { influences: [{ stir: { place: [0.5, 0.4, 0.5], velocity: [1e300, 0, 0], radius: 0.2 } }] },
  'a brush whose speed is infinite': {
    influences: [{ stir: { place: [0.5, 0.4, 0.5], velocity: [HUGE, HUGE, HUGE], radius: 0.2 } }],
  },
  'a brush without a square': { influences: [{ stir: { place: [0.5, 0.125, 0.0625], velocity: [1, 1, 1], radius: 1e-200 } }] },
  'a brush at the end of the world': { influences: [{ stir: { place: [1e300, 0.4, 0.5], velocity: [1, 1, 1], radius: 1e300 } }] },
  'a brush as large as all there is': {
    influences: [{ stir: { place: [0.5, 0.4, 0.5], velocity: [1, 1, 1], radius: Infinity } }],
  },
  'a ball that is sent to the end of the world': {
    influences: [
      { obstacle: { centre: [0.5, 0.5, 0.5], radius: 0.2 } },
      { obstacle: { centre: [HUGE, -HUGE, HUGE], radius: 0.2 } },
    ],
  },
  'a solid that is infinitely deep': { setting: { solids: [solid((x, y, z) => (stone(x, y, z) < 0 ? -Infinity : 1))] } },
  'a solid whose distances are 1e300': { setting: { solids: [solid((x, y, z) => (stone(x, y, z) < 0 ? -1e300 : 1e300))] } },
}

describe.each(RUNS)('%s', (_, dims, options) => {
  it.each(Object.entries(REFUSED))('%s ends in a sentence', async (_, given) => {
    const { error } = await attack(dims, options, given)
    expect(error?.name).toBe('InputError')
    expect(error?.message).toMatch(
      /^(The liquid would move at|The gravity at|The saved state has|The velocity of setting\.sources\[0\] must be|setting\.solids\[0\]\.friction must be) .+\.$/,
    )
  })

  it.each(Object.entries(ENDURED))('%s leaves all numbers finite', async (_, given) => {
    const { error, simulation, particles } = await attack(dims, options, given)
    expect(error).toBeUndefined()
    const { columns } = simulation!.save()
    expect(columns.every(column => column.every(Number.isFinite))).toBe(true)
    // Deep liquid has none.
    expect(columns[0].length).toBeGreaterThan(0.25 * particles!)
  })
})

it('a frame that ended so can be given up, and others follow', async () => {
  const signal = new AbortController().signal
  const [attacked, other] = [await start(settingIn(2), { engine: 'wasm' }), await start(settingIn(2), { engine: 'wasm' })]
  await attacked.advance({ signal })
  attacked.influence({ gravity: [0, -1e300, 0] })
  await expect(attacked.advance({ signal })).rejects.toThrow('m/s')
  attacked.influence({ gravity: null })
  await attacked.advance({ signal })
  for (let n = 0; n < 2; n++) await other.advance()
  expect(attacked.save().columns).toEqual(other.save().columns)
})
