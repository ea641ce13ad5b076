/** The compiled yardstick against its definition, on problems as they are handed in. */
import { afterAll, expect, it } from 'vitest'
import { solveModule } from '../../../src/machine/generated/solve.js'
import { startMachine } from '../../../src/machine/machine.js'
import { findRuns, loadProblem } from '../../../src/multigrid/aggregate/load-problem.js'
import { gallery } from '../../../src/pressure/gallery.js'
import { DRY, isGridProblem } from '../../../src/pressure/problem.js'
import { measure } from '../../../src/pressure/residual.js'
import { random } from '../../../src/random.js'
import { createSolver } from '../../../src/solvers/registry.js'

const machine = await startMachine(solveModule, 2)
afterAll(() => machine.dispose())

it('has the bits of its definition on every gallery problem, for any pressure, with walls that stick or not', () => {
  for (const entry of gallery)
    for (const dims of entry.dims) {
      const { problem } = entry.build({ size: Math.max(13, entry.minSize), dims })
      if (!isGridProblem(problem)) continue
      const p = Float64Array.from(problem.kind, (kind, cell) => (kind === DRY ? 0 : 100 * (random(4, cell) - 0.3)))
      for (const sticking of [false, true]) {
        const { input, unknowns, record } = loadProblem(machine, problem, p, sticking, findRuns(problem))
        const expected = measure(problem, p, sticking)
        const { kernels, memory } = machine
        expect(kernels.measureInput(input), `${entry.name} ${dims}D`).toBe(expected.residual)
        expect(machine.results[2]).toBe(expected.pinned)
        expect(Math.abs(machine.results[1] - expected.gap)).toBeLessThanOrEqual(1e-12 * expected.gap)
        new Float64Array(memory.buffer, record.p, unknowns)[unknowns >> 1] = NaN
        expect(kernels.measureInput(input)).toBeNaN()
      }
    }
})

it('reported residuals of the scaled copy of an engine, rounded to f32, instead of those of the problem', async () => {
  for (const name of ['half-ball', 'two-spheres', 'expanding-chamber', 'sealed-chamber'])
    for (const dims of [2, 3] as const)
      for (const engine of ['portable', 'wasm', 'threads'] as const) {
        const { problem } = gallery.find(entry => entry.name === name)!.build({ size: 16, dims })
        const pressure = new Float64Array(problem.b.length)
        const solver = createSolver('nas-mgpcg', {}, { engine, threads: engine === 'threads' ? 2 : undefined })
        const result = await solver.solve(problem, pressure, { tolerance: 1e-9 })
        solver.dispose()
        const { residual, pinned } = measure(problem, pressure)
        expect({ residual: result.residual, pinned: result.pinned }, `${name} ${engine}`).toEqual({ residual, pinned })
      }
})
