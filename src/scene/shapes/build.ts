/** From a shape of a scene to its signed distance and the box around it. */
import { scale } from '../../grid/shapes.js'
import { toVector } from '../motion.js'
import { moveAbout, moveBounds, movePhi, rotationMatrix, rotationVector } from '../rotation.js'
import type { Shape } from '../schema/shape.js'
import type { Vector } from '../setting.js'
import { type BuiltShape, kindOf } from './kinds.js'

/** The shape of a mesh file on a lattice of this spacing, in the units of the file. */
export type MeshShapes = (mesh: string, spacing: number) => BuiltShape

/** `spacing`: edge of a cell in the coordinates of the shape. */
export function buildShape(shape: Shape, spacing: number, meshes: MeshShapes): BuiltShape {
  const factor = shape.scale ?? 1
  const built = buildUnplaced(shape, spacing / factor, meshes)
  if (shape.scale === undefined && shape.rotate === undefined && shape.translate === undefined) return built
  const pivot = toVector(shape.pivot)
  const larger = factor === 1 ? built : scaleAbout(built, pivot, factor)
  const move = moveAbout(rotationMatrix(rotationVector(shape.rotate)), pivot, toVector(shape.translate))
  return { phi: movePhi(larger.phi, move), bounds: margin => moveBounds(larger.bounds(margin), move) }
}

function buildUnplaced(shape: Shape, spacing: number, meshes: MeshShapes): BuiltShape {
  if (shape.shape === undefined) return meshes(shape.mesh, spacing)
  return kindOf(shape).build(shape, part => buildShape(part, spacing, meshes))
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
