/** The simulation as a page sees it, with a worker that lives in this process: what it is told is copied as messages are. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { hasConverged } from '../../src/liquid/records.js'
import * as kernels from '../../src/machine/machine.js'
import { measure } from '../../src/pressure/residual.js'
import { estimateScene } from '../../src/scene/estimate.js'
import { prepareScene } from '../../src/scene/prepare.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { Interrupted, type Session, type SessionOptions, startSession, type WorkerLike } from '../../src/view/session.js'
import { createSimulationHost } from '../../src/view/simulation-host.js'

const scene: SceneInput = {
  version: 1,
  domain: { size: [1, 1], resolution: 20 },
  liquid: [{ shape: 'box', min: [0, 0.7], max: [0.6, 1] }],
  time: { frames: 3, fps: 24 },
}

const open: Session[] = []
const ended: WorkerLike[] = []
afterEach(() => {
  vi.restoreAllMocks()
  for (const session of open.splice(0)) session.dispose()
  ended.length = 0
})

/** Arrays that are handed over are gone on the other side, as with real messages. */
function createWorker(): WorkerLike {
  const host = createSimulationHost((answer, transfer) => {
    const data = structuredClone(answer, { transfer })
    setTimeout(() => worker.onmessage?.({ data } as MessageEvent))
  })
  const worker: WorkerLike = {
    onmessage: null,
    onerror: null,
    postMessage: order => {
      const copy = structuredClone(order) as Parameters<typeof host.take>[0]
      setTimeout(() => host.take(copy))
    },
    terminate: () => {
      ended.push(worker)
      host.dispose()
    },
  }
  return worker
}

async function start(given: SceneInput = scene, options: SessionOptions = {}): Promise<Session> {
  const session = await startSession({ scene: given }, { threads: 1, createWorker, ...options })
  open.push(session)
  return session
}

describe('a session', () => {
  it('gives the frames of a simulation in this process, bit for bit', async () => {
    const session = await start()
    const simulation = await simulateScene({ scene: validateScene(scene) }, { threads: 1 })
    const parts = { particles: true, fields: true }
    expect(session.moment.frame).toEqual(simulation.capture())
    for (let frame = 1; frame <= 2; frame++) {
      const { index, volume, substeps } = await simulation.advance()
      const moment = await session.advance(parts)
      expect(moment.frame).toEqual(simulation.capture(parts))
      expect(moment.record).toMatchObject({ index, volume })
      expect(moment.record!.substeps.map(({ dt }) => dt)).toEqual(substeps.map(({ dt }) => dt))
    }
    expect(await session.capture({ particles: true })).toEqual(simulation.capture({ particles: true }))
    simulation.dispose()
  })

  it('keeps of a frame what it is asked for', async () => {
    const session = await start(scene, { parts: { particles: true } })
    expect(session.moment.frame.particles).toBeDefined()
    expect(session.moment.frame.fields).toBeUndefined()
    const { frame } = await session.advance({ fields: true })
    expect([frame.particles, frame.fields?.kind.length]).toEqual([undefined, 400])
  })

  it('hands over the pressure problem that the last pressure solves', async () => {
    // On the floor, so that there is pressure.
    const session = await start({ ...scene, liquid: [{ shape: 'box', min: [0, 0], max: [0.6, 0.5] }] })
    await expect(session.problem()).rejects.toThrow('compute a frame first')
    const { frame, record } = await session.advance({ fields: true })
    const problem = await session.problem()
    const solve = record!.substeps.at(-1)!.solve
    expect(problem.kind).toEqual(frame.fields!.kind)
    // Pressures are rounded to single precision on their way.
    expect(measure(problem, Float64Array.from(frame.fields!.pressure)).residual).toBeLessThan(solve.residual + 0.01)
  })

  it('hands over that problem also where the volume was corrected afterwards', async () => {
    const session = await start({
      version: 1,
      domain: { size: [1, 1], resolution: 32 },
      liquid: [{ shape: 'box', min: [0, 0], max: [0.5, 1] }],
      solids: [{ shape: 'complement', of: { shape: 'sphere', centre: [0.5, 0.5], radius: 0.45 } }],
    })
    let corrected = 0
    for (let n = 0; n < 6; n++) {
      const { frame, record } = await session.advance({ fields: true })
      if (record!.correction) corrected++
      const problem = await session.problem()
      const { residual } = record!.substeps.at(-1)!.solve
      // Pressures are rounded to single precision on their way.
      expect(measure(problem, Float64Array.from(frame.fields!.pressure)).residual).toBeLessThan(residual + 0.01)
    }
    expect(corrected).toBeGreaterThan(0)
  })

  it('goes on with other walls from the liquid as it is', async () => {
    const session = await start()
    await session.advance({ particles: true })
    const before = await session.capture({ particles: true })
    const { frame } = await session.change({ scene: { ...scene, walls: 'sticking', solver: { name: 'psor' } } })
    expect(frame.index).toBe(1)
    expect((await session.capture({ particles: true })).particles).toEqual(before.particles)
    const { record } = await session.advance()
    expect(record).toMatchObject({ index: 2 })
    expect(record!.substeps.at(-1)!.solve.pinned).toBe(0)
    expect(session.scene.solver.name).toBe('psor')
  })

  it('starts over with the bits of the first time', async () => {
    const session = await start()
    const first = await session.advance({ particles: true })
    await session.advance()
    const again = await session.restart()
    expect(again.frame.index).toBe(0)
    expect((await session.advance({ particles: true })).frame).toEqual(first.frame)
  })

  it('gives up what is under way, and starts again in a new worker', async () => {
    const session = await start()
    const underWay = session.advance()
    session.interrupt()
    await expect(underWay).rejects.toThrow(Interrupted)
    expect(ended).toHaveLength(1)
    expect((await session.restart()).frame.index).toBe(0)
    expect((await session.advance()).frame.index).toBe(1)
    // Nothing is under way, so there is nothing to give up.
    session.interrupt()
    expect(ended).toHaveLength(1)
  })

  it('lets a hand change gravity until it starts over, also across other changes', async () => {
    const fall = async (session: Session) => {
      const { frame } = await session.advance({ particles: true })
      const { velocity } = frame.particles!
      return velocity.reduce((sum, value, at) => (at % 3 === 1 ? sum + value : sum), 0) / (velocity.length / 3)
    }
    const session = await start()
    session.influence({ gravity: [0, 0, 0] })
    expect(Math.abs(await fall(session))).toBeLessThan(0.01)
    await session.change({ scene: { ...scene, walls: 'sticking' } })
    expect(Math.abs(await fall(session))).toBeLessThan(0.01)
    await session.restart({ scene })
    expect(await fall(session)).toBeLessThan(-0.15)
  })
})

describe('a session that cannot', () => {
  it('says what is wrong with a scene, and does not start a worker for it', async () => {
    await expect(start({ ...scene, domain: { size: [1, 1], resolution: 0 } })).rejects.toThrow(/domain\.resolution/)
    expect(ended).toHaveLength(0)
  })

  it('refuses what needs too much memory before anything is made, and goes on with what there was', async () => {
    const session = await start(scene, { maxBytes: 1e8 })
    const at = (resolution: number) => ({ scene: { ...scene, domain: { size: [1, 1], resolution } } })
    const refusal = await session.restart(at(4000)).catch(error => error)
    expect(refusal).toBeInstanceOf(InputError)
    const said = /^A resolution of 4000 needs about \d+ MiB, more than the 95 MiB available here; use (\d+) or less\.$/
    const fitting = Number(said.exec(refusal.message)?.[1])
    const bytesAt = (resolution: number) => {
      const checked = validateScene(at(resolution).scene)
      return estimateScene(checked, prepareScene(checked)).compiledBytes
    }
    expect(bytesAt(fitting)).toBeLessThan(1e8)
    expect(bytesAt(Math.ceil(1.2 * fitting))).toBeGreaterThan(1e8)
    expect(session.scene.domain.resolution).toBe(20)
    expect((await session.advance()).frame.index).toBe(1)
  })

  it('ends its worker when it does not start', async () => {
    await expect(start(scene, { maxBytes: 1 })).rejects.toThrow(InputError)
    expect(ended).toHaveLength(1)
  })

  it('runs in plain TypeScript where there is no WebAssembly with vectors, and says so', async () => {
    vi.spyOn(kernels, 'canCompile').mockReturnValue(false)
    const session = await start()
    expect([session.engine, session.threads]).toEqual(['portable', 1])
    expect(session.note).toMatch(/does not support WebAssembly SIMD/)
    const { frame, record } = await session.advance()
    expect(frame.index).toBe(1)
    expect(record!.substeps.map(({ solve }) => solve.engine)).toEqual(record!.substeps.map(() => 'portable'))
    expect(hasConverged(record!)).toBe(true)
  })

  it('runs on one thread where the scene chooses such an engine, whatever number of threads it is given', async () => {
    const session = await start({ ...scene, solver: { engine: 'portable' } }, { threads: 2 })
    expect([session.engine, session.threads, session.note]).toEqual(['portable', 1, undefined])
    expect((await session.advance()).frame.index).toBe(1)
  })

  it('tells all who wait when its worker fails', async () => {
    let worker: WorkerLike | undefined
    const session = await start(scene, {
      createWorker: () => {
        worker = createWorker()
        return worker
      },
    })
    const waiting = [session.advance(), session.capture({})]
    worker!.onerror?.({ message: 'out of luck' } as ErrorEvent)
    for (const promise of waiting) await expect(promise).rejects.toThrow('The worker of the simulation has failed: out of luck.')
    await expect(session.advance()).rejects.toThrow('out of luck')
  })

  it('starts no worker, and says so, after it was disposed of', async () => {
    let workers = 0
    const session = await start(scene, {
      createWorker: () => {
        workers++
        return createWorker()
      },
    })
    const underWay = session.advance()
    session.dispose()
    session.dispose()
    await expect(underWay).rejects.toThrow(Interrupted)
    for (const use of [
      () => session.advance(),
      () => session.capture({}),
      () => session.problem(),
      () => session.change({ scene }),
      () => session.restart(),
    ]) {
      await expect(use()).rejects.toThrow(InputError)
      await expect(use()).rejects.toThrow(/the session was disposed of/)
    }
    for (const use of [() => session.influence({}), () => session.interrupt(), () => session.scene, () => session.moment])
      expect(use).toThrow(InputError)
    expect(workers).toBe(1)
  })

  it.each([
    ['advance', null],
    ['advance', { particles: 1 }],
    ['capture', undefined],
    ['capture', 7],
    ['change', null],
    ['change', {}],
    ['change', { scene, meshes: {} }],
    ['restart', null],
    ['restart', 'splash'],
  ] as const)('%s(%j) is refused, and the session goes on', async (method, wrong) => {
    const session = await start()
    await expect((session[method] as (given: unknown) => Promise<unknown>)(wrong)).rejects.toThrow(InputError)
    expect((await session.advance()).frame.index).toBe(1)
  })

  it('is not started from what is no scene and no option', async () => {
    for (const wrong of [null, undefined, 7, 'splash', [], {}, { scene: null }, { scene, meshes: [] }])
      await expect(startSession(wrong as never, { createWorker })).rejects.toThrow(InputError)
    for (const wrong of [{ parts: 7 }, { threads: 0 }, { threads: '2' }, { maxBytes: 'all' }, { createWorker: {} }])
      await expect(startSession({ scene }, { createWorker, ...wrong } as never)).rejects.toThrow(InputError)
    for (const wrong of [null, 7, []]) await expect(startSession({ scene }, wrong as never)).rejects.toThrow(InputError)
  })
})
