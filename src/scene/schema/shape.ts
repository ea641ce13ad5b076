/** The grammar of shapes. Every entry of `liquid`, `solids`, `sources` and `drains` is a shape with some keys of its own; shapes within
 *  shapes have none. */
import { z } from 'zod'
import { suggestion } from '../../input-error.js'
import { show } from '../../printable.js'
import { kindsIn, shapeKeys } from '../shapes/kinds.js'
import { type Dims, direction, type Numbers, number, object, only, point, text, vector } from './parts.js'

/** Degrees: from x towards y in 2D, about an axis in 3D. */
export type Rotation = number | { readonly axis: Numbers; readonly angle: number }

export interface Placement {
  readonly scale?: number
  readonly rotate?: Rotation
  readonly pivot?: Numbers
  readonly translate?: Numbers
}

export type Shape = Placement &
  (
    | { readonly shape: 'sphere'; readonly centre: Numbers; readonly radius: number }
    | { readonly shape: 'box'; readonly min: Numbers; readonly max: Numbers }
    | { readonly shape: 'halfSpace'; readonly point: Numbers; readonly normal: Numbers }
    | { readonly shape: 'capsule'; readonly from: Numbers; readonly to: Numbers; readonly radius: number }
    | { readonly shape: 'cylinder'; readonly from: Numbers; readonly to: Numbers; readonly radius: number }
    | {
        readonly shape: 'torus'
        readonly centre: Numbers
        readonly axis: Numbers
        readonly radius: number
        readonly thickness: number
      }
    | { readonly shape: 'polygon'; readonly corners: readonly Numbers[] }
    | { readonly shape: 'everything' }
    | { readonly shape: 'union'; readonly of: readonly Shape[] }
    | { readonly shape: 'intersection'; readonly of: readonly Shape[] }
    | { readonly shape: 'difference'; readonly of: readonly Shape[] }
    | { readonly shape: 'complement'; readonly of: Shape }
    | { readonly shape: 'shell'; readonly of: Shape; readonly thickness: number }
    | MeshShape
  )

export interface MeshShape extends Placement {
  readonly shape?: undefined
  readonly mesh: string
}

export function rotation(dims: Dims): z.ZodType<Rotation> {
  const angle = number(-1e6, 1e6)
  const turn = object({
    axis: direction(3).describe('Direction of the axis; the rotation is counterclockwise when it points at you.'),
    angle: angle.describe('Degrees.'),
  })
  return dims === 2 ? angle : dims === 3 ? turn : z.union([angle, turn])
}

function placement(dims: Dims) {
  return {
    scale: number(1e-6, 1e6).optional().describe('Scales the shape about its pivot.'),
    rotate: rotation(dims).optional().describe('Rotates the shape about its pivot: degrees in 2D, { axis, angle } in 3D.'),
    pivot: point(dims)
      .optional()
      .describe('Fixed point of scale and rotate, and the point that torques on a solid are about; the origin by default.'),
    translate: vector(dims, 1e6).optional().describe('Moves the shape after scale and rotate.'),
  }
}

/** The parts of all shapes, made once, so that the JSON Schema has each of them once. */
export interface Grammar {
  readonly dims: Dims
  /** A shape within another one. */
  readonly inner: z.ZodType<Shape>
  readonly kinds: ReadonlyMap<string, { readonly about: string; readonly keys: z.ZodRawShape }>
  readonly placement: ReturnType<typeof placement>
}

export function shapeGrammar(dims: Dims): Grammar {
  // Made once: copies of a lazy schema, as descriptions make them, would each build their own without end.
  let built: z.ZodType<Shape> | undefined
  const inner: z.ZodType<Shape> = z.lazy(() => {
    built ??= shapeWith(grammar, {})
    return built
  })
  const shared = shapeKeys(dims, inner)
  const kinds = new Map(kindsIn(dims).map(([name, { about, keys }]) => [name, { about, keys: keys(shared) }]))
  const grammar: Grammar = { dims, inner, kinds, placement: placement(dims) }
  return grammar
}

/** A shape with the keys `extras` beside its own. */
export function shapeWith<const E extends z.ZodRawShape>({ dims, kinds, placement }: Grammar, extras: E) {
  const options = [...kinds].map(([name, { about, keys }]) =>
    object({ shape: only(name), ...keys, ...extras, ...placement }).describe(about),
  )
  const named = z.discriminatedUnion('shape', options as [(typeof options)[0], ...(typeof options)[0][]], {
    error: ({ input }) => refuseShape(input, [...kinds.keys()], dims),
  })
  const mesh = object({
    mesh: text(1000).describe('Path of an OBJ, PLY or STL file, relative to the scene.'),
    ...extras,
    ...placement,
  }).describe('Triangles from a file, in 3D.')
  return z.union([named, mesh]) as unknown as z.ZodType<Shape & z.output<z.ZodObject<E>>>
}

/** Continues the path of the key `shape`, or that of the entry where it is no object. */
function refuseShape(input: unknown, names: readonly string[], dims: Dims): string {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return `must be a shape, an object, not ${show(input)}`
  const known = `one of ${names.join(', ')}${dims === 2 ? '' : '; or give the key mesh'}`
  const { shape } = input as { readonly shape?: unknown }
  if (shape === undefined) return `is missing; it must be ${known}`
  const hint = typeof shape === 'string' ? suggestion(shape, names) : ''
  return `${show(shape)} is not a shape${dims === undefined ? '' : ` in ${dims}D`}${hint}; it must be ${known}`
}
