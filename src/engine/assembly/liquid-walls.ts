/** Solids as the centre of a cell sees them, by the nodes around it. */
import { Liquid } from './liquid'
import { f32At, nodeIndex, nodeStep } from './liquid-rows'

/** Signed distance of a centre to the nearest solid. */
export function wallDistance(liquid: Liquid, i: i32, j: i32, k: i32): f32 {
  const node = nodeIndex(liquid, i, j, k)
  const up = node + nodeStep(liquid, 2)
  return 0.125 * (quad(liquid, node, 1, nodeStep(liquid, 1)) + quad(liquid, up, 1, nodeStep(liquid, 1)))
}

/** Four times its slope along an axis. */
export function wallSlope(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const node = nodeIndex(liquid, i, j, k)
  const s = nodeStep(liquid, axis == 2 ? 0 : axis + 1)
  const t = nodeStep(liquid, axis == 0 ? 2 : axis - 1)
  return quad(liquid, node + nodeStep(liquid, axis), s, t) - quad(liquid, node, s, t)
}

@inline
function quad(liquid: Liquid, node: i32, s: i32, t: i32): f32 {
  const phi = liquid.solid
  return f32At(phi, node) + f32At(phi, node + s) + (f32At(phi, node + t) + f32At(phi, node + s + t))
}
