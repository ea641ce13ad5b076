/** What lay in memory before a solve says nothing about it: the liquid of a page, or an earlier solve, leaves all kinds of bytes there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { type SolveMachine, solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { gallery } from '../../src/pressure/gallery.js'
import { CONTACT, LIQUID, type PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createSolver } from '../../src/solvers/registry.js'

describe('memory that is full of what is no number', () => {
  let machine: SolveMachine
  beforeAll(async () => {
    // Room for all that follows: memory that grows is clean.
    machine = await startMachine(solveModule, 1, 2 ** 26)
  })
  afterAll(() => machine.dispose())

  async function solve(problem: PressureProblem, byte: number) {
    const { kernels, memory } = machine
    kernels.releaseAll()
    new Uint8Array(memory.buffer).fill(byte, kernels.mark())
    const solver = createSolver('nas-mgpcg', {}, { engine: 'wasm', machine })
    const pressure = new Float64Array(problem.b.length)
    const { status, iterations } = await solver.solve(problem, pressure, { tolerance: 1e-6 })
    solver.dispose()
    return { status, iterations, pressure }
  }

  async function expectSame(problem: PressureProblem): Promise<void> {
    const clean = await solve(problem, 0)
    expect(clean.status).not.toBe('diverged')
    for (const byte of [255, 127]) expect(await solve(problem, byte)).toEqual(clean)
  }

  const cases = gallery.flatMap(({ name, build, dims, minSize }) => dims.map(d => ({ name, build, dims: d, minSize })))
  it.each(cases)('changes no bit of $name in $dims D', async ({ build, dims, minSize }) => {
    for (const size of dims === 2 ? [9, 50] : [13]) {
      const { problem } = build({ size: Math.max(minSize, size), dims })
      if ('grid' in problem) await expectSame(problem)
    }
  })

  it.each([
    { dims: 2, count: 40 },
    { dims: 3, count: 15 },
  ])('changes no bit of crumbled liquid between crumbled walls in $dims D', async ({ dims, count }) => {
    for (let seed = 0; seed < count; seed++) await expectSame(crumbs(dims, seed))
  })
})

/** Cells, links and contacts by chance: blocks of it come in several parts, and whole parts are linked to nothing. */
function crumbs(dims: number, seed: number): PressureProblem {
  const draw = (...which: number[]) => random(seed, dims, ...which)
  const shape = Array.from({ length: dims }, (_, axis) => 5 + Math.floor((dims === 2 ? 40 : 12) * draw(0, axis)))
  const grid = createGrid(shape, 1 / 16)
  const [fill, open, contacts] = [0.3 + 0.6 * draw(1), 0.3 + 0.7 * draw(2), 0.1 + 0.8 * draw(3)]
  const kind = Uint8Array.from({ length: grid.cells }, (_, cell) =>
    draw(4, cell) < fill ? (draw(5, cell) < contacts ? CONTACT : LIQUID) : 0,
  )
  const diagonal = new Float64Array(grid.cells)
  const links = [0, 1, 2].map(() => new Float64Array(grid.cells)) as [Float64Array, Float64Array, Float64Array]
  const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]]
  for (let cell = 0; cell < grid.cells; cell++)
    for (let axis = 0; axis < dims; axis++) {
      if (Math.floor(cell / strides[axis]) % grid.shape[axis] === grid.shape[axis] - 1) continue
      const weight = draw(6, cell, axis) < open ? Math.max(0.01, Math.min(1, 2 * draw(7, cell, axis))) : 0
      const above = cell + strides[axis]
      if (kind[cell] !== 0) diagonal[cell] += weight
      if (kind[above] !== 0) diagonal[above] += weight
      if (kind[cell] !== 0 && kind[above] !== 0) links[axis][cell] = -weight
    }
  // A cell without any face would be a row of zeros.
  for (let cell = 0; cell < grid.cells; cell++) if (kind[cell] !== 0 && diagonal[cell] === 0) diagonal[cell] = 1
  const b = Float64Array.from(kind, (is, cell) => (is === 0 ? 0 : 2 * draw(8, cell) - 1))
  return { grid, kind, diagonal, links, b }
}
