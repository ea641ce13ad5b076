/** The kinds of shapes. One entry is a kind: its keys in a scene, its signed distance and the box around it. */
import type { z } from 'zod'
import type { ScalarFunction } from '../../grid/field.js'
import * as distance from '../../grid/shapes.js'
import { type Bounds, EVERYWHERE } from '../rotation.js'
import { type Dims, direction, length, list, MAX_COORDINATE, type Numbers, point } from '../schema/parts.js'
import type { MeshShape, Shape } from '../schema/shape.js'
import { around, boundHalfSpace, common, hull } from './bounds.js'

export interface BuiltShape {
  readonly phi: ScalarFunction
  /** A box around all points with φ < margin. */
  readonly bounds: (margin: number) => Bounds
}

export type NamedShape = Exclude<Shape, MeshShape>

interface ShapeKind<S> {
  readonly about: string
  /** Absent: in 2D and 3D. */
  readonly dims?: 2 | 3
  keys(parts: ShapeKeys): z.ZodRawShape
  /** Without scale, rotate and translate, which all kinds share. */
  build(shape: S, inner: (part: Shape) => BuiltShape): BuiltShape
}

/** Keys that several kinds share. */
export interface ShapeKeys {
  readonly dims: Dims
  /** A shape within another one. */
  readonly inner: z.ZodType<Shape>
  readonly several: z.ZodType<Shape[]>
  readonly centre: z.ZodType<Numbers>
  readonly radius: z.ZodType<number>
}

export function shapeKeys(dims: Dims, inner: z.ZodType<Shape>): ShapeKeys {
  return {
    dims,
    inner,
    several: list(inner, 1000, 1),
    centre: point(dims).describe('Centre, m.'),
    radius: length().describe('Radius, m.'),
  }
}

type ShapeKinds = { readonly [K in NamedShape['shape']]: ShapeKind<Extract<NamedShape, { readonly shape: K }>> }

/** In the order of the reference. */
const SHAPE_KINDS: ShapeKinds = {
  sphere: {
    about: 'A ball; a disc in 2D.',
    keys: ({ centre, radius }) => ({ centre, radius }),
    build: ({ centre, radius }) => ({ phi: distance.sphere(toPoint(centre), radius), bounds: around([centre], radius) }),
  },
  box: {
    about: 'A box along the axes; a rectangle in 2D.',
    keys: ({ dims }) => ({ min: point(dims).describe('Lower corner, m.'), max: point(dims).describe('Upper corner, m.') }),
    build({ min, max }) {
      const middle = min.map((low, axis) => 0.5 * (low + max[axis]))
      const half = min.map((low, axis) => 0.5 * (max[axis] - low))
      return { phi: distance.box(toPoint(middle), toPoint(half)), bounds: around([min, max], 0) }
    },
  },
  halfSpace: {
    about: 'All points behind a plane; a line in 2D.',
    keys: ({ dims }) => ({
      point: point(dims).describe('A point of the plane, m.'),
      normal: direction(dims).describe('Outward normal, of any length.'),
    }),
    build: ({ point, normal }) => ({
      phi: distance.halfSpace(toPoint(point), toPoint(normal)),
      bounds: margin => boundHalfSpace(point, normal, margin),
    }),
  },
  capsule: {
    about: 'All points within a radius of a segment.',
    keys: ({ dims, radius }) => ({
      from: point(dims).describe('One end of the segment, m.'),
      to: point(dims).describe('The other end, m.'),
      radius,
    }),
    build: ({ from, to, radius }) => ({
      phi: distance.capsule(toPoint(from), toPoint(to), radius),
      bounds: around([from, to], radius),
    }),
  },
  everything: {
    about: 'All points: liquid that fills the space between solids.',
    keys: () => ({}),
    build: () => ({ phi: () => -MAX_COORDINATE, bounds: () => EVERYWHERE }),
  },
  union: {
    about: 'Points in any of the shapes.',
    keys: ({ several }) => ({ of: several.describe('Shapes.') }),
    build({ of }, inner) {
      const parts = of.map(inner)
      return {
        phi: distance.union(...parts.map(({ phi }) => phi)),
        bounds: margin => hull(parts.map(({ bounds }) => bounds(margin))),
      }
    },
  },
  intersection: {
    about: 'Points in all of the shapes.',
    keys: ({ several }) => ({ of: several.describe('Shapes.') }),
    build({ of }, inner) {
      const parts = of.map(inner)
      return {
        phi: distance.intersection(...parts.map(({ phi }) => phi)),
        bounds: margin => common(parts.map(({ bounds }) => bounds(margin))),
      }
    },
  },
  difference: {
    about: 'Points of the first shape that are in none of the others.',
    keys: ({ several }) => ({ of: several.describe('Shapes.') }),
    build({ of }, inner) {
      const [first, ...removed] = of.map(inner)
      return { phi: distance.difference(first.phi, ...removed.map(({ phi }) => phi)), bounds: first.bounds }
    },
  },
  complement: {
    about: 'All points outside a shape: a container.',
    keys: ({ inner }) => ({ of: inner.describe('A shape.') }),
    build: ({ of }, inner) => ({ phi: distance.complement(inner(of).phi), bounds: () => EVERYWHERE }),
  },
  shell: {
    about: 'All points near the surface of a shape: a hollow shape.',
    keys: ({ inner }) => ({
      of: inner.describe('A shape.'),
      thickness: length().describe('Distance from the inner to the outer surface, m.'),
    }),
    build({ of, thickness }, inner) {
      const { phi, bounds } = inner(of)
      return { phi: distance.shell(phi, 0.5 * thickness), bounds: margin => bounds(margin + 0.5 * thickness) }
    },
  },
  polygon: {
    about: 'The area within a closed line; areas enclosed twice are outside.',
    dims: 2,
    keys: () => ({ corners: list(point(2), 10_000, 3).describe('Corners in order, m.') }),
    build: ({ corners }) => ({ phi: distance.polygon(corners.map(([x, y]) => [x, y])), bounds: around(corners, 0) }),
  },
  cylinder: {
    about: 'A cylinder with flat ends.',
    dims: 3,
    keys: ({ dims, radius }) => ({
      from: point(dims).describe('Centre of one end, m.'),
      to: point(dims).describe('Centre of the other end, m.'),
      radius,
    }),
    build: ({ from, to, radius }) => ({
      phi: distance.cylinder(toPoint(from), toPoint(to), radius),
      bounds: around([from, to], radius),
    }),
  },
  torus: {
    about: 'A ring.',
    dims: 3,
    keys: ({ dims, centre }) => ({
      centre,
      axis: direction(dims).describe('Normal to the plane of the ring.'),
      radius: length().describe('Radius of the centre line, m.'),
      thickness: length().describe('Radius of the tube, m.'),
    }),
    build: ({ centre, axis, radius, thickness }) => ({
      phi: distance.torus(toPoint(centre), toPoint(axis), radius, thickness),
      bounds: around([centre], radius + thickness),
    }),
  },
}

/** The kinds that a scene of so many dimensions may use, by name. */
export function kindsIn(dims: Dims): [name: string, kind: Pick<ShapeKind<never>, 'about' | 'keys'>][] {
  return Object.entries(SHAPE_KINDS).filter(([, kind]) => dims === undefined || kind.dims === undefined || kind.dims === dims)
}

export function kindOf(shape: NamedShape): ShapeKind<NamedShape> {
  return SHAPE_KINDS[shape.shape] as ShapeKind<NamedShape>
}

function toPoint(numbers: Numbers): distance.Point {
  return numbers.length === 2 ? [numbers[0], numbers[1]] : [numbers[0], numbers[1], numbers[2]]
}
