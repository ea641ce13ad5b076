/** Threads change how long a solve takes and nothing else. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { afterEach, describe, expect, it } from 'vitest'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { pressureLength } from '../../src/pressure/problem.js'
import type { PressureSolver, SolveOptions } from '../../src/solvers/contract/solver.js'
import { createSolver } from '../../src/solvers/registry.js'
import { stopWatching, WORDS, watchMemories, watchWorkers } from '../support/machines.js'

const open: { dispose(): void }[] = []
afterEach(() => {
  for (const solver of open.splice(0)) solver.dispose()
  stopWatching()
})

function createThreaded(threads: number, options = {}): PressureSolver {
  const solver = createSolver('nas-mgpcg', options, { engine: 'threads', threads })
  open.push(solver)
  return solver
}

const problemOf = (name: string, size: number, dims: 2 | 3) => galleryProblem(name, { size, dims }).problem

async function solve(solver: PressureSolver, problem: ReturnType<typeof problemOf>, options: SolveOptions = {}) {
  const pressure = new Float64Array(pressureLength(problem))
  const result = await solver.solve(problem, pressure, options)
  return { bits: Buffer.from(pressure.buffer), result }
}

/** Large enough that the finest levels have several pieces: one has 2048 rows or more. */
const SAMPLES: readonly [string, number, 2 | 3, object][] = [
  ['half-ball', 48, 3, {}],
  ['half-ball', 40, 3, { precision: 'double' }],
  ['half-ball', 256, 2, {}],
  ['rooms', 40, 3, {}],
  ['warren', 160, 2, {}],
]

describe('the pressure', () => {
  it.each(SAMPLES)('of %s %i in %iD with %o has the same bits for any number of threads', async (name, size, dims, options) => {
    const problem = problemOf(name, size, dims)
    const { bits, result } = await solve(createThreaded(1, options), problem)
    expect(result.engine).toBe('wasm')
    for (const threads of [2, 3, 4, 8]) {
      const memories = watchMemories()
      const solver = createThreaded(threads, options)
      // Threads join when the machine gives them a turn; solve until they have, so that pieces were shared for certain.
      let solves = 0
      do {
        const other = await solve(solver, problem)
        expect(other.bits.equals(bits), `${threads} threads, solve ${solves}`).toBe(true)
        expect(other.result.engine).toBe(`threads (${threads})`)
        expect(other.result.iterations).toBe(result.iterations)
      } while (memories.word('helped') === 0 && ++solves < 100)
      expect(memories.word('helped')).toBeGreaterThan(0)
      solver.dispose()
      stopWatching()
    }
  })

  it('is the same when all cores are busy with something else', async () => {
    const problem = problemOf('half-ball', 40, 3)
    const { bits } = await solve(createThreaded(1), problem)
    const burners = Array.from({ length: 2 * availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']))
    try {
      await Promise.all(burners.map(burner => new Promise(resolve => burner.once('spawn', resolve))))
      const solver = createThreaded(4)
      for (let n = 0; n < 5; n++) expect((await solve(solver, problem)).bits.equals(bits)).toBe(true)
    } finally {
      for (const burner of burners) burner.kill('SIGKILL')
    }
  })

  it('is the same for solves that overlap', async () => {
    const problems = [problemOf('half-ball', 32, 3), problemOf('rooms', 24, 3), problemOf('half-ball', 200, 2)]
    const alone: Buffer[] = []
    for (const problem of problems) alone.push((await solve(createThreaded(1), problem)).bits)
    const solver = createThreaded(3)
    const all = await Promise.all([...problems, ...problems].map(problem => solve(solver, problem)))
    all.forEach(({ bits }, n) => {
      expect(bits.equals(alone[n % 3])).toBe(true)
    })
  })

  it('is the same after a solve that was cancelled', async () => {
    const problem = problemOf('half-ball', 40, 3)
    const { bits, result } = await solve(createThreaded(1), problem)
    const solver = createThreaded(3)
    const controller = new AbortController()
    const cancelled = await solve(solver, problem, {
      signal: controller.signal,
      monitor: ({ iteration }) => {
        if (iteration === 2) controller.abort()
      },
    })
    expect(cancelled.result.status).toBe('cancelled')
    expect(cancelled.result.iterations).toBeLessThan(result.iterations)
    expect((await solve(solver, problem)).bits.equals(bits)).toBe(true)
  })
})

describe('threads', () => {
  it('are not started for one', async () => {
    const workers = watchWorkers()
    await solve(createThreaded(1), problemOf('half-ball', 16, 3))
    await solve(createSolver('nas-mgpcg', {}, { engine: 'wasm' }), problemOf('half-ball', 16, 3))
    await solve(createSolver('nas-mgpcg', {}, { engine: 'auto' }), problemOf('half-ball', 16, 3))
    expect(workers.all.length).toBe(0)
  })

  it('are one less than asked for, because the caller works too, and end with the solver', async () => {
    const workers = watchWorkers()
    const solver = createThreaded(4)
    await solve(solver, problemOf('half-ball', 16, 3))
    expect(workers.all.length).toBe(3)
    const ended = workers.ended()
    solver.dispose()
    await ended
    // A solver may be used again.
    expect((await solve(solver, problemOf('half-ball', 16, 3))).result.status).toBe('converged')
    expect(workers.all.length).toBe(6)
  })

  it('end after the solves under way, when the solver is given up meanwhile', async () => {
    const workers = watchWorkers()
    const problem = problemOf('half-ball', 32, 3)
    const { bits } = await solve(createThreaded(1), problem)
    const solver = createThreaded(3)
    const first = solve(solver, problem, { signal: new AbortController().signal })
    const second = solve(solver, problem)
    solver.dispose()
    expect((await first).bits.equals(bits)).toBe(true)
    expect((await second).bits.equals(bits)).toBe(true)
    expect(workers.all.length).toBe(2)
    await workers.ended()
  })

  it('neither multiply nor take more memory over hundreds of solves', async () => {
    const workers = watchWorkers()
    const memories = watchMemories()
    const solver = createThreaded(3)
    const problems = [
      problemOf('half-ball', 24, 3),
      problemOf('rooms', 20, 3),
      problemOf('half-ball', 100, 2),
      problemOf('spray', 24, 2),
    ]
    const pass = async () => {
      for (const problem of problems) await solve(solver, problem)
    }
    await pass()
    const bytes = memories.bytes()
    for (let n = 0; n < 80; n++) await pass()
    expect(memories.bytes()).toBe(bytes)
    expect(memories.all.length).toBe(1)
    expect(workers.all.length).toBe(2)
  })

  it('do not keep a process alive whose solver was never disposed of', async () => {
    const entry = new URL('../../dist/index.js', import.meta.url).href
    const script = `import { createSolver, galleryProblem } from '${entry}'
      const { Memory } = WebAssembly
      const memories = []
      WebAssembly.Memory = function (limits) { return memories[memories.push(new Memory(limits)) - 1] }
      const { problem } = galleryProblem('half-ball', { size: 32, dims: 3 })
      const solver = createSolver('nas-mgpcg', {}, { engine: 'threads', threads: 4 })
      for (let n = 0; n < 500; n++) {
        const { engine, status } = await solver.solve(problem, new Float64Array(problem.grid.cells))
        if (new Int32Array(memories[0].buffer)[${WORDS.helped >>> 2}] === 0) continue
        console.log(engine, status)
        break
      }`
    // Options of the process must not reach its threads: they are plain scripts.
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    open.push({ dispose: () => child.kill('SIGKILL') })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', data => {
        output += data
      })
    const code = await new Promise(resolve => child.once('close', resolve))
    expect(output).toBe('threads (4) converged\n')
    expect(code).toBe(0)
  })
})
