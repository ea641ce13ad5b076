/** Solvers allocate in their first solve, and then never again for problems of the same size: a liquid solves thousands of them. Without
 *  exception; what a result holds belongs to the caller. */
import { afterEach, describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { isGridProblem, type Problem, pressureLength } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { createSolver, solvers } from '../../src/solvers/registry.js'
import { watchAllocations } from '../support/allocations.js'
import { stopWatching, watchMemories } from '../support/machines.js'

/** Arrays with at least this many elements per unknown must not be allocated: those of the problem, and of the first coarser level. Lists of
 *  levels, axes and strides are shorter. */
const SHARE = 1 / 16

const ENGINES = [{ engine: 'portable' }, { engine: 'wasm' }, { engine: 'threads', threads: 2 }] as const

/** Contacts, sealed pockets of every kind, singular matrices, and matrices that are not of a grid. */
const PROBLEMS = [
  'half-ball',
  'two-spheres',
  'full-sphere',
  'squeezed-chamber',
  'expanding-chamber',
  'random-graph',
  'scaled-graph',
]

afterEach(stopWatching)

const problemOf = (name: string): Problem => galleryProblem(name, { size: name.endsWith('graph') ? 9 : 16, dims: 3 }).problem

/** What is allocated in a second solve from 0 and in a second one from another pressure. */
async function secondSolves(problem: Problem, name: string, options: Record<string, unknown>, setting: (typeof ENGINES)[number]) {
  const memories = watchMemories()
  const solver = createSolver(name, options, setting)
  const pressure = new Float64Array(pressureLength(problem))
  const noise = pressure.map((_, at) => random(1, at))
  const results: Int32Array[] = []
  const solveTwice = async () => {
    for (const start of ['zero', 'noise']) {
      if (start === 'zero') pressure.fill(0)
      else pressure.set(noise)
      results.push((await solver.solve(problem, pressure, { tolerance: 1e-5, maxIterations: 8 })).infeasible)
    }
  }
  await solveTwice()
  results.length = 0
  const grown = memories.bytes()
  const found = await watchAllocations(SHARE * unknownsOf(problem), solveTwice)
  expect(memories.bytes(), 'bytes of compiled loops').toBe(grown)
  stopWatching()
  solver.dispose()
  // The result belongs to the caller.
  for (const { length } of results) {
    const own = found.findIndex(allocation => allocation.length === length)
    if (own >= 0) found.splice(own, 1)
  }
  return found
}

const unknownsOf = (problem: Problem) =>
  isGridProblem(problem) ? problem.kind.reduce((count, kind) => count + (kind === 0 ? 0 : 1), 0) : problem.rows

describe.each(solvers.filter(({ elsewhere }) => !elsewhere).map(entry => [entry.name, entry] as const))('%s', (name, entry) => {
  it.each(ENGINES)('finds its memory again, with the engine $engine', async setting => {
    // Threads take the same path as one.
    for (const problemName of setting.engine === 'threads' ? PROBLEMS.slice(0, 1) : PROBLEMS) {
      const problem = problemOf(problemName)
      if (entry.needsGrid && !isGridProblem(problem)) continue
      expect(await secondSolves(problem, name, {}, setting), problemName).toEqual([])
    }
  })

  const choices = Object.entries(entry.options).flatMap(([option, schema]) =>
    schema.type === 'choice'
      ? schema.choices.filter(value => value !== schema.default).map(value => [option, value] as const)
      : [],
  )
  it.runIf(choices.length > 0)('finds its memory again with every choice of its options', async () => {
    const problem = problemOf('half-ball')
    for (const [option, value] of choices) {
      for (const setting of ENGINES.slice(0, 2)) {
        expect(await secondSolves(problem, name, { [option]: value }, setting), `${option} ${value}`).toEqual([])
      }
    }
  })
})

it('finds what is allocated, by whatever means, and not what is only looked at', async () => {
  const array = new Float64Array(100)
  const found = await watchAllocations(5, async () => {
    array.subarray(3)
    new Uint8Array(array.buffer)
    new Float64Array(4)
    new Float64Array(10)
    Int32Array.from([1, 2, 3, 4, 5])
    array.slice(0, 6)
    array.map(value => value)
    new ArrayBuffer(7)
  })
  expect(found.map(({ length }) => length)).toEqual([10, 5, 6, 100, 7])
  for (const { from } of found) expect(from).toContain('allocation.test')
})
