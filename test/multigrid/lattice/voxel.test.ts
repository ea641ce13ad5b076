/** The voxelised domain and its V-cycle. */
import { describe, expect, it } from 'vitest'
import { createPortableLattices } from '../../../src/multigrid/lattice/plain.js'
import { latticeIndex } from '../../../src/multigrid/lattice/transfer.js'
import { DIRICHLET, INTERIOR, NEUMANN, voxelise } from '../../../src/multigrid/lattice/voxel.js'
import { createVoxelCycle } from '../../../src/multigrid/lattice/voxel-cycle.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import { LIQUID, type PressureProblem } from '../../../src/pressure/problem.js'
import { random } from '../../../src/random.js'
import { createBuffers } from '../../../src/sparse/buffers.js'

/** Liquid in the cells where `wet` says so, unit links between them; `air` adds a link to p = 0 through that many faces. */
function voxels(
  shape: [number, number, number],
  wet: (i: number, j: number, k: number) => boolean,
  airAbove: boolean,
): PressureProblem {
  const [nx, ny, nz] = shape
  const cells = nx * ny * nz
  const zeros = () => new Float64Array(cells)
  const problem = {
    grid: { dims: nz > 1 ? (3 as const) : (2 as const), shape, spacing: 1, cells },
    kind: new Uint8Array(cells),
    diagonal: zeros(),
    links: [zeros(), zeros(), zeros()] as const,
    b: zeros(),
  }
  const is = (i: number, j: number, k: number) => i >= 0 && j >= 0 && k >= 0 && i < nx && j < ny && k < nz && wet(i, j, k)
  for (let k = 0, c = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      for (let i = 0; i < nx; i++, c++) {
        if (!is(i, j, k)) continue
        problem.kind[c] = LIQUID
        ;[is(i + 1, j, k), is(i, j + 1, k), is(i, j, k + 1)].forEach((linked, axis) => {
          if (linked) problem.links[axis][c] = -1
        })
        for (const [x, y, z] of [
          [i - 1, j, k],
          [i + 1, j, k],
          [i, j - 1, k],
          [i, j + 1, k],
          [i, j, k - 1],
          [i, j, k + 1],
        ])
          if (is(x, y, z)) problem.diagonal[c]++
        if (airAbove && !is(i, j + 1, k) && j + 1 < ny) problem.diagonal[c]++
      }
    }
  }
  return problem
}

describe('voxelised levels', () => {
  it('make a coarse cell Dirichlet if any child is, else interior if any child is, else Neumann', () => {
    // Liquid up to row 12, air above it for x ≥ 8, a wall around: row 13 is Dirichlet above liquid that feels air.
    const problem = voxels([16, 16, 1], (i, j) => j < 13 && i !== 7, true)
    const [fine, coarse] = voxelise(problem, 'voxelised', createBuffers())
    const at = ({ lattice, label }: typeof fine, i: number, j: number) => label[latticeIndex(lattice, i, j, 0)]
    expect(at(fine, 3, 12)).toBe(INTERIOR)
    expect(at(fine, 3, 13)).toBe(DIRICHLET)
    expect(at(fine, 3, 14)).toBe(NEUMANN)
    expect(at(fine, 7, 3)).toBe(NEUMANN)
    expect(at(coarse, 1, 5)).toBe(INTERIOR)
    expect(at(coarse, 1, 6)).toBe(DIRICHLET)
    expect(at(coarse, 1, 7)).toBe(NEUMANN)
    // The wall of one cell is absorbed by the liquid on the next level.
    expect(at(coarse, 3, 1)).toBe(INTERIOR)
  })

  it('count neighbours that are not Neumann on the diagonal, scaled by the spacing', () => {
    const levels = voxelise(
      voxels([16, 16, 16], (_, j) => j < 12, true),
      'voxelised',
      createBuffers(),
    )
    expect(levels.length).toBeGreaterThan(2)
    levels.slice(0, 2).forEach(({ lattice, diagonal, links }, depth) => {
      const unit = 1 / 4 ** depth
      const n = lattice.shape[0]
      expect(diagonal[latticeIndex(lattice, 1, 1, 1)]).toBeCloseTo(6 * unit, 12)
      expect(diagonal[latticeIndex(lattice, 0, 0, 0)]).toBeCloseTo(3 * unit, 12)
      expect(diagonal[latticeIndex(lattice, 1, (3 * n) / 4 - 1, 1)]).toBeCloseTo(6 * unit, 12)
      expect(links[1][latticeIndex(lattice, 1, (3 * n) / 4 - 1, 1)]).toBe(0)
    })
  })

  it('put the band two cells wide', () => {
    const [{ band, cells }] = voxelise(
      voxels([12, 12, 12], () => true, false),
      'voxelised',
      createBuffers(),
    )
    expect(cells.length).toBe(12 ** 3)
    expect(band.length).toBe(12 ** 3 - 8 ** 3)
  })
})

describe('the voxel V-cycle', () => {
  const problems: [string, PressureProblem][] = [
    ...(['half-sphere', 'two-spheres', 'sealed-chamber'] as const).map((name): [string, PressureProblem] => [
      name,
      galleryProblem(name, { size: 17, dims: 3 }).problem as PressureProblem,
    ]),
    ['maze', galleryProblem('maze', { size: 24, dims: 2 }).problem as PressureProblem],
    ['random-grid', galleryProblem('random-grid', { size: 13, dims: 3 }).problem as PressureProblem],
    ['3 × 5 × 7', voxels([3, 5, 7], () => true, false)],
    ['1 × 90', voxels([1, 90, 1], (_, j) => j < 80, true)],
    ['400 × 4', voxels([400, 4, 1], (_, j) => j < 3, true)],
  ]

  for (const finest of ['problem', 'voxelised'] as const) {
    it.each(problems)(`is symmetric positive definite on %s, finest ${finest}`, (_, problem) => {
      const levels = voxelise(problem, finest, createBuffers())
      const cycle = createVoxelCycle(createPortableLattices(levels, createBuffers(), 't'), levels, 2, createBuffers())
      const { cells } = levels[0]
      const apply = (seed: number) => {
        const x = new Float64Array(cycle.b.length)
        for (const at of cells) x[at] = random(seed, at) - 0.5
        cycle.b.set(x)
        cycle.run()
        return { x, Mx: cycle.p.slice() }
      }
      const dot = (a: Float64Array, b: Float64Array) => a.reduce((sum, value, at) => sum + value * b[at], 0)
      for (let seed = 1; seed <= 4; seed++) {
        const [a, b] = [apply(seed), apply(seed + 100)]
        const scale = Math.sqrt(dot(a.x, a.Mx) * dot(b.x, b.Mx))
        expect(Math.abs(dot(a.x, b.Mx) - dot(b.x, a.Mx))).toBeLessThan(1e-11 * scale)
        expect(dot(a.x, a.Mx)).toBeGreaterThan(0)
        expect(a.Mx.every(Number.isFinite)).toBe(true)
      }
    })
  }

  it('brings back a good part of a constant pressure in one cycle, where smoothing alone would hardly begin', () => {
    const levels = voxelise(
      voxels([32, 32, 32], (_, j) => j < 28, true),
      'voxelised',
      createBuffers(),
    )
    const cycle = createVoxelCycle(createPortableLattices(levels, createBuffers(), 't'), levels, 2, createBuffers())
    const { lattice, cells, diagonal, links } = levels[0]
    const exact = new Float64Array(lattice.size)
    for (const at of cells) exact[at] = 1
    for (const at of cells) {
      let sum = diagonal[at] * exact[at]
      links.forEach((link, axis) => {
        const stride = lattice.strides[axis]
        sum += link[at] * exact[at + stride] + link[at - stride] * exact[at - stride]
      })
      cycle.b[at] = sum
    }
    cycle.run()
    let error = 0
    for (const at of cells) error = Math.max(error, Math.abs(cycle.p[at] - 1))
    expect(error).toBeLessThan(0.6)
  })
})
