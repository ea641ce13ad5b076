/** Liquid in pieces hardly larger than a cell: no coarse grid sees them. */
import { cellIndex } from '../../grid/grid.js'
import { sphere } from '../../grid/shapes.js'
import { createFaceField } from '../../grid/staggered.js'
import { random } from '../../random.js'
import type { Draft, GalleryProblem, Resolved } from '../gallery.js'
import { CONTACT, DRY } from '../problem.js'
import { roundContainer } from './at-rest.js'
import { assembleScene, at, createUnitGrid } from './scene.js'

export const scattered: readonly Draft[] = [
  {
    name: 'spray',
    about: 'Single cells of liquid scattered in a round container, some at its wall, with random velocities; seeded.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 8,
    create: spray,
  },
  {
    name: 'film',
    about: 'A film one cell thick around a solid ball: it stays on top and drips off below.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 8,
    create: options => {
      const centre = at(options, 0.5, 0.5)
      return assembleScene(options, { liquid: sphere(centre, 0.3 + 1 / options.size), solids: [{ phi: sphere(centre, 0.3) }] })
    },
  },
]

/** Streams of random numbers: which cells, and the velocity on faces of each axis. */
const OFFSET = 0
const VELOCITY = 3

function spray(options: Resolved): Omit<GalleryProblem, 'name'> {
  const { size, dims, seed } = options
  const grid = createUnitGrid(options)
  const wet = new Uint8Array(grid.cells)
  // One cell per block of three, never its last: two drops are at least a cell apart.
  const blocks = Math.ceil(size / 3)
  for (let block = 0; block < blocks ** dims; block++) {
    const first = [block % blocks, Math.floor(block / blocks) % blocks, Math.floor(block / blocks ** 2)]
    const [i, j, k] = first.map((index, axis) => 3 * index + (random(seed, OFFSET, block, axis) < 0.5 ? 0 : 1))
    if (i < size && j < size && (dims === 2 || k < size)) wet[cellIndex(grid, i, j, dims === 2 ? 0 : k)] = 1
  }
  const velocity = createFaceField(grid)
  for (let axis = 0; axis < dims; axis++)
    for (let face = 0; face < velocity[axis].length; face++) velocity[axis][face] = 4 * random(seed, VELOCITY + axis, face) - 2

  const liquid = (x: number, y: number, z: number) => {
    const [i, j, k] = [x, y, z].map(value => Math.floor(value * size))
    return (wet[cellIndex(grid, i, j, k)] ? -0.3 : 0.7) / size
  }
  const scene = assembleScene(options, { liquid, solids: [{ phi: roundContainer(options) }], velocity })
  const { kind, diagonal, b } = scene.problem
  const pressure = new Float64Array(grid.cells)
  const pinned = new Uint8Array(grid.cells)
  for (let cell = 0; cell < grid.cells; cell++) {
    if (kind[cell] === DRY) continue
    pinned[cell] = kind[cell] === CONTACT && b[cell] > 0 ? 1 : 0
    if (!pinned[cell]) pressure[cell] = -b[cell] / diagonal[cell]
  }
  return {
    ...scene,
    known: {
      pressure,
      pinned,
      status: 'converged',
      about: 'Every drop has one unknown: p = −b / a, but not below 0 at the wall.',
    },
  }
}
