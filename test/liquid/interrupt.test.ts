/** Frames that are given up, callbacks that throw, and simulations that are used at the wrong moment. */
import { afterEach, describe, expect, it } from 'vitest'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import { InputError } from '../../src/input-error.js'
import type { SimulationOptions } from '../../src/liquid/options.js'
import type { FrameRecord } from '../../src/liquid/records.js'
import { createSimulation, type Simulation } from '../../src/liquid/simulation.js'
import type { SceneSetting } from '../../src/scene/setting.js'
import { hashed } from '../support/hashed.js'
import { body, moving, settingOf, solid } from '../support/settings.js'

const open: Simulation[] = []
afterEach(() => {
  for (const simulation of open.splice(0)) simulation.dispose()
})

/** A pool, a jet, a drain, a ball that moves through and a block that stays. */
function busy(dims: 2 | 3): SceneSetting {
  const z = dims === 2 ? 0 : 0.5
  return settingOf(dims === 2 ? [16, 16] : [10, 10, 10], dims === 2 ? 1 / 16 : 1 / 10, {
    liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))],
    sources: [{ ...body(sphere([0.2, 0.8, z], 0.12), [1, -1, 0]), from: 0, until: 1 }],
    drains: [{ phi: sphere([1, 0, z], 0.2), from: 0.1, until: 1 }],
    solids: [solid(box([0.5, 0, z], [0.1, 0.2, 0.2])), moving(sphere([0, 0.4, z], 0.15), [3, 0, 0], { friction: 0.5 })],
  })
}

async function simulate(setting: SceneSetting, options: SimulationOptions = {}): Promise<Simulation> {
  const simulation = await createSimulation(setting, { seed: 5, threads: 1, ...options })
  open.push(simulation)
  return simulation
}

/** All that a caller can see of a simulation, with a hash instead of each array. */
function look(simulation: Simulation) {
  return hashed({
    moment: [simulation.frame, simulation.time, simulation.particles],
    frame: simulation.capture({ particles: true, fields: true }),
    problem: problemOf(simulation),
    state: simulation.save(),
  })
}

/** Or why there is none: the volume was corrected. */
function problemOf(simulation: Simulation): unknown {
  try {
    return simulation.problem()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.message
  }
}

/** Without times, which differ. */
function bitsOf({ substeps, correction, ...rest }: FrameRecord) {
  const plain = ({ iterations, residual, pinned, unknowns, status }: NonNullable<typeof correction>) => ({
    iterations,
    residual,
    pinned,
    unknowns,
    status,
  })
  return {
    ...rest,
    substeps: substeps.map(({ dt, solve }) => ({ dt, ...plain(solve) })),
    correction: correction && plain(correction),
  }
}

describe.each([
  { dims: 2, method: 'flip', band: 0, keepsProblem: false, engine: 'auto' },
  { dims: 2, method: 'apic', band: 3, keepsProblem: true, engine: 'auto' },
  { dims: 3, method: 'flip', band: 3, keepsProblem: false, engine: 'auto' },
  { dims: 2, method: 'apic', band: 3, keepsProblem: false, engine: 'portable' },
  { dims: 3, method: 'flip', band: 0, keepsProblem: true, engine: 'portable' },
] as const)('a frame that is given up, $dims D, $method, band $band, $engine', ({ dims, method, band, keepsProblem, engine }) => {
  const options = { particles: { method, band }, keepsProblem, engine, time: { cfl: 1 } }

  it('leaves everything as it was before, and the same bits come next', async () => {
    const straight = await simulate(busy(dims), options)
    const broken = await simulate(busy(dims), options)
    for (const simulation of [straight, broken]) {
      simulation.influence({
        obstacle: { centre: [0.7, 0.5, 0.5], radius: 0.1 },
        stir: { place: [0.5, 0.3, 0.5], velocity: [1, 0, 0], radius: 0.2 },
      })
      for (let n = 0; n < 2; n++) await simulation.advance()
    }
    const before = look(broken)
    for (const last of [1, 2]) {
      const controller = new AbortController()
      await expect(
        broken.advance({
          signal: controller.signal,
          observe: substep => {
            if (substep === last) controller.abort()
          },
        }),
      ).rejects.toMatchObject({ name: 'AbortError' })
      expect(look(broken)).toEqual(before)
    }
    for (let n = 0; n < 2; n++) {
      const { signal } = new AbortController()
      const expected = await straight.advance()
      expect(expected.substeps.length).toBeGreaterThan(1)
      expect(bitsOf(await broken.advance({ signal }))).toEqual(bitsOf(expected))
    }
    expect(look(broken)).toEqual(look(straight))
  })

  it('during the solve of any iteration is the same', async () => {
    let controller = new AbortController()
    let iterations = Infinity
    const monitor = () => {
      if (iterations-- === 0) controller.abort(new Error('enough'))
    }
    const simulation = await simulate(busy(dims), { ...options, monitor, solver: { tolerance: 1e-8 } })
    await simulation.advance()
    const before = look(simulation)
    for (const at of [0, 1, 7]) {
      iterations = at
      controller = new AbortController()
      await expect(simulation.advance({ signal: controller.signal })).rejects.toThrow('enough')
      expect(look(simulation)).toEqual(before)
    }
  })
})

/** A drum that lets go of its ceiling; its volume is corrected in some frames. */
function drum(): SceneSetting {
  return settingOf([32, 32], 1 / 32, {
    liquid: [body(halfSpace([0, 0.5], [0.3, 1]))],
    solids: [solid((x, y) => 0.4 - Math.hypot(x - 0.5, y - 0.5))],
  })
}

describe('a simulation whose volume is corrected', () => {
  /** The frame that is corrected, and how many solves it has before. */
  async function findCorrected(options: SimulationOptions) {
    const simulation = await simulate(drum(), options)
    for (;;) {
      const record = await simulation.advance()
      if (record.correction)
        return { frame: record.index, substeps: record.substeps.length, record: bitsOf(record), after: look(simulation) }
    }
  }

  it.each([false, true])(
    'and is given up meanwhile is as before the frame, where it keeps its problem: %s',
    async keepsProblem => {
      const { frame, substeps, record, after } = await findCorrected({ keepsProblem })
      const controller = new AbortController()
      let solves = -Infinity
      const monitor = ({ iteration }: { iteration: number }) => {
        if (iteration === 0 && ++solves === substeps + 1) controller.abort()
      }
      const simulation = await simulate(drum(), { keepsProblem, monitor })
      while (simulation.frame < frame - 1) await simulation.advance()
      const before = look(simulation)
      solves = 0
      await expect(simulation.advance({ signal: controller.signal })).rejects.toMatchObject({ name: 'AbortError' })
      expect(solves).toBe(substeps + 1)
      expect(look(simulation)).toEqual(before)
      solves = -Infinity
      expect(bitsOf(await simulation.advance())).toEqual(record)
      expect(look(simulation)).toEqual(after)
    },
  )

  it('and whose monitor throws meanwhile finishes the frame with the next call', async () => {
    const { frame, substeps, record, after } = await findCorrected({})
    let solves = -Infinity
    const monitor = ({ iteration }: { iteration: number }) => {
      if (iteration === 0 && ++solves === substeps + 1) throw new RangeError('mine')
    }
    const simulation = await simulate(drum(), { monitor })
    while (simulation.frame < frame - 1) await simulation.advance()
    solves = 0
    await expect(simulation.advance()).rejects.toThrow(new RangeError('mine'))
    expect(simulation.frame).toBe(frame - 1)
    expect(bitsOf(await simulation.advance())).toEqual(record)
    expect(look(simulation)).toEqual(after)
  })
})

describe('a signal', () => {
  it('that has aborted already rejects at once, and nothing has changed', async () => {
    const simulation = await simulate(busy(2))
    const before = look(simulation)
    await expect(simulation.advance({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    await expect(simulation.advance({ signal: AbortSignal.abort('stop') })).rejects.toBe('stop')
    expect(look(simulation)).toEqual(before)
  })

  it('is heard although every frame is shorter than a turn of the event loop', async () => {
    const simulation = await simulate(settingOf([8, 8], 1 / 8, { liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))] }))
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 0)
    const play = async () => {
      for (let n = 0; n < 1e5; n++) await simulation.advance({ signal: controller.signal })
    }
    await expect(play()).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('is let go of after each frame', async () => {
    const simulation = await simulate(busy(2))
    const { signal } = new AbortController()
    const there = new Set<unknown>()
    const spied = Object.assign(signal, {
      addEventListener: (_: string, listener: unknown) => there.add(listener),
      removeEventListener: (_: string, listener: unknown) => there.delete(listener),
    })
    await simulation.advance({ signal: spied })
    expect(there.size).toBe(0)
  })
})

describe('an error of a callback', () => {
  it.each(['observe', 'monitor'] as const)(
    'of %s comes out, and the next call finishes the frame with the same bits',
    async which => {
      const straight = await simulate(busy(2), { time: { cfl: 1, maxSubsteps: 5 } })
      let count = -Infinity
      const fail = () => {
        if (++count % 3 === 0) throw new RangeError('mine')
      }
      const monitor = which === 'monitor' ? fail : undefined
      const simulation = await simulate(busy(2), { time: { cfl: 1, maxSubsteps: 5 }, monitor })
      count = 0
      for (let frame = 0; frame < 3; frame++) {
        const expected = bitsOf(await straight.advance())
        let failures = 0
        for (;;) {
          try {
            expect(bitsOf(await simulation.advance(which === 'observe' ? { observe: fail } : {}))).toEqual(expected)
            break
          } catch (error) {
            if (!(error instanceof RangeError)) throw error
            expect(error.message).toBe('mine')
            failures++
          }
        }
        expect(failures).toBeGreaterThan(0)
        expect(look(simulation)).toEqual(look(straight))
      }
    },
  )

  it('of a setting makes the simulation say so from then on, unless it can go back', async () => {
    const setting = busy(2)
    let fails = false
    const gravity = () => {
      if (fails) throw new RangeError('no gravity')
      return [0, -9.81, 0] as const
    }
    const simulation = await simulate({ ...setting, gravity })
    const before = look(simulation)
    fails = true
    await expect(simulation.advance({ signal: new AbortController().signal })).rejects.toThrow(new RangeError('no gravity'))
    fails = false
    expect(look(simulation)).toEqual(before)
    fails = true
    await expect(simulation.advance()).rejects.toThrow(new RangeError('no gravity'))
    fails = false
    await expect(simulation.advance()).rejects.toThrow(/failed \(no gravity\); create another one/)
    expect(() => simulation.capture()).toThrow(InputError)
  })
})

describe('while a frame is under way', () => {
  it('a second one is refused, and the first one is as if nobody had asked', async () => {
    const straight = await simulate(busy(2))
    const simulation = await simulate(busy(2))
    const first = simulation.advance()
    await expect(simulation.advance()).rejects.toThrow(/a frame is being computed/)
    await expect(simulation.advance({ observe: () => {} })).rejects.toThrow(InputError)
    expect(bitsOf(await first)).toEqual(bitsOf(await straight.advance()))
    expect(look(simulation)).toEqual(look(straight))
  })

  it('capture, problem and save are for observe only, and influence is for the next substep', async () => {
    const simulation = await simulate(busy(2), { time: { minSubsteps: 2 } })
    const first = simulation.advance({
      observe() {
        expect(simulation.capture().index).toBe(0)
        expect(simulation.save().frame).toBe(0)
        expect(simulation.problem().grid).toBe(simulation.grid)
        simulation.influence({ gravity: [0, 0, 0] })
      },
    })
    for (const use of [() => simulation.capture(), () => simulation.problem(), () => simulation.save()])
      expect(use).toThrow(/a frame is being computed; wait for advance to finish, or call it from observe/)
    await first
    await expect(simulation.advance({ observe: () => void simulation.advance().catch(() => {}) })).resolves.toBeDefined()
  })

  it.each(['at once', 'from observe', 'from the monitor', 'while it waits'] as const)(
    'dispose %s ends it with a sentence',
    async when => {
      const dispose = () => simulation.dispose()
      let armed = false
      const monitor = () => {
        if (armed && when === 'from the monitor') dispose()
      }
      const simulation = await simulate(busy(2), { monitor, threads: 2, engine: 'threads', solver: { tolerance: 1e-9 } })
      await simulation.advance()
      armed = true
      if (when === 'while it waits') setTimeout(dispose, 0)
      const play = async () => {
        for (let n = 0; n < 1e4; n++)
          await simulation.advance({
            observe: when === 'from observe' ? dispose : undefined,
            signal: when === 'while it waits' ? new AbortController().signal : undefined,
          })
      }
      const playing = play()
      if (when === 'at once') dispose()
      await expect(playing).rejects.toThrow(/the simulation was disposed of/)
      await expect(playing).rejects.toThrow(InputError)
      expect(() => simulation.save()).toThrow(/disposed of/)
    },
  )
})

describe('after dispose', () => {
  it('everything is a sentence, and dispose does nothing', async () => {
    const simulation = await simulate(busy(2))
    simulation.dispose()
    simulation.dispose()
    await expect(simulation.advance()).rejects.toThrow(InputError)
    await expect(simulation.advance()).rejects.toThrow('advance: the simulation was disposed of; create another one.')
    for (const use of [
      () => simulation.influence({}),
      () => simulation.capture(),
      () => simulation.problem(),
      () => simulation.save(),
      () => simulation.frame,
      () => simulation.time,
      () => simulation.particles,
    ])
      expect(use).toThrow(InputError)
  })
})

it.each([[null], [7], ['text'], [[]], [{ observe: 7 }], [{ signal: {} }], [{ signal: new AbortController() }]])(
  'advance(%s) is refused with a sentence',
  async wrong => {
    const simulation = await simulate(busy(2))
    await expect(simulation.advance(wrong as never)).rejects.toThrow(InputError)
    expect(simulation.frame).toBe(0)
  },
)

it('advance takes a function for observe', async () => {
  const simulation = await simulate(busy(2))
  const seen: number[] = []
  const { substeps } = await simulation.advance(substep => seen.push(substep))
  expect(seen).toEqual(substeps.map((_, at) => at + 1))
})
