/** What every solver of the family promises, on every problem of the gallery. */
import { describe, expect, it } from 'vitest'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, LIQUID, type PressureProblem, type Problem, pressureLength } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import type { IterationRecord } from '../../src/solvers/contract/solver.js'
import type { SolverEntry } from '../../src/solvers/registry.js'
import { sparseProblem } from '../../src/sparse/matrix.js'
import { randomBlock } from './lattices.js'
import { bruteForce, kkt, largest, largestDifference } from './problems.js'

const TEST_SIZE = 17

const zeros = (problem: Problem) => new Float64Array(pressureLength(problem))

/** A connected blob of random cells with random contacts: a grid problem small enough to try every pinned set. */
export function tinyGridProblem(seed: number, dims: 2 | 3): PressureProblem {
  const shape: [number, number, number] = dims === 2 ? [3, 3, 1] : [3, 2, 2]
  const cells = shape[0] * shape[1] * shape[2]
  const kind = new Uint8Array(cells)
  for (let cell = 0; cell < cells; cell++) {
    const draw = random(seed, cell)
    kind[cell] = draw < 0.2 ? DRY : draw < 0.7 ? CONTACT : LIQUID
  }
  const diagonal = new Float64Array(cells)
  const b = new Float64Array(cells)
  const links: [Float64Array, Float64Array, Float64Array] = [
    new Float64Array(cells),
    new Float64Array(cells),
    new Float64Array(cells),
  ]
  const strides = [1, shape[0], shape[0] * shape[1]]
  for (let cell = 0; cell < cells; cell++) {
    if (kind[cell] === DRY) continue
    b[cell] = 10 * (random(seed, cell, 1) - 0.5)
    // Air for about half of the cells; never for none, so that the matrix is regular and the answer unique.
    diagonal[cell] += random(seed, cell, 2) < 0.5 ? 0.01 : random(seed, cell, 3)
    const position = [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / strides[2])]
    for (let axis = 0; axis < 3; axis++) {
      const other = cell + strides[axis]
      if (position[axis] + 1 >= shape[axis] || kind[other] === DRY) continue
      const conductance = 10 ** (4 * random(seed, cell, 4 + axis) - 2)
      links[axis][cell] = -conductance
      diagonal[cell] += conductance
      diagonal[other] += conductance
    }
  }
  return { grid: { dims, shape, spacing: 1, cells }, kind, diagonal, links, b }
}

/** Every solver, whatever it runs on, passes these. */
export function describeContract({ name, separating, needsGrid = false, elsewhere = false, create }: SolverEntry): void {
  describe(name, () => {
    for (const entry of gallery) {
      for (const dims of entry.dims) {
        it(`${entry.name} in ${dims}D meets 1e-6 and 1e-8, recomputed here`, async () => {
          const { problem, known } = entry.build({ size: Math.max(TEST_SIZE, entry.minSize), dims })
          const solver = create()
          if (needsGrid && elsewhere && !('grid' in problem)) {
            expect(await solver.solve(problem, zeros(problem))).toMatchObject({ status: 'failed' })
            return
          }
          if (needsGrid && !('grid' in problem)) {
            await expect(solver.solve(problem, zeros(problem))).rejects.toThrow(/needs a grid/)
            return
          }
          for (const tolerance of [1e-6, 1e-8]) {
            const p = zeros(problem)
            const result = await solver.solve(problem, p, { tolerance })
            const { residual, smallestContactPressure, smallestContactDivergence } = kkt(problem, p, !separating)
            expect(result.residual).toBeCloseTo(residual, 12)
            if (!separating) {
              // An expanding pocket has no answer when its walls stick.
              expect(['converged', 'infeasible']).toContain(result.status)
              if (result.status === 'converged') expect(residual).toBeLessThanOrEqual(tolerance)
              continue
            }
            expect(result.status).toBe(known?.status ?? 'converged')
            expect(smallestContactPressure).toBeGreaterThanOrEqual(0)
            if (result.status !== 'converged') continue
            expect(residual).toBeLessThanOrEqual(tolerance)
            expect(smallestContactDivergence).toBeGreaterThanOrEqual(-tolerance)
            if (known?.pressure) {
              const scale = largest(known.pressure.filter(value => !Number.isNaN(value)))
              const error = p.reduce(
                (e, value, at) => Math.max(e, Number.isNaN(known.pressure![at]) ? 0 : Math.abs(value - known.pressure![at])),
                0,
              )
              expect(error).toBeLessThanOrEqual(1e-4 * Math.max(scale, 1e-300))
            }
          }
        })
      }
    }

    if (separating) {
      it('agrees with trying every pinned set on tiny random grids', async () => {
        const solver = create()
        for (let seed = 1; seed <= 60; seed++) {
          const problem = tinyGridProblem(seed, seed % 2 ? 2 : 3)
          const exact = bruteForce(problem)
          expect(exact, `seed ${seed} has an answer`).toBeDefined()
          const p = zeros(problem)
          const { status } = await solver.solve(problem, p, { tolerance: 1e-10 })
          expect(status, `seed ${seed}`).toBe('converged')
          expect(largestDifference(p, exact!), `seed ${seed}`).toBeLessThan(1e-6 * Math.max(1, largest(exact!)))
        }
      })
    }

    it.skipIf(needsGrid)('solves unstructured rows handed in directly', async () => {
      // Three rows in a chain, the last grounded; without contacts p = −A⁻¹b = (3, 2, 1).
      const kind = Uint8Array.of(LIQUID, LIQUID, LIQUID)
      const entries = [
        [0, 0, 1],
        [0, 1, -1],
        [1, 0, -1],
        [1, 1, 2],
        [1, 2, -1],
        [2, 1, -1],
        [2, 2, 2],
      ] as const
      const problem = sparseProblem(3, entries, Float64Array.of(-1, 0, 0), kind)
      const p = new Float64Array(3)
      expect((await create().solve(problem, p, { tolerance: 1e-12 })).status).toBe('converged')
      expect(largestDifference(p, Float64Array.of(3, 2, 1))).toBeLessThan(1e-10)
    })

    it('needs nothing when b is 0, and nothing when there is no unknown', async () => {
      const { problem } = galleryProblem('tank', { size: 9 })
      const still = { ...problem, b: new Float64Array(problem.b.length) } as Problem
      const dry = { ...problem, kind: new Uint8Array(problem.kind.length) } as Problem
      for (const quiet of [still, dry]) {
        const p = zeros(quiet)
        const result = await create().solve(quiet, p)
        expect(result).toMatchObject({ status: 'converged', iterations: 0, residual: 0 })
        expect(largest(p)).toBe(0)
      }
    })

    it('solves a single cell', async () => {
      const one = tinyGridProblem(1, 2)
      one.kind.fill(DRY)
      for (const link of one.links) link.fill(0)
      one.kind[4] = CONTACT
      one.diagonal[4] = 2
      one.b[4] = -3
      const p = zeros(one)
      expect((await create().solve(one, p)).status).toBe('converged')
      expect(p[4]).toBeCloseTo(1.5, 6)
    })

    it.each([[[1, 40]], [[40, 1]], [[3, 5, 7]], [[1000, 4]], [[1, 1, 30]], [[2, 2]], [[1, 1]], [[33, 1, 9]]])(
      'solves a block of shape %o',
      async shape => {
        const problem = randomBlock(shape, 5)
        const p = zeros(problem)
        // Chentanez and Müller's averaged p_min lets no correction through a long channel that touches walls everywhere: there
        // only sweeps are left, and the method must say that it did not get there.
        const hopeless = name === 'cm-multigrid' && shape[0] === 1000
        const result = await create().solve(problem, p, { tolerance: 1e-7, ...(hopeless && { maxIterations: 300 }) })
        expect(result.status).toBe(hopeless ? 'iteration-limit' : 'converged')
        if (!hopeless) expect(kkt(problem, p, !separating).residual).toBeLessThanOrEqual(1e-7)
        expect(p.every(Number.isFinite)).toBe(true)
      },
    )

    it('starts from the pressure it is given', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 3 })
      const solver = create()
      const p = zeros(problem)
      const cold = await solver.solve(problem, p, { tolerance: 1e-9 })
      const again = await solver.solve(problem, p, { tolerance: 1e-6 })
      expect(again).toMatchObject({ status: 'converged', iterations: 0 })
      for (let at = 0; at < p.length; at++) p[at] *= 1 + 1e-6 * (random(5, at) - 0.5)
      const warm = await solver.solve(problem, p, { tolerance: 1e-9 })
      expect(warm.status).toBe('converged')
      expect(warm.work).toBeLessThan(cold.work)
    })

    it('forgives a bad guess: wrong everywhere, pressed where liquid leaves, and set where there is none', async () => {
      for (const scene of ['half-ball', 'expanding-chamber', 'full-sphere']) {
        const { problem } = galleryProblem(scene, { size: TEST_SIZE, dims: 2 })
        if (!separating && scene === 'expanding-chamber') continue
        for (const level of [1e4, -1e4]) {
          const p = Float64Array.from(problem.b, (_, at) => level * (1 + random(8, at)))
          const result = await create().solve(problem, p, { tolerance: 1e-7 })
          expect(result.status, `${scene} from ${level}`).toBe('converged')
          expect(kkt(problem, p, !separating).residual).toBeLessThanOrEqual(1e-7)
          expect(largest(p.filter((_, at) => problem.kind[at] === DRY))).toBe(0)
        }
      }
    })

    it('meets a relative tolerance', async () => {
      const { problem } = galleryProblem('half-sphere', { size: TEST_SIZE, dims: 2 })
      const p = zeros(problem)
      const start = kkt(problem, p, !separating).residual
      await create().solve(problem, p, { tolerance: 1e-5, relative: true })
      expect(kkt(problem, p, !separating).residual).toBeLessThanOrEqual(1e-5 * start)
    })

    it('gives the same bits again, also after other problems and failures', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 2 })
      const fresh = zeros(problem)
      await create().solve(problem, fresh)
      const solver = create()
      const { problem: larger } = galleryProblem('rooms', { size: 24 })
      await solver.solve(larger, zeros(larger), { maxIterations: 2 })
      const broken = { ...problem, b: problem.b.map(() => NaN) } as Problem
      expect((await solver.solve(broken, zeros(broken))).status).toBe('not-finite')
      const used = zeros(problem)
      expect((await solver.solve(problem, used)).status).toBe('converged')
      expect(used).toEqual(fresh)
      solver.dispose()
      const disposed = zeros(problem)
      expect((await solver.solve(problem, disposed)).status).toBe('converged')
      expect(disposed).toEqual(fresh)
    })

    it('says so when it may not go on', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 2 })
      const p = zeros(problem)
      const result = await create().solve(problem, p, { maxIterations: 3 })
      expect(result.status).toBe('iteration-limit')
      expect(result.iterations).toBe(3)
      expect(result.message).toContain('3')
      expect(result.residual).toBeCloseTo(kkt(problem, p, !separating).residual, 10)
      if (separating) expect(kkt(problem, p).smallestContactPressure).toBeGreaterThanOrEqual(0)
    })

    it('reports what is not finite and leaves the pressure alone', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 2 })
      const wet = problem.kind.findIndex(kind => kind !== DRY)
      for (const poison of [NaN, Infinity]) {
        const b = problem.b.slice()
        b[wet] = poison
        expect((await create().solve({ ...problem, b } as Problem, zeros(problem))).status).toBe('not-finite')
        const guess = zeros(problem)
        guess[wet] = poison
        const result = await create().solve(problem, guess)
        expect(result.status).toBe('not-finite')
        expect(guess[wet]).toBe(poison)
      }
    })

    it('can be cancelled from the monitor and from outside', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 3 })
      const fromMonitor = new AbortController()
      const stopped = await create().solve(problem, zeros(problem), {
        tolerance: 1e-12,
        signal: fromMonitor.signal,
        monitor: ({ iteration }) => {
          if (iteration >= 2) fromMonitor.abort()
        },
      })
      expect(stopped).toMatchObject({ status: 'cancelled', iterations: 2 })
      const before = new AbortController()
      before.abort()
      expect((await create().solve(problem, zeros(problem), { signal: before.signal })).status).toBe('cancelled')
      // A timer can only fire if the solver lets the event loop turn.
      const large = galleryProblem('rooms', { size: 48 }).problem
      const timed = await create().solve(large, zeros(large), { tolerance: 1e-13, signal: AbortSignal.timeout(30) })
      expect(timed.status).toBe('cancelled')
    })

    it('keeps a history that adds up', async () => {
      const { problem } = galleryProblem('half-ball', { size: TEST_SIZE, dims: 3 })
      const seen: IterationRecord[] = []
      const result = await create().solve(problem, zeros(problem), { monitor: record => seen.push(record) })
      expect(result.history).toEqual(seen)
      expect(result.history[0].residual).toBeCloseTo(kkt(problem, zeros(problem), !separating).residual, 10)
      result.history.forEach((record, at) => {
        // Where somebody else iterates, one record may stand for several iterations.
        if (!elsewhere) expect(record.iteration).toBe(at)
        if (at === 0) return
        expect(record.iteration).toBeGreaterThan(result.history[at - 1].iteration)
        expect(record.work).toBeGreaterThan(result.history[at - 1].work)
        expect(record.seconds).toBeGreaterThanOrEqual(result.history[at - 1].seconds)
        expect(record.outer).toBeGreaterThanOrEqual(result.history[at - 1].outer)
      })
      const last = result.history[result.history.length - 1]
      expect(result.iterations).toBe(last.iteration)
      expect(result.work).toBe(last.work)
      expect(result.unknowns).toBe(problem.kind.reduce((count, kind) => count + (kind === DRY ? 0 : 1), 0))
    })

    it('refuses calls that make no sense', async () => {
      const { problem } = galleryProblem('tank', { size: 9 })
      const p = zeros(problem)
      const solver = create()
      await expect(solver.solve(problem, new Float64Array(3))).rejects.toThrow(/81 values/)
      await expect(solver.solve(problem, p, { tolerance: 0 })).rejects.toThrow(/tolerance/)
      await expect(solver.solve(problem, p, { tolerance: NaN })).rejects.toThrow(/tolerance/)
      await expect(solver.solve(problem, p, { maxIterations: 0 })).rejects.toThrow(/maxIterations/)
      expect(() => create({ nonsense: 1 })).toThrow(/no option "nonsense"/)
    })

    it.skipIf(needsGrid)('ends on a matrix that is not positive definite', async () => {
      const entries = [
        [0, 0, 1],
        [0, 1, -3],
        [1, 0, -3],
        [1, 1, 1],
      ] as const
      const problem = sparseProblem(2, entries, Float64Array.of(-1, -2), Uint8Array.of(LIQUID, LIQUID))
      const result = await create().solve(problem, new Float64Array(2), { maxIterations: 500 })
      expect(['diverged', 'not-finite', 'stagnated', 'iteration-limit', 'converged']).toContain(result.status)
      if (result.status === 'converged') expect(result.residual).toBeLessThan(1e-6)
      else expect(result.message.length).toBeGreaterThan(10)
    })
  })
}
