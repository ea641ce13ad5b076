/** Lattices, trilinear transfers and the weighted Poisson hierarchy. */
import { describe, expect, it } from 'vitest'
import { createGrid } from '../../../src/grid/grid.js'
import { sampleFaces } from '../../../src/grid/staggered.js'
import { rediscretise, type WeightedLevel } from '../../../src/multigrid/lattice/rediscretise.js'
import { balance } from '../../../src/multigrid/lattice/rediscretise-components.js'
import { residual } from '../../../src/multigrid/lattice/rediscretise-matrix.js'
import {
  coarsenLattice,
  createLattice,
  createTransfer,
  latticeIndex,
  latticePosition,
} from '../../../src/multigrid/lattice/transfer.js'
import { assemble } from '../../../src/pressure/assemble.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { DRY, type PressureProblem } from '../../../src/pressure/problem.js'
import type { Sides } from '../../../src/pressure/walls.js'
import { random } from '../../../src/random.js'
import { createBuffers } from '../../../src/sparse/buffers.js'
import { divergence } from '../../support/problems.js'

const SHAPES = [
  [8, 8, 8],
  [3, 5, 7],
  [1, 9, 1],
  [2, 2, 2],
  [1, 1, 6],
] as const

const OPTIONS = { keepAirLevels: 2, thinDirichlet: false }

function allCells(lattice: ReturnType<typeof createLattice>): Int32Array {
  const [nx, ny, nz] = lattice.shape
  const cells = []
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++) for (let i = 0; i < nx; i++) cells.push(latticeIndex(lattice, i, j, k))
  return Int32Array.from(cells)
}

/** A box full of liquid whose top is open, without solids. */
function openBox(shape: readonly number[], liquid: (x: number, y: number, z: number) => number = () => -1, sides?: Sides) {
  const grid = createGrid(shape, 1)
  const phi = new Float64Array(grid.cells)
  const [nx, ny] = grid.shape
  for (let cell = 0; cell < grid.cells; cell++)
    phi[cell] = liquid((cell % nx) + 0.5, (Math.floor(cell / nx) % ny) + 0.5, Math.floor(cell / (nx * ny)) + 0.5)
  const velocity = sampleFaces(grid, [() => 0, () => -1, () => 0])
  return assemble({ grid, velocity, liquid: phi, dt: 1, density: 1, sides: sides ?? { y: ['separating', 'open'] } })
}

describe('lattices', () => {
  it.each(SHAPES)('of %i × %i × %i cells find every cell again', (nx, ny, nz) => {
    const lattice = createLattice([nx, ny, nz], false)
    for (const index of allCells(lattice)) expect(latticeIndex(lattice, ...latticePosition(lattice, index))).toBe(index)
  })
})

describe('trilinear transfers', () => {
  it.each(SHAPES)('restrict %i × %i × %i by the scaled transpose of the prolongation', (nx, ny, nz) => {
    const fine = createLattice([nx, ny, nz], false)
    const coarse = coarsenLattice(fine)
    const cells = allCells(fine)
    const transfer = createTransfer(fine, cells, coarse, createBuffers(), 't')
    const x = new Float64Array(fine.size)
    const y = new Float64Array(coarse.size)
    for (const at of cells) x[at] = random(1, at) - 0.5
    for (const at of allCells(coarse)) y[at] = random(2, at) - 0.5
    const Py = new Float64Array(fine.size)
    const Rx = new Float64Array(coarse.size)
    transfer.prolong(y, Py)
    transfer.restrict(x, Rx)
    const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, at) => sum + value * b[at], 0)
    expect(dot(x, Py)).toBeCloseTo(transfer.children * dot(Rx, y), 12)
    expect(transfer.children).toBe(Math.min(nx, 2) * Math.min(ny, 2) * Math.min(nz, 2))
  })

  it('prolong linear functions exactly where all neighbours exist', () => {
    const fine = createLattice([8, 8, 8], false)
    const coarse = coarsenLattice(fine)
    const transfer = createTransfer(fine, allCells(fine), coarse, createBuffers(), 't')
    const linear = (x: number, y: number, z: number) => 3 + 2 * x - 5 * y + 0.25 * z
    const from = new Float64Array(coarse.size)
    for (const at of allCells(coarse)) {
      const [i, j, k] = latticePosition(coarse, at)
      from[at] = linear(2 * i + 1, 2 * j + 1, 2 * k + 1)
    }
    const to = new Float64Array(fine.size)
    transfer.prolong(from, to)
    for (const at of allCells(fine)) {
      const position = latticePosition(fine, at)
      if (position.some(n => n === 0 || n === 7)) continue
      expect(to[at]).toBeCloseTo(linear(position[0] + 0.5, position[1] + 0.5, position[2] + 0.5), 12)
    }
  })
})

describe('the weighted hierarchy', () => {
  it('has the matrix of the problem on its finest level', () => {
    for (const [name, dims] of [
      ['half-sphere', 3],
      ['maze', 2],
      ['random-grid', 3],
    ] as const) {
      const problem = galleryProblem(name, { size: name === 'maze' ? 24 : 9, dims }).problem as PressureProblem
      const [finest] = rediscretise(problem, OPTIONS, createBuffers())
      const { lattice, cells } = finest
      const p = new Float64Array(problem.grid.cells)
      const onLattice = new Float64Array(lattice.size)
      const [nx, ny] = problem.grid.shape
      const indexOf = (cell: number) => latticeIndex(lattice, cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny)))
      for (let cell = 0; cell < p.length; cell++) {
        if (problem.kind[cell] === DRY) continue
        p[cell] = random(3, cell)
        onLattice[indexOf(cell)] = p[cell]
      }
      const r = new Float64Array(lattice.size)
      residual(finest, onLattice, new Float64Array(lattice.size), r)
      const w = divergence({ ...problem, b: new Float64Array(p.length) }, p)
      let unknowns = 0
      for (let cell = 0; cell < p.length; cell++) {
        if (problem.kind[cell] === DRY) continue
        unknowns++
        expect(-r[indexOf(cell)]).toBeCloseTo(w[cell], 8)
      }
      expect(cells.length).toBe(unknowns)
    }
  })

  it('writes the uniform stencil of twice the spacing in the interior', () => {
    const levels = rediscretise(openBox([16, 16, 16]), OPTIONS, createBuffers())
    expect(levels.map(level => level.lattice.shape[0])).toEqual([16, 8, 4])
    levels.forEach(({ lattice, diagonal, links }, depth) => {
      const at = latticeIndex(lattice, 1, 1, 1)
      expect(diagonal[at]).toBeCloseTo(6 / 4 ** depth, 12)
      for (const link of links) expect(link[at]).toBeCloseTo(-1 / 4 ** depth, 12)
      // p = 0 on the open side, half a cell from the centre; the five other faces are as usual.
      expect(diagonal[latticeIndex(lattice, 1, lattice.shape[1] - 1, 1)]).toBeCloseTo(7 / 4 ** depth, 12)
    })
  })

  it('keeps symmetric M-matrices on every shape, down to at most 4 cells a side', () => {
    for (const shape of [
      [3, 5, 7],
      [1, 40],
      [1000, 4],
      [1, 1],
      [33, 17],
      [1, 9, 30],
    ]) {
      const levels = rediscretise(openBox(shape), OPTIONS, createBuffers())
      expect(Math.max(...levels[levels.length - 1].lattice.shape)).toBeLessThanOrEqual(4)
      for (const level of levels) {
        expect(level.cells.length).toBeGreaterThan(0)
        expectMMatrix(level)
      }
    }
  })

  it('lets an air bubble of one cell persist on the C finest coarse levels and not below', () => {
    const bubble = (x: number, y: number, z: number) =>
      Math.max(Math.abs(x - 8.5), Math.abs(y - 8.5), Math.abs(z - 8.5)) < 0.4 ? 0.5 : -3
    for (const keepAirLevels of [0, 1, 2]) {
      const levels = rediscretise(openBox([32, 32, 32], bubble), { keepAirLevels, thinDirichlet: false }, createBuffers())
      const missing = levels.map(({ lattice, cells }) => lattice.shape[0] ** 3 - cells.length)
      expect(missing).toEqual([1, 1, 1, 0].map((one, depth) => (depth <= keepAirLevels ? one : 0)))
    }
  })

  it('keeps a sealed wall on coarse faces sealed', () => {
    const grid = createGrid([16, 16], 1)
    // A plate one cell thick, x from 7 to 8, between coarse faces at 8; both halves are full, the sides are closed.
    const nodes = 17 * 17 * 2
    const phi = new Float64Array(nodes)
    for (let node = 0; node < nodes; node++) phi[node] = Math.abs((node % 17) - 7.5) - 0.5
    const velocity = sampleFaces(grid, [() => 1, () => 0, () => 0])
    const problem = assemble({ grid, velocity, liquid: new Float64Array(256).fill(-1), solids: [{ phi }], dt: 1, density: 1 })
    const [, coarse] = rediscretise(problem, OPTIONS, createBuffers())
    for (let j = 0; j < 8; j++) {
      expect(coarse.links[0][latticeIndex(coarse.lattice, 3, j, 0)]).toBeCloseTo(0, 12)
      expect(coarse.links[0][latticeIndex(coarse.lattice, 4, j, 0)]).toBeLessThan(-0.2)
    }
  })

  it('leaves out coarse cells below a third of the uncut diagonal if asked', () => {
    const { problem } = galleryProblem('half-sphere', { size: 32, dims: 3 })
    const build = (thinDirichlet: boolean) =>
      rediscretise(problem as PressureProblem, { keepAirLevels: 2, thinDirichlet }, createBuffers())
    const [asIs, without] = [build(false), build(true)]
    expect(without[0].cells.length).toBe(asIs[0].cells.length)
    for (const depth of [1, 2]) {
      const third = (2 * 1e-5 * 32 ** 2) / 4 ** depth
      const thin = asIs[depth].cells.filter(at => asIs[depth].diagonal[at] < third).length
      expect(thin).toBeGreaterThan(0)
      expect(without[depth].cells.length).toBe(asIs[depth].cells.length - thin)
    }
  })
})

function expectMMatrix({ lattice, cells, diagonal, links }: WeightedLevel): void {
  for (const at of cells) {
    let sum = diagonal[at]
    expect(diagonal[at]).toBeGreaterThan(0)
    expect(Number.isFinite(diagonal[at])).toBe(true)
    links.forEach((link, axis) => {
      expect(link[at]).toBeLessThanOrEqual(0)
      sum += link[at] + link[at - lattice.strides[axis]]
    })
    expect(sum).toBeGreaterThanOrEqual(-1e-12 * diagonal[at])
  }
}

describe('floating components', () => {
  it('are found where no air holds them, and get a right-hand side that sums to 0', () => {
    const grid = createGrid([16, 16], 1)
    // Closed all around, a sealed plate at 7 < x < 8; the right half has air on top.
    const phi = new Float64Array(17 * 17 * 2).map((_, node) => Math.abs((node % 17) - 7.5) - 0.5)
    const liquid = new Float64Array(256).map((_, cell) => (cell % 16 > 7 && cell >= 192 ? 0.5 : -0.5))
    const velocity = sampleFaces(grid, [() => 1, () => 0, () => 0])
    const problem = assemble({ grid, velocity, liquid, solids: [{ phi }], dt: 1, density: 1, liquidInSolids: 'as-given' })
    const [finest, coarse] = rediscretise(problem, OPTIONS, createBuffers())
    expect(finest.floating).toEqual([])
    expect(coarse.floating.length).toBe(1)
    const [left] = coarse.floating
    expect([...left].every(at => latticePosition(coarse.lattice, at)[0] < 4)).toBe(true)
    expect(left.length).toBe(32)
    const b = new Float64Array(coarse.lattice.size).map((_, at) => random(4, at))
    const before = b.slice()
    const lowest = new Float64Array(b.length).fill(-Infinity)
    balance(coarse.floating, b, lowest)
    expect(left.reduce((sum, at) => sum + b[at], 0)).toBeCloseTo(0, 12)
    const inside = new Set(left)
    b.forEach((value, at) => {
      if (!inside.has(at)) expect(value).toBe(before[at])
    })
    // A bound holds the component, and b stays.
    lowest[left[0]] = 0
    balance(coarse.floating, before, lowest)
    expect(left.reduce((sum, at) => sum + before[at], 0)).toBeGreaterThan(1)
  })
})
