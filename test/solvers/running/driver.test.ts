/** The driver keeps the contract whatever a method claims. */
import { expect, it } from 'vitest'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { CONTACT, DRY, type PressureProblem, type Problem, pressureLength } from '../../../src/pressure/problem.js'
import type { Status } from '../../../src/solvers/contract/solver.js'
import { createSolver } from '../../../src/solvers/registry.js'
import { drive } from '../../../src/solvers/running/driver.js'
import { createAlgebraicSolver, type Step } from '../../../src/solvers/running/on-rows.js'
import type { Subject } from '../../../src/solvers/running/subject.js'
import { kkt } from '../../support/problems.js'

const { problem } = galleryProblem('half-ball', { size: 12, dims: 2 }) as { problem: PressureProblem }
const solveWith = async (steps: (p: Float64Array) => Step) => {
  const pressure = new Float64Array(problem.b.length)
  const solver = createAlgebraicSolver('claims', true, function* (_, p) {
    for (;;) yield steps(p)
  })
  return { pressure, result: await solver.solve(problem, pressure) }
}

it('does not believe a method that only claims to have converged', async () => {
  const { result, pressure } = await solveWith(() => ({ residual: 0, pinned: 0 }))
  expect(result.status).toBe('stagnated')
  expect(result.residual).toBeCloseTo(kkt(problem, pressure).residual, 10)
  expect(result.residual).toBeGreaterThan(1)
})

it('ends a method that runs away, and gives back the start', async () => {
  let residual = 1
  const growing = await solveWith(p => {
    p.fill(1e30)
    residual *= 100
    return { residual, pinned: 0 }
  })
  expect(growing.result.status).toBe('diverged')
  expect(growing.pressure.every(value => value === 0)).toBe(true)
  const broken = await solveWith(p => {
    p.fill(NaN)
    return { residual: NaN, pinned: 0 }
  })
  expect(broken.result.status).toBe('not-finite')
  expect(broken.pressure.every(value => value === 0)).toBe(true)
})

it('ends a method that goes round in circles, long before its last iteration', async () => {
  let step = 0
  const { result } = await solveWith(() => ({ residual: 3 + Math.sin(step++), pinned: 0 }))
  expect(result.status).toBe('stagnated')
  expect(result.message).toMatch(/No progress below 2\.0e\+0 1\/s since iteration \d+/)
  expect(result.iterations).toBeLessThan(10_000)
})

it('waits for a method that waits for others, and for what it does when it is ended', async () => {
  const exact = new Float64Array(problem.b.length)
  await createSolver('nas-mgpcg').solve(problem, exact, { tolerance: 1e-9 })
  const pressure = new Float64Array(problem.b.length)
  // Two iterations a step; the pressure comes only when it is ended.
  const solver = createAlgebraicSolver('waits', true, async function* (_, p, { cells }) {
    try {
      for (let step = 1; ; step++) {
        await new Promise(resolve => setTimeout(resolve, 1))
        yield { residual: 1 / step, pinned: 0, iteration: 2 * step, outer: step }
      }
    } finally {
      await new Promise(resolve => setTimeout(resolve, 1))
      p.set(Float64Array.from(cells!, cell => exact[cell]))
    }
  })
  const result = await solver.solve(problem, pressure, { maxIterations: 6 })
  expect(result).toMatchObject({ status: 'converged', iterations: 6, outer: 3 })
  expect(result.history.map(({ iteration }) => iteration)).toEqual([0, 2, 4, 6])
  expect(kkt(problem, pressure).residual).toBeLessThan(1e-8)
})

/** A method that jumps to a pressure, given by cell, and ends with whatever it likes to say. */
const jumpTo = (answer: (cell: number) => number, status: Status) =>
  createAlgebraicSolver('jumps', true, function* (_, p, { cells }) {
    yield { residual: 1, pinned: 0 }
    p.set(Float64Array.from(cells!, answer))
    return { status, message: 'Says the method.' }
  })

const answerOf = async (of: Problem, tolerance = 1e-10) => {
  const exact = new Float64Array(pressureLength(of))
  await createSolver('nas-mgpcg').solve(of, exact, { tolerance })
  return exact
}

it('called an answer stagnated, or diverged, that meets the tolerance', async () => {
  const exact = await answerOf(problem)
  for (const status of ['stagnated', 'diverged', 'iteration-limit'] as const) {
    const pressure = new Float64Array(problem.b.length)
    const result = await jumpTo(cell => exact[cell], status).solve(problem, pressure)
    expect(result.status).toBe('converged')
    expect(kkt(problem, pressure).residual).toBeLessThan(1e-6)
  }
})

it('called an answer converged that was not when its pockets had been shifted', async () => {
  const measured = (residual: number) => ({ residual, at: 0, gap: 0, pinned: 0 })
  let presented = 0
  const subject = (needed: number): Subject => ({
    unknowns: 1,
    nonZeros: 1,
    noun: 'rows',
    engine: 'none',
    atZero: measured(1),
    atStart: measured(1),
    reset() {},
    restoreStart: () => measured(1),
    prepare: tolerance => ({
      target: 0.9 * tolerance,
      infeasible: [],
      *iterate() {
        for (;;) yield { residual: 0, pinned: 0 }
      },
      clampAndMeasure: () => 0,
      present() {
        const residual = ++presented < needed ? 26 * tolerance : tolerance / 2
        return { ...measured(residual), feasible: residual }
      },
    }),
  })
  const solve = (needed: number) => {
    presented = 0
    return drive(
      subject(needed),
      { tolerance: 1e-9 },
      () => 0,
      row => row,
    )
  }
  expect(await solve(Infinity)).toMatchObject({ status: 'stagnated', residual: 26e-9 })
  expect(await solve(3)).toMatchObject({ status: 'converged', residual: 0.5e-9, iterations: 3 })
})

it('handed back a start with negative contacts', async () => {
  const exact = await answerOf(problem)
  const a = problem.diagonal[problem.kind.indexOf(CONTACT)]
  const slightly = exact.map((p, cell) => (problem.kind[cell] === CONTACT && p === 0 ? -1e-8 / a : p))
  expect(slightly.some(p => p < 0)).toBe(true)
  const start = slightly.slice()
  const met = await createSolver('psor').solve(problem, start, { tolerance: 1e-6 })
  expect(met).toMatchObject({ status: 'converged', iterations: 0 })
  expect(Math.min(...start)).toBe(0)

  const wild = exact.map((p, cell) => (problem.kind[cell] === CONTACT ? -5 : p))
  const result = await jumpTo(() => 1e30, 'diverged').solve(problem, wild)
  expect(result.status).toBe('diverged')
  expect(Math.min(...wild)).toBe(0)
  expect(result.residual).toBeCloseTo(kkt(problem, wild).residual, 10)
})

it('took one step that overshoots for divergence', async () => {
  const exact = await answerOf(problem)
  let steps = 0
  const { result } = await solveWith(p => {
    steps++
    if (steps === 4)
      p.set(
        Float64Array.from(
          [...problem.kind.keys()].filter(cell => problem.kind[cell] !== DRY),
          cell => exact[cell],
        ),
      )
    return { residual: steps < 3 ? 1e15 : steps === 3 ? 1 : 0, pinned: 0 }
  })
  expect(result).toMatchObject({ status: 'converged', iterations: 4 })
})
