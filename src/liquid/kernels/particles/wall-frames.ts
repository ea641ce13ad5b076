/** Moving walls as particles see them: where a particle would be had it gone with a wall, and which wall is near. Positions in cells. */
import { frameOf, Liquid, wallOf } from '../liquid'

/** `from`, carried along by the walls of a frame from the start of the substep to its end. */
export function carryAlong(liquid: Liquid, frame: i32, from: v128): v128 {
  const by = frameOf(liquid, frame)
  const x = <f64>f32x4.extract_lane(from, 0)
  const y = <f64>f32x4.extract_lane(from, 1)
  const z = liquid.dims == 3 ? <f64>f32x4.extract_lane(from, 2) : 0
  const alongX = by.turnXX * x + by.turnXY * y + by.turnXZ * z + by.shiftX
  const alongY = by.turnYX * x + by.turnYY * y + by.turnYZ * z + by.shiftY
  const alongZ = by.turnZX * x + by.turnZY * y + by.turnZZ * z + by.shiftZ
  const toZ = liquid.dims == 3 ? <f32>(z + alongZ) : f32x4.extract_lane(from, 2)
  return f32x4(<f32>(x + alongX), <f32>(y + alongY), toZ, 0)
}

/** Whether the walls of a frame may touch a particle that goes `length` cells. */
export function mayTouch(liquid: Liquid, frame: i32, from: v128, length: f32): bool {
  const by = frameOf(liquid, frame)
  const x = <f64>f32x4.extract_lane(from, 0)
  const y = <f64>f32x4.extract_lane(from, 1)
  const way = <f64>length
  if (x + way < by.lowX || x - way > by.highX || y + way < by.lowY || y - way > by.highY) return false
  if (liquid.dims == 2) return true
  const z = <f64>f32x4.extract_lane(from, 2)
  return !(z + way < by.lowZ || z - way > by.highZ)
}

/** Number of the solid at the nearest node; 0 without any. */
@inline
export function ownerAt(liquid: Liquid, position: v128): i32 {
  const i = nodeAlong(f32x4.extract_lane(position, 0), liquid.nx)
  const j = nodeAlong(f32x4.extract_lane(position, 1), liquid.ny)
  const k = nodeAlong(f32x4.extract_lane(position, 2), liquid.nz)
  return <i32>load<u8>(liquid.owner + <usize>(i + (liquid.nx + 1) * (j + (liquid.ny + 1) * k)))
}

/** Frame of the solid at the nearest node; 0 if it never moves. */
export function frameAt(liquid: Liquid, position: v128): i32 {
  return wallOf(liquid, ownerAt(liquid, position)).frame
}

@inline
function nodeAlong(coordinate: f32, size: i32): i32 {
  return <i32>min<f32>(max<f32>(nearest(coordinate), 0), <f32>size)
}
