/** mgpcg and cm-multigrid on all engines: the same answer in as many iterations, the same bits for any number of threads. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { EngineSetting } from '../../src/machine/engine-choice.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { type Problem, pressureLength } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { swirlingBasin } from '../support/lattices.js'
import { kkt, largest, largestDifference } from '../support/problems.js'

const NAMES = ['mgpcg', 'cm-multigrid'] as const

const problems: [string, Problem][] = [
  ...(
    [
      ['half-ball', 20, 3],
      ['two-spheres', 17, 3],
      ['sealed-chamber', 17, 3],
      ['maze', 33, 2],
      ['random-grid', 13, 3],
      ['tank', 24, 2],
    ] as const
  ).map(([name, size, dims]): [string, Problem] => [`${name} in ${dims}D`, galleryProblem(name, { size, dims }).problem]),
  ['a basin of 33 × 17', swirlingBasin([33, 17])],
  ['a basin of 3 × 5 × 7', swirlingBasin([3, 5, 7])],
  ['a basin of 2 × 1 × 30', swirlingBasin([2, 1, 30])],
]

async function solve(
  name: string,
  problem: Problem,
  setting: EngineSetting,
  options: Record<string, unknown> = {},
  tolerance = 1e-9,
) {
  const p = new Float64Array(pressureLength(problem))
  const solver = createSolver(name, options, setting)
  const result = await solver.solve(problem, p, { tolerance, relative: true, maxIterations: 400 })
  solver.dispose()
  return { ...result, p }
}

const bits = (p: Float64Array) => Buffer.from(p.buffer)

describe.each(NAMES)('%s', name => {
  it.each(problems)('agrees on all engines: %s', async (_, problem) => {
    const portable = await solve(name, problem, { engine: 'portable' })
    const compiled = await solve(name, problem, { engine: 'wasm' })
    expect(portable.engine).toBe('portable')
    expect(compiled.engine).toBe('wasm')
    expect(compiled.status).toBe(portable.status)
    expect(Math.abs(compiled.iterations - portable.iterations)).toBeLessThanOrEqual(1)
    expect(compiled.levels).toEqual(portable.levels)
    // A residual of 1e-9 may leave a far larger error in the pressure, but the same one to a part.
    expect(largestDifference(compiled.p, portable.p)).toBeLessThanOrEqual(1e-6 * Math.max(1e-300, largest(portable.p)))
    const { residual } = kkt(problem, compiled.p, name === 'mgpcg')
    if (compiled.status === 'converged') expect(residual).toBeLessThanOrEqual(1e-9 * compiled.history[0].residual)
    for (const threads of [2, 3]) {
      const other = await solve(name, problem, { engine: 'threads', threads })
      expect(other.engine).toBe(`threads (${threads})`)
      expect(bits(other.p).equals(bits(compiled.p)), `${threads} threads`).toBe(true)
    }
  })

  it('gives the same bits for 1, 2 and 3 threads where loops are cut into many pieces', async () => {
    const { problem } = galleryProblem('half-ball', { size: 48, dims: 3 })
    const [one, two, three] = await Promise.all(
      [1, 2, 3].map(threads => solve(name, problem, { engine: 'threads', threads }, {}, 1e-6)),
    )
    expect(one.engine).toBe('wasm')
    expect(one.unknowns).toBeGreaterThan(4 * 2048)
    for (const other of [two, three]) {
      expect(bits(other.p).equals(bits(one.p))).toBe(true)
      expect(other.history.map(record => record.residual)).toEqual(one.history.map(record => record.residual))
    }
  })

  it('reaches 1e-12 of the residual of p = 0', async () => {
    const { problem } = galleryProblem('half-ball', { size: 16, dims: 3 })
    const { status, residual, history } = await solve(name, problem, { engine: 'wasm' }, {}, 1e-12)
    expect(status).toBe('converged')
    expect(residual).toBeLessThanOrEqual(1e-12 * history[0].residual)
  })

  it('takes the engine that is asked for', async () => {
    const { problem } = galleryProblem('tank', { size: 12, dims: 2 })
    expect((await solve(name, problem, {})).engine).toBe('wasm')
    expect((await solve(name, problem, { threads: 1 })).engine).toBe('wasm')
    expect((await solve(name, problem, { threads: 2 })).engine).toBe('threads (2)')
  })

  it('lets overlapping solves wait for each other', async () => {
    const [a, b] = [8, 12].map(size => galleryProblem('half-ball', { size, dims: 3 }).problem)
    const solver = createSolver(name, {}, { engine: 'wasm' })
    const fill = (problem: Problem) => new Float64Array(pressureLength(problem))
    const [pa, pb] = [fill(a), fill(b)]
    await Promise.all([solver.solve(a, pa), solver.solve(b, pb)])
    solver.dispose()
    for (const [problem, p] of [
      [a, pa],
      [b, pb],
    ] as const)
      expect(kkt(problem, p, name === 'mgpcg').residual).toBeLessThanOrEqual(1e-6)
  })
})

describe('with other options', () => {
  const { problem } = galleryProblem('half-sphere', { size: 17, dims: 3 })
  it.each<[string, Record<string, unknown>]>([
    ['mgpcg', { finest: 'voxelised' }],
    ['mgpcg', { bandSweeps: 0 }],
    ['cm-multigrid', { cycle: 'V', keepContactLevels: 0 }],
    ['cm-multigrid', { project: 'after', restrictPinned: 'raw', thinCoarse: 'as-is', floatingCoarse: 'as-is', mode: 'budget' }],
    ['cm-multigrid', { thinCoarse: 'as-is', safeguard: false, mode: 'budget', numFull: 2, numV: 2 }],
  ])('%s %o agrees on all engines', async (name, options) => {
    const portable = await solve(name, problem, { engine: 'portable' }, options, 1e-8)
    const compiled = await solve(name, problem, { engine: 'wasm' }, options, 1e-8)
    expect(compiled.status).toBe(portable.status)
    expect(Math.abs(compiled.iterations - portable.iterations)).toBeLessThanOrEqual(1)
    expect(largestDifference(compiled.p, portable.p)).toBeLessThanOrEqual(1e-5 * largest(portable.p))
  })

  it('cm-multigrid bounds edges on the portable engine, whatever is asked for', async () => {
    const { engine, status } = await solve('cm-multigrid', swirlingBasin([17, 17]), { engine: 'wasm' }, { contact: 'edges' })
    expect(engine).toBe('portable')
    expect(['stagnated', 'converged']).toContain(status)
  })
})

describe('the memory of the engine', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each(NAMES)('is used again by %s and does not grow', async name => {
    const memories: WebAssembly.Memory[] = []
    const Memory = WebAssembly.Memory
    vi.spyOn(WebAssembly, 'Memory').mockImplementation(function (this: unknown, descriptor: WebAssembly.MemoryDescriptor) {
      const memory = new Memory(descriptor)
      memories.push(memory)
      return memory
    } as unknown as typeof Memory)
    const solver = createSolver(name, {}, { engine: 'wasm' })
    const run = async (size: number) => {
      const { problem } = galleryProblem('half-ball', { size, dims: 3 })
      await solver.solve(problem, new Float64Array(pressureLength(problem)))
      return memories[0].buffer.byteLength
    }
    const bytes = await run(20)
    for (const size of [12, 20, 9, 20, 20]) expect(await run(size)).toBe(bytes)
    expect(memories.length).toBe(1)
    solver.dispose()
    await run(12)
    expect(memories.length).toBe(2)
    solver.dispose()
  })
})
