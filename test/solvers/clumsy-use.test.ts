/** Solvers that are called with anything, several times at once, after they were disposed of, and with callbacks that throw. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../src/grid/grid.js'
import { InputError } from '../../src/input-error.js'
import { solveModule } from '../../src/machine/generated/solve.js'
import { startMachine } from '../../src/machine/machine.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, LIQUID, type PressureProblem, type Problem, pressureLength } from '../../src/pressure/problem.js'
import type { PressureSolver } from '../../src/solvers/contract/solver.js'
import { createSolver, type SolverEntry, solvers } from '../../src/solvers/registry.js'
import { solvePressure } from '../../src/solvers/running/solve-pressure.js'
import { sparseProblem } from '../../src/sparse/matrix.js'

const grids = ['tank', 'half-ball'].map(name => galleryProblem(name, { size: 12 }).problem as PressureProblem)
const [tank] = grids
const chain = sparseProblem(
  3,
  [
    [0, 0, 2],
    [0, 1, -1],
    [1, 0, -1],
    [1, 1, 3],
    [1, 2, -1],
    [2, 1, -1],
    [2, 2, 2],
  ],
  Float64Array.of(1, -2, 3),
  Uint8Array.of(LIQUID, CONTACT, CONTACT),
)
const zeros = (problem: Problem) => new Float64Array(pressureLength(problem))

const without = <T extends object>(value: T, key: keyof T) => ({ ...value, [key]: undefined })

/** Name of what is wrong in the message, and the problem. */
const WRONG_PROBLEMS: readonly (readonly [string, unknown])[] = [
  ['problem', null],
  ['problem', undefined],
  ['problem', 'tank'],
  ['problem', 7],
  ['problem', []],
  ['problem', {}],
  ['grid', { ...tank, grid: null }],
  ['grid', { ...tank, grid: {} }],
  ['grid', { ...tank, grid: { ...tank.grid, cells: 3 } }],
  ['grid', { ...tank, grid: { ...tank.grid, shape: [12.5, 12, 1] } }],
  ['grid', { ...tank, grid: { ...tank.grid, shape: [12, 12] } }],
  ['grid', { ...tank, grid: { ...tank.grid, spacing: Number.NaN } }],
  ['grid', { ...tank, grid: { ...tank.grid, dims: 4 } }],
  ['kind', without(tank, 'kind')],
  ['kind', { ...tank, kind: Array.from(tank.kind) }],
  ['kind', { ...tank, kind: Array.from(tank.kind, () => Number.NaN) }],
  ['kind', { ...tank, kind: Float64Array.from(tank.kind, () => Number.NaN) }],
  ['kind', { ...tank, kind: tank.kind.slice(1) }],
  ['diagonal', without(tank, 'diagonal')],
  ['diagonal', { ...tank, diagonal: Float32Array.from(tank.diagonal) }],
  ['diagonal', { ...tank, diagonal: new Float64Array(0) }],
  ['links', without(tank, 'links')],
  ['links', { ...tank, links: tank.links.slice(0, 2) }],
  ['links[1]', { ...tank, links: [tank.links[0], tank.links[1].slice(3), tank.links[2]] }],
  ['links[2]', { ...tank, links: [tank.links[0], tank.links[1], null] }],
  ['b', { ...tank, b: 'b' }],
  ['b', { ...tank, b: new Float64Array(5) }],
  ['rounding', { ...tank, rounding: 'f32' }],
  ['rows', { ...chain, rows: 2.5 }],
  ['rows', { ...chain, rows: -1 }],
  ['rowStart', without(chain, 'rowStart')],
  ['rowStart', { ...chain, rowStart: chain.rowStart.slice(1) }],
  ['rowStart', { ...chain, rowStart: Int32Array.of(0, 2, 5, 99) }],
  ['row 2', { ...chain, rowStart: Int32Array.of(0, 5, 2, 7) }],
  ['column', { ...chain, columns: chain.columns.map(column => column + 1_000_000) }],
  ['column', { ...chain, columns: chain.columns.map(() => -1) }],
  ['columns', { ...chain, columns: Array.from(chain.columns) }],
  ['values', { ...chain, values: null }],
  ['diagonalAt', { ...chain, diagonalAt: Int32Array.of(0, 99, 1) }],
  ['diagonalAt', without(chain, 'diagonalAt')],
]

const WRONG_OPTIONS: readonly (readonly [string, unknown])[] = [
  ['argument', null],
  ['argument', 7],
  ['argument', 'fast'],
  ['argument', []],
  ['tolerance', { tolerance: Number.NaN }],
  ['tolerance', { tolerance: -1 }],
  ['tolerance', { tolerance: 0 }],
  ['tolerance', { tolerance: '1e-6' }],
  ['tolerance', { tolerance: null }],
  ['tolerance', { tolerance: Infinity }],
  ['maxIterations', { maxIterations: 0 }],
  ['maxIterations', { maxIterations: 2.5 }],
  ['maxIterations', { maxIterations: '9' }],
  ['maxIterations', { maxIterations: null }],
  ['relative', { relative: 'yes' }],
  ['monitor', { monitor: 'all' }],
  ['monitor', { monitor: {} }],
  ['signal', { signal: {} }],
  ['signal', { signal: null }],
  ['signal', { signal: true }],
]

async function refusal(action: () => Promise<unknown>): Promise<string> {
  try {
    await action()
  } catch (error) {
    if (!(error instanceof InputError)) throw new Error(`not an InputError: ${error}`, { cause: error })
    return error.message
  }
  throw new Error('it was not refused')
}

const settings = [
  ['its own engine', undefined],
  ['the portable engine', { engine: 'portable' }],
] as const
const each = solvers.flatMap(entry => settings.map(([on, setting]) => ({ name: entry.name, on, entry, setting })))

describe.each(each)('$name on $on', ({ name, entry, setting }) => {
  const problems = (entry as SolverEntry).needsGrid ? grids : [...grids, chain]
  const create = () => createSolver(name, {}, setting)

  async function solveWith(solver: PressureSolver, problem: Problem, options = {}) {
    const pressure = zeros(problem)
    const { status, iterations, residual } = await solver.solve(problem, pressure, { tolerance: 1e-8, ...options })
    return { status, iterations, residual, pressure }
  }

  it('refuses problems, pressures and options that are none, and solves all the same afterwards', async () => {
    const solver = create()
    for (const [named, problem] of WRONG_PROBLEMS) {
      const message = await refusal(() => solver.solve(problem as Problem, new Float64Array(tank.grid.cells)))
      expect(message).toContain(named)
      expect(message).toContain(name)
    }
    for (const pressure of [null, undefined, [], {}, 0, new Float32Array(tank.grid.cells), new Float64Array(3)])
      expect(await refusal(() => solver.solve(tank, pressure as Float64Array))).toContain('pressure')
    for (const [named, options] of WRONG_OPTIONS)
      expect(await refusal(() => solver.solve(tank, zeros(tank), options as never))).toContain(named)
    expect((await solveWith(solver, tank)).status).toBe('converged')
    solver.dispose()
  })

  it('gives the same bits one after the other, all at once, after dispose, and when disposed of meanwhile', async () => {
    const expected = []
    for (const problem of problems) {
      const solver = create()
      expected.push(await solveWith(solver, problem))
      solver.dispose()
    }
    const solver = create()
    const all = () => Promise.all(problems.map(problem => solveWith(solver, problem)))
    expect(await all()).toEqual(expected)
    solver.dispose()
    solver.dispose()
    expect(await all()).toEqual(expected)
    const underWay = all()
    solver.dispose()
    expect(await underWay).toEqual(expected)
    const inTheMiddle = solveWith(solver, tank, {
      monitor: ({ iteration }: { iteration: number }) => iteration === 1 && solver.dispose(),
    })
    expect(await inTheMiddle).toEqual(expected[0])
    expect(await all()).toEqual(expected)
    solver.dispose()
  })

  it.each([0, 1])('hands on what its monitor throws in iteration %i, and solves as before afterwards', async at => {
    const solver = create()
    const expected = await solveWith(solver, tank)
    const monitor = ({ iteration }: { iteration: number }) => {
      if (iteration === at) throw new RangeError('mine')
    }
    const waiting = [solveWith(solver, tank, { monitor }), solveWith(solver, tank)]
    await expect(waiting[0]).rejects.toThrow(new RangeError('mine'))
    expect(await waiting[1]).toEqual(expected)
    expect(await solveWith(solver, tank)).toEqual(expected)
    solver.dispose()
  })

  it('says so where the machine it was lent is disposed of', async () => {
    const machine = await startMachine(solveModule, 1)
    const solver = createSolver(name, {}, { ...setting, threads: 1, machine })
    const before = await solveWith(solver, tank)
    machine.dispose()
    machine.dispose()
    const usesIt = name === 'nas-mgpcg' && setting === undefined
    if (usesIt) expect(await refusal(() => solveWith(solver, tank))).toMatch(/disposed of by its owner/)
    else expect(await solveWith(solver, tank)).toEqual(before)
    solver.dispose()
  })
})

describe('solvePressure', () => {
  it('refuses what is no problem and no option', async () => {
    for (const [named, problem] of WRONG_PROBLEMS) expect(await refusal(() => solvePressure(problem as Problem))).toContain(named)
    for (const [named, options] of WRONG_OPTIONS)
      expect(await refusal(() => solvePressure(tank, options as never))).toContain(named)
    for (const [named, options] of [
      ['solver', { solver: 'psorr' }],
      ['solver', { solver: null }],
      ['solver', { solver: {} }],
      ['option', { solver: 'psor', set: null }],
      ['option', { solver: 'psor', set: 7 }],
      ['engine', { engine: 'gpu' }],
      ['engine', { engine: null }],
      ['threads', { threads: 'all' }],
      ['guess', { guess: [1, 2] }],
      ['guess', { guess: null }],
      ['guess', { guess: new Float64Array(1) }],
    ] as const)
      expect(await refusal(() => solvePressure(tank, options as never))).toContain(named)
  })
})

it.each([
  [[]],
  [[null]],
  [[7]],
  [[{}]],
  [['nas-mgpcg', null]],
  [['nas-mgpcg', 'fast']],
  [['nas-mgpcg', []]],
  [['nas-mgpcg', {}, null]],
  [['nas-mgpcg', {}, 'portable']],
  [['nas-mgpcg', {}, { engine: 7 }]],
  [['nas-mgpcg', {}, { threads: 0 }]],
  [['nas-mgpcg', {}, { machine: {} }]],
  [['nas-mgpcg', {}, { machine: null }]],
])('createSolver(...%j) is refused', wrong => {
  expect(() => (createSolver as (...all: unknown[]) => unknown)(...wrong)).toThrow(InputError)
})

it('a grid of no cells is refused, and one that is no grid', () => {
  const refused: readonly unknown[] = [
    null,
    undefined,
    {},
    'x',
    8,
    [],
    [8],
    [8, 8, 8, 8],
    [0, 8],
    [-1, 8],
    [Number.NaN, 8],
    [8.5, 8],
    ['8', 8],
    [8, null],
  ]
  for (const shape of [...refused, [2e9, 2e9], [1e300, 8], [Infinity, 8]])
    expect(() => createGrid(shape as number[])).toThrow(InputError)
  for (const spacing of [0, -1, Number.NaN, Infinity, '1', null, {}])
    expect(() => createGrid([8, 8], spacing as number)).toThrow(InputError)
})
