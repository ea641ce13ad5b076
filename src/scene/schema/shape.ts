/** The grammar of shapes. Every entry of `liquid`, `solids`, `sources` and `drains` is a shape with some keys of its own; shapes within
 *  shapes have none. */
import { z } from 'zod'
import { suggestion } from '../../input-error.js'
import { show } from '../../printable.js'
import { type Dims, direction, length, list, type Numbers, number, object, only, point, text, vector } from './parts.js'

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
    | { readonly shape: 'capsule' | 'cylinder'; readonly from: Numbers; readonly to: Numbers; readonly radius: number }
    | {
        readonly shape: 'torus'
        readonly centre: Numbers
        readonly axis: Numbers
        readonly radius: number
        readonly thickness: number
      }
    | { readonly shape: 'polygon'; readonly corners: readonly Numbers[] }
    | { readonly shape: 'everything' }
    | { readonly shape: 'union' | 'intersection' | 'difference'; readonly of: readonly Shape[] }
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
    pivot: point(dims).optional().describe('Fixed point of scale and rotate; the origin by default.'),
    translate: vector(dims, 1e6).optional().describe('Moves the shape after scale and rotate.'),
  }
}

/** Shapes by name. `inner` is what their parts may be. */
function variants(dims: Dims, inner: z.ZodType<Shape>) {
  const centre = point(dims).describe('Centre, m.')
  const radius = length().describe('Radius, m.')
  const parts = list(inner, 1000, 1)
  const flat = {
    polygon: {
      about: 'The area within a closed line; areas enclosed twice are outside.',
      keys: { corners: list(point(2), 10_000, 3).describe('Corners in order, m.') },
    },
  }
  const solid = {
    cylinder: {
      about: 'A cylinder with flat ends.',
      keys: {
        from: point(dims).describe('Centre of one end, m.'),
        to: point(dims).describe('Centre of the other end, m.'),
        radius,
      },
    },
    torus: {
      about: 'A ring.',
      keys: {
        centre,
        axis: direction(dims).describe('Normal to the plane of the ring.'),
        radius: length().describe('Radius of the centre line, m.'),
        thickness: length().describe('Radius of the tube, m.'),
      },
    },
  }
  const both = {
    sphere: { about: 'A ball; a disc in 2D.', keys: { centre, radius } },
    box: {
      about: 'A box along the axes; a rectangle in 2D.',
      keys: { min: point(dims).describe('Lower corner, m.'), max: point(dims).describe('Upper corner, m.') },
    },
    halfSpace: {
      about: 'All points behind a plane; a line in 2D.',
      keys: {
        point: point(dims).describe('A point of the plane, m.'),
        normal: direction(dims).describe('Outward normal, of any length.'),
      },
    },
    capsule: {
      about: 'All points within a radius of a segment.',
      keys: { from: point(dims).describe('One end of the segment, m.'), to: point(dims).describe('The other end, m.'), radius },
    },
    everything: { about: 'All points: liquid that fills the space between solids.', keys: {} },
    union: { about: 'Points in any of the shapes.', keys: { of: parts.describe('Shapes.') } },
    intersection: { about: 'Points in all of the shapes.', keys: { of: parts.describe('Shapes.') } },
    difference: {
      about: 'Points of the first shape that are in none of the others.',
      keys: { of: parts.describe('Shapes.') },
    },
    complement: { about: 'All points outside a shape: a container.', keys: { of: inner.describe('A shape.') } },
    shell: {
      about: 'All points near the surface of a shape: a hollow shape.',
      keys: { of: inner.describe('A shape.'), thickness: length().describe('Distance from the inner to the outer surface, m.') },
    },
  }
  return { ...both, ...(dims === 3 ? {} : flat), ...(dims === 2 ? {} : solid) } as Record<
    string,
    { about: string; keys: z.ZodRawShape }
  >
}

/** The parts of all shapes, made once, so that the JSON Schema has each of them once. */
export interface Grammar {
  readonly dims: Dims
  /** A shape within another one. */
  readonly inner: z.ZodType<Shape>
  readonly kinds: ReturnType<typeof variants>
  readonly placement: ReturnType<typeof placement>
}

export function shapeGrammar(dims: Dims): Grammar {
  // Made once: copies of a lazy schema, as descriptions make them, would each build their own without end.
  let built: z.ZodType<Shape> | undefined
  const inner: z.ZodType<Shape> = z.lazy(() => {
    built ??= shapeWith(grammar, {})
    return built
  })
  const grammar: Grammar = { dims, inner, kinds: variants(dims, inner), placement: placement(dims) }
  return grammar
}

/** A shape with the keys `extras` beside its own. */
export function shapeWith<const E extends z.ZodRawShape>({ dims, kinds, placement }: Grammar, extras: E) {
  const options = Object.entries(kinds).map(([name, { about, keys }]) =>
    object({ shape: only(name), ...keys, ...extras, ...placement }).describe(about),
  )
  const named = z.discriminatedUnion('shape', options as [(typeof options)[0], ...(typeof options)[0][]], {
    error: ({ input }) => refuseShape(input, Object.keys(kinds), dims),
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
