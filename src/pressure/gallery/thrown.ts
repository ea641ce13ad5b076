/** Liquid that moves against walls, and walls that move against liquid. */
import { box } from '../../grid/shapes.js'
import type { Draft } from '../gallery.js'
import { roundContainer } from './at-rest.js'
import { assembleScene, at, levelNear } from './scene.js'

/** To the right and up, m/s. */
const THROW = [3, 4, 0] as const

export const thrown: readonly Draft[] = [
  {
    name: 'half-ball',
    about: 'The left half of a round container is full of liquid that is thrown up and to the right: half of it leaves the wall.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: options =>
      assembleScene(options, { liquid: x => x - 0.5, solids: [{ phi: roundContainer(options) }], velocity: THROW }),
  },
  {
    name: 'square',
    about: 'A block of liquid in the upper left corner of a square is thrown at the ceiling and away from the wall.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 4,
    create: options =>
      assembleScene(options, { liquid: box(at(options, 0, 1, 0), at(options, 0.47, 0.47, 0.47)), velocity: THROW }),
  },
  {
    name: 'moving-paddle',
    about: 'A plate sweeps through a pool at 1 m/s: it pushes the liquid in front of it, and the liquid behind it separates.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 12,
    create: options => {
      const level = levelNear(0.6, options.size)
      const plate = box(at(options, 0.45, 0.45), at(options, Math.max(0.03, 1.1 / options.size), 0.25, 0.3))
      return assembleScene(options, { liquid: (_, y) => y - level, solids: [{ phi: plate, velocity: [1, 0, 0] }] })
    },
  },
]
