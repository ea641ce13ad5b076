/** Levels of gallery problems in plain arrays, for tests of the levels and the cycle. */
import { buildHierarchy } from '../../src/multigrid/aggregate/hierarchy.js'
import { type ColouredRows, colourRows } from '../../src/multigrid/aggregate/load-rows.js'
import type { AggregateLevel } from '../../src/multigrid/aggregate/values.js'
import { DENSE_ROWS } from '../../src/multigrid/levels.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { prepareSystem } from '../../src/solvers/running/system.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact } from '../../src/sparse/matrix.js'

export function hierarchyOf(
  source: PressureProblem,
  denseRows = DENSE_ROWS,
): { coloured: ColouredRows; levels: AggregateLevel[] } {
  const buffers = createBuffers()
  const { problem, cells } = compact(source, buffers)
  const { singular, expanding, ...system } = prepareSystem(problem, 1e-6, true, buffers)
  const pockets = { singular, expanding: expanding.map(({ rows }) => rows) }
  const coloured = colourRows(system, source.grid, cells, pockets, buffers)
  return { coloured, levels: buildHierarchy(coloured, buffers, denseRows) }
}

export function galleryHierarchy(name: string, size: number, dims: 2 | 3, denseRows?: number) {
  return hierarchyOf(galleryProblem(name, { size, dims }).problem as PressureProblem, denseRows)
}

export function randomVector(length: number, seed: number): Float64Array {
  return Float64Array.from({ length }, (_, at) => random(seed, at) - 0.5)
}
