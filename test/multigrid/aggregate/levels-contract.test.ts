/** The contract of Levels: every operation of the compiled levels against its definition, the plain levels, in both precisions.
 *
 *  Operations that treat rows one by one agree bit for bit in f64. Sums over neighbours, children or all rows agree to rounding, because
 *  compiled loops add in another order: two or four rows at a time, a neighbour above and below at once, and pieces of a vector apart. */
import { describe, expect, it } from 'vitest'
import { createCycle } from '../../../src/multigrid/cycle.js'
import type { Levels, LevelVectors } from '../../../src/multigrid/levels.js'
import { random } from '../../../src/random.js'
import { createTwins, normalise, type Twins } from '../../support/compiled.js'
import { levelProblems } from '../../support/level-problems.js'

const VECTORS = ['f', 'x', 'r', 'z', 'Az', 'd', 'q'] as const
type Name = (typeof VECTORS)[number]

const CYCLE = { topSweeps: 2, coarseSweeps: 1 }
/** Between two values that occur, so that rounding decides nothing. */
const LIMIT = 0.0371

const values = (rows: number, seed: number) => Float64Array.from({ length: rows }, (_, row) => random(seed, row) - 0.5)

/** Is there something that holds every row of every level towards 0, or is it pinned? */
const isHeld = (levels: Twins['levels']) =>
  levels.every(level => level.dirichlet.every((value, row) => value > 0 || level.pinned[row]) || level.rows > 64)

function expectSame(actual: Float64Array, expected: Float64Array, tolerance: number, what?: string): void {
  const scale = expected.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1)
  let worst = 0
  for (let row = 0; row < expected.length; row++) worst = Math.max(worst, Math.abs(actual[row] - expected[row]))
  expect(actual.length).toBe(expected.length)
  expect(worst, what).toBeLessThanOrEqual(tolerance * scale)
}

interface Operation {
  /** Takes vectors from level `at`, and from the next one where it goes between levels. */
  run<Vector>(levels: Levels<Vector>, at: number, here: LevelVectors<Vector>, next?: LevelVectors<Vector>): unknown
  /** Vectors of this level that agree bit for bit in f64. */
  readonly exact?: readonly Name[]
  readonly betweenLevels?: true
}

const operations: Readonly<Record<string, Operation>> = {
  clear: { run: (levels, at, { z }) => levels.clear(at, z), exact: VECTORS },
  dot: { run: (levels, at, { d, q }) => levels.dot(at, d, q), exact: VECTORS },
  multiply: { run: (levels, at, { z, Az }) => levels.multiply(at, z, Az) },
  'smooth red': { run: (levels, at, { r, z }) => levels.smooth(at, 'red', r, z) },
  'smooth black': { run: (levels, at, { r, z }) => levels.smooth(at, 'black', r, z) },
  smoothRedFromZero: { run: (levels, at, { r, z }) => levels.smoothRedFromZero(at, r, z) },
  restrictResidual: { run: (levels, at, { r, z }, next) => levels.restrictResidual(at, r, z, next!.f), betweenLevels: true },
  prolong: { run: (levels, at, { z }, next) => levels.prolong(at, next!.x, z), exact: VECTORS, betweenLevels: true },
  finishProduct: {
    run: (levels, at, { r }) => levels.finishProduct(at, r),
    exact: ['z', 'r', 'q', 'd', 'x'],
  },
  update: { run: (levels, at, { r }) => levels.update(at, 0.3, 0.7, r), exact: VECTORS },
  reset: { run: (levels, at) => levels.reset(at), exact: VECTORS },
  carryUp: { run: (levels, at) => levels.carryUp(at), exact: VECTORS, betweenLevels: true },
}

/** What an operation returns, as numbers. */
function numbersOf<Vector>(run: Operation['run'], levels: Levels<Vector>, at: number): number[] {
  const result = run(levels, at, levels.vectors(at), at + 1 < levels.sizes.length ? levels.vectors(at + 1) : undefined)
  if (typeof result === 'number') return [result]
  return Object.values((result ?? {}) as Record<string, number>)
}

describe.each([
  ['f64', true, 1e-12, true],
  ['f32', false, 2e-5, true],
  ['f32 without shared memory', false, 2e-5, false],
] as const)('compiled levels in %s', (_, wide, tolerance, share) => {
  // Without shared memory the same loops are another module; a few problems of every kind show that.
  describe.each(levelProblems.filter((_, n) => share || n % 4 === 0))('%s', (_, given) => {
    const problem = normalise(given)

    /** Both with the same contacts pinned, after the same start. */
    async function start(): Promise<Twins> {
      const twins = await createTwins(problem, wide, share)
      const x = Float64Array.from(twins.levels[0].cell, cell => Math.fround(random(7, cell) - 0.4))
      for (const stack of [twins.plain, twins.compiled]) {
        stack.restore(0)
        stack.reset(0)
        stack.loadRightSide(0)
      }
      twins.plain.vectors(0).x.set(x)
      twins.write(0, twins.compiled.vectors(0).x, x)
      twins.plain.startSet(0)
      twins.compiled.startSet(0)
      return twins
    }

    /** Fills all vectors of a level of both with the same numbers, 0 on pinned rows. */
    function fill({ compiled, plain, levels, write }: Twins, at: number): void {
      VECTORS.forEach((name, seed) => {
        const vector = values(levels[at].rows, 11 + seed).map((value, row) => (levels[at].pinned[row] ? 0 : Math.fround(value)))
        // On the finest level f and r may share memory.
        if (at === 0 && name === 'f') return
        plain.vectors(at)[name].set(vector)
        write(at, compiled.vectors(at)[name], vector)
      })
    }

    function expectVectors({ compiled, plain, read, padding }: Twins, at: number, exact: readonly Name[], what: string): void {
      for (const name of VECTORS) {
        if (at === 0 && name === 'f') continue
        const actual = read(at, compiled.vectors(at)[name])
        const expected = plain.vectors(at)[name]
        const label = `${what}: ${name} of level ${at}`
        // −0 and 0 are the same number, and which of them it is depends on the order of a sum.
        if (wide && exact.includes(name))
          expect(
            actual.findIndex((value, row) => value !== expected[row]),
            label,
          ).toBe(-1)
        else expectSame(actual, expected, tolerance, label)
        expect(padding(at, compiled.vectors(at)[name]).every(value => value === 0)).toBe(true)
      }
    }

    it('has the same levels, and the same rows are pinned on all of them', async () => {
      const { compiled, plain, levels, rowOf, pinned } = await start()
      expect(compiled.sizes).toEqual(plain.sizes)
      expect(compiled.dense).toBe(plain.dense)
      levels.forEach((level, at) => {
        expect(new Set(rowOf[at]).size).toBe(level.rows)
        expect(pinned(at)).toEqual(level.pinned)
        expect(compiled.contacts(at)).toBe(plain.contacts(at))
      })
    })

    it('agrees operation by operation, on every level', async () => {
      const twins = await start()
      const { compiled, plain, levels } = twins
      for (const [name, { run, exact = [], betweenLevels }] of Object.entries(operations))
        for (let at = 0; at < levels.length - (betweenLevels ? 1 : 0); at++) {
          fill(twins, at)
          if (at + 1 < levels.length) fill(twins, at + 1)
          const [actual, expected] = [compiled, plain].map(stack => numbersOf(run, stack as Levels<unknown>, at))
          expectVectors(twins, at, exact, name)
          if (at + 1 < levels.length) expectVectors(twins, at + 1, name === 'restrictResidual' ? [] : VECTORS, name)
          const size = levels[at].rows * Math.max(1, ...expected.map(Math.abs))
          for (const [n, value] of expected.entries())
            expect(Math.abs(actual[n] - value), name).toBeLessThanOrEqual(10 * tolerance * size)
          // The largest of numbers that have the same bits.
          if (wide && name === 'update') expect(actual).toEqual(expected)
        }
    })

    it('solves the coarsest level', async () => {
      const twins = await start()
      const { compiled, plain, levels, read } = twins
      const last = levels.length - 1
      // What a singular part cannot take is not compared.
      const held = levels[last].dirichlet.every((value, row) => value > 0 || levels[last].pinned[row])
      if (!compiled.dense || !held) return
      fill(twins, last)
      for (const stack of [compiled, plain]) stack.factorCoarsest()
      plain.solveCoarsest(plain.vectors(last).r, plain.vectors(last).z)
      compiled.solveCoarsest(compiled.vectors(last).r, compiled.vectors(last).z)
      expectSame(read(last, compiled.vectors(last).z), plain.vectors(last).z, 100 * tolerance)
    })

    it.each(['V', 'K'] as const)('preconditions by the same %s-cycle, before and after the set has changed', async kind => {
      const twins = await start()
      const { compiled, plain, levels, read } = twins
      for (let round = 0; round < 2; round++) {
        for (let at = 0; at < levels.length; at++) {
          fill(twins, at)
          const mine = compiled.vectors(at)
          const theirs = plain.vectors(at)
          const expected = createCycle(plain, { ...CYCLE, cycle: kind }).apply(at, theirs.r)
          const actual = createCycle(compiled, { ...CYCLE, cycle: kind }).apply(at, mine.r)
          expect(actual.touched).toBe(expected.touched)
          // In f32 a step may be too long by a hair and be left out; what a singular part makes of it is another answer.
          if (!wide || !isHeld(levels)) continue
          expectSame(read(at, mine.z), theirs.z, 1e4 * tolerance)
          expectSame(read(at, mine.Az), theirs.Az, 1e4 * tolerance)
          for (const name of ['zr', 'zAz', 'zq'] as const)
            expect(Math.abs(actual[name] - expected[name])).toBeLessThanOrEqual(
              1e4 * tolerance * Math.max(1, Math.abs(expected.zr)),
            )
        }
        for (const stack of [compiled, plain]) {
          const largest = stack.recomputeResidual(0)
          stack.natural(0, largest)
          stack.changeSet(0, LIMIT, LIMIT)
        }
      }
    })

    it('measures contacts and changes the set the same', async () => {
      const { compiled, plain, levels, read, write, pinned } = await start()
      const mine = compiled.vectors(0)
      const theirs = plain.vectors(0)
      for (let round = 0; round < 3; round++) {
        const before = plain.recomputeResidual(0)
        expect(Math.abs(compiled.recomputeResidual(0) - before)).toBeLessThanOrEqual(tolerance * Math.max(1, before))
        expectSame(read(0, mine.r), theirs.r, tolerance)
        const d = values(levels[0].rows, 20 + round).map((value, row) => (levels[0].pinned[row] ? 0 : Math.fround(value)))
        for (const name of ['z', 'd'] as const) {
          theirs[name].set(d)
          write(0, mine[name], d)
        }
        plain.multiply(0, theirs.d, theirs.q)
        compiled.multiply(0, mine.d, mine.q)
        theirs.Az.set(theirs.q)
        write(0, mine.Az, read(0, mine.q))
        // A step along d leaves a pressure that is not the one of the last exact residual.
        const largest = plain.update(0, 0.5, 0, theirs.r)
        compiled.update(0, 0.5, 0, mine.r)
        const expected = plain.natural(0, largest)
        const actual = compiled.natural(0, largest)
        // A contact that neither presses nor pulls counts by its last bit.
        expect(Math.abs(actual.pinned - expected.pinned)).toBeLessThanOrEqual(2 + 0.01 * compiled.contacts(0))
        expect(Math.abs(actual.residual - expected.residual)).toBeLessThanOrEqual(tolerance * Math.max(1, expected.residual))
        expect(compiled.changeSet(0, LIMIT, LIMIT)).toEqual(plain.changeSet(0, LIMIT, LIMIT))
        for (const [at, level] of levels.entries()) expect(pinned(at)).toEqual(level.pinned)
        for (const name of ['r', 'd', 'q'] as const) expectSame(read(0, mine[name]), theirs[name], 4 * tolerance)
      }
      const after = plain.recomputeResidual(0)
      expect(Math.abs(compiled.recomputeResidual(0) - after)).toBeLessThanOrEqual(4 * tolerance * Math.max(1, after))
      const projected = plain.projectSingular(after)
      expect(Math.abs(compiled.projectSingular(after) - projected)).toBeLessThanOrEqual(4 * tolerance * Math.max(1, projected))
      expectSame(read(0, mine.r), theirs.r, 4 * tolerance)
      for (let at = 0; at < levels.length; at++) {
        const x = values(levels[at].rows, 30).map((value, row) => (levels[at].pinned[row] ? 0 : Math.fround(value)))
        plain.vectors(at).z.set(x)
        write(at, compiled.vectors(at).z, x)
        plain.multiply(at, plain.vectors(at).z, plain.vectors(at).Az)
        compiled.multiply(at, compiled.vectors(at).z, compiled.vectors(at).Az)
        expectSame(read(at, compiled.vectors(at).Az), plain.vectors(at).Az, tolerance)
      }
    })

    it('starts from a pressure: its energy, the set there, and the residual', async () => {
      const pressure = Float64Array.from(problem.b, (_, cell) => (problem.kind[cell] ? random(8, cell) - 0.3 : 0))
      const { compiled, plain, levels, pinned, read } = await createTwins(problem, wide, share, pressure)
      for (const stack of [plain, compiled]) stack.restore(0)
      const expected = plain.startEnergy()
      const actual = compiled.startEnergy()
      const size = tolerance * levels[0].rows
      expect(Math.abs(actual.energy - expected.energy)).toBeLessThanOrEqual(size * Math.max(1, Math.abs(expected.energy)))
      expect(Math.abs(actual.work - expected.work)).toBeLessThanOrEqual(size * Math.max(1, Math.abs(expected.work)))
      for (const stack of [plain, compiled]) stack.startSet(0)
      for (const [at, level] of levels.entries()) expect(pinned(at)).toEqual(level.pinned)
      const largest = plain.recomputeResidual(0)
      expect(Math.abs(compiled.recomputeResidual(0) - largest)).toBeLessThanOrEqual(tolerance * Math.max(1, largest))
      expectSame(read(0, compiled.vectors(0).r), plain.vectors(0).r, tolerance)
      for (const stack of [plain, compiled]) {
        stack.reset(0)
        expect(stack.startEnergy()).toEqual({ energy: 0, work: 0 })
      }
    })

    it('clamps contacts at 0, and puts them back where the residual is too large then', async () => {
      const { compiled, machine, levels, write, rowOf } = await start()
      write(0, compiled.vectors(0).x, values(levels[0].rows, 60))
      const pressure = () => new Float64Array(machine.memory.buffer, compiled.pressure, compiled.rows).slice()
      compiled.recomputeResidual(0)
      const before = pressure()
      compiled.clampAndMeasure(-1)
      expect(pressure()).toEqual(before)
      compiled.clampAndMeasure(Infinity)
      const after = pressure()
      const isContact = new Set(new Int32Array(machine.memory.buffer, compiled.records[0].contacts, compiled.contacts(0)))
      for (const row of rowOf[0]) expect(after[row]).toBe(isContact.has(row) ? Math.max(0, before[row]) : before[row])
    })

    it('carries an answer up and projects it the same', async () => {
      const { compiled, plain, levels, read, write } = await start()
      for (let at = Math.min(1, levels.length - 2); at >= 0; at--) {
        for (const stack of [plain, compiled]) {
          stack.restore(at)
          if (at === 0) stack.reset(0)
          for (let level = 0; level <= at + 1; level++) stack.loadRightSide(level)
        }
        const coarse = at + 1
        expectSame(read(coarse, compiled.vectors(coarse).f), plain.vectors(coarse).f, tolerance)
        expect(Math.abs(compiled.residualOfZero(coarse) - plain.residualOfZero(coarse))).toBeLessThan(tolerance * 100)
        const x = values(levels[coarse].rows, 40).map(Math.fround)
        plain.vectors(coarse).x.set(x)
        write(coarse, compiled.vectors(coarse).x, x)
        plain.carryUp(at)
        compiled.carryUp(at)
        expect(read(at, compiled.vectors(at).x)).toEqual(plain.vectors(at).x)
        plain.smoothProjected(at, 2)
        compiled.smoothProjected(at, 2)
        expectSame(read(at, compiled.vectors(at).x), plain.vectors(at).x, tolerance)
      }
    })
  })
})
