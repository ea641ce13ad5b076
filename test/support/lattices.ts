/** Problems of any shape: plain lattices made without the code under test, and an assembled basin. */
import { createGrid } from '../../src/grid/grid.js'
import { sampleFaces } from '../../src/grid/staggered.js'
import { type AssembledProblem, assemble } from '../../src/pressure/assemble.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'

/** Unit links between all cells of a block, air at the upper end of x, contacts at all other sides, b random. */
export function randomBlock(sides: number[], seed: number): PressureProblem {
  const shape: [number, number, number] = [sides[0], sides[1], sides[2] ?? 1]
  const cells = shape[0] * shape[1] * shape[2]
  const strides = [1, shape[0], shape[0] * shape[1]]
  const kind = new Uint8Array(cells).fill(1)
  const diagonal = new Float64Array(cells)
  const links: [Float64Array, Float64Array, Float64Array] = [diagonal.slice(), diagonal.slice(), diagonal.slice()]
  for (let cell = 0; cell < cells; cell++) {
    const position = [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / strides[2])]
    for (let axis = 0; axis < sides.length; axis++) {
      const last = position[axis] === shape[axis] - 1
      if (position[axis] === 0 || (last && axis > 0)) kind[cell] = 2
      if (last && axis === 0) diagonal[cell] += 2
      if (last) continue
      links[axis][cell] = -1
      diagonal[cell] += 1
      diagonal[cell + strides[axis]] += 1
    }
  }
  const b = Float64Array.from({ length: cells }, (_, cell) => 10 * (random(seed, cell) - 0.5))
  return { grid: { dims: sides.length as 2 | 3, shape, spacing: 1, cells }, kind, diagonal, links, b }
}

/** Shapes that break loops written for cubes. */
export const ODD_SHAPES = [
  [3, 5, 7],
  [1, 40],
  [300, 4],
  [1, 1],
  [33, 17],
  [2, 1, 30],
]

/** A basin 70 % full of liquid that swirls, open at one side and at the top. */
export function swirlingBasin(shape: number[]): AssembledProblem {
  const grid = createGrid(shape, 0.1)
  const [nx, ny] = grid.shape
  const liquid = Float64Array.from({ length: grid.cells }, (_, cell) => 0.1 * ((Math.floor(cell / nx) % ny) + 0.5 - 0.7 * ny))
  const velocity = sampleFaces(grid, [(x, y) => Math.sin(7 * x + y), (x, y) => Math.cos(9 * y - x), (_, __, z) => z])
  return assemble({ grid, velocity, liquid, dt: 0.01, sides: { x: ['open', 'separating'], y: ['separating', 'open'] } })
}
