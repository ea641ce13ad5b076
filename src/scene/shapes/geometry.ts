/** A shape of a scene by itself, for editors and other tools: how far points are from it, and the box around it. */
import type { ScalarFunction } from '../../grid/field.js'
import { box } from '../../grid/shapes.js'
import { meshBounds, type TriangleMesh } from '../mesh.js'
import { checkMeshes } from '../prepare.js'
import { EVERYWHERE } from '../rotation.js'
import type { Shape } from '../schema/shape.js'
import type { Vector } from '../setting.js'
import { validateShape } from '../validate.js'
import { buildShape } from './build.js'
import type { BuiltShape } from './kinds.js'

export interface ShapeGeometry {
  /** Metres, negative inside. */
  readonly distance: ScalarFunction
  /** Corners of the box around it; infinite where the shape has no end. */
  readonly low: Vector
  readonly high: Vector
}

/** Keys of entries of `liquid`, `solids`, `sources` and `drains` are allowed, and left alone. Meshes count as the box around them, which is enough to point
 *  at; one that is not among `meshes` is nowhere and has no end. */
export function shapeGeometry(shape: Shape, meshes: ReadonlyMap<string, TriangleMesh> = new Map()): ShapeGeometry {
  checkMeshes(meshes)
  const { phi, bounds } = buildShape(validateShape(shape, 'shapeGeometry: the shape'), 1, name => boxAround(meshes.get(name)))
  const [low, high] = bounds(0)
  return { distance: phi, low, high }
}

function boxAround(mesh: TriangleMesh | undefined): BuiltShape {
  if (!mesh) return { phi: () => 1, bounds: () => EVERYWHERE }
  const [low, high] = meshBounds(mesh)
  const [x, y, z] = low.map((value, axis) => 0.5 * (value + high[axis]))
  const [a, b, c] = low.map((value, axis) => 0.5 * (high[axis] - value))
  return {
    phi: box([x, y, z], [a, b, c]),
    bounds: margin => [
      [low[0] - margin, low[1] - margin, low[2] - margin],
      [high[0] + margin, high[1] + margin, high[2] + margin],
    ],
  }
}
