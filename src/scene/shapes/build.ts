/** From the grammar of shapes to signed distances and the boxes they lie in. */
import type { ScalarFunction } from '../../grid/field.js'
import {
  box,
  capsule,
  complement,
  cylinder,
  difference,
  halfSpace,
  intersection,
  type Point,
  polygon,
  scale,
  shell,
  sphere,
  torus,
  union,
} from '../../grid/shapes.js'
import { toVector } from '../motion.js'
import { type Bounds, EVERYWHERE, moveAbout, moveBounds, movePhi, NOWHERE, rotationMatrix, rotationVector } from '../rotation.js'
import { MAX_COORDINATE, type Numbers } from '../schema/parts.js'
import type { Shape } from '../schema/shape.js'
import type { Vector } from '../setting.js'

export interface BuiltShape {
  readonly phi: ScalarFunction
  /** A box around all points with φ < margin. */
  readonly bounds: (margin: number) => Bounds
}

/** The shape of a mesh file on a lattice of this spacing, in the units of the file. */
export type MeshShapes = (mesh: string, spacing: number) => BuiltShape

/** `spacing`: edge of a cell in the coordinates of the shape. */
export function buildShape(shape: Shape, spacing: number, meshes: MeshShapes): BuiltShape {
  const factor = shape.scale ?? 1
  const built = buildPlain(shape, spacing / factor, meshes)
  if (shape.scale === undefined && shape.rotate === undefined && shape.translate === undefined) return built
  const pivot = toVector(shape.pivot)
  const larger = factor === 1 ? built : scaleAbout(built, pivot, factor)
  const move = moveAbout(rotationMatrix(rotationVector(shape.rotate)), pivot, toVector(shape.translate))
  return { phi: movePhi(larger.phi, move), bounds: margin => moveBounds(larger.bounds(margin), move) }
}

function buildPlain(shape: Shape, spacing: number, meshes: MeshShapes): BuiltShape {
  const inner = (part: Shape) => buildShape(part, spacing, meshes)
  switch (shape.shape) {
    case undefined:
      return meshes(shape.mesh, spacing)
    case 'sphere':
      return { phi: sphere(toPoint(shape.centre), shape.radius), bounds: around([shape.centre], shape.radius) }
    case 'box': {
      const { min, max } = shape
      const middle = min.map((low, axis) => 0.5 * (low + max[axis]))
      const half = min.map((low, axis) => 0.5 * (max[axis] - low))
      return { phi: box(toPoint(middle), toPoint(half)), bounds: around([min, max], 0) }
    }
    case 'halfSpace':
      return { phi: halfSpace(toPoint(shape.point), toPoint(shape.normal)), bounds: margin => boundHalfSpace(shape, margin) }
    case 'capsule':
    case 'cylinder': {
      const { from, to, radius } = shape
      const create = shape.shape === 'capsule' ? capsule : cylinder
      return { phi: create(toPoint(from), toPoint(to), radius), bounds: around([from, to], radius) }
    }
    case 'torus': {
      const { centre, axis, radius, thickness } = shape
      return { phi: torus(toPoint(centre), toPoint(axis), radius, thickness), bounds: around([centre], radius + thickness) }
    }
    case 'polygon':
      return { phi: polygon(shape.corners.map(([x, y]) => [x, y])), bounds: around(shape.corners, 0) }
    case 'everything':
      return { phi: () => -MAX_COORDINATE, bounds: () => EVERYWHERE }
    case 'union': {
      const parts = shape.of.map(inner)
      return { phi: union(...parts.map(({ phi }) => phi)), bounds: margin => hull(parts.map(({ bounds }) => bounds(margin))) }
    }
    case 'intersection': {
      const parts = shape.of.map(inner)
      return {
        phi: intersection(...parts.map(({ phi }) => phi)),
        bounds: margin => common(parts.map(({ bounds }) => bounds(margin))),
      }
    }
    case 'difference': {
      const [first, ...removed] = shape.of.map(inner)
      return { phi: difference(first.phi, ...removed.map(({ phi }) => phi)), bounds: first.bounds }
    }
    case 'complement':
      return { phi: complement(inner(shape.of).phi), bounds: () => EVERYWHERE }
    case 'shell': {
      const { phi, bounds } = inner(shape.of)
      return { phi: shell(phi, 0.5 * shape.thickness), bounds: margin => bounds(margin + 0.5 * shape.thickness) }
    }
  }
}

function scaleAbout({ phi, bounds }: BuiltShape, pivot: Vector, factor: number): BuiltShape {
  const shift: Vector = [pivot[0] * (1 - factor), pivot[1] * (1 - factor), pivot[2] * (1 - factor)]
  const move = moveAbout(rotationMatrix([0, 0, 0]), [0, 0, 0], shift)
  const grow = ([x, y, z]: Vector): Vector => [factor * x, factor * y, factor * z]
  return {
    phi: movePhi(scale(phi, factor), move),
    bounds: margin => {
      const [low, high] = bounds(margin / factor)
      return moveBounds([grow(low), grow(high)], move)
    },
  }
}

/** A box around points, larger by a radius on all sides; without end along z where the points have two coordinates. */
function around(points: readonly Numbers[], radius: number): (margin: number) => Bounds {
  const corner = (pick: (...values: number[]) => number, sign: 1 | -1, margin: number): Vector => {
    const at = (axis: number) => pick(...points.map(point => point[axis])) + sign * (radius + margin)
    return [at(0), at(1), points[0].length === 2 ? sign * Infinity : at(2)]
  }
  return margin => [corner(Math.min, -1, margin), corner(Math.max, 1, margin)]
}

/** Bounded on one side only where its plane is normal to an axis. */
function boundHalfSpace({ point, normal }: { readonly point: Numbers; readonly normal: Numbers }, margin: number): Bounds {
  const axis = normal.findIndex((_, at) => normal.every((other, b) => b === at || other === 0))
  if (axis < 0) return EVERYWHERE
  const corners: [[number, number, number], [number, number, number]] = [[...EVERYWHERE[0]], [...EVERYWHERE[1]]]
  if (normal[axis] > 0) corners[1][axis] = point[axis] + margin
  else corners[0][axis] = point[axis] - margin
  return corners
}

function hull(all: readonly Bounds[]): Bounds {
  const there = all.filter(([low, high]) => low.every((value, axis) => value <= high[axis]))
  return merge(there, NOWHERE, Math.min, Math.max)
}

function common(all: readonly Bounds[]): Bounds {
  return merge(all, EVERYWHERE, Math.max, Math.min)
}

type Pick = (a: number, b: number) => number

function merge(all: readonly Bounds[], start: Bounds, lower: Pick, upper: Pick): Bounds {
  return all.reduce<Bounds>(
    ([low, high], [otherLow, otherHigh]) => [
      [lower(low[0], otherLow[0]), lower(low[1], otherLow[1]), lower(low[2], otherLow[2])],
      [upper(high[0], otherHigh[0]), upper(high[1], otherHigh[1]), upper(high[2], otherHigh[2])],
    ],
    start,
  )
}

function toPoint(numbers: Numbers): Point {
  return numbers.length === 2 ? [numbers[0], numbers[1]] : [numbers[0], numbers[1], numbers[2]]
}
