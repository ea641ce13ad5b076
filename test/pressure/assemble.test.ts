import { describe, expect, it } from 'vitest'
import { sampleCells, sampleNodes } from '../../src/grid/field.js'
import { cellIndex, createGrid } from '../../src/grid/grid.js'
import { createFaceField, type FaceField, sampleFaces } from '../../src/grid/staggered.js'
import { type AssembledProblem, assemble } from '../../src/pressure/assemble.js'
import type { AssembleInput } from '../../src/pressure/assemble-input.js'
import { MIN_LIQUID_FRACTION } from '../../src/pressure/cell-kinds.js'
import { gallery, galleryProblem } from '../../src/pressure/gallery.js'
import { CONTACT, DRY, LIQUID } from '../../src/pressure/problem.js'
import { project } from '../../src/pressure/project.js'
import { random } from '../../src/random.js'
import { divergence, largest } from '../support/problems.js'

const grid = createGrid([7, 5, 4], 0.1)
const still = createFaceField(grid)
const full = new Float64Array(grid.cells).fill(-1)
const base: AssembleInput = { grid, velocity: still, liquid: full, dt: 0.01, density: 2 }
const copy = (field: FaceField) => field.map(axis => axis.slice()) as unknown as FaceField

describe('assemble', () => {
  it('is the plain Laplacian away from walls and surface', () => {
    const problem = assemble(base)
    const scale = 0.01 / (2 * 0.1 ** 2)
    const middle = cellIndex(grid, 3, 2, 2)
    expect(problem.diagonal[middle]).toBeCloseTo(6 * scale, 12)
    for (const link of problem.links) expect(link[middle]).toBeCloseTo(-scale, 12)
    expect(problem.kind[middle]).toBe(LIQUID)
    expect(problem.kind[cellIndex(grid, 0, 2, 2)]).toBe(CONTACT)
  })

  it('puts p = 0 half a cell beyond the centre at open sides and no link at closed ones', () => {
    const closed = assemble(base)
    const open = assemble({ ...base, sides: { x: ['open', 'sticking'] } })
    const west = cellIndex(grid, 0, 2, 2)
    const east = cellIndex(grid, 6, 2, 2)
    const scale = 0.01 / (2 * 0.1 ** 2)
    expect(open.diagonal[west] - closed.diagonal[west]).toBeCloseTo(2 * scale, 12)
    expect(open.kind[west]).toBe(LIQUID)
    expect(open.kind[east]).toBe(LIQUID)
    expect(closed.kind[east]).toBe(CONTACT)
  })

  it('lets every solid say whether it lets go; where two touch one cell the deeper one decides', () => {
    const left = sampleNodes(grid, x => x - 0.1)
    const right = sampleNodes(grid, x => 0.6 - x)
    const sides = { x: ['sticking', 'sticking'], y: ['sticking', 'sticking'], z: ['sticking', 'sticking'] } as const
    const problem = assemble({
      ...base,
      sides,
      solids: [
        { phi: left, walls: 'sticking' },
        { phi: right, walls: 'separating' },
      ],
    })
    expect(problem.kind[cellIndex(grid, 1, 2, 2)]).toBe(LIQUID)
    expect(problem.kind[cellIndex(grid, 5, 2, 2)]).toBe(CONTACT)
    expect(problem.kind[cellIndex(grid, 0, 2, 2)]).toBe(DRY)
    const deeper = sampleNodes(grid, x => x - 0.15)
    const both = [{ phi: left, walls: 'sticking' }, { phi: deeper }] as const
    for (const solids of [both, both.toReversed()])
      expect(assemble({ ...base, sides, solids }).kind[cellIndex(grid, 1, 2, 2)]).toBe(CONTACT)
  })

  it('feels nothing of a moving solid on closed sides that it does not reach: those are at rest', () => {
    const phi = sampleNodes(grid, (x, y, z) => Math.hypot(x - 0.35, y - 0.25, z - 0.2) - 0.09)
    const { b } = assemble({ ...base, solids: [{ phi, velocity: createFaceField(grid, 1.5) }] })
    expect(largest(b)).toBeGreaterThan(1)
    for (const i of [0, 6]) for (const j of [0, 4]) for (const k of [0, 3]) expect(b[cellIndex(grid, i, j, k)]).toBe(0)
  })

  it('feels no divergence in a tank that is carried along with its liquid, straight or turning', () => {
    const tilted = (x: number, y: number) => 0.18 - Math.abs(0.8 * (x - 0.33) + 0.6 * (y - 0.24))
    const phi = sampleNodes(grid, tilted)
    for (const motion of [
      [() => 3, () => -2, () => 1],
      [(_: number, y: number) => -(y - 0.2), (x: number) => x - 0.3, () => 0],
    ] as const) {
      const velocity = sampleFaces(grid, motion as never)
      const sides = { x: ['open', 'open'], y: ['open', 'open'], z: ['open', 'open'] } as const
      const { b } = assemble({ ...base, velocity, sides, solids: [{ phi, velocity }] })
      expect(largest(b)).toBeLessThan(1e-12)
    }
  })

  it('feels a wall that pushes as negative divergence and one that draws back as positive', () => {
    for (const speed of [1, -1]) {
      const phi = sampleNodes(grid, x => x - 0.15)
      const velocity = sampleFaces(grid, [() => speed, () => 0, () => 0])
      const { b, kind } = assemble({ ...base, solids: [{ phi, velocity }] })
      const cut = cellIndex(grid, 1, 2, 2)
      expect(kind[cut]).toBe(CONTACT)
      expect(b[cut]).toBeCloseTo(-speed / 0.1, 10)
    }
  })

  it('subtracts the desired divergence', () => {
    const desiredDivergence = Float64Array.from({ length: grid.cells }, (_, cell) => random(1, cell))
    const { b } = assemble({ ...base, desiredDivergence })
    for (let cell = 0; cell < grid.cells; cell++) expect(b[cell]).toBeCloseTo(-desiredDivergence[cell], 14)
  })

  it('counts the desired divergence of a cut cell for its open part', () => {
    const desiredDivergence = new Float64Array(grid.cells).fill(3)
    const { b } = assemble({ ...base, desiredDivergence, solids: [{ phi: sampleNodes(grid, x => x - 0.13) }] })
    expect(b[cellIndex(grid, 1, 2, 2)]).toBeCloseTo(-3 * 0.7, 12)
    expect(b[cellIndex(grid, 2, 2, 2)]).toBeCloseTo(-3, 12)
  })

  it('uses the same bounded distance in the matrix and in the velocity update', () => {
    // A surface a hair above a row of centres: unbounded, the diagonal would be 1e8 times the stencil.
    const liquid = sampleCells(grid, (_, y) => y - 0.25)
    const problem = assemble({ ...base, liquid: liquid.map(phi => (Math.abs(phi) < 1e-6 ? -1e-9 : phi)) })
    const scale = 0.01 / (2 * 0.1 ** 2)
    expect(Math.max(...problem.diagonal)).toBeLessThanOrEqual((5 + 1 / MIN_LIQUID_FRACTION) * scale)
    expectProjectionToLeaveTheDivergence(problem, still)
  })

  it('keeps the direction of the pressure gradient where the surface passes close to a centre', () => {
    const slanted = (x: number, y: number) => 0.6 * (x - 0.35) + 0.8 * (y - 0.25)
    const sides = { x: ['open', 'open'], y: ['open', 'open'] } as const
    for (const depth of [1e-3, 1e-5, 1e-7, 1e-30, Number.MIN_VALUE]) {
      const liquid = sampleCells(grid, slanted)
      const cell = cellIndex(grid, 3, 2, 2)
      liquid[cell] = -depth
      const problem = assemble({ ...base, liquid, sides })
      const pressure = new Float64Array(grid.cells)
      pressure[cell] = 1
      const velocity = copy(still)
      project(velocity, pressure, problem)
      // Across the upper faces, which lead to air; p / θ there is in proportion to the gradient of the level set.
      const [right, top] = [velocity[0][4 + 8 * (2 + 5 * 2)], velocity[1][3 + 7 * (3 + 6 * 2)]]
      expect(top).toBeGreaterThan(0)
      if (depth > 1e-90) expect(right / top, `depth ${depth}`).toBeCloseTo((0.06 + depth) / (0.08 + depth), 9)
      expect(Math.min(...problem.theta.map(axis => Math.min(...axis)))).toBeGreaterThan(0.999 * MIN_LIQUID_FRACTION)
      expectProjectionToLeaveTheDivergence(problem, still)
    }
  })

  it('extends the liquid into solids unless told not to', () => {
    const solid = { phi: sampleNodes(grid, x => x - 0.16) }
    const liquid = sampleCells(grid, x => Math.max(0.2 - x, x - 0.5))
    const cut = cellIndex(grid, 1, 2, 2)
    expect(assemble({ ...base, liquid, solids: [solid] }).kind[cut]).toBe(CONTACT)
    expect(assemble({ ...base, liquid, solids: [solid], liquidInSolids: 'as-given' }).kind[cut]).toBe(DRY)
  })

  it('names the array that does not fit or is not finite', () => {
    expect(() => assemble({ ...base, liquid: new Float64Array(3) })).toThrow(/liquid has 3 values/)
    const broken = copy(still)
    broken[1][5] = NaN
    expect(() => assemble({ ...base, velocity: broken })).toThrow(/velocity\[1\] is NaN at index 5/)
    expect(() => assemble({ ...base, dt: 0 })).toThrow(/dt must be a positive number/)
    expect(() => assemble({ ...base, density: Infinity })).toThrow(/density/)
    expect(() => assemble({ ...base, solids: [{ phi: new Float64Array(1) }] })).toThrow(/solids\[0\]\.phi/)
  })
})

/** Divergence recomputed from the projected faces must be A p + b; p is arbitrary. */
function expectProjectionToLeaveTheDivergence(problem: AssembledProblem, before: FaceField): void {
  const p = Float64Array.from({ length: problem.grid.cells }, (_, cell) => (problem.kind[cell] === DRY ? 0 : random(7, cell)))
  const velocity = copy(before)
  project(velocity, p, problem)
  const [nx, ny] = problem.grid.shape
  const expected = divergence(problem, p)
  const scale = Math.max(1, largest(expected))
  for (let cell = 0; cell < problem.grid.cells; cell++) {
    if (problem.kind[cell] === DRY) continue
    const at = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    // What solids and desired divergence contribute does not change; so compare changes.
    let change = 0
    for (let axis = 0; axis < 3; axis++) {
      const size = problem.grid.shape.map((n, a) => (a === axis ? n + 1 : n))
      const lower = at[0] + size[0] * (at[1] + size[1] * at[2])
      const upper = lower + [1, size[0], size[0] * size[1]][axis]
      for (const [face, sign] of [
        [upper, 1],
        [lower, -1],
      ])
        change += (sign * problem.open[axis][face] * (velocity[axis][face] - before[axis][face])) / problem.grid.spacing
    }
    expect(Math.abs(problem.b[cell] + change - expected[cell])).toBeLessThan(1e-12 * scale)
  }
}

describe('project', () => {
  const scenes = gallery.filter(({ build, minSize }) => build({ size: Math.max(9, minSize) }).velocity)
  it.each(scenes.flatMap(({ name, dims }) => dims.map(d => [name, d] as const)))(
    'leaves A p + b in every cell of %s in %dD',
    (name, dims) => {
      const minSize = gallery.find(entry => entry.name === name)!.minSize
      const { problem, velocity } = galleryProblem(name, { size: Math.max(11, minSize), dims })
      expectProjectionToLeaveTheDivergence(problem as AssembledProblem, velocity!)
    },
  )

  it('leaves faces that border on no liquid alone', () => {
    const { problem, velocity } = galleryProblem('ceiling-sheet', { size: 12, dims: 2 })
    const after = copy(velocity!)
    project(after, new Float64Array(problem.b.length).fill(1), problem as AssembledProblem)
    expect(after[1][3]).toBe(velocity![1][3])
  })
})
