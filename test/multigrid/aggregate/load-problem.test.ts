/** How a problem gets into the memory of a machine, from inside of it and from outside. */
import { beforeEach, describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { type SolveMachine, solveModule } from '../../../src/machine/generated/solve.js'
import { startMachine } from '../../../src/machine/machine.js'
import { copyRuns, findRuns, loadProblem } from '../../../src/multigrid/aggregate/load-problem.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'

/** With room for all that follows: arrays of before its memory has grown would be taken for those of others. */
let machine: SolveMachine
beforeEach(async () => {
  machine = await startMachine(solveModule, 1, 2 ** 22)
})

/** Cells of which about a share of `wet` are unknowns, in stretches; none has links. */
function scatteredProblem(sides: number[], wet: number, seed: number): PressureProblem {
  const grid = createGrid(sides, 1)
  const kind = Uint8Array.from({ length: grid.cells }, (_, cell) =>
    random(seed, cell >> 1) < wet ? 1 + Math.floor(2 * random(seed + 1, cell)) : 0,
  )
  const none = () => new Float64Array(grid.cells)
  const diagonal = Float64Array.from(kind, (value, cell) => (value ? 1 + random(seed + 2, cell) : 0))
  const b = Float64Array.from(kind, (value, cell) => (value ? random(seed + 3, cell) - 0.5 : 0))
  return { grid, kind, diagonal, links: [none(), none(), none()], b }
}

function within<A extends Uint8Array | Float64Array>(array: A): A {
  const { kernels, memory } = machine
  const Kind = array.constructor as new (buffer: ArrayBufferLike, at: number, length: number) => A
  const made = new Kind(memory.buffer, kernels.allocate(array.byteLength), array.length)
  made.set(array)
  return made
}

/** Run after run, cell by cell. */
function runsOf({ grid, kind }: PressureProblem): number[] {
  const [nx] = grid.shape
  const runs: number[] = []
  for (let cell = 0; cell < grid.cells; cell++) {
    if (kind[cell] === 0) continue
    if (cell % nx === 0 || kind[cell - 1] === 0) runs.push(cell, 0)
    runs[runs.length - 1]++
  }
  return runs
}

const SHAPES = [
  [1, 1],
  [5, 3],
  [15, 4],
  [16, 3],
  [17, 5],
  [31, 2],
  [32, 4, 3],
  [33, 3, 2],
  [48, 5, 4],
  [100, 7],
]

describe('runs of unknowns', () => {
  it.each(SHAPES.map(sides => [sides]))('of a grid of %j cells are the same inside of the memory and outside', sides => {
    for (const wet of [0, 0.1, 0.5, 0.9, 1])
      for (let seed = 1; seed < 4; seed++) {
        const outside = scatteredProblem(sides, wet, seed)
        // What lies behind the last cell is no unknown.
        const padded = within(Uint8Array.from([...outside.kind, ...new Uint8Array(32).fill(1)]))
        const inside = { ...outside, kind: padded.subarray(0, outside.kind.length) }
        const used = machine.kernels.mark()
        const expected = runsOf(outside)
        for (const found of [findRuns(outside), findRuns(inside, machine)]) {
          expect([...found.runs]).toEqual(expected)
          expect(found.unknowns).toBe(outside.kind.filter(value => value > 0).length)
        }
        expect(machine.kernels.mark()).toBe(used)
        machine.kernels.releaseAll()
      }
  })
})

describe('a problem inside of the memory', () => {
  const problem = scatteredProblem([37, 5, 3], 0.6, 2)
  const found = findRuns(problem)
  const wet = [...problem.kind.keys()].filter(cell => problem.kind[cell] > 0)

  /** What the loops have of it, and of a pressure. */
  function loadInside(pressure: Float64Array) {
    machine.kernels.releaseAll()
    // Behind what the loops will take up.
    const used = machine.kernels.mark()
    machine.kernels.allocate(2 ** 20)
    const [x, y, z] = problem.links.map(within)
    const { kind, diagonal, b } = problem
    const inside = {
      ...problem,
      kind: within(kind),
      diagonal: within(diagonal),
      links: [x, y, z],
      b: within(b),
    } as PressureProblem
    const given = within(pressure)
    machine.kernels.release(used)
    const { record, started } = loadProblem(machine, inside, given, false, found)
    expect(given.buffer).toBe(machine.memory.buffer)
    const read = (name: 'diagonal' | 'b' | 'p') => new Float64Array(machine.memory.buffer, record[name], found.unknowns).slice()
    const kinds = new Uint8Array(machine.memory.buffer, record.kind, found.unknowns).slice()
    return { started, kinds, diagonal: read('diagonal'), b: read('b'), p: read('p') }
  }
  const packed = (values: Float64Array) => {
    const list = new Float64Array(found.unknowns)
    copyRuns(found.runs, values, list)
    return list
  }

  it('is packed run by run', () => {
    const { kinds, diagonal, b } = loadInside(new Float64Array(problem.b.length))
    expect([...kinds]).toEqual(wet.map(cell => problem.kind[cell]))
    expect(diagonal).toEqual(packed(problem.diagonal))
    expect(b).toEqual(packed(problem.b))
  })

  it('has a pressure to start from if a single unknown has one', () => {
    const nothing = new Float64Array(problem.b.length).fill(-0)
    // Where there is no unknown it does not count.
    nothing[problem.kind.indexOf(0)] = 1
    expect(loadInside(nothing).started).toBe(false)
    for (const cell of wet) {
      for (const value of [1e-300, Number.NaN]) {
        const pressure = nothing.slice()
        pressure[cell] = value
        const { started, p } = loadInside(pressure)
        expect(started).toBe(true)
        expect(p).toEqual(packed(pressure))
      }
    }
  })
})
