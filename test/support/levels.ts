/** Hierarchies of gallery problems for tests of the engine, the levels and the cycle. */
import { buildHierarchy, finestLevel } from '../../src/multigrid/aggregate.js'
import type { AggregateLevel } from '../../src/multigrid/aggregate-values.js'
import { DENSE_ROWS } from '../../src/multigrid/portable-levels.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { type ColouredSystem, colourRows } from '../../src/solvers/nas-levels.js'
import { prepareSystem } from '../../src/solvers/system.js'
import { createBuffers } from '../../src/sparse/buffers.js'
import { compact } from '../../src/sparse/matrix.js'

export function hierarchyOf(
  source: PressureProblem,
  denseRows = DENSE_ROWS,
): { coloured: ColouredSystem; levels: AggregateLevel[] } {
  const buffers = createBuffers()
  const { problem, cells } = compact(source, buffers)
  const system = prepareSystem(problem, 1e-6, true, buffers)
  const run = { buffers, work: { add: () => {} }, showLevels: () => {}, source, cells }
  const coloured = colourRows(system, run)
  return { coloured, levels: buildHierarchy(finestLevel(coloured), denseRows) }
}

export function galleryHierarchy(name: string, size: number, dims: 2 | 3, denseRows?: number) {
  return hierarchyOf(galleryProblem(name, { size, dims }).problem as PressureProblem, denseRows)
}

export function randomVector(length: number, seed: number): Float64Array {
  return Float64Array.from({ length }, (_, at) => random(seed, at) - 0.5)
}
