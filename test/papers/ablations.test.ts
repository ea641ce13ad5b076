/** The ablations of the full approximation scheme behave as in Table 12 of Lai 2020: constant interpolation is slow, direct operators
 *  fail, simple boundaries slow down with the grid until they fail; and rows as printed fail whatever the rest. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Ablation, type AblationTable, formatAblationTable, runAblations } from '../../src/papers/lai/ablations.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { createSolver } from '../../src/solvers/registry.js'

/** Far above what the method as published needs, here and in the paper. */
const MOST = 200
const SIZES = [64, 128, 256]

const tables: AblationTable[] = []

beforeAll(async () => {
  const suite = { sizes3d: [32, 48], sizes2d: SIZES, tolerance: 1e-6, maxIterations: MOST }
  for await (const table of runAblations(suite, () => {})) tables.push(table)
}, 1_800_000)

function find(problem: string, dims: 2 | 3): AblationTable {
  return tables.find(table => table.problem === problem && table.dims === dims)!
}

function results(problem: string, dims: 2 | 3, ablation: Ablation) {
  return find(problem, dims).rows.find(row => row.ablation === ablation)!.results
}

/** Cycles by size; Infinity where it failed. */
function cycles(problem: string, dims: 2 | 3, ablation: Ablation): number[] {
  return results(problem, dims, ablation).map(({ status, iterations }) => (status === 'converged' ? iterations : Infinity))
}

describe('ablations of fas-mg', () => {
  it.each([
    ['half-sphere', 3],
    ['half-sphere', 2],
    ['moving-paddle', 2],
    ['square', 2],
  ] as const)('%s in %dD: as published it converges', (problem, dims) => {
    expect(Math.max(...cycles(problem, dims, 'published'))).toBeLessThanOrEqual(45)
  })

  it.each([2, 3] as const)('trilinear weights change little in a round container in %dD', dims => {
    const published = cycles('half-sphere', dims, 'published')
    cycles('half-sphere', dims, 'trilinear').forEach((count, at) => {
      expect(count).toBeLessThanOrEqual(1.5 * published[at])
      expect(count).toBeGreaterThanOrEqual(published[at] / 1.5)
    })
  })

  it.each([
    ['half-sphere', 3],
    ['half-sphere', 2],
    ['square', 2],
  ] as const)('%s in %dD: constant interpolation takes several times the cycles, growing with the grid', (problem, dims) => {
    const published = cycles(problem, dims, 'published')
    const constant = cycles(problem, dims, 'constant')
    constant.forEach((count, at) => {
      expect(count).toBeGreaterThan(4 * published[at])
      if (at > 0) expect(count).toBeGreaterThan(1.4 * constant[at - 1])
    })
  })

  it('simple boundaries slow down with the grid', () => {
    for (const problem of ['half-sphere', 'square', 'moving-paddle']) {
      const simple = cycles(problem, 2, 'simple')
      expect(simple[1]).toBeGreaterThan(1.5 * simple[0])
      expect(simple[2]).toBeGreaterThan(1.5 * simple[1])
      expect(simple[2]).toBeGreaterThan(2.5 * cycles(problem, 2, 'published')[2])
    }
  })

  it('simple boundaries need ten times the cycles where a plate has liquid on both sides', async () => {
    const { problem } = galleryProblem('moving-paddle', { size: 512, dims: 2 })
    const run = (boundaries: string) =>
      createSolver('fas-mg', { acceleration: 'none', cells: 'whole', boundaries }).solve(
        problem,
        new Float64Array(problem.b.length),
        { maxIterations: 260 },
      )
    const published = await run('one-sided')
    expect(published.status).toBe('converged')
    expect(published.iterations).toBeLessThanOrEqual(26)
    expect((await run('simple')).status).toBe('iteration-limit')
  }, 1_800_000)

  it('direct operators fail: the residual does not fall', () => {
    for (const [problem, at] of [
      ['moving-paddle', 1],
      ['moving-paddle', 2],
      ['square', 1],
      ['square', 2],
    ] as const) {
      const { status, residual } = results(problem, 2, 'direct')[at]
      expect(status).not.toBe('converged')
      expect(residual).toBeGreaterThan(1)
    }
    const inside = cycles('half-sphere', 2, 'direct')
    expect(inside[2]).toBeGreaterThan(4 * cycles('half-sphere', 2, 'published')[2])
  })

  it('rows as printed fail on finer grids, whatever the boundaries and operators', () => {
    for (const problem of ['half-sphere', 'moving-paddle', 'square'])
      for (const ablation of ['literal', 'literal-simple', 'literal-direct'] as const)
        expect(cycles(problem, 2, ablation)[2], `${problem} ${ablation}`).toBe(Infinity)
  })

  it('become one Markdown table per problem', () => {
    const text = formatAblationTable(find('moving-paddle', 2))
    expect(text).toMatch(
      /^\| Plate that sweeps through a pool \| 64² \(\d+\) \| 128² \(\d+\) \| 256² \(\d+\) \|\n\|---\|---\|---\|---\|\n/,
    )
    expect(text).toMatch(/\| simple boundaries \| \d+ \| \d+ \| over 200 \(at [\d.e-]+\) \|/)
    expect(text).toMatch(/\| rows as printed, direct operators \|/)
  })
})
