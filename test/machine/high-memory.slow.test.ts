/** Problems that fill most of what addresses of 32 bits reach, and the tests of compiled loops again, with all of them high up in memory. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { measure, type PressureProblem } from '../../src/index.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { createSolver } from '../../src/solvers/registry.js'

it('a problem that needs more than 2 GiB of compiled memory is solved', async () => {
  const problem = galleryProblem('warren', { size: 256, dims: 3 }).problem as PressureProblem
  const pressure = new Float64Array(problem.grid.cells)
  const memories: WebAssembly.Memory[] = []
  const { Memory } = WebAssembly
  WebAssembly.Memory = new Proxy(Memory, {
    construct(target, [descriptor]) {
      const memory = new target(descriptor as WebAssembly.MemoryDescriptor)
      memories.push(memory)
      return memory
    },
  })
  const solver = createSolver('nas-mgpcg', {}, { engine: 'wasm' })
  try {
    const { status, residual } = await solver.solve(problem, pressure)
    expect(status).toBe('converged')
    expect(measure(problem, pressure).residual).toBeLessThanOrEqual(Math.max(residual, 1e-6))
    expect(Math.max(...memories.map(({ buffer }) => buffer.byteLength))).toBeGreaterThan(2 ** 31)
  } finally {
    WebAssembly.Memory = Memory
    solver.dispose()
  }
})

const FILES = [
  ...['test/multigrid/aggregate', 'test/multigrid/lattice/compiled', 'test/liquid/compiled', 'test/sparse/compiled-loops'],
  ...['test/machine/threads', 'test/cluster/tile-packing', 'test/paint'],
  ...['test/liquid/band', 'test/liquid/volume-correction', 'test/liquid/boundary/sources'],
  ...['test/solvers/lattice-engines', 'test/solvers/row-engines'],
]

// Two thousand tests; ten minutes on two cores.
it('tests of compiled loops pass with all of their arrays above 3.2 GiB', () => {
  const { status, stdout } = spawnSync('npx', ['vitest', 'run', '--config', 'test/support/high-memory.config.ts', ...FILES], {
    encoding: 'utf8',
    env: { ...process.env, PEEL_TEST_BASE: '3.2' },
  })
  expect(status, stdout).toBe(0)
}, 2_400_000)
