/** A full chamber, sealed by a slab, under an open pool: two independent problems in one matrix, one of them singular. */
import { halfSpace, shell } from '../../grid/shapes.js'
import type { Draft, Known, Resolved } from '../gallery.js'
import { hydrostatic, markUnknowns, shiftPocket } from './known.js'
import { assembleScene, at, GRAVITY, levelNear } from './scene.js'

const SLAB_HEIGHT = 0.5
/** Half its thickness in cells: whole rows of nodes are inside at any size, so the slab is tight. */
const SLAB_CELLS = 1.2
const PISTON_HEIGHT = 0.15
/** Speed of the piston as a part of what gravity adds to the liquid in one step: less than 1, otherwise the liquid would fall
 *  freely behind a receding piston and the answer would be p = 0. */
const PISTON_SPEED = 0.5

export const chambers: readonly Draft[] = [
  {
    name: 'sealed-chamber',
    about: 'A full chamber sealed by a slab, under an open pool, both at rest.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 6,
    create: options => {
      const { scene, pressure, chamber } = build(options, undefined)
      shiftPocket(scene.problem, chamber, pressure)
      return {
        ...scene,
        known: {
          pressure,
          upToShift: chamber,
          pinned: new Uint8Array(pressure.length),
          status: 'converged',
          about: 'Both pressures are weights of liquid; the one of the chamber does not depend on the pool above it.',
        },
      }
    },
  },
  {
    name: 'squeezed-chamber',
    about: 'The floor of a full sealed chamber rises and squeezes the liquid, which cannot escape.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 10,
    create: options => {
      const { scene, pressure, chamber } = build(options, PISTON_SPEED)
      return { ...scene, known: impossible(pressure, chamber, 'No pressure keeps the volume of the chamber.') }
    },
  },
  {
    name: 'expanding-chamber',
    about:
      'The floor of a full sealed chamber recedes, slower than the liquid would fall: the liquid separates from the ceiling.',
    dims: [2, 3],
    defaultSize: 32,
    minSize: 10,
    create: options => {
      const { scene, pressure, chamber } = build(options, -PISTON_SPEED)
      if (options.walls === 'sticking')
        return {
          ...scene,
          known: impossible(pressure, chamber, 'Liquid that sticks to all walls cannot fill a growing chamber.'),
        }
      // The liquid follows the piston, so only the part of gravity that it cannot follow causes pressure.
      pressure.forEach((p, cell) => {
        if (chamber[cell]) pressure[cell] = (1 - PISTON_SPEED) * p
      })
      shiftPocket(scene.problem, chamber, pressure)
      const pinned = chamber.map((inside, cell) => (inside && pressure[cell] === 0 ? 1 : 0))
      return {
        ...scene,
        known: {
          pressure,
          pinned,
          status: 'converged',
          about: 'The liquid of the chamber moves down with the piston, leaves the ceiling and weighs on the piston.',
        },
      }
    },
  },
]

/** `piston` is the speed of the floor of the chamber in units of the gravity kick, upwards; without it the floor is the side. */
function build(options: Resolved, piston: number | undefined) {
  const { size, dt } = options
  const level = levelNear(0.8, size)
  const slab = { phi: shell(halfSpace(at(options, 0, SLAB_HEIGHT), [0, 1]), SLAB_CELLS / size) }
  const floor = (speed: number) => ({
    phi: halfSpace(at(options, 0, PISTON_HEIGHT), [0, 1]),
    velocity: [0, speed * GRAVITY * dt, 0] as const,
  })
  const scene = assembleScene(options, {
    liquid: (_, y) => (y < SLAB_HEIGHT ? -1 : y - level),
    solids: piston === undefined ? [slab] : [slab, floor(piston)],
  })
  const chamber = markUnknowns(scene.problem, options, (_, y) => y - SLAB_HEIGHT)
  return { scene, pressure: hydrostatic(scene.problem, options, level), chamber }
}

function impossible(pressure: Float64Array, chamber: Uint8Array, about: string): Known {
  return {
    pressure: pressure.map((p, cell) => (chamber[cell] ? Number.NaN : p)),
    status: 'infeasible',
    about: `${about} The pool above is at rest.`,
  }
}
