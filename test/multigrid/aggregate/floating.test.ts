/** Components of the coarsest level that nothing holds towards p = 0. */
import { expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import type { AggregateLevel } from '../../../src/multigrid/aggregate/values.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'
import { createTwins } from '../../support/compiled.js'

/** Three full boxes of 6 × 8 × 8 cells side by side, no two linked; only the middle one has air beside a cell. */
function threeBoxes(): PressureProblem {
  const grid = createGrid([18, 8, 8], 1)
  const strides = [1, 18, 144]
  const diagonal = new Float64Array(grid.cells)
  const links = strides.map((stride, axis) =>
    Float64Array.from({ length: grid.cells }, (_, cell) => {
      const along = Math.floor(cell / stride) % grid.shape[axis]
      if (along + 1 === grid.shape[axis] || (axis === 0 && along % 6 === 5)) return 0
      diagonal[cell]++
      diagonal[cell + stride]++
      return -1
    }),
  ) as [Float64Array, Float64Array, Float64Array]
  diagonal[8]++
  return { grid, kind: new Uint8Array(grid.cells).fill(1), diagonal, links, b: new Float64Array(grid.cells) }
}

/** For each row the smallest row it hangs together with. */
function componentsOf(level: AggregateLevel): number[] {
  const label = Array.from({ length: level.rows }, (_, row) => row)
  for (let changed = true; changed; ) {
    changed = false
    for (let row = 0; row < level.rows; row++)
      for (let at = level.rowStart[row]; at < level.rowStart[row + 1]; at++) {
        const other = level.column[at]
        if (level.weight[at] === 0 || label[row] === label[other]) continue
        label[row] = label[other] = Math.min(label[row], label[other])
        changed = true
      }
  }
  return label
}

it.each([
  ['f64', true, 1e-12],
  ['f32', false, 1e-5],
] as const)('get the answer with mean 0, and the mean of f taken out, in %s', async (_, wide, tolerance) => {
  const { compiled, levels, read, write } = await createTwins(threeBoxes(), wide, true)
  const last = levels.length - 1
  const level = levels[last]
  expect(compiled.dense).toBe(true)
  const label = componentsOf(level)
  expect(new Set(label).size).toBe(3)
  const f = Float64Array.from({ length: level.rows }, (_, row) => Math.fround(random(3, row)))
  const { r, z } = compiled.vectors(last)
  write(last, r, f)
  compiled.factorCoarsest()
  compiled.solveCoarsest(r, z)
  const x = read(last, z)
  for (const component of new Set(label)) {
    const rows = label.flatMap((own, row) => (own === component ? [row] : []))
    const held = rows.some(row => level.dirichlet[row] > 0)
    const mean = (values: Float64Array) => rows.reduce((sum, row) => sum + values[row], 0) / rows.length
    if (!held) expect(Math.abs(mean(x))).toBeLessThan(tolerance)
    for (const row of rows) {
      let Ax = level.diagonal[row] * x[row]
      for (let at = level.rowStart[row]; at < level.rowStart[row + 1]; at++) Ax -= level.weight[at] * x[level.column[at]]
      expect(Math.abs(Ax - f[row] + (held ? 0 : mean(f)))).toBeLessThan(100 * tolerance)
    }
  }
})
