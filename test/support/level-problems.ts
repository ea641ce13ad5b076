/** Grid problems for tests of levels: of the gallery, and drawn at random with walls and holes that break loops written for cubes. */
import { createGrid } from '../../src/grid/grid.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'
import { random } from '../../src/random.js'
import { ODD_SHAPES, randomBlock } from './lattices.js'

const gallery = (name: string, size: number, dims: 2 | 3) =>
  [`${name} ${size} in ${dims}D`, galleryProblem(name, { size, dims }).problem as PressureProblem] as const

/** A block in which every face but a few is open and every cell a contact or not at random; some cells are dry. */
function sieve(sides: number[], seed: number): PressureProblem {
  const whole = randomBlock(sides, seed)
  const { grid } = whole
  const strides = [1, grid.shape[0], grid.shape[0] * grid.shape[1]]
  const kind = Uint8Array.from({ length: grid.cells }, (_, cell) => [0, 1, 1, 2][Math.floor(4 * random(seed, cell))])
  const diagonal = Float64Array.from({ length: grid.cells }, (_, cell) => (kind[cell] ? 0.2 * random(seed + 1, cell) + 1e-3 : 0))
  const links = whole.links.map((link, axis) =>
    link.map((value, cell) => {
      if (value === 0 || !kind[cell] || !kind[cell + strides[axis]] || random(seed + 2 + axis, cell) < 0.3) return 0
      const weight = random(seed + 5 + axis, cell) < 0.5 ? 1 : random(seed + 8 + axis, cell)
      diagonal[cell] += weight
      diagonal[cell + strides[axis]] += weight
      return -weight
    }),
  ) as [Float64Array, Float64Array, Float64Array]
  return { ...whole, kind, diagonal, links }
}

const empty: PressureProblem = {
  grid: createGrid([4, 4, 4], 1),
  kind: new Uint8Array(64).fill(1),
  diagonal: new Float64Array(64).fill(1),
  links: [new Float64Array(64), new Float64Array(64), new Float64Array(64)],
  b: Float64Array.from({ length: 64 }, (_, cell) => random(1, cell)),
}

export const levelProblems: readonly (readonly [string, PressureProblem])[] = [
  gallery('half-ball', 20, 3),
  gallery('half-ball', 41, 2),
  gallery('maze', 32, 2),
  gallery('rooms', 24, 3),
  gallery('warren', 24, 3),
  gallery('film', 16, 3),
  gallery('spray', 16, 3),
  gallery('two-spheres', 24, 3),
  gallery('expanding-chamber', 16, 3),
  ...[...ODD_SHAPES, [130, 3, 5], [12, 12, 12], [64, 64]].map(sides => [`block ${sides}`, randomBlock(sides, 3)] as const),
  ...[
    [9, 7, 11],
    [40, 30],
    [2, 2, 2],
    [65, 5, 3],
  ].map(sides => [`sieve ${sides}`, sieve(sides, 4)] as const),
  ['cells without links', empty],
]
