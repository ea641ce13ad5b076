/** Solvers on a machine that is lent to them: the same bits as on their own, and nothing of its owner is touched. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { createCompiledLiquid } from '../../../src/liquid/compiled/liquid.js'
import type { EngineSetting } from '../../../src/machine/engine-choice.js'
import { type LiquidMachine, liquidModule } from '../../../src/machine/generated/liquid.js'
import { startMachine } from '../../../src/machine/machine.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { createSolver } from '../../../src/solvers/registry.js'

const grid = (name: string, size: number, dims: 2 | 3) => galleryProblem(name, { size, dims }).problem as PressureProblem

async function solve(problem: PressureProblem, pressure: Float64Array, setting: EngineSetting, walls = 'separating') {
  const solver = createSolver('nas-mgpcg', { walls }, setting)
  try {
    const { history: _, seconds: __, ...result } = await solver.solve(problem, pressure, { tolerance: 1e-6 })
    return { pressure: pressure.slice(), result }
  } finally {
    solver.dispose()
  }
}

describe('a machine that is lent', () => {
  let machine: LiquidMachine
  /** With room for all that follows: arrays of before any memory has grown are taken for those of others. */
  let alone: LiquidMachine
  beforeAll(async () => {
    machine = await startMachine(liquidModule, 2)
    alone = await startMachine(liquidModule, 1, 2 ** 26)
  })
  afterAll(() => {
    machine.dispose()
    alone.dispose()
  })

  /** A copy in the memory of the machine. */
  function within<A extends Uint8Array | Float64Array>(array: A): A {
    const { kernels, memory } = alone
    const Kind = array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => A
    const made = new Kind(memory.buffer, kernels.allocate(array.byteLength), array.length)
    made.set(array)
    return made
  }

  it.each([
    ['half-ball', 24, 3],
    ['maze', 48, 2],
    ['sealed-chamber', 20, 3],
    ['spray', 20, 3],
  ] as const)('solves %s at %d in %dD to the bits of one of its own, wherever the problem is', async (name, size, dims) => {
    const problem = grid(name, size, dims)
    const { kind, diagonal, links, b } = problem
    const inside = (): PressureProblem => {
      const [x, y, z] = links.map(within)
      return { ...problem, kind: within(kind), diagonal: within(diagonal), links: [x, y, z], b: within(b) }
    }
    const guess = Float64Array.from(b, (_, cell) => 1e3 * Math.sin(cell))
    for (const walls of ['separating', 'sticking'])
      for (const start of [new Float64Array(b.length), guess]) {
        const own = await solve(problem, start.slice(), { engine: 'wasm' }, walls)
        const lent = { engine: 'wasm', machine } as const
        expect(await solve(problem, start.slice(), lent, walls)).toEqual(own)
        expect(await solve(inside(), within(start), { engine: 'wasm', machine: alone }, walls)).toEqual(own)
        expect(await solve(problem, start.slice(), { machine, threads: 2 }, walls)).toEqual({
          ...own,
          result: { ...own.result, engine: 'threads (2)' },
        })
      }
  })

  it('keeps what it held, and gets everything else back', async () => {
    const { kernels, memory } = machine
    const length = 5000
    const at = kernels.allocate(length)
    new Uint8Array(memory.buffer, at, length).fill(171)
    const mark = kernels.mark()
    const problem = grid('half-ball', 16, 3)
    for (const setting of [{ machine }, { engine: 'wasm', machine }] as const)
      await solve(problem, new Float64Array(problem.b.length), setting)
    expect(kernels.mark()).toBe(mark)
    expect(new Uint8Array(memory.buffer, at, length).every(value => value === 171)).toBe(true)
  })

  it('has all of its threads again afterwards, and is not taken where it has too few', async () => {
    const problem = grid('half-ball', 40, 3)
    const ran = async (setting: EngineSetting) =>
      (await solve(problem, new Float64Array(problem.b.length), setting)).result.engine
    expect(await ran({ engine: 'wasm', machine })).toBe('wasm')
    // Loops of its owner.
    const liquid = createCompiledLiquid(machine, createGrid([32, 32, 32], 1))
    const before = machine.helped()
    await expect
      .poll(
        () => {
          liquid.openGeometry()
          return machine.helped()
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(before)
    const helped = machine.helped()
    await ran({ engine: 'wasm', machine })
    expect(machine.helped()).toBe(helped)
    expect(await ran({ threads: 2, machine })).toBe('threads (2)')
    const { memory } = machine
    const size = memory.buffer.byteLength
    expect(await ran({ threads: 3, machine: { ...machine, kernels: undefined as never } })).toBe('threads (3)')
    expect(memory.buffer.byteLength).toBe(size)
  })
})
