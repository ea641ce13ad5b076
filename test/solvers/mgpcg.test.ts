/** Voxel multigrid as a preconditioner: counts that do not grow, any shape, sealed domains. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { sampleFaces } from '../../src/grid/staggered.js'
import { smokePastSphere } from '../../src/papers/mcadams/smoke-past-sphere.js'
import { assemble } from '../../src/pressure/assemble.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { type PressureProblem, type Problem, pressureLength } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createSolver } from '../../src/solvers/registry.js'
import { ODD_SHAPES, swirlingBasin } from '../support/lattices.js'
import { kkt, largest, largestDifference } from '../support/problems.js'

async function solve(name: string, problem: Problem, options: Record<string, unknown> = {}, tolerance = 1e-8) {
  const p = new Float64Array(pressureLength(problem))
  const result = await createSolver(name, options).solve(problem, p, { tolerance, relative: true })
  return { ...result, p }
}

/** Liquid to 3/4 of the height, surface and walls on cell faces. */
function voxelTank(size: number): PressureProblem {
  const grid = createGrid([size, size, size], 1 / size)
  const liquid = new Float64Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) liquid[cell] = ((Math.floor(cell / size) % size) + 0.5) / size - 0.75
  const velocity = sampleFaces(grid, [(x, y) => Math.sin(5 * x + y), y => Math.cos(3 * y), (x, _, z) => x * z])
  return assemble({ grid, velocity, liquid, dt: 0.01 })
}

/** Every face has a flux of its own, so that errors of all lengths are there. */
const smoke = (size: number) => smokePastSphere(size, (cell, axis) => random(7, cell, axis) - 0.5)

describe('mgpcg', () => {
  it.each(['problem', 'voxelised'])('takes hardly more steps on a tank of voxels at 64³ than at 32³, finest %s', async finest => {
    const [small, large] = [await solve('mgpcg', voxelTank(32), { finest }), await solve('mgpcg', voxelTank(64), { finest })]
    expect(small.status).toBe('converged')
    expect(large.status).toBe('converged')
    expect(small.iterations).toBeLessThanOrEqual(26)
    expect(large.iterations).toBeLessThanOrEqual(small.iterations + 4)
    expect(large.levels.map(level => level.shape[0])).toEqual([64, 32, 16, 8, 4, 2])
  })

  it('solves smoke past a sphere, which is singular, in hardly more steps at 64³ than at 32³', async () => {
    const [small, large] = [await solve('mgpcg', smoke(32)), await solve('mgpcg', smoke(64))]
    for (const { status, iterations } of [small, large]) {
      expect(status).toBe('converged')
      expect(iterations).toBeLessThanOrEqual(20)
    }
    expect(large.iterations).toBeLessThanOrEqual(small.iterations + 3)
  })

  it('stays fast on cut cells with the matrix of the problem on the finest level, and not with voxels', async () => {
    const counts = async (finest: string) =>
      (await solve('mgpcg', galleryProblem('half-sphere', { size: 32, dims: 3 }).problem, { finest })).iterations
    const own = await counts('problem')
    expect(own).toBeLessThanOrEqual(20)
    expect(await counts('voxelised')).toBeGreaterThan(3 * own)
  })

  it('agrees with mic-pcg on grids of any shape', async () => {
    for (const shape of ODD_SHAPES) {
      const problem = swirlingBasin(shape)
      const [ours, theirs] = [await solve('mgpcg', problem), await solve('mic-pcg', problem, {}, 1e-10)]
      expect(ours.status, `${shape}`).toBe('converged')
      expect(ours.iterations).toBeLessThanOrEqual(20)
      expect(largestDifference(ours.p, theirs.p)).toBeLessThan(1e-5 * largest(theirs.p))
    }
  })

  it('needs more steps without extra smoothing in the band', async () => {
    const { problem } = galleryProblem('two-spheres', { size: 32, dims: 3 })
    const [withBand, without] = [await solve('mgpcg', problem), await solve('mgpcg', problem, { bandSweeps: 0 })]
    expect(withBand.iterations).toBeLessThan(without.iterations)
    expect(kkt(problem, without.p, true).residual).toBeLessThanOrEqual(1e-8 * without.history[0].residual)
  })
})
