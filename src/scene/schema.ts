/** The scene file, version 1: one schema gives the types, the validation with defaults, the JSON Schema and the reference. */

import { z } from 'zod'
import { MAX_ADHESION, WALLS } from '../pressure/walls.js'
import { LIQUID_COLOURS } from './liquid-colours.js'
import { drainKeys, sourceKeys } from './schema/exchange.js'
import {
  choice,
  type Dims,
  FAST,
  LATE,
  length,
  list,
  MAX_COORDINATE,
  number,
  object,
  only,
  point,
  seconds,
  text,
  vector,
  whole,
} from './schema/parts.js'
import { rotation, shapeGrammar, shapeWith } from './schema/shape.js'
import { loops, optionValue, sharedKeys, solve } from './schema/simulation.js'

/** Solids are numbered in one byte, and 0 is none. */
export const MAX_SOLIDS = 255
const MAX_RESOLUTION = 8192
const adhesion = () => number(0, MAX_ADHESION)
const ADHESION_MEANING =
  'Default for closed sides and solids, Pa: suction that a separating wall withstands before liquid leaves it. 0: none; a sticking wall withstands any.'
const SIDES = ['closed', 'open', ...WALLS] as const

export const KEPT = ['surface', 'particles', 'fields'] as const

/** What entries of `liquid`, `solids`, `sources` and `drains` have beside the keys of a shape. */
export const ENTRY_KEYS: readonly string[] = [
  ...['velocity', 'spin', 'name', 'walls', 'adhesion', 'friction', 'motion'],
  ...['direction', 'flowRate', 'after', 'until'],
]

/** Undefined dims: two or three, for types and for the JSON Schema; validation chooses one. */
export function sceneSchema(dims: Dims) {
  const shapes = shapeGrammar(dims)
  const velocity = () => vector(dims, FAST)
  const path = motion(dims).optional()
  return object({
    $schema: text(1000).optional().describe('Path of the schema for editors; Peel ignores it.'),
    version: only(1).describe('Version of this format.'),
    title: text(200).default('').describe('A short title.'),
    description: text(10_000).default('').describe('What the scene shows, and its origin.'),
    units: choice(['SI'])
      .default('SI')
      .describe('Metres, seconds, kilograms. Rotations are in degrees, angular velocities in rad/s.'),
    domain: domain(dims).describe('The simulated box. Its lower corner is the origin; y points up.'),
    walls: choice(WALLS)
      .default('separating')
      .describe(
        'Default for closed sides and solids. separating: liquid can leave the wall; sticking: it cannot, as in ordinary solvers.',
      ),
    adhesion: adhesion().default(0).describe(ADHESION_MEANING),
    gravity: z
      .union([vector(dims, FAST), list(keyframe(vector(dims, FAST)), 1000, 1)])
      .default(dims === 3 ? [0, -9.81, 0] : [0, -9.81])
      .describe('Gravity, m/s²: a vector, or keyframes with linear interpolation.'),
    liquid: list(
      shapeWith(shapes, {
        velocity: velocity().optional().describe('Initial velocity, m/s; at rest by default.'),
        spin: spin(dims).optional().describe('Initial rotation, added to the velocity.'),
      }),
      1000,
    )
      .default([])
      .describe('Shapes of the initial liquid. The first one wins where they overlap; liquid inside solids is removed.'),
    solids: list(
      shapeWith(shapes, {
        name: text(100).optional().describe('Name used in messages.'),
        walls: choice(WALLS).optional().describe('As `walls` of the scene, for this solid only.'),
        adhesion: adhesion().optional().describe('As `adhesion` of the scene, for this solid only, Pa.'),
        friction: friction(),
        motion: path.describe('Keyframes of the motion; at rest by default.'),
      }),
      MAX_SOLIDS,
    )
      .default([])
      .describe(`Solids: shapes, at most ${MAX_SOLIDS}.`),
    sources: list(shapeWith(shapes, sourceKeys(dims, path)), 100)
      .default([])
      .describe(
        'Shapes through which liquid flows in: filled when they begin, and from then on entered through their upstream side by velocity × cross-section each second. The first one counts where they overlap.',
      ),
    drains: list(shapeWith(shapes, drainKeys(path)), 100)
      .default([])
      .describe('Shapes in which liquid is removed.'),
    ...sharedKeys(dims),
    solver: object({ ...solve(optionValue), ...loops() })
      .prefault({})
      .describe('The pressure solve, and the engine of the whole simulation.'),
    output: output().prefault({}).describe('What a run stores.'),
  })
}

function friction() {
  const laws = object({
    coulomb: number(0, 1000).default(0).describe('Traction over the pressure on the wall, its adhesion included: μ.'),
    slip: number(0, 1e9).default(0).describe('Traction at 1 m/s, Pa s/m: slip of Navier.'),
    depth: length()
      .optional()
      .describe(
        'Distance from the wall, m, within which liquid is slowed; a cell by default, and at most 7 cells where solids move.',
      ),
  })
  return z
    .union([number(0, 1), laws])
    .default(0)
    .describe(
      'Slows liquid that slides along the solid. A number: share of its velocity that liquid next to it loses in 1/24 s, 0 to 1; or the laws of Coulomb and Navier, with any number of substeps and, given their depth, on any grid.',
    )
}

function spin(dims: Dims) {
  return object({
    centre: point(dims).describe('A point of the axis, m.'),
    rate: (dims === 2
      ? number(-FAST, FAST)
      : dims === 3
        ? vector(3, FAST)
        : z.union([number(-FAST, FAST), vector(3, FAST)])
    ).describe('Angular velocity, rad/s: a number in 2D (from x towards y), a vector in 3D.'),
  })
}

function domain(dims: Dims) {
  const side = choice(SIDES).default('closed')
  const sides = {
    left: side.describe('Lower side along x.'),
    right: side.describe('Upper side along x.'),
    bottom: side.describe('Lower side along y.'),
    top: side.describe('Upper side along y.'),
  }
  const depth = { back: side.describe('Lower side along z, in 3D.'), front: side.describe('Upper side along z, in 3D.') }
  const all = object({ ...sides, ...depth })
  const strengths = <S extends Record<string, z.ZodType>>(of: S) =>
    object(
      Object.fromEntries(
        Object.entries(of).map(([name, { description = '' }]) => [name, adhesion().optional().describe(description)]),
      ) as Record<keyof S, z.ZodOptional<z.ZodNumber>>,
    )
  const allStrengths = strengths({ ...sides, ...depth })
  return object({
    size: z
      .array(number(1e-4, MAX_COORDINATE), { error: 'must be a list of two or three lengths in metres' })
      .min(2, { error: 'must have two or three lengths in metres' })
      .max(3, { error: 'must have two or three lengths in metres' })
      .readonly()
      .describe('Side lengths, m: two for a 2D scene, three for 3D. All but the longest are rounded to whole cells.'),
    resolution: whole(1, MAX_RESOLUTION).describe('Cells along the longest side.'),
    sides: (dims === 2 ? (object(sides) as unknown as typeof all) : all)
      .prefault({})
      .describe(
        'closed: a wall as given by `walls`; open: air at p = 0, where liquid leaves the domain; separating or sticking: a wall of that kind.',
      ),
    adhesion: (dims === 2 ? (strengths(sides) as unknown as typeof allStrengths) : allStrengths)
      .prefault({})
      .describe('As `adhesion` of the scene, for closed sides one by one, Pa.'),
  })
}

function keyframe<V extends z.ZodType>(value: V) {
  return object({ time: seconds().describe('Time, s.'), value: value.describe('Gravity, m/s².') })
}

function motion(dims: Dims) {
  return object({
    keyframes: list(
      object({
        time: seconds().describe('Time, s; in ascending order.'),
        position: vector(dims, MAX_COORDINATE).optional().describe('Displacement of the shape, m; 0 by default.'),
        rotation: rotation(dims)
          .optional()
          .describe('Rotation of the shape about the pivot: degrees in 2D, { axis, angle } in 3D; 0 by default.'),
      }),
      1000,
      1,
    ).describe('Positions and rotations in time. The shape rests before the first and after the last.'),
    interpolation: choice(['smooth', 'linear'])
      .default('smooth')
      .describe('smooth: continuous velocity without overshoot; linear: constant velocity between keyframes.'),
    pivot: point(dims)
      .optional()
      .describe('Centre of rotation, m, and the point that torques on a solid are about; needed if keyframes rotate.'),
    repeat: number(1e-3, LATE)
      .optional()
      .describe('Period of the motion, s, counted from the first keyframe; the last part leads back to the first keyframe.'),
  })
}

function output() {
  return object({
    checkpointEvery: whole(1, 1_000_000).default(10).describe('Frames between checkpoints.'),
    keep: list(choice(KEPT), 3)
      .default(['surface', 'particles'])
      .describe('Stored data of every frame: surface, particles, fields (pressure and velocity).'),
    pictures: object({
      every: whole(0, 1_000_000).default(0).describe('Frames between pictures; 0: no pictures.'),
      width: whole(16, 8192).default(640).describe('Width in pixels.'),
      colours: choice(LIQUID_COLOURS).default('water').describe('Colours of the liquid.'),
    })
      .prefault({})
      .describe('Pictures, drawn as frames are finished.'),
  })
}

type SceneSchema = ReturnType<typeof sceneSchema>

/** A scene that was checked, with all defaults. */
export type Scene = z.output<SceneSchema>
/** A scene as it is written. */
export type SceneInput = z.input<SceneSchema>
export type SceneMotion = NonNullable<Scene['solids'][number]['motion']>

export function dimsOf({ domain }: { readonly domain: { readonly size: readonly number[] } }): 2 | 3 {
  return domain.size.length === 2 ? 2 : 3
}

/** For editors, which complete keys and show descriptions. */
export function sceneJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(sceneSchema(undefined), { io: 'input', reused: 'ref' }) as Record<string, unknown>
}
