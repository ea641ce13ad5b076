/** The scene file, version 1: one schema gives the types, the validation with defaults, the JSON Schema and the reference. */
import { z } from 'zod'
import { LEAST_BAND, MOST_BAND } from '../engine/compiled-particles.js'
import { ENGINES } from '../engine/setting.js'
import {
  choice,
  type Dims,
  FAR,
  FAST,
  flag,
  LATE,
  list,
  number,
  object,
  only,
  point,
  seconds,
  text,
  vector,
  whole,
} from './schema-parts.js'
import { rotation, shapeGrammar, shapeWith } from './shape-schema.js'

/** Solids are numbered in one byte, and 0 is none. */
export const MAX_SOLIDS = 255
const MAX_RESOLUTION = 8192
const WALLS = ['separating', 'sticking'] as const
const SIDES = ['closed', 'open', ...WALLS] as const

export const KEPT = ['surface', 'particles', 'fields'] as const

/** Undefined dims: two or three, for types and for the JSON Schema; validation knows which. */
export function sceneSchema(dims: Dims) {
  const shapes = shapeGrammar(dims)
  const velocity = () => vector(dims, FAST)
  const spin = object({
    centre: point(dims).describe('A point of the axis, m.'),
    rate: (dims === 2
      ? number(-FAST, FAST)
      : dims === 3
        ? vector(3, FAST)
        : z.union([number(-FAST, FAST), vector(3, FAST)])
    ).describe('Angular velocity, rad/s: a number in 2D (from x towards y), a vector in 3D.'),
  })
  const span = {
    after: seconds().default(0).describe('When it begins, s.'),
    until: seconds().optional().describe('When it ends, s; absent: never.'),
  }
  return object({
    $schema: text(1000).optional().describe('Where editors find the schema; Peel does not read it.'),
    version: only(1).describe('Version of this format.'),
    title: text(200).default('').describe('A few words.'),
    description: text(10_000).default('').describe('What is to be seen, and where it comes from.'),
    units: choice(['SI'])
      .default('SI')
      .describe('Metres, seconds, kilograms. Rotations are in degrees, angular velocities in rad/s.'),
    domain: domain(dims).describe('The box in which everything happens. Its lower corner is the origin; y points up.'),
    walls: choice(WALLS)
      .default('separating')
      .describe('What closed sides and solids do: let liquid go, or hold it as ordinary solvers do.'),
    gravity: z
      .union([vector(dims, FAST), list(keyframe(vector(dims, FAST)), 1000, 1)])
      .default(dims === 3 ? [0, -9.81, 0] : [0, -9.81])
      .describe('m/s²: a vector, or keyframes between which it changes linearly.'),
    density: number(1e-3, 1e5).default(1000).describe('Of the liquid, kg/m³.'),
    liquid: list(
      shapeWith(shapes, {
        velocity: velocity().optional().describe('At the start, m/s; at rest if absent.'),
        spin: spin.optional().describe('Rotation at the start, added to the velocity.'),
      }),
      1000,
    )
      .default([])
      .describe('Liquid at the start: shapes. Where they overlap, the first one counts; solids take away what is in them.'),
    solids: list(
      shapeWith(shapes, {
        name: text(100).optional().describe('For messages.'),
        walls: choice(WALLS).optional().describe('Lets liquid go or holds it; as the scene says if absent.'),
        friction: number(0, 1)
          .default(0)
          .describe('0: liquid slips along it; 1: liquid loses all velocity along it where it touches.'),
        motion: motion(dims).optional().describe('Keyframes; at rest if absent.'),
      }),
      MAX_SOLIDS,
    )
      .default([])
      .describe(`Solids: shapes, at most ${MAX_SOLIDS}.`),
    sources: list(shapeWith(shapes, { velocity: velocity().describe('Of the liquid that comes out, m/s.'), ...span }), 100)
      .default([])
      .describe('Shapes kept full of liquid that moves with a given velocity.'),
    drains: list(shapeWith(shapes, span), 100).default([]).describe('Shapes from which all liquid is taken away.'),
    time: time().prefault({}).describe('How long and how finely.'),
    particles: particles(dims).prefault({}).describe('What carries the liquid.'),
    volume: object({
      correction: flag()
        .default(true)
        .describe('Brings the volume inside the surface back where a frame is off by more than half a per cent.'),
    })
      .prefault({})
      .describe('Volume that is lost or won by errors of many steps.'),
    solver: solver().prefault({}).describe('The pressure solve.'),
    seed: whole(0, Number.MAX_SAFE_INTEGER).default(830412).describe('Same seed, same run.'),
    output: output().prefault({}).describe('What a run keeps.'),
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
  return object({
    size: z
      .array(number(1e-4, FAR), { error: 'must be a list of two or three lengths in metres' })
      .min(2, { error: 'must have two or three lengths in metres' })
      .max(3, { error: 'must have two or three lengths in metres' })
      .readonly()
      .describe('Lengths of its sides, m: two make the scene 2D, three 3D. All but the longest are rounded to whole cells.'),
    resolution: whole(1, MAX_RESOLUTION).describe('Cells along the longest side.'),
    sides: (dims === 2 ? (object(sides) as unknown as typeof all) : all)
      .prefault({})
      .describe('closed: a wall as `walls` says; open: air at p = 0, through which liquid leaves; or a wall of a given kind.'),
  })
}

function keyframe<V extends z.ZodType>(value: V) {
  return object({ time: seconds().describe('s.'), value: value.describe('m/s².') })
}

function motion(dims: Dims) {
  return object({
    keyframes: list(
      object({
        time: seconds().describe('s; each later than the one before.'),
        position: vector(dims, FAR).optional().describe('Displacement from where the shape stands, m; 0 if absent.'),
        rotation: rotation(dims)
          .optional()
          .describe('Of the shape about the pivot: degrees in 2D, { axis, angle } in 3D; 0 if absent.'),
      }),
      1000,
      1,
    ).describe('Where the solid is at which time. It rests before the first and after the last.'),
    interpolation: choice(['smooth', 'linear'])
      .default('smooth')
      .describe('smooth: no jumps of velocity and no overshoot; linear: constant velocity between keyframes.'),
    pivot: point(dims).optional().describe('The point of the shape about which it turns, m; needed where keyframes rotate.'),
    repeat: number(1e-3, LATE)
      .optional()
      .describe(
        'Period, s: from the first keyframe on, the motion starts anew after this time, and leads back to the first keyframe.',
      ),
  })
}

function time() {
  return object({
    frames: whole(1, 1_000_000).default(120).describe('Frames to simulate after the start.'),
    fps: number(0.1, 1e5).default(24).describe('Frames per second.'),
    cfl: number(0.05, 50).default(3).describe('Cells that liquid may cross in one substep, a thousandth of it twice as many.'),
    minSubsteps: whole(1, 1000).default(1).describe('Substeps of a frame at least.'),
    maxSubsteps: whole(1, 10_000).default(32).describe('Substeps of a frame at most, even where cfl asks for more.'),
  })
}

function particles(dims: Dims) {
  return object({
    perCell: whole(1, 64)
      .default(dims === 2 ? 4 : 8)
      .describe('Particles in a cell full of liquid at the start; 8 in 3D and 4 in 2D if absent.'),
    method: choice(['flip', 'apic']).default('flip').describe('How particles and grid exchange velocity.'),
    flipRatio: number(0, 1).default(0.97).describe('flip: 1 lively and noisy, 0 smooth and damped.'),
    order: z
      .union([z.literal(2), z.literal(3)], { error: 'must be 2 or 3' })
      .default(3)
      .describe('Order of accuracy in time with which particles follow the flow.'),
    jitter: number(0, 1).default(1).describe('How far particles are moved from regular places at the start; 0: not at all.'),
    band: z
      .union([z.literal(0), whole(LEAST_BAND, MOST_BAND)], { error: `must be 0 or from ${LEAST_BAND} to ${MOST_BAND}` })
      .default(0)
      .describe(
        'Cells below the surface in which there are particles; deeper liquid is carried by the grid. 0: particles everywhere.',
      ),
  })
}

function solver() {
  return object({
    name: text(100).default('nas-mgpcg').describe('One of `peel solvers`.'),
    tolerance: number(1e-14, 1e6).default(1e-4).describe('Largest natural residual to accept, 1/s.'),
    maxIterations: whole(1, 1e6).optional().describe('Give up after this many; the best pressure is taken all the same.'),
    options: z
      .record(z.string(), z.union([z.number(), z.string(), z.boolean()], { error: 'must be a number, a text, true or false' }), {
        error: 'must be an object',
      })
      .default({})
      .describe('Options of the solver, as `peel solvers` lists them.'),
    engine: choice(ENGINES).default('auto').describe('What the loops run on.'),
    threads: whole(1, 64).optional().describe('As many as the machine has, up to 8, if absent.'),
  })
}

function output() {
  return object({
    checkpointEvery: whole(1, 1_000_000).default(10).describe('Frames from one checkpoint to the next.'),
    keep: list(choice(KEPT), 3)
      .default(['surface', 'particles'])
      .describe('What is kept of every frame: the surface, the particles, pressure and velocity (fields).'),
    pictures: object({
      every: whole(0, 1_000_000).default(0).describe('Frames from one picture to the next; 0: none.'),
      width: whole(16, 8192).default(640).describe('Pixels.'),
    })
      .prefault({})
      .describe('Pictures of frames, as they are finished.'),
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
