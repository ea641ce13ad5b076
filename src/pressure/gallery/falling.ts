/** Liquid that was held still and is released: gravity has acted for one step when the pressure is requested. */
import type { ScalarFunction } from '../../grid/field.js'
import { box, capsule, complement, difference, shell, sphere, union } from '../../grid/shapes.js'
import type { Draft, GalleryProblem, Resolved } from '../gallery.js'
import { roundContainer } from './at-rest.js'
import { hydrostatic, markUnknowns, pinnedAtZeroPressure, shiftPocket } from './known.js'
import { assembleScene, at, type GalleryScene, levelNear } from './scene.js'

const leftHalf: ScalarFunction = x => x - 0.5

export const falling: readonly Draft[] = [
  {
    name: 'ceiling-sheet',
    about: 'A sheet of liquid under the ceiling of a straight tank.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 4,
    create: options => freeFall(options, { liquid: (_, y) => 0.7 - y }),
  },
  {
    name: 'sphere-cap',
    about: 'A cap of liquid under the top of a round container.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 8,
    create: options => freeFall(options, { liquid: (_, y) => 0.6 - y, solids: [{ phi: roundContainer(options) }] }),
  },
  {
    name: 'half-sphere',
    about: 'The left half of a round container is full: the overhanging part of the liquid peels off.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: options => assembleScene(options, { liquid: leftHalf, solids: [{ phi: roundContainer(options) }] }),
  },
  {
    name: 'sphere-with-cuboid',
    about: 'As half-sphere, with a cuboid in the middle that carries some of the liquid and covers some.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 16,
    create: options => {
      const cuboid = box(at(options, 0.5, 0.42), at(options, 0.17, 0.06, 0.12))
      return assembleScene(options, { liquid: leftHalf, solids: [{ phi: union(roundContainer(options), cuboid) }] })
    },
  },
  {
    name: 'two-spheres',
    about: 'Two joined round containers, left halves full, with a thin shell in each: one has holes, one is sealed and full.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 16,
    create: twoSpheres,
  },
  {
    name: 'open-tank',
    about: 'A block of liquid on a floor between open sides: it runs out to the left and right and touches only the floor.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 4,
    create: options => {
      const level = levelNear(0.45, options.size)
      const open = [true, true] as const
      return assembleScene(options, { liquid: (_, y) => y - level, open: { x: open, y: [false, true], z: open } })
    },
  },
]

/** Liquid with nothing below it: p = 0. Sticking walls would change that, so then nothing is known. */
function freeFall(options: Resolved, scene: GalleryScene): Omit<GalleryProblem, 'name'> {
  const assembled = assembleScene(options, scene)
  if (options.walls === 'sticking') return assembled
  return {
    ...assembled,
    known: {
      pressure: new Float64Array(assembled.problem.grid.cells),
      pinned: pinnedAtZeroPressure(assembled.problem),
      status: 'converged',
      about: 'The liquid falls freely: the pressure is 0, and contacts at walls above it separate.',
    },
  }
}

function twoSpheres(options: Resolved): Omit<GalleryProblem, 'name'> {
  const cell = 1 / options.size
  // Thicker than the diagonal of a cell, so no cell touches both sides of a shell and the sealed one is tight at any size.
  const halfThickness = Math.max(0.02, 0.9 * cell)
  const hole = Math.max(0.06, 1.5 * cell)
  const point = (x: number, y: number) => at(options, x, y)
  const container = complement(union(sphere(point(0.5, 0.33), 0.29), sphere(point(0.5, 0.67), 0.29)))
  const sealed = sphere(point(0.5, 0.68), 0.15)
  const across = capsule(point(0, 0.3), point(1, 0.3), hole)
  const along = capsule(point(0.5, 0), point(0.5, 0.5), hole)
  const pierced = difference(shell(sphere(point(0.5, 0.3), 0.16), halfThickness), across, along)
  const scene = assembleScene(options, {
    liquid: union(leftHalf, sealed),
    solids: [{ phi: union(container, shell(sealed, halfThickness), pierced) }],
  })
  const upToShift = markUnknowns(scene.problem, options, sealed)
  const pressure = hydrostatic(scene.problem, options, 1)
  shiftPocket(scene.problem, upToShift, pressure)
  for (let i = 0; i < pressure.length; i++) if (scene.problem.kind[i] && !upToShift[i]) pressure[i] = Number.NaN
  return {
    ...scene,
    known: {
      pressure,
      upToShift,
      status: 'converged',
      about: 'In the sealed shell the pressure falls with height and no contact separates.',
    },
  }
}
