/** FAS multigrid: cycles that do not grow with the grid, the paper's ablations, and an energy that falls. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { createFaceField } from '../../src/grid/staggered.js'
import { assemble } from '../../src/pressure/assemble.js'
import { type GalleryOptions, galleryProblem } from '../../src/pressure/gallery.js'
import { type Problem, pressureLength } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import type { SolveOptions } from '../../src/solvers/contract/solver.js'
import { createSolver } from '../../src/solvers/registry.js'
import { divergence, kkt, largest, largestDifference } from '../support/problems.js'

const PAPER = { acceleration: 'none', cells: 'whole' } as const

async function solve(problem: Problem, options: object = {}, limits: SolveOptions = {}) {
  const p = new Float64Array(pressureLength(problem))
  const result = await createSolver('fas-mg', { ...options }).solve(problem, p, { maxIterations: 150, ...limits })
  return { p, result }
}

async function cycles(name: string, size: number, dims: 2 | 3, options: object = {}, scene: GalleryOptions = {}) {
  const { result } = await solve(galleryProblem(name, { size, dims, ...scene }).problem, options)
  return result.status === 'converged' ? result.iterations : Infinity
}

function energyOf(problem: Problem, p: Float64Array): number {
  const w = divergence(problem, p)
  return p.reduce((sum, value, cell) => sum + 0.5 * value * (w[cell] + problem.b[cell]), 0)
}

describe('fas-mg', () => {
  it.each([
    ['half-ball', 3, 32],
    ['half-ball', 3, 48],
    ['half-ball', 3, 128],
    ['half-sphere', 3, 32],
    ['sphere-with-cuboid', 3, 32],
    ['two-spheres', 3, 32],
    ['half-ball', 2, 64],
    ['half-ball', 2, 256],
    ['half-ball', 2, 512],
    ['square', 2, 128],
    ['square', 2, 512],
    ['maze', 2, 64],
    ['maze', 2, 128],
    ['maze', 2, 512],
    ['rooms', 3, 32],
    ['rooms', 3, 64],
    ['rooms', 3, 128],
    ['sealed-chamber', 3, 32],
  ] as const)(
    'meets 1e-6 on %s in %dD at %d in at most 15 cycles',
    async (name, dims, size) => {
      expect(await cycles(name, size, dims)).toBeLessThanOrEqual(15)
    },
    300_000,
  )

  it.each([2, 3])('lets go of whole walls at once in the rooms of seed %d', async seed => {
    expect(await cycles('rooms', 64, 3, {}, { seed })).toBeLessThanOrEqual(15)
  })

  it('takes the paper’s plain cycles in numbers close to the paper’s, and more of them without its improvements', async () => {
    const count = (size: number, dims: 2 | 3, variant: object = {}) =>
      cycles('half-ball', size, dims, { ...PAPER, ...variant }, { density: 1 })
    const plain = await count(32, 3)
    expect(plain).toBeLessThanOrEqual(14)
    expect(Math.abs((await count(32, 3, { interpolation: 'trilinear' })) - plain)).toBeLessThanOrEqual(3)
    const constant = await count(32, 3, { interpolation: 'constant' })
    expect(constant).toBeGreaterThan(2 * plain)
    expect(constant).toBeGreaterThan(1.5 * (await count(16, 3, { interpolation: 'constant' })))
    expect(await count(32, 3, { coarse: 'direct' })).toBeGreaterThan(1.5 * plain)
    const simple = await count(256, 2, { boundaries: 'simple' })
    expect(simple).toBeGreaterThan(1.5 * (await count(256, 2)))
    expect(simple).toBeGreaterThan(1.5 * (await count(64, 2, { boundaries: 'simple' })))
  })

  it('does not depend on units with scaled rows, but does with literal ones', async () => {
    const count = async (rows: string, density: number) => {
      const { problem } = galleryProblem('half-ball', { size: 32, dims: 3, density })
      const { result } = await solve(problem, { ...PAPER, rows }, { tolerance: 1e-6, relative: true })
      return result.status === 'converged' ? result.iterations : Infinity
    }
    expect(await count('scaled', 1)).toBe(await count('scaled', 1000))
    expect(await count('literal', 1)).toBeGreaterThan(2 * (await count('scaled', 1)))
  })

  it('lowers the energy in every iteration, also where plain cycles run in circles', async () => {
    const { problem } = galleryProblem('maze', { size: 64 })
    const plain = await solve(problem, { acceleration: 'none' })
    expect(plain.result.status).toBe('iteration-limit')
    let last = 0
    for (let limit = 1; limit <= 7; limit++) {
      const { p } = await solve(problem, {}, { maxIterations: limit, tolerance: 1e-12 })
      const energy = energyOf(problem, p)
      expect(energy, `after ${limit}`).toBeLessThan(last)
      last = energy
    }
  })

  it('comes back from a way uphill that does not lead below where it began', async () => {
    const { problem } = galleryProblem('maze', { size: 64 })
    // Coarse grids that are wrong everywhere: trials end, and the rest is done with falling energy.
    const { p, result } = await solve(problem, { coarse: 'direct' }, { tolerance: 1e-9 })
    expect(result.status).toBe('converged')
    expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-9)
    const energies: number[] = []
    for (let limit = 1; limit <= result.iterations; limit++) {
      const { p: early } = await solve(problem, { coarse: 'direct' }, { maxIterations: limit, tolerance: 1e-9 })
      energies.push(energyOf(problem, early))
    }
    const uphill = energies.flatMap((energy, at) => (at > 0 && energy > energies[at - 1] ? [at] : []))
    expect(uphill.length).toBeGreaterThan(0)
    const patience = 6
    for (let at = patience + 1; at < energies.length; at++) {
      const lately = Math.min(...energies.slice(at - patience, at + 1))
      expect(lately, `after ${at + 1}`).toBeLessThan(Math.min(...energies.slice(0, at - patience)))
    }
  })

  it.each([
    { cycle: 'W' },
    { cycle: 'F', order: 'red-black' },
    { order: 'symmetric' },
    { preSweeps: 0, postSweeps: 3 },
    { coarse: 'direct' },
    { interpolation: 'trilinear', cells: 'whole' },
    { interpolation: 'constant' },
    { boundaries: 'simple' },
  ])('finds the same pressure with %j', async options => {
    const { problem } = galleryProblem('half-ball', { size: 20, dims: 3 })
    const reference = new Float64Array(pressureLength(problem))
    await createSolver('pi-pcg').solve(problem, reference, { tolerance: 1e-9 })
    const { p, result } = await solve(problem, options, { tolerance: 1e-9 })
    expect(result.status).toBe('converged')
    expect(largestDifference(p, reference)).toBeLessThan(1e-6 * largest(reference))
  })

  it.each([[[1, 50]], [[50, 1]], [[3, 5, 7]], [[1000, 4]], [[127, 3]], [[1, 1, 9]], [[33, 2, 17]]])(
    'solves a grid of %j, with and without geometry',
    async shape => {
      const grid = createGrid(shape, 0.1)
      const velocity = createFaceField(grid)
      velocity.forEach((component, axis) => {
        for (let face = 0; face < component.length; face++) component[face] = random(3, axis, face) - 0.6
      })
      const liquid = Float64Array.from({ length: grid.cells }, (_, c) =>
        random(9, c) < 0.85 ? -0.1 * random(8, c) - 0.01 : 0.05,
      )
      const assembled = assemble({ grid, velocity, liquid, dt: 0.01 })
      const { kind, diagonal, links, b } = assembled
      for (const problem of [assembled, { grid, kind, diagonal, links, b }]) {
        const { p, result } = await solve(problem, {}, { tolerance: 1e-9 })
        expect(result.status).toBe('converged')
        expect(result.iterations).toBeLessThanOrEqual(20)
        expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-9)
      }
    },
  )

  it('reports its levels, each a fraction of the one before', async () => {
    const { result } = await solve(galleryProblem('half-ball', { size: 32, dims: 3 }).problem)
    expect(result.levels.map(level => level.shape[0])).toEqual([32, 16, 8, 4])
    expect(result.levels[0].unknowns).toBe(result.unknowns)
    for (let at = 1; at < result.levels.length; at++)
      expect(result.levels[at].unknowns).toBeLessThan(result.levels[at - 1].unknowns / 4)
    // Barycentric weights keep the products sparse: 28 entries per row on the first coarse level, not 69.
    expect(result.levels[1].nonZeros / result.levels[1].unknowns).toBeLessThan(35)
  })
})
