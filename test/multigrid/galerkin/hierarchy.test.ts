/** Levels, interpolation along walls and air, and cycles that contract. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { createFaceField } from '../../../src/grid/staggered.js'
import { type CycleChoices, createLinearCycle } from '../../../src/multigrid/galerkin/cycle.js'
import { buildGalerkin, type GalerkinChoices } from '../../../src/multigrid/galerkin/hierarchy.js'
import { assemble } from '../../../src/pressure/assemble.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'
import { createBuffers } from '../../../src/sparse/buffers.js'
import { compact, dot, multiply } from '../../../src/sparse/matrix.js'
import type { CompressedRows } from '../../../src/sparse/product.js'

const CHOICES: GalerkinChoices = { interpolation: 'barycentric', boundaries: 'one-sided', coarse: 'galerkin', cells: 'split' }
const V22: CycleChoices = { cycle: 'V', preSweeps: 2, postSweeps: 2, order: 'lexicographic' }

function build(source: PressureProblem, choices: Partial<GalerkinChoices> = {}, free?: Uint8Array) {
  const buffers = createBuffers()
  const { problem, cells } = compact(source, buffers)
  const input = { source, cells, A: problem, kind: problem.kind, free }
  return { ...buildGalerkin(input, { ...CHOICES, ...choices }, buffers), buffers, problem, cells }
}

/** Liquid at rest that fills a box of any shape, closed but for the upper side of `openAxis`. */
function box(shape: readonly number[], openAxis?: 'x' | 'y'): PressureProblem {
  const grid = createGrid(shape)
  const sides = openAxis ? { [openAxis]: ['separating', 'open'] as const } : {}
  return assemble({ grid, velocity: createFaceField(grid), liquid: new Float64Array(grid.cells).fill(-1), dt: 0.01, sides })
}

const rowSums = ({ rows, rowStart, values }: CompressedRows) =>
  Array.from({ length: rows }, (_, row) =>
    values.subarray(rowStart[row], rowStart[row + 1]).reduce((sum, value) => sum + value, 0),
  )

/** Components of the graph of a level's matrix. */
function countComponents({ rows, rowStart, columns, values }: CompressedRows): number {
  const label = Array.from({ length: rows }, (_, row) => row)
  const root = (row: number): number => (label[row] === row ? row : root(label[row]))
  for (let row = 0; row < rows; row++)
    for (let at = rowStart[row]; at < rowStart[row + 1]; at++)
      if (Math.abs(values[at]) > 1e-12) label[root(row)] = root(columns[at])
  return new Set(label.map((_, row) => root(row))).size
}

describe('buildGalerkin', () => {
  it.each([
    [
      [17, 9],
      ['17×9×1', '9×5×1', '5×3×1', '3×2×1'],
    ],
    [
      [1, 20],
      ['1×20×1', '1×10×1', '1×5×1', '1×3×1'],
    ],
    [
      [3, 5, 7],
      ['3×5×7', '2×3×4'],
    ],
    [
      [33, 2],
      ['33×2×1', '17×1×1', '9×1×1', '5×1×1', '3×1×1'],
    ],
    [[4, 4, 4], ['4×4×4']],
    [[1, 1], []],
  ] as const)('halves every side of a grid of %j until all have few cells', (shape, expected) => {
    const source = box(shape, 'y')
    const { levels } = build(source)
    if (expected.length > 0) expect(levels.map(level => level.shape.join('×'))).toEqual(expected)
    for (const { A, inverseDiagonal } of levels)
      for (let row = 0; row < A.rows; row++) expect(inverseDiagonal[row]).toBeGreaterThan(0)
  })

  it.each(['barycentric', 'trilinear', 'constant'] as const)('%s interpolation keeps constants along walls', interpolation => {
    for (const shape of [
      [13, 10],
      [6, 7, 9],
    ]) {
      const { levels } = build(box(shape), { interpolation })
      for (const { P } of levels) if (P) for (const sum of rowSums(P)) expect(sum).toBeCloseTo(1, 14)
    }
  })

  it('renormalises at walls to 1/3 and 2/3 as in the inset of the paper, and keeps the weight of air with the value 0', () => {
    const closed = build(box([8, 8])).levels[0].P!
    const open = build(box([8, 8], 'y')).levels[0].P!
    const weights = (P: CompressedRows, row: number) => [...P.values.subarray(P.rowStart[row], P.rowStart[row + 1])].sort()
    const corner = (i: number, j: number) => i + 8 * j
    expect(weights(closed, corner(0, 0))).toEqual([1])
    expect(weights(closed, corner(3, 0))).toEqual([1 / 3, 2 / 3])
    expect(weights(closed, corner(3, 7))).toEqual([1 / 3, 2 / 3])
    expect(weights(open, corner(3, 7))).toEqual([1 / 4, 1 / 2])
    expect(weights(open, corner(3, 4))).toEqual([1 / 4, 1 / 4, 1 / 2])
  })

  it.each(['barycentric', 'trilinear'] as const)(
    '%s interpolation keeps linear functions away from boundaries',
    interpolation => {
      const { levels } = build(box([16, 16, 16]), { interpolation })
      const P = levels[0].P!
      const linear = (i: number, j: number, k: number) => 1 + 2 * i - 3 * j + 0.5 * k
      for (let k = 2; k < 14; k++) {
        for (let j = 2; j < 14; j++) {
          for (let i = 2; i < 14; i++) {
            const row = i + 16 * (j + 16 * k)
            let sum = 0
            for (let at = P.rowStart[row]; at < P.rowStart[row + 1]; at++) {
              const coarse = P.columns[at]
              // Centres of coarse cells in fine units.
              const [I, J, K] = [coarse % 8, Math.floor(coarse / 8) % 8, Math.floor(coarse / 64)].map(c => 2 * c + 0.5)
              sum += P.values[at] * linear(I, J, K)
            }
            expect(sum).toBeCloseTo(linear(i, j, k), 12)
          }
        }
      }
    },
  )

  it('never couples the two sides of a closed wall, however coarse the grid', () => {
    const source = box([16, 16])
    // A wall without thickness between columns 4 and 5, inside a coarse cell.
    const links = source.links.map(link => link.slice()) as [Float64Array, Float64Array, Float64Array]
    const diagonal = source.diagonal.slice()
    for (let j = 0; j < 16; j++) {
      const cell = 4 + 16 * j
      diagonal[cell] += links[0][cell]
      diagonal[cell + 1] += links[0][cell]
      links[0][cell] = 0
    }
    const walled = { grid: source.grid, kind: source.kind, b: source.b, diagonal, links }
    const split = build(walled)
    expect(split.levels.length).toBe(3)
    for (const { A } of split.levels) expect(countComponents(A)).toBe(2)
    const whole = build(walled, { cells: 'whole' })
    expect(countComponents(whole.levels[1].A)).toBe(1)
  })

  it('keeps coarse matrices symmetric, and singular where the liquid has no air', () => {
    const { levels } = build(galleryProblem('full-sphere', { size: 19, dims: 3 }).problem as PressureProblem)
    expect(levels.length).toBe(4)
    for (const { A } of levels) {
      const scale = Math.max(...A.values.subarray(0, A.rowStart[A.rows]))
      for (const sum of rowSums(A)) expect(Math.abs(sum)).toBeLessThan(1e-12 * scale)
    }
  })

  it('does not divide by the rounding that a pocket leaves when it has shrunk to one unknown', () => {
    const source = box([16, 16], 'y')
    const links = source.links.map(link => link.slice()) as [Float64Array, Float64Array, Float64Array]
    // Unequal links, so that the rows do not cancel exactly.
    for (const axis of [0, 1]) for (let cell = 0; cell < 256; cell++) links[axis][cell] *= 0.5 + random(11, axis, cell)
    const pocket = [6 + 16 * 6, 7 + 16 * 6, 6 + 16 * 7, 7 + 16 * 7]
    for (const cell of pocket) {
      if (!pocket.includes(cell - 1)) links[0][cell - 1] = 0
      if (!pocket.includes(cell + 1)) links[0][cell] = 0
      if (!pocket.includes(cell - 16)) links[1][cell - 16] = 0
      if (!pocket.includes(cell + 16)) links[1][cell] = 0
    }
    const diagonal = new Float64Array(256)
    for (let cell = 0; cell < 256; cell++) {
      if (cell >= 240) diagonal[cell] += 1e-5
      for (const [axis, stride] of [1, 16].entries()) {
        diagonal[cell] -= links[axis][cell]
        if (cell >= stride) diagonal[cell] -= links[axis][cell - stride]
      }
    }
    const { levels } = build({ grid: source.grid, kind: source.kind, b: source.b, diagonal, links })
    const alone = 3 + 8 * 3
    expect(levels[1].inverseDiagonal[alone]).toBe(0)
    expect(levels[1].inverseDiagonal.filter(inverse => inverse === 0).length).toBe(1)
    const largest = Math.max(...diagonal)
    for (const { inverseDiagonal } of levels) for (const inverse of inverseDiagonal) expect(inverse * largest).toBeLessThan(1e4)
  })

  it('finds the air of bare problems by their row sums, in dry cells or beyond open sides', () => {
    const strip = ({ grid, kind, diagonal, links, b }: PressureProblem) => ({ grid, kind, diagonal, links, b })
    const matrices = (source: PressureProblem) => build(source).levels.map(level => level.P)
    for (const [size, dims] of [
      [12, 3],
      [13, 2],
      [14, 2],
      [15, 2],
    ] as const) {
      const tank = galleryProblem('tank', { size, dims }).problem as PressureProblem
      expect(matrices(strip(tank))).toEqual(matrices(tank))
    }
    // Corners lie at two sides, and a sum cannot tell which one is open.
    const top = (source: PressureProblem) => rowSums(build(source).levels[0].P!).slice(7 * 9 + 1, 8 * 9 - 1)
    const open = box([9, 8], 'y')
    expect(top(open)).toEqual(new Array(7).fill(0.75))
    expect(top(strip(open))).toEqual(top(open))
  })

  it('leaves pinned rows out of P and treats them as air', () => {
    const source = box([8, 8])
    const free = new Uint8Array(64).fill(1)
    for (let j = 0; j < 8; j++) free[4 + 8 * j] = 0
    const { levels } = build(source, {}, free)
    const { P, inverseDiagonal } = levels[0]
    const sums = rowSums(P!)
    for (let j = 0; j < 8; j++) {
      expect(P!.rowStart[5 + 8 * j] - P!.rowStart[4 + 8 * j]).toBe(0)
      expect(inverseDiagonal[4 + 8 * j]).toBe(0)
      expect(sums[3 + 8 * j]).toBeLessThan(0.76)
      expect(sums[2 + 8 * j]).toBeCloseTo(1, 14)
    }
  })
})

describe('the linear cycle', () => {
  it.each([
    ['V', 'lexicographic', 'barycentric'],
    ['V', 'symmetric', 'barycentric'],
    ['V', 'red-black', 'trilinear'],
    ['W', 'symmetric', 'barycentric'],
    ['F', 'lexicographic', 'barycentric'],
  ] as const)(
    '%s with %s sweeps and %s interpolation contracts the energy of the error on any grid',
    (cycle, order, interpolation) => {
      for (const source of [
        box([32, 32], 'y'),
        box([61, 7], 'y'),
        box([1, 50], 'y'),
        box([12, 11, 13], 'x'),
        galleryProblem('half-ball', { size: 24, dims: 3 }).problem as PressureProblem,
        galleryProblem('maze', { size: 48, dims: 2 }).problem as PressureProblem,
      ]) {
        const { levels, buffers, problem } = build(source, { interpolation })
        const run = createLinearCycle(levels, { ...V22, cycle, order }, buffers, { add: () => {} })
        const error = Float64Array.from({ length: problem.rows }, (_, row) => random(7, row) - 0.5)
        const image = new Float64Array(problem.rows)
        const z = new Float64Array(problem.rows)
        const energy = () => {
          multiply(problem, error, image)
          return dot(error, image)
        }
        // Past the first cycles, which have the easy, rough part of the error to work on.
        let before = 0
        for (let k = 0; k < 6; k++) {
          before = energy()
          run(image, z)
          for (let row = 0; row < problem.rows; row++) error[row] -= z[row]
        }
        expect(Math.sqrt(energy() / before), source.grid.shape.join('×')).toBeLessThan(0.35)
      }
    },
  )

  it('with constant interpolation is slower on finer grids', () => {
    const rate = (size: number, interpolation: 'constant' | 'barycentric') => {
      const { levels, buffers, problem } = build(box([size, size], 'y'), { interpolation })
      const run = createLinearCycle(levels, V22, buffers, { add: () => {} })
      const error = new Float64Array(problem.rows).fill(1)
      const image = new Float64Array(problem.rows)
      const z = new Float64Array(problem.rows)
      multiply(problem, error, image)
      const start = dot(error, image)
      for (let k = 0; k < 10; k++) {
        run(image, z)
        for (let row = 0; row < problem.rows; row++) error[row] -= z[row]
        multiply(problem, error, image)
      }
      return (dot(error, image) / start) ** (1 / 20)
    }
    expect(rate(64, 'constant')).toBeGreaterThan(0.5)
    expect(rate(64, 'constant')).toBeGreaterThan(rate(16, 'constant'))
    expect(rate(64, 'barycentric')).toBeLessThan(0.25)
  })
})
