/** Pools at rest: the weight of the liquid is an exact answer also in cut cells, because the pressure is linear in y and
 *  matrix and right-hand side use the same open fractions. */
import { box, complement, rotate, sphere } from '../../grid/shapes.js'
import type { Draft, GalleryProblem, Resolved } from '../gallery.js'
import { hydrostatic, markUnknowns, shiftPocket } from './known.js'
import { assembleScene, at, type GalleryScene, levelNear } from './scene.js'

/** Radius of the round container of most scenes. */
export const CONTAINER_RADIUS = 0.42

export function roundContainer(options: Resolved) {
  return complement(sphere(at(options, 0.5, 0.5), CONTAINER_RADIUS))
}

export const atRest: readonly Draft[] = [
  {
    name: 'tank',
    about: 'A straight tank, not quite half full, at rest.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 4,
    create: options => pool(options, 0.45),
  },
  {
    name: 'tilted-tank',
    about: 'A tank tilted by 0.4 rad, so that walls cut cells at all fractions, at rest.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: options => {
      const tank = box(at(options, 0.5, 0.5), at(options, 0.31, 0.31, 0.37))
      return pool(options, 0.45, [{ phi: complement(rotate(tank, 0.4, [0.5, 0.5])) }])
    },
  },
  {
    name: 'sphere-at-rest',
    about: 'A round container filled slightly above its middle, so that part of the wall overhangs the liquid, at rest.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: options => pool(options, 0.55, [{ phi: roundContainer(options) }]),
  },
  {
    name: 'full-sphere',
    about: 'A round container filled completely, without air: the matrix is singular.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: fullSphere,
  },
]

function pool(options: Resolved, height: number, solids?: GalleryScene['solids']): Omit<GalleryProblem, 'name'> {
  const level = levelNear(height, options.size)
  const scene = assembleScene(options, { liquid: (_, y) => y - level, solids })
  return {
    ...scene,
    known: {
      pressure: hydrostatic(scene.problem, options, level),
      pinned: new Uint8Array(scene.problem.grid.cells),
      status: 'converged',
      about: 'The pressure is the weight of the liquid above; no contact separates.',
    },
  }
}

function fullSphere(options: Resolved): Omit<GalleryProblem, 'name'> {
  const scene = assembleScene(options, { liquid: () => -1, solids: [{ phi: roundContainer(options) }] })
  const pressure = hydrostatic(scene.problem, options, 1)
  const upToShift = markUnknowns(scene.problem, options, () => -1)
  shiftPocket(scene.problem, upToShift, pressure)
  return {
    ...scene,
    known: {
      pressure,
      upToShift,
      pinned: new Uint8Array(scene.problem.grid.cells),
      status: 'converged',
      about: 'The pressure falls with height; liquid cannot leave a wall because nothing could take its place.',
    },
  }
}
