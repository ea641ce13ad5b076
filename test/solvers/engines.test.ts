/** The same answer from every engine: portable, compiled in mixed and in double precision, with threads. */
import { describe, expect, it } from 'vitest'
import type { EngineSetting } from '../../src/machine/engine-choice.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { createSolver } from '../../src/solvers/registry.js'
import { kkt, largest, largestDifference } from '../support/problems.js'

const grid = (name: string, size: number, dims: 2 | 3) => galleryProblem(name, { size, dims }).problem as PressureProblem

async function solve(problem: PressureProblem, setting: EngineSetting, set = {}, options = {}, guess?: Float64Array) {
  const solver = createSolver('nas-mgpcg', set, setting)
  const pressure = guess ? guess.slice() : new Float64Array(problem.b.length)
  try {
    return { pressure, result: await solver.solve(problem, pressure, options) }
  } finally {
    solver.dispose()
  }
}

const COMPILED: readonly (readonly [string, EngineSetting, object])[] = [
  ['wasm', { engine: 'wasm' }, {}],
  ['wasm', { engine: 'wasm' }, { precision: 'double' }],
  ['threads (2)', { engine: 'threads', threads: 2 }, {}],
]

describe('engines', () => {
  it.each([
    ['half-ball', 32, 3],
    ['rooms', 24, 3],
    ['warren', 16, 3],
    ['expanding-chamber', 24, 3],
    ['squeezed-chamber', 24, 3],
    ['sealed-chamber', 24, 3],
    ['maze', 48, 2],
    ['two-spheres', 65, 2],
    ['spray', 24, 3],
    ['film', 24, 3],
  ] as const)('agree on %s at %d in %dD: status, iterations, pressure, history', async (name, size, dims) => {
    const problem = grid(name, size, dims)
    for (const walls of ['separating', 'sticking'] as const) {
      const portable = await solve(problem, { engine: 'portable' }, { walls }, { tolerance: 1e-8 })
      expect(portable.result.engine).toBe('portable')
      for (const [ran, setting, set] of COMPILED) {
        const { pressure, result } = await solve(problem, setting, { walls, ...set }, { tolerance: 1e-8 })
        expect(result.engine).toBe(ran)
        expect(result.status).toBe(portable.result.status)
        expect(Math.abs(result.iterations - portable.result.iterations)).toBeLessThanOrEqual(2)
        expect(result.levels).toEqual(portable.result.levels)
        expect(result.infeasible).toEqual(portable.result.infeasible)
        // A contact that neither presses nor pulls counts by its last bit.
        expect(Math.abs(result.pinned - portable.result.pinned)).toBeLessThanOrEqual(2 + 0.05 * portable.result.pinned)
        const reference = kkt(problem, pressure, walls === 'sticking')
        if (result.status === 'converged') expect(reference.residual).toBeLessThanOrEqual(1e-8)
        // The residual of the result is measured, whatever the precision of the cycles.
        expect(Math.abs(result.residual - reference.residual)).toBeLessThan(
          1e-5 * reference.residual + 1e-14 * largest(problem.b),
        )
        expect(largestDifference(pressure, portable.pressure)).toBeLessThan(1e-6 * Math.max(1e-9, largest(portable.pressure)))
        expect(result.history[0].residual).toBeCloseTo(portable.result.history[0].residual, 9)
      }
    }
  })

  it.each(COMPILED)('%s %o %o truly reaches 1e-12 of the residual of p = 0', async (_, setting, set) => {
    for (const [name, size, dims] of [
      ['half-ball', 48, 3],
      ['rooms', 24, 3],
      ['half-ball', 128, 2],
    ] as const) {
      const problem = grid(name, size, dims)
      const ofZero = kkt(problem, new Float64Array(problem.b.length)).residual
      const { pressure, result } = await solve(problem, setting, set, { tolerance: 1e-12, relative: true })
      expect(result.status).toBe('converged')
      expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-12 * ofZero)
      expect(result.iterations).toBeLessThanOrEqual(32)
    }
  })

  it('keeps single precision out of trouble: b and A of any size', async () => {
    const problem = grid('half-ball', 24, 3)
    const usual = await solve(problem, { engine: 'wasm' }, {}, { tolerance: 1e-9, relative: true })
    for (const [a, b] of [
      [1e60, 1e-40],
      [1e-90, 1e50],
      [3e-7, 7e8],
    ]) {
      const [x, y, z] = problem.links.map(links => links.map(value => value * a))
      const scaled = {
        ...problem,
        links: [x, y, z] as const,
        diagonal: problem.diagonal.map(v => v * a),
        b: problem.b.map(v => v * b),
      }
      const { pressure, result } = await solve(scaled, { engine: 'wasm' }, {}, { tolerance: 1e-9, relative: true })
      expect(result.status).toBe('converged')
      expect(Math.abs(result.iterations - usual.result.iterations)).toBeLessThanOrEqual(1)
      const back = pressure.map(p => (p * a) / b)
      expect(largestDifference(back, usual.pressure)).toBeLessThan(1e-7 * largest(usual.pressure))
    }
  })

  it('starts from a pressure that is worth it and drops one that is not, as the portable engine does', async () => {
    const problem = grid('half-ball', 32, 3)
    const { pressure, result } = await solve(problem, { engine: 'wasm' }, {}, { tolerance: 1e-9 })
    const near = pressure.map((p, cell) => p * (1 + 1e-3 * Math.sin(cell)))
    for (const guess of [near, pressure.map((p, cell) => 1e3 * p * Math.abs(Math.sin(cell))), pressure]) {
      const portable = await solve(problem, { engine: 'portable' }, {}, { tolerance: 1e-8 }, guess)
      const compiled = await solve(problem, { engine: 'wasm' }, {}, { tolerance: 1e-8 }, guess)
      expect(compiled.result.status).toBe('converged')
      expect(Math.abs(compiled.result.iterations - portable.result.iterations)).toBeLessThanOrEqual(2)
      expect(kkt(problem, compiled.pressure).residual).toBeLessThanOrEqual(1e-8)
    }
    const again = await solve(problem, { engine: 'wasm' }, {}, { tolerance: 1e-8 }, near)
    expect(again.result.iterations).toBeLessThan(result.iterations)
  })

  it('gives the same bits whatever was solved before, and needs no more memory for it', async () => {
    const problems = [grid('half-ball', 24, 3), grid('maze', 32, 2), grid('warren', 8, 3), grid('half-ball', 16, 3)]
    const solver = createSolver('nas-mgpcg', {}, { engine: 'wasm' })
    const first: Float64Array[] = []
    for (const problem of [...problems, ...problems.toReversed(), ...problems]) {
      const pressure = new Float64Array(problem.b.length)
      await solver.solve(problem, pressure)
      const at = problems.indexOf(problem)
      first[at] ??= pressure
      expect(pressure).toEqual(first[at])
    }
    solver.dispose()
  })

  it('says before it allocates that a problem cannot fit, and which size would', async () => {
    // The arrays are as short as they can be: only their lengths are looked at before the sum is done.
    const { checkMemory } = await import('../../src/multigrid/aggregate/memory-need.js')
    const problem = {
      ...grid('half-ball', 8, 3),
      grid: { dims: 3 as const, shape: [600, 600, 600] as const, spacing: 1, cells: 600 ** 3 },
    }
    expect(() => checkMemory(problem as PressureProblem, 600 ** 3, 360_000, undefined)).toThrow(
      / GiB, and compiled loops can use 4; use a grid of at most \d+ × \d+ × \d+ cells/,
    )
    expect(() => checkMemory(problem as PressureProblem, 20e6, 400_000, 3e6)).not.toThrow()
  })

  it('refuses settings that make no sense, in one sentence', () => {
    for (const [setting, sentence] of [
      [{ engine: 'wasm', threads: 3 }, /one thread; use --engine threads for 3/],
      [{ threads: 0 }, /whole number from 1 to 64, not 0/],
      [{ engine: 'gpu' }, /Unknown engine "gpu"; use --engine portable \(available: auto, portable, wasm, threads\)/],
    ] as const)
      expect(() => createSolver('nas-mgpcg', {}, setting as EngineSetting)).toThrow(sentence)
  })
})
