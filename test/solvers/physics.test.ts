/** Mathematics and physics that hold whatever the method: the invariants of the separating-wall pressure problem. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { AssembledProblem } from '../../src/pressure/assemble.js'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, type PressureProblem } from '../../src/pressure/problem.js'
import { project } from '../../src/pressure/project.js'
import { createSolver, solvers } from '../../src/solvers/registry.js'
import { diagonalOf, divergence, kkt, largest, largestDifference } from '../support/problems.js'

const separating = solvers.filter(solver => solver.separating).map(({ name }) => name)
/** PSOR's count depends on when its factor adapts, and it is no match for fine grids; the others are compared closely. */
const krylovBased = separating.filter(name => name !== 'psor')

async function solve(name: string, problem: PressureProblem, tolerance: number, relative = false) {
  const pressure = new Float64Array(problem.grid.cells)
  const result = await createSolver(name).solve(problem, pressure, { tolerance, relative })
  return { pressure, result }
}

const assembled = (name: string, options: Parameters<typeof galleryProblem>[1]) =>
  galleryProblem(name, options).problem as AssembledProblem

describe.each(separating)('%s', name => {
  it.each([2, 3] as const)('at rest the pressure is hydrostatic and no contact lets go, in %dD', async dims => {
    for (const scene of ['tank', 'tilted-tank', 'sphere-at-rest']) {
      const { problem, known } = galleryProblem(scene, { size: 24, dims })
      const { pressure, result } = await solve(name, problem as PressureProblem, 1e-8)
      expect(result.pinned, scene).toBe(0)
      expect(largestDifference(pressure, known!.pressure!), scene).toBeLessThan(1e-8 * largest(known!.pressure!))
    }
  })

  it.each([2, 3] as const)('a sheet under the ceiling and a cap in a sphere fall freely, in %dD', async dims => {
    for (const scene of ['ceiling-sheet', 'sphere-cap']) {
      const gallery = galleryProblem(scene, { size: 24, dims })
      const problem = gallery.problem as AssembledProblem
      const { pressure, result } = await solve(name, problem, 1e-6)
      expect(result, scene).toMatchObject({ status: 'converged', iterations: 0, residual: 0 })
      expect(largest(pressure)).toBe(0)
      const velocity = gallery.velocity!.map(axis => axis.slice()) as unknown as typeof gallery.velocity & object
      project(velocity, pressure, problem)
      expect(velocity).toEqual(gallery.velocity)
    }
  })

  it('a sphere without air is hydrostatic up to a shift, its smallest contact pressure 0', async () => {
    const { problem, known } = galleryProblem('full-sphere', { size: 24, dims: 3 })
    const { pressure, result } = await solve(name, problem as PressureProblem, 1e-8)
    expect(result.status).toBe('converged')
    expect(largestDifference(pressure, known!.pressure!)).toBeLessThan(1e-7 * largest(known!.pressure!))
    const contacts = pressure.filter((_, cell) => problem.kind[cell] === CONTACT)
    expect(Math.min(...contacts)).toBe(0)
  })

  it('a sealed chamber under a pool does not disturb the pool', async () => {
    for (const scene of ['sealed-chamber', 'squeezed-chamber']) {
      const { problem, known } = galleryProblem(scene, { size: 24, dims: 3 })
      const { pressure, result } = await solve(name, problem as PressureProblem, 1e-8)
      expect(result.status, scene).toBe(known!.status)
      const scale = largest(known!.pressure!.filter(value => !Number.isNaN(value)))
      known!.pressure!.forEach((value, cell) => {
        if (!Number.isNaN(value)) expect(Math.abs(pressure[cell] - value)).toBeLessThan(1e-6 * scale)
      })
    }
  })

  it('names exactly the cells of a squeezed pocket, and what it leaves there is the mean of b', async () => {
    const { problem, known } = galleryProblem('squeezed-chamber', { size: 16, dims: 2 })
    const { pressure, result } = await solve(name, problem as PressureProblem, 1e-9)
    const pocket = [...known!.pressure!.keys()].filter(cell => Number.isNaN(known!.pressure![cell]))
    expect([...result.infeasible].sort((a, b) => a - b)).toEqual(pocket)
    const mean = pocket.reduce((sum, cell) => sum + problem.b[cell], 0) / pocket.length
    const left = divergence(problem, pressure)
    for (const cell of pocket) expect(left[cell]).toBeCloseTo(mean, 7)
  })

  it('an expanding pocket lets go just enough to make room', async () => {
    const { problem } = galleryProblem('expanding-chamber', { size: 16, dims: 3 })
    const { pressure, result } = await solve(name, problem as PressureProblem, 1e-9)
    expect(result.status).toBe('converged')
    expect(result.pinned).toBeGreaterThan(0)
    expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-9)
  })

  it('a mirrored scene has the mirrored answer', async () => {
    const problem = assembled('half-ball', { size: 21, dims: 3 })
    const mirrored = assembled('half-ball', { size: 21, dims: 3, mirror: true })
    const one = (await solve(name, problem, 1e-10)).pressure
    const other = (await solve(name, mirrored, 1e-10)).pressure
    const nx = problem.grid.shape[0]
    const reflected = other.map((_, cell) => other[cell - (cell % nx) + (nx - 1 - (cell % nx))])
    expect(largestDifference(one, reflected)).toBeLessThan(1e-8 * largest(one))
  })
})

describe.each(krylovBased)('%s', name => {
  it('takes the same iterations whatever dt, density and length are, relative to the start', async () => {
    const counts = []
    for (const options of [{}, { dt: 0.1 }, { density: 1e4 }, { density: 1 }, { scale: 10 }, { scale: 1e-3 }]) {
      const { result } = await solve(name, assembled('half-sphere', { size: 20, dims: 3, ...options }), 1e-8, true)
      expect(result.status).toBe('converged')
      counts.push(result.iterations)
    }
    // Rounding may tip a comparison once in a solve; unscaled rows change the count by factors.
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
  })
})

describe('all separating solvers', () => {
  let problem: AssembledProblem
  beforeAll(() => {
    problem = assembled('half-ball', { size: 32, dims: 3 })
  })

  it('agree on pressure and pinned contacts', async () => {
    const answers = []
    for (const name of separating) answers.push(await solve(name, problem, 1e-9))
    const [{ pressure: reference, result: first }] = answers
    expect(first.pinned).toBeGreaterThan(500)
    for (const { pressure, result } of answers) {
      expect(result.pinned).toBe(first.pinned)
      expect(largestDifference(pressure, reference)).toBeLessThan(1e-7 * largest(reference))
    }
  })

  it.each(gallery.flatMap(({ name, dims }) => dims.map(d => [name, d] as const)))(
    'agree on every pressure of %s in %dD, and on every contact that is clearly on one side',
    async (name, dims) => {
      const { minSize } = gallery.find(entry => entry.name === name)!
      const { problem } = galleryProblem(name, { size: Math.max(15, minSize), dims })
      const tolerance = 1e-9
      let reference: Float64Array | undefined
      for (const { name: solver, needsGrid, create } of solvers.filter(entry => entry.separating)) {
        if (needsGrid && !('grid' in problem)) continue
        const p = new Float64Array(problem.b.length)
        await create().solve(problem, p, { tolerance })
        reference ??= p
        expect(largestDifference(p, reference), solver).toBeLessThan(1e-6 * Math.max(largest(reference), 1e-300))
        const w = divergence(problem, p)
        const expected = divergence(problem, reference)
        for (let at = 0; at < w.length; at++) {
          if (problem.kind[at] !== CONTACT) continue
          const clearly = Math.max(expected[at], diagonalOf(problem, at) * reference[at]) > 1e-4
          if (clearly)
            expect(diagonalOf(problem, at) * p[at] < w[at], `${solver} ${at}`).toBe(
              diagonalOf(problem, at) * reference[at] < expected[at],
            )
        }
      }
    },
  )

  it('equal the linear solve where nothing separates', async () => {
    for (const scene of ['tank', 'tilted-tank', 'sphere-at-rest']) {
      const still = assembled(scene, { size: 20, dims: 3 })
      const linear = (await solve('mic-pcg', still, 1e-10)).pressure
      for (const name of separating)
        expect(largestDifference((await solve(name, still, 1e-10)).pressure, linear), name).toBeLessThan(1e-9 * largest(linear))
    }
  })
})

/** ½ Σ open·θ·u² over faces that border on liquid, per unit mass of a cell: the energy whose gradient the matrix is. */
function kineticEnergy({ grid, kind, open, theta }: AssembledProblem, velocity: readonly Float64Array[]): number {
  let energy = 0
  const cellStride = [1, grid.shape[0], grid.shape[0] * grid.shape[1]]
  for (let axis = 0; axis < 3; axis++) {
    const size = grid.shape.map((n, a) => (a === axis ? n + 1 : n))
    for (let k = 0, face = 0; k < size[2]; k++)
      for (let j = 0; j < size[1]; j++)
        for (let i = 0; i < size[0]; i++, face++) {
          const position = [i, j, k][axis]
          const upper = i + grid.shape[0] * (j + grid.shape[1] * k)
          const wetAbove = position < grid.shape[axis] && kind[upper] !== DRY
          const wetBelow = position > 0 && kind[upper - cellStride[axis]] !== DRY
          if (wetAbove || wetBelow) energy += 0.5 * open[axis][face] * theta[axis][face] * velocity[axis][face] ** 2
        }
  }
  return energy
}

describe('kinetic energy', () => {
  it('does not grow through projection; where nothing separates, ½ pᵀAp is removed', async () => {
    for (const [scene, dims] of [
      ['half-ball', 3],
      ['half-sphere', 3],
      ['square', 2],
      ['maze', 2],
      ['tilted-tank', 3],
      ['sphere-at-rest', 2],
    ] as const) {
      const gallery = galleryProblem(scene, { size: 24, dims })
      const problem = gallery.problem as AssembledProblem
      const { pressure, result } = await solve('mprgp', problem, 1e-10)
      const velocity = gallery.velocity!.map(axis => axis.slice())
      const before = kineticEnergy(problem, velocity)
      project(velocity as never, pressure, problem)
      const after = kineticEnergy(problem, velocity)
      expect(after, scene).toBeLessThanOrEqual(before * (1 + 1e-12))
      const zeroB = { ...problem, b: new Float64Array(problem.b.length) }
      const Ap = divergence(zeroB, pressure)
      const removed = 0.5 * pressure.reduce((sum, p, cell) => sum + p * Ap[cell], 0)
      // In the units of the sum above: the matrix carries dt/(ρ h²), the gradient step dt/(ρ h).
      const inSameUnits = (removed * problem.dt) / problem.density
      if (result.pinned === 0) expect(before - after, scene).toBeCloseTo(inSameUnits, 8)
      else expect(before - after, scene).toBeGreaterThanOrEqual(inSameUnits * (1 - 1e-9))
    }
  })
})
