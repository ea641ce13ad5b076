/** Problems of any shape: plain lattices made without the code under test, and an assembled basin. */
import { createGrid } from '../../src/grid/grid.js'
import { sampleFaces } from '../../src/grid/staggered.js'
import { type AssembledProblem, assemble } from '../../src/pressure/assemble.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'

/** Rooms of 4³ cells, a third of the walls between them open, the upper fifth full of air. */
export function smallRooms(size: number): PressureProblem {
  const open = (axis: number, [x, y, z]: number[]) => [x, y, z][axis] % 4 !== 3 || random(7, axis, x >> 2, y >> 2, z >> 2) < 1 / 3
  return lattice([size, size, size], open, ([, y]) => y < 0.8 * size, 11)
}

/** All cells wet, walls all around but for air at the upper end of x, b random. */
export const randomBlock = (shape: number[], seed: number) =>
  lattice(
    [shape[0], shape[1], shape[2] ?? 1],
    () => true,
    () => true,
    seed,
    shape.length as 2 | 3,
  )

/** Unit links where `open`, contacts along closed ones, air where cells are not `wet` and at the upper end of x. */
function lattice(
  shape: [number, number, number],
  open: (axis: number, position: number[]) => boolean,
  wet: (position: number[]) => boolean,
  seed: number,
  dims: 2 | 3 = 3,
): PressureProblem {
  const cells = shape[0] * shape[1] * shape[2]
  const strides = [1, shape[0], shape[0] * shape[1]]
  const positionOf = (cell: number) => [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / strides[2])]
  const kind = Uint8Array.from({ length: cells }, (_, cell) => (wet(positionOf(cell)) ? 1 : 0))
  const diagonal = new Float64Array(cells)
  const links: [Float64Array, Float64Array, Float64Array] = [
    new Float64Array(cells),
    new Float64Array(cells),
    new Float64Array(cells),
  ]
  for (let cell = 0; cell < cells; cell++) {
    if (!kind[cell]) continue
    const position = positionOf(cell)
    if (position[0] === shape[0] - 1) diagonal[cell] += 2
    for (let axis = 0; axis < 3; axis++) {
      const other = cell + strides[axis]
      if (position[axis] + 1 >= shape[axis]) continue
      if (!open(axis, position)) {
        kind[cell] = 2
        if (kind[other]) kind[other] = 2
      } else if (!kind[other]) diagonal[cell] += 2
      else {
        links[axis][cell] = -1
        diagonal[cell] += 1
        diagonal[other] += 1
      }
    }
  }
  for (let cell = 0; cell < cells; cell++) if (diagonal[cell] === 0) kind[cell] = 0
  const b = Float64Array.from({ length: cells }, (_, cell) => (kind[cell] ? 10 * (random(seed, cell) - 0.5) : 0))
  const problem = { grid: { dims, shape, spacing: 1, cells }, kind, diagonal, links, b }
  balance(problem, strides)
  return problem
}

/** Makes Σ b = 0 in every body of liquid without air, so that it can be satisfied. */
function balance({ kind, diagonal, links, b }: PressureProblem, strides: number[]): void {
  const seen = new Uint8Array(kind.length)
  for (let seed = 0; seed < kind.length; seed++) {
    if (!kind[seed] || seen[seed]) continue
    const body = [seed]
    seen[seed] = 1
    let held = 0
    for (const cell of body) {
      let sum = diagonal[cell]
      for (let axis = 0; axis < 3; axis++)
        for (const [link, other] of [
          [links[axis][cell], cell + strides[axis]],
          [links[axis][cell - strides[axis]] ?? 0, cell - strides[axis]],
        ]) {
          if (link === 0) continue
          sum += link
          if (!seen[other]) {
            seen[other] = 1
            body.push(other)
          }
        }
      held = Math.max(held, sum)
    }
    if (held > 1e-9) continue
    const mean = body.reduce((sum, cell) => sum + b[cell], 0) / body.length
    for (const cell of body) b[cell] -= mean
  }
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
