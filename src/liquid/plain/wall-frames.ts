/** Moving walls as particles see them: where a particle would be had it gone with a wall, and which wall is near. Positions in cells. */
import type { WallFrame } from '../loops.js'
import { roundToEven } from './arithmetic.js'
import { wallOf } from './grid/nodal-solids.js'
import { lowestNode } from './grid/walk.js'
import type { PlainState } from './state.js'

/** `from`, carried along by the walls of a frame from the start of the substep to its end. */
export function carryAlong({ grid: { dims } }: PlainState, { turn, shift }: WallFrame, from: Float32Array): Float32Array {
  const [x, y, z] = [from[0], from[1], dims === 3 ? from[2] : 0]
  const along = (axis: number) => turn[3 * axis] * x + turn[3 * axis + 1] * y + turn[3 * axis + 2] * z + shift[axis]
  return Float32Array.of(x + along(0), y + along(1), dims === 3 ? z + along(2) : from[2])
}

/** Whether the walls of a frame may touch a particle that goes `length` cells. */
export function mayTouch(
  { grid: { dims } }: PlainState,
  { bounds: [low, high] }: WallFrame,
  from: Float32Array,
  length: number,
): boolean {
  for (let axis = 0; axis < dims; axis++) if (from[axis] + length < low[axis] || from[axis] - length > high[axis]) return false
  return true
}

/** Number of the solid at the nearest node; 0 without any. */
export function ownerAt({ grid, arrays }: PlainState, position: Float32Array): number {
  const [i, j, k] = grid.shape.map((size, axis) => Math.min(Math.max(roundToEven(position[axis]), 0), size))
  return arrays.owner[lowestNode(grid, i, j, k)]
}

/** Frame of the solid at the nearest node; 0 if it never moves. */
export function frameAt(state: PlainState, position: Float32Array): number {
  return wallOf(state, ownerAt(state, position)).frame ?? 0
}
