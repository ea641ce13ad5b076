/** Walls with strength: liquid hangs as long as it does not pull harder than that, whatever solves the problem. */
import { describe, expect, it } from 'vitest'
import { sampleCells, sampleNodes } from '../../src/grid/field.js'
import { createGrid } from '../../src/grid/grid.js'
import { createFaceField, sampleFaces } from '../../src/grid/staggered.js'
import { InputError } from '../../src/input-error.js'
import { type AssembledProblem, assemble } from '../../src/pressure/assemble.js'
import { CONTACT, type PressureProblem, stickingProblem } from '../../src/pressure/problem.js'
import { project } from '../../src/pressure/project.js'
import { measure } from '../../src/pressure/residual.js'
import { random } from '../../src/random.js'
import type { PressureSolver, SolveResult } from '../../src/solvers/contract/solver.js'
import { addSolver, createSolver, solvers } from '../../src/solvers/registry.js'
import { toSparseProblem } from '../../src/sparse/to-sparse-problem.js'
import { bruteForce, kkt, largest, largestDifference } from '../support/problems.js'
import { tinyGridProblem } from '../support/solver-contract.js'

const G = 9.81
const separating = solvers.filter(solver => solver.separating)

interface Sheet {
  readonly dims?: 2 | 3
  readonly cells?: number
  /** Of the whole domain, m. */
  readonly length?: number
  readonly height: number
  readonly density?: number
  readonly dt?: number
  readonly adhesion: number
  readonly walls?: 'separating' | 'sticking'
}

/** Liquid under a ceiling, after gravity has acted on it for dt. Its other sides are of sticking walls, so it can only fall or hang. */
function sheetUnderCeiling(sheet: Sheet): AssembledProblem {
  const { dims = 2, cells: n = 32, length = 1, height, density = 1000, dt = 0.01, adhesion, walls = 'separating' } = sheet
  const grid = createGrid(dims === 2 ? [n, n] : [n, n, n], length / n)
  const ceiling = 0.75 * length
  return assemble({
    grid,
    velocity: sampleFaces(grid, [() => 0, () => -G * dt, () => 0]),
    liquid: sampleCells(grid, (_, y) => ceiling - height - y),
    solids: [{ phi: sampleNodes(grid, (_, y) => ceiling - y), walls, adhesion }],
    sides: { x: ['sticking', 'sticking'], z: ['sticking', 'sticking'] },
    dt,
    density,
  })
}

async function solved(problem: PressureProblem, solver: PressureSolver, tolerance = 1e-8) {
  const pressure = new Float64Array(problem.grid.cells)
  const result = await solver.solve(problem, pressure, { tolerance })
  solver.dispose()
  expect(result.status).toBe('converged')
  return { pressure, result }
}

describe.each(separating.map(({ name }) => name))('%s', name => {
  it.each([2, 3] as const)(
    'lets a sheet hang iff the wall is as strong as what hangs below the centres of contacts, in %sD',
    async dims => {
      const [cells, height] = [16, 0.25]
      const weight = 1000 * G * (height - 0.5 / cells)
      for (const share of [0, 0.5, 0.99, 1.01, 3]) {
        const problem = sheetUnderCeiling({ dims, cells, height, adhesion: share * weight })
        const { pressure, result } = await solved(problem, createSolver(name))
        const contacts = [...problem.kind.keys()].filter(cell => problem.kind[cell] === CONTACT)
        expect(contacts.length).toBe(cells ** (dims - 1))
        expect(result.pinned).toBe(share < 1 ? contacts.length : 0)
        for (const cell of contacts) expect(pressure[cell]).toBeCloseTo(-Math.min(share, 1) * weight, 1)
      }
    },
  )

  it('agrees with trying every pinned set on tiny random grids and matrices of walls of random strength', async () => {
    const { needsGrid } = separating.find(solver => solver.name === name)!
    const solver = createSolver(name)
    for (let seed = 1; seed <= 30; seed++) {
      const tiny = tinyGridProblem(seed, seed % 2 ? 2 : 3)
      const adhesion = tiny.b.map((_, cell) => (random(seed, cell, 9) < 0.3 ? 0 : 20 * random(seed, cell, 8)))
      const grid = { ...tiny, adhesion }
      for (const problem of needsGrid ? [grid] : [grid, toSparseProblem(grid).problem]) {
        const exact = bruteForce(problem)!
        const p = new Float64Array(problem.b.length)
        const result = await solver.solve(problem, p, { tolerance: 1e-10 })
        expect(result.status, `seed ${seed}`).toBe('converged')
        expect(largestDifference(p, exact), `seed ${seed}`).toBeLessThan(1e-6 * Math.max(1, largest(exact)))
        expect(kkt(problem, p).residual).toBeLessThanOrEqual(1e-10)
        expect(measure(problem, p).residual).toBeCloseTo(kkt(problem, p).residual, 11)
        expect(measure(problem, p).pinned).toBe(result.pinned)
      }
    }
  })
})

describe('adhesion', () => {
  const solve = (sheet: Sheet) => solved(sheetUnderCeiling(sheet), createSolver('nas-mgpcg'))

  it.each([0.2, 0.5, 0.9])('of a ceiling tilted by %s rad has to carry the part of the weight along its normal', async tilt => {
    const [n, height, dt] = [64, 0.2, 0.01]
    const grid = createGrid([n, n], 1 / n)
    const [nx, ny] = [-Math.sin(tilt), Math.cos(tilt)]
    // Above the middle of the domain by half a sheet; its ends are at air, and it is free to slide.
    const above = (x: number, y: number) => nx * (x - 0.5) + ny * (y - 0.5) - 0.5 * height
    const weight = 1000 * G * Math.cos(tilt) * height
    for (const [share, lets] of [
      [0.9, true],
      [1.1, false],
    ] as const) {
      const problem = assemble({
        grid,
        velocity: sampleFaces(grid, [() => 0, () => -G * dt, () => 0]),
        liquid: sampleCells(grid, (x, y) => Math.max(above(x, y), -height - above(x, y))),
        solids: [{ phi: sampleNodes(grid, (x, y) => -above(x, y)), adhesion: share * weight }],
        sides: { x: ['open', 'open'], y: ['open', 'open'] },
        dt,
      })
      const { result } = await solved(problem, createSolver('nas-mgpcg'))
      expect(result.pinned > 0).toBe(lets)
    }
  })

  it('has an answer that scales with dt, density and length', async () => {
    const height = 0.25
    const base = await solve({ height, adhesion: 1500 })
    const scaled = [
      { sheet: { height, adhesion: 1500, dt: 0.002 }, factor: 1 },
      { sheet: { height, adhesion: 15, density: 10 }, factor: 0.01 },
      { sheet: { height: 10 * height, length: 10, adhesion: 15000 }, factor: 10 },
    ]
    for (const { sheet, factor } of scaled) {
      const { pressure, result } = await solve(sheet)
      expect(result.pinned).toBe(base.result.pinned)
      const wanted = base.pressure.map(p => factor * p)
      expect(largestDifference(pressure, wanted)).toBeLessThan(1e-5 * largest(wanted))
    }
  })

  it('of 0 gives the bits of walls without, and a large one the answer of walls that stick', async () => {
    const height = 0.3
    const without = sheetUnderCeiling({ height, adhesion: 0 })
    expect(without.adhesion).toBeUndefined()
    const zero = { ...without, adhesion: new Float64Array(without.grid.cells) }
    expect((await solved(zero, createSolver('nas-mgpcg'))).pressure).toEqual(
      (await solved(without, createSolver('nas-mgpcg'))).pressure,
    )
    const sticking = await solved(stickingProblem(without), createSolver('nas-mgpcg'))
    for (const adhesion of [1e5, 1e9]) {
      const { pressure } = await solve({ height, adhesion })
      expect(largestDifference(pressure, sticking.pressure)).toBeLessThan(1e-3)
    }
  })

  it('holds liquid that a wall drags along, up to its strength', async () => {
    // A piston above liquid in a shaft is pulled up at once: the liquid gets its velocity, or the wall lets go.
    const [n, dt, height, speed] = [24, 0.01, 0.5, 0.4]
    const grid = createGrid([n, n], 1 / n)
    const suction = 1000 * ((height - 0.5 / n) * (speed / dt))
    for (const [share, isHeld] of [
      [0.98, false],
      [1.02, true],
    ] as const) {
      const piston = {
        phi: sampleNodes(grid, (_, y) => 0.75 - y),
        velocity: sampleFaces(grid, [() => 0, () => speed, () => 0]),
        adhesion: share * suction,
      }
      const velocity = createFaceField(grid)
      const liquid = sampleCells(grid, (_, y) => 0.75 - height - y)
      const problem = assemble({ grid, velocity, liquid, solids: [piston], dt, sides: { x: ['sticking', 'sticking'] } })
      const { pressure, result } = await solved(problem, createSolver('nas-mgpcg'), 1e-9)
      project(velocity, pressure, problem)
      const inside = velocity[1][12 + n * 12]
      expect(result.pinned > 0).toBe(!isHeld)
      if (isHeld) expect(inside).toBeCloseTo(speed, 6)
      else expect(inside).toBeCloseTo(share * speed, 6)
    }
  })

  it('of sides of the domain holds liquid as that of solids does', async () => {
    const n = 16
    const grid = createGrid([n, n], 1 / n)
    const problemFor = (adhesion: number) =>
      assemble({
        grid,
        velocity: sampleFaces(grid, [() => 0, () => -G * 0.01, () => 0]),
        liquid: sampleCells(grid, (_, y) => 0.75 - y),
        sides: { x: ['sticking', 'sticking'] },
        sideAdhesion: { y: [0, adhesion] },
        dt: 0.01,
      })
    const weight = 1000 * G * (0.25 - 0.5 / n)
    expect((await solved(problemFor(0.99 * weight), createSolver('psor'))).result.pinned).toBeGreaterThan(0)
    expect((await solved(problemFor(1.01 * weight), createSolver('psor'))).result.pinned).toBe(0)
  })

  it('reaches solvers from outside as the problem without', async () => {
    const seen: unknown[] = []
    class Own implements PressureSolver {
      readonly name = 'own-without-adhesion'
      readonly separating = true
      async solve(problem: Parameters<PressureSolver['solve']>[0], pressure: Float64Array) {
        seen.push(problem.adhesion)
        return createSolver('psor').solve(problem, pressure) as Promise<SolveResult>
      }
      dispose() {}
    }
    const entry = {
      name: 'own-without-adhesion',
      title: '',
      separating: true,
      reference: '',
      options: {},
      create: () => new Own(),
    }
    addSolver(entry)
    addSolver(entry)
    expect(solvers.filter(({ name }) => name === entry.name).length).toBe(1)
    const problem = sheetUnderCeiling({ cells: 8, height: 0.25, adhesion: 500 })
    const { pressure } = await solved(problem, createSolver(entry.name), 1e-6)
    expect(seen).toEqual([undefined])
    expect(kkt(problem, pressure).residual).toBeLessThan(1e-6)
  })

  it('refuses strengths that are none', async () => {
    const problem = sheetUnderCeiling({ cells: 8, height: 0.25, adhesion: 500 })
    const contact = problem.kind.indexOf(CONTACT)
    for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2e9]) {
      const adhesion = problem.adhesion!.slice()
      adhesion[contact] = bad
      const solving = createSolver('psor').solve({ ...problem, adhesion }, new Float64Array(64))
      await expect(solving).rejects.toThrow(
        /psor: the problem: array "adhesion" is .* in cell \(0, 5\); it must be a number from 0 to/,
      )
      await expect(solving).rejects.toThrow(InputError)
    }
    const short = { ...problem, adhesion: new Float64Array(3) }
    await expect(createSolver('psor').solve(short, new Float64Array(64))).rejects.toThrow(/array "adhesion"/)
    expect(() => sheetUnderCeiling({ height: 0.2, adhesion: -3 })).toThrow(/solids\[0\]\.adhesion/)
  })
})
