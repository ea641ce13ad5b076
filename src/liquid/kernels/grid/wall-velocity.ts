/** The solid that a face belongs to, and the velocity of a solid at a point. */
import { Liquid, wallOf } from '../liquid'
import { byteAt, f32At, nodeIndex, nodeStep } from './rows'

/** Owner of the node of a face that is deepest in a solid or nearest to one; the lower number of two. */
export function ownerOfFace(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): i32 {
  const node = nodeIndex(liquid, i, j, k)
  const s = nodeStep(liquid, axis == 2 ? 0 : axis + 1)
  const t = nodeStep(liquid, axis == 0 ? 2 : axis - 1)
  let owner = byteAt(liquid.owner, node)
  // Usually there is only one.
  if (
    byteAt(liquid.owner, node + s) == owner &&
    byteAt(liquid.owner, node + t) == owner &&
    byteAt(liquid.owner, node + s + t) == owner
  )
    return owner
  let nearest: f32 = f32.MAX_VALUE
  for (let q = 0; q < 4; q++) {
    const at = node + (q & 1 ? s : 0) + (q & 2 ? t : 0)
    const phi = f32At(liquid.solid, at)
    const by = byteAt(liquid.owner, at)
    if (phi < nearest || (phi == nearest && by < owner)) {
      nearest = phi
      owner = by
    }
  }
  return owner
}

/** Velocity along `component` of a solid at a point, in metres from the corner of the grid. */
export function velocityOfWall(liquid: Liquid, owner: i32, component: i32, x: f64, y: f64, z: f64): f64 {
  const wall = wallOf(liquid, owner)
  if (component == 0) return wall.linearX + (wall.angularY * z - wall.angularZ * y)
  if (component == 1) return wall.linearY + (wall.angularZ * x - wall.angularX * z)
  return wall.linearZ + (wall.angularX * y - wall.angularY * x)
}
