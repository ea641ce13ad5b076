/** Sealed pockets, wild starts and rows without anything, for every solver that lets go. */
import { describe, expect, it } from 'vitest'
import { InputError } from '../../src/input-error.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { findPockets } from '../../src/pressure/pockets.js'
import { CONTACT, DRY, LIQUID, type PressureProblem, type SparseProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createSolver, solvers } from '../../src/solvers/registry.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact, sparseProblem } from '../../src/sparse/matrix.js'
import { kkt } from '../support/problems.js'

const separating = solvers.filter(solver => solver.separating)
const gridOf = (name: string) => galleryProblem(name, { size: 12, dims: 2 }).problem as PressureProblem

/** Cells of the first sealed pocket. */
function pocketOf(problem: PressureProblem): Int32Array {
  const { problem: rows, cells } = compact(problem, createBuffers())
  return findPockets(rows)[0].rows.map(row => cells[row])
}

/** The problem with the sum of b over its pocket changed so that each cell has `mean` too much. */
function withMean(problem: PressureProblem, mean: number): PressureProblem {
  const pocket = pocketOf(problem)
  const before = pocket.reduce((sum, cell) => sum + problem.b[cell], 0) / pocket.length
  const b = problem.b.slice()
  for (const cell of pocket) b[cell] += mean - before
  return { ...problem, b }
}

describe.each(separating.map(({ name }) => name))('%s', name => {
  it('called a pocket infeasible that is squeezed by less than the tolerance', async () => {
    for (const share of [0.4, 0.7, 0.95]) {
      const problem = withMean(gridOf('full-sphere'), -share * 1e-6)
      const pressure = new Float64Array(problem.grid.cells)
      const result = await createSolver(name).solve(problem, pressure, { tolerance: 1e-6 })
      expect(result.status, `${share}`).toBe('converged')
      expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-6)
    }
  })

  it('lost its way in sealed pockets from a wild start', async () => {
    for (const problem of [gridOf('full-sphere'), gridOf('sealed-chamber')])
      for (const [constant, spread] of [
        [1e12, 0],
        [-1e9, 1e3],
        [1e6, 1e6],
      ]) {
        const pressure = Float64Array.from(problem.kind, (kind, cell) =>
          kind === DRY ? 0 : constant + spread * (random(3, cell) - 0.5),
        )
        const result = await createSolver(name).solve(problem, pressure, { tolerance: 1e-6 })
        expect(result.status, `${constant} ± ${spread}`).toBe('converged')
        expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-6)
      }
  })

  it('had another word for a squeezed pocket than infeasible', async () => {
    const problem = gridOf('squeezed-chamber')
    const pocket = pocketOf(problem)
    for (const start of [0, 1e3, 1e9]) {
      const pressure = Float64Array.from(problem.kind, (kind, cell) => (kind === DRY ? 0 : start * random(5, cell)))
      const result = await createSolver(name).solve(problem, pressure, { tolerance: 1e-6 })
      expect(result.status, `${start}`).toBe('infeasible')
      expect([...result.infeasible].sort((a, b) => a - b)).toEqual([...pocket])
      problem.kind.forEach((kind, cell) => {
        if (kind === CONTACT) expect(pressure[cell]).toBeGreaterThanOrEqual(0)
      })
    }
  })

  it('took a row without a diagonal for one that can be solved', async () => {
    const problem = gridOf('half-ball')
    const lonely = problem.kind.indexOf(DRY)
    const kind = problem.kind.with(lonely, LIQUID)
    const pressure = new Float64Array(problem.grid.cells)
    await expect(createSolver(name).solve({ ...problem, kind }, pressure)).rejects.toThrow(InputError)
    await expect(createSolver(name).solve({ ...problem, kind }, pressure)).rejects.toThrow(/diagonal is 0 in cell/)
  })
})

describe('rows without a grid', () => {
  const algebraic = separating.filter(({ needsGrid }) => !needsGrid)

  it.each(algebraic.map(({ name }) => name))('%s returned NaN for a row that is empty', async name => {
    const rows: SparseProblem = sparseProblem(
      3,
      [
        [0, 0, 2],
        [0, 2, -1],
        [2, 0, -1],
        [2, 2, 2],
      ],
      Float64Array.of(-1, 1, 1),
      Uint8Array.of(CONTACT, LIQUID, LIQUID),
    )
    const pressure = new Float64Array(3)
    await expect(createSolver(name).solve(rows, pressure)).rejects.toThrow(/row 2/)
  })

  /** D L D of a random connected graph, b with v·b = `excess` for its null vector v, and contacts on every third row. */
  function scaledLaplacian(rows: number, excess: number, contacts: boolean) {
    const d = Float64Array.from({ length: rows }, (_, row) => 10 ** (2 * random(7, row) - 1))
    const A = Array.from({ length: rows }, () => new Float64Array(rows))
    for (let i = 1; i < rows; i++)
      for (const j of [i - 1, Math.floor(i * random(8, i))]) {
        if (i === j) continue
        const weight = 0.5 + random(9, i, j)
        A[i][j] -= d[i] * weight * d[j]
        A[j][i] = A[i][j]
        A[i][i] += d[i] * weight * d[i]
        A[j][j] += d[j] * weight * d[j]
      }
    const entries: [number, number, number][] = []
    A.forEach((row, i) => {
      row.forEach((value, j) => {
        if (value !== 0) entries.push([i, j, value])
      })
    })
    const b = Float64Array.from({ length: rows }, (_, row) => random(11, row) - 0.5)
    const vb = b.reduce((sum, value, row) => sum + value / d[row], 0)
    b[0] += (excess - vb) * d[0]
    const kind = Uint8Array.from({ length: rows }, (_, row) => (contacts && row % 3 === 0 ? CONTACT : LIQUID))
    return sparseProblem(rows, entries, b, kind)
  }

  it.each(algebraic.filter(({ name }) => name !== 'psor').map(({ name }) => name))(
    '%s diverged on singular matrices whose null vector is not constant',
    async name => {
      const cases = [
        [0, false, 'converged'],
        [0, true, 'converged'],
        [0.5, false, 'infeasible'],
        [-0.5, true, 'infeasible'],
        [0.5, true, 'converged'],
      ] as const
      for (const [excess, contacts, status] of cases) {
        const problem = scaledLaplacian(40, excess, contacts)
        const pressure = new Float64Array(40)
        const result = await createSolver(name).solve(problem, pressure, { tolerance: 1e-7 })
        expect(result.status, `${excess} ${contacts}`).toBe(status)
        if (status === 'converged') expect(kkt(problem, pressure).residual).toBeLessThanOrEqual(1e-7)
        else expect(result.infeasible).toHaveLength(40)
      }
    },
  )
})
