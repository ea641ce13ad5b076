/** Algebraic solvers with compiled loops: every engine takes the same way, bit for bit, and says what it is. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EngineSetting } from '../../src/machine/engine-choice.js'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { type Problem, pressureLength } from '../../src/pressure/problem.js'
import { createSolver, findSolver } from '../../src/solvers/registry.js'
import type * as sparseBuffers from '../../src/sparse/compiled-buffers.js'
import type { MachineBuffers } from '../../src/sparse/compiled-buffers.js'

const NAMES = ['mic-pcg', 'fas-mg', 'pi-mg', 'pe-mg'] as const

/** Watches how the memory of machines suffices. */
const opened: MachineBuffers[] = []
vi.mock('../../src/sparse/compiled-buffers.js', async original => {
  const { buffersIn } = await original<typeof sparseBuffers>()
  const watched: typeof buffersIn = (machine, bytes) => {
    const buffers = buffersIn(machine, bytes)
    opened.push(buffers)
    return buffers
  }
  return { buffersIn: watched }
})
afterEach(() => {
  opened.length = 0
})

async function solve(name: string, problem: Problem, setting: EngineSetting, set: Readonly<Record<string, unknown>> = {}) {
  const solver = createSolver(name, set, setting)
  const pressure = new Float64Array(pressureLength(problem))
  const { seconds: _, history, ...result } = await solver.solve(problem, pressure, { maxIterations: 300 })
  solver.dispose()
  return { ...result, pressure, history: history.map(({ seconds: _, ...record }) => record) }
}

async function expectSameWay(name: string, problem: Problem, set: Readonly<Record<string, unknown>> = {}) {
  const portable = await solve(name, problem, { engine: 'portable' }, set)
  const compiled = await solve(name, problem, { engine: 'wasm' }, set)
  expect(portable.engine).toBe('portable')
  expect(compiled.engine).toBe('wasm')
  expect({ ...compiled, engine: '' }).toEqual({ ...portable, engine: '' })
  expect(opened.at(-1)!.outside(), 'found no room').toBe(0)
}

describe.each(NAMES)('%s', name => {
  const { needsGrid = false } = findSolver(name)
  const problems = gallery
    .flatMap(entry => entry.dims.map(dims => ({ entry, dims, built: entry.build({ size: Math.max(15, entry.minSize), dims }) })))
    .filter(({ built }) => !needsGrid || 'grid' in built.problem)

  it.each(problems.map(({ entry, dims, built }) => [`${entry.name} in ${dims}D`, built.problem] as const))(
    'takes the same way on %s, within the room it asked for',
    async (_, problem) => expectSameWay(name, problem),
  )

  it('runs compiled unless it is told otherwise', async () => {
    const { problem } = galleryProblem('tank', { size: 6, dims: 2 })
    for (const setting of [{}, { engine: 'auto' }, { engine: 'threads', threads: 2 }] as const)
      expect((await solve(name, problem, setting)).engine).toBe('wasm')
  })

  it('is not misled by what was solved before, and solves again after it was disposed of', async () => {
    const sizes = [9, 21, 9, 14, 21]
    const solver = createSolver(name, {}, { engine: 'wasm' })
    for (const [turn, size] of sizes.entries()) {
      const { problem } = galleryProblem('half-ball', { size, dims: 3 })
      const pressure = new Float64Array(pressureLength(problem))
      await solver.solve(problem, pressure)
      expect(pressure).toEqual((await solve(name, problem, { engine: 'wasm' })).pressure)
      if (turn === 2) solver.dispose()
    }
    solver.dispose()
  })

  it('lets overlapping calls wait for each other', async () => {
    const problems = [9, 16, 12].map(size => galleryProblem('half-ball', { size, dims: 3 }).problem)
    const solver = createSolver(name, {}, { engine: 'wasm' })
    const { signal } = new AbortController()
    const pressures = problems.map(problem => new Float64Array(pressureLength(problem)))
    await Promise.all(problems.map((problem, at) => solver.solve(problem, pressures[at], { signal })))
    for (const [at, problem] of problems.entries())
      expect(pressures[at]).toEqual((await solve(name, problem, { engine: 'portable' })).pressure)
  })
})

const half = () => galleryProblem('half-ball', { size: 18, dims: 3 }).problem
const maze = () => galleryProblem('maze', { size: 24, dims: 2 }).problem

describe('every choice of a method has its loops', () => {
  it.each(['none', 'jacobi', 'ic0', 'mic0', 'ainv'])('mic-pcg with %s', async preconditioner => {
    await expectSameWay('mic-pcg', half(), { preconditioner })
  })

  it('mic-pcg with an approximate inverse that outgrows the room it began with', async () => {
    await expectSameWay('mic-pcg', maze(), { preconditioner: 'ainv' })
  })

  it.each([
    { order: 'symmetric' },
    { order: 'red-black' },
    { cycle: 'W' },
    { cycle: 'F', preSweeps: 1, postSweeps: 3 },
    { preSweeps: 0, postSweeps: 5 },
    { interpolation: 'trilinear' },
    { interpolation: 'constant', boundaries: 'simple' },
    { coarse: 'direct', cells: 'whole' },
    { acceleration: 'none' },
  ])('Galerkin methods with %o', async set => {
    for (const name of ['fas-mg', 'pi-mg', 'pe-mg'] as const)
      for (const problem of [half(), maze()]) await expectSameWay(name, problem, set)
  })

  it('fas-mg with rows as printed', async () => {
    await expectSameWay('fas-mg', half(), { rows: 'literal' })
  })
})
