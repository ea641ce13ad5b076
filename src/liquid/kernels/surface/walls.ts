/** Distances to solids at centres of cells, from the nodes around them; `node` is the lowest of them. */
import { Liquid } from '../liquid'
import { f32At, nodeStep } from '../grid/rows'

/** Signed distances of four centres in a row to the nearest solid. */
@inline
export function wallDistances(liquid: Liquid, node: i32): v128 {
  const row = (<usize>nodeStep(liquid, 1)) << 2
  const lower = liquid.solid + ((<usize>node) << 2)
  const upper = lower + ((<usize>nodeStep(liquid, 2)) << 2)
  return v128.mul<f32>(v128.splat<f32>(0.125), v128.add<f32>(quads(lower, row), quads(upper, row)))
}

/** Sums over two nodes along x and two along y. */
@inline
function quads(at: usize, row: usize): v128 {
  const here = v128.add<f32>(v128.load(at), v128.load(at, 4))
  return v128.add<f32>(here, v128.add<f32>(v128.load(at + row), v128.load(at + row, 4)))
}

/** Four times the slopes of the distance along x, y and z, at one centre. */
export function wallSlopes(liquid: Liquid, node: i32): v128 {
  const y = nodeStep(liquid, 1)
  const z = nodeStep(liquid, 2)
  const a = f32At(liquid.solid, node)
  const b = f32At(liquid.solid, node + 1)
  const c = f32At(liquid.solid, node + y)
  const d = f32At(liquid.solid, node + y + 1)
  const e = f32At(liquid.solid, node + z)
  const f = f32At(liquid.solid, node + z + 1)
  const g = f32At(liquid.solid, node + z + y)
  const h = f32At(liquid.solid, node + z + y + 1)
  return f32x4(b + d + (f + h) - (a + c + (e + g)), c + g + (d + h) - (a + e + (b + f)), e + f + (g + h) - (a + b + (c + d)), 0)
}
