/** Addresses above 2 GiB: solvers, liquids, painters and records of tiles give the same bits wherever in memory they lie. WebAssembly hands
 *  such addresses over as numbers below 0, and arrays made from them could not be. */
import fs from 'node:fs'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTilePacker } from '../../src/cluster/tile-packing.js'
import { tilesOf } from '../../src/cluster/tiles.js'
import { createGrid } from '../../src/grid/grid.js'
import { box, halfSpace, sphere } from '../../src/grid/shapes.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { liquidModule } from '../../src/machine/generated/liquid.js'
import { paintModule } from '../../src/machine/generated/paint.js'
import { solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { type KernelModule, moduleBytes } from '../../src/machine/module.js'
import { findRuns, loadProblem } from '../../src/multigrid/aggregate/load-problem.js'
import { fitFlat, fitSpace } from '../../src/paint/camera.js'
import { createPainter } from '../../src/paint/painter.js'
import { LIGHT } from '../../src/paint/palette.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { createSolver, solvers } from '../../src/solvers/registry.js'
import { frameOf } from '../support/frames.js'
import { GIB } from '../support/high-memory.js'
import { body, moving, settingOf, solid } from '../support/settings.js'

const memory = vi.hoisted(() => ({ base: 0 }))
vi.mock('../../src/machine/machine.js', async importOriginal => {
  const { withMachinesFrom } = await import('../support/high-memory.js')
  return withMachinesFrom(await importOriginal<typeof import('../../src/machine/machine.js')>(), () => memory.base)
})

const BASES = [2.2, 3.4]

beforeEach(() => {
  memory.base = 0
})
afterAll(() => vi.restoreAllMocks())

/** What comes out with machines low and high in memory must be equal. */
async function expectSameAt(gibibytes: number, compute: () => Promise<unknown>): Promise<void> {
  memory.base = 0
  const low = await compute()
  memory.base = gibibytes * GIB
  expect(await compute()).toEqual(low)
}

const bitsOf = (array: Float64Array | Float32Array | Uint8ClampedArray) =>
  Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64')

it('every kernel that returns an address is listed, so that it comes back unsigned', () => {
  const folder = new URL('../../src/', import.meta.url)
  const names = fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name => /\/kernels\/.*\.ts$/.test(name))
  const sources = names.map(name => fs.readFileSync(new URL(name, folder), 'utf8'))
  const classes = sources.flatMap(text => [...text.matchAll(/@unmanaged\s+export class (\w+)/g)].map(([, name]) => name))
  expect(classes).toContain('Level')
  const pattern = new RegExp(`^export function (\\w+)\\([^)]*\\): (?:usize|${classes.join('|')}) \\{`, 'gm')
  const returning = new Set(sources.flatMap(text => [...text.matchAll(pattern)].map(([, name]) => name)))
  for (const module of [solveModule, liquidModule, paintModule] as readonly KernelModule<never>[]) {
    const exported = WebAssembly.Module.exports(new WebAssembly.Module(moduleBytes(module, false)))
    const names = exported.map(({ name }) => name).filter(name => returning.has(name))
    expect(names.length).toBeGreaterThan(2)
    expect([...module.addresses].sort()).toEqual(names.sort())
  }
})

describe.each(BASES)('above %d GiB', base => {
  const cases = solvers
    .filter(({ name }) => name !== 'psor')
    .flatMap(({ name }) =>
      (
        [
          [2, 24],
          [3, 10],
        ] as const
      ).map(([dims, size]) => ({ name, dims, size })),
    )
  it.each(cases)('$name solves with the same bits, $dims D', async ({ name, dims, size }) => {
    const problem = galleryProblem('half-ball', { size, dims }).problem as PressureProblem
    for (const engine of ['wasm', 'threads'] as const)
      await expectSameAt(base, async () => {
        const solver = createSolver(name, {}, { engine, ...(engine === 'threads' && { threads: 2 }) })
        const pressure = new Float64Array(problem.grid.cells)
        const { status, iterations, engine: used } = await solver.solve(problem, pressure)
        solver.dispose()
        expect(status).toBe('converged')
        return { iterations, used, bits: bitsOf(pressure) }
      })
  })

  it.each([
    { name: 'expanding-chamber', size: 16 },
    { name: 'sealed-chamber', size: 16 },
    { name: 'warren', size: 24 },
  ])('the default solves $name with the same bits in f64, too', async ({ name, size }) => {
    const problem = galleryProblem(name, { size, dims: 3 }).problem as PressureProblem
    await expectSameAt(base, async () => {
      const solver = createSolver('nas-mgpcg', { precision: 'double' }, { engine: 'wasm' })
      const pressure = new Float64Array(problem.grid.cells)
      const { status, iterations } = await solver.solve(problem, pressure)
      solver.dispose()
      return { status, iterations, bits: bitsOf(pressure) }
    })
  })

  const methods = [
    { dims: 2, method: 'flip', band: 0, threads: 1 },
    { dims: 2, method: 'apic', band: 3, threads: 2 },
    { dims: 3, method: 'apic', band: 0, threads: 2 },
    { dims: 3, method: 'flip', band: 3, threads: 1 },
  ] as const
  it.each(methods)('a liquid moves with the same bits: $dims D, $method, band $band', async ({ dims, method, band, threads }) => {
    const z = dims === 2 ? 0 : 0.5
    const setting = settingOf(dims === 2 ? [24, 24] : [14, 14, 14], dims === 2 ? 1 / 24 : 1 / 14, {
      liquid: [body(halfSpace([0, 0.4, 0], [0, 1, 0]))],
      sources: [{ ...body(sphere([0.2, 0.8, z], 0.12), [1, -1, 0]), from: 0, until: 0.2 }],
      drains: [{ phi: sphere([1, 0, z], 0.2), from: 0, until: 1 }],
      solids: [solid(box([0.5, 0, z], [0.1, 0.2, 0.2])), moving(sphere([0, 0.4, z], 0.15), [3, 0, 0], { friction: 0.5 })],
    })
    await expectSameAt(base, async () => {
      const simulation = await createSimulation(setting, { seed: 5, threads, particles: { method, band } })
      for (let frame = 0; frame < (dims === 2 ? 2 : 1); frame++) await simulation.advance()
      const seen = { state: simulation.save(), frame: simulation.capture({ particles: true, fields: true }) }
      simulation.dispose()
      return seen
    })
  })

  it('pictures are the same', async () => {
    const flat = frameOf(createGrid([24, 20], 0.05), sphere([0.5, 0.4, 0], 0.3), sphere([0.3, 0.1, 0], 0.2))
    const space = frameOf(createGrid([20, 16, 18], 0.05), sphere([0.5, 0.4, 0.45], 0.3), sphere([0.3, 0.1, 0.4], 0.2))
    const look = { width: 64, height: 48, palette: LIGHT }
    await expectSameAt(base, async () => {
      const painter = await createPainter({ threads: 2 })
      const pictures = [flat, space, flat].map(frame => {
        painter.show(frame)
        const camera = frame === flat ? fitFlat(frame.grid, 64, 48) : fitSpace(frame.grid, 64, 48)
        return bitsOf(painter.paint({ ...look, camera }))
      })
      painter.dispose()
      return pictures
    })
  })

  it('records of tiles are the same', async () => {
    const problem = galleryProblem('half-ball', { size: 37, dims: 3 }).problem as PressureProblem
    const found = findRuns(problem)
    const table = tilesOf(problem.grid.shape, found.runs, 8)
    const marks = new Uint8Array(found.unknowns).fill(3)
    await expectSameAt(base, async () => {
      const machine = await startMachine(solveModule, 2)
      const { input } = loadProblem(machine, problem, new Float64Array(problem.grid.cells).fill(1), false, found)
      const records = [...createTilePacker(machine, input, table, true, marks).batches()].map(batch => Buffer.from(batch))
      machine.dispose()
      return Buffer.concat(records).toString('base64')
    })
  })
})
