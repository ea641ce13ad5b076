/** Paths of particles near solids, walked in short strides, stopped at walls and continued along them. Solids are where they are at the end of the
 *  substep. A wall that has moved is met in its own frame: there it rests, and the path leads from where the particle would be had it gone with
 *  the wall to where it ends. So nothing is pushed by a wall that moves as the liquid does, and no wall jumps over a particle. In each frame, only
 *  its own walls stop the particle before the end, where all frames are the same. */
import { SLACK } from '../../shared-constants.js'
import { addScaled, f32, lengthOf } from '../arithmetic.js'
import { createDistance, type SolidDistance, stridesOf } from '../distance.js'
import type { PlainState } from '../state.js'
import { carryAlong, frameAt, mayTouch } from '../wall-frames.js'
import { createSides, WALL_GAP } from './sides.js'

/** Least steepness of a distance that has a direction; 1 away from edges and corners. */
export const MIN_STEEPNESS = f32(1e-3)
/** Iterations after which pushing a particle out stops. */
const MAX_PUSHES = 6
/** Cells along an axis that are searched for a way out between wedged solids. */
const FARTHEST_NODE = 3

/** End of a path from `from` to `to`, of `length` cells. `hasFrames`: whether walls have moved in the meantime. */
export type WalkAlong = (from: Float32Array, to: Float32Array, length: number, hasFrames: boolean) => Float32Array

export function createWalk(state: PlainState): WalkAlong {
  const distance = createDistance(state)
  const push = createPush(state, distance)
  return (from, to, length, hasFrames) => {
    const end = walk(state, distance, push, pathsOf(state, from, to, length, hasFrames), to)
    if (distance.at(end) >= 0) return end
    push(end, 0)
    return distance.at(end) < 0 ? nearestOutside(state, end) : end
  }
}

/** A straight path as seen from the walls of a frame. */
interface FramePath {
  /** 0: walls at rest. */
  readonly frame: number
  readonly start: Float32Array
  readonly length: number
  /** Cells by which the path, which is an arc, is off its chord, times 1 / (σ (1 − σ)) at share σ of it. */
  readonly bow: number
}

/** Moving frames first. */
function pathsOf(state: PlainState, from: Float32Array, to: Float32Array, length: number, hasFrames: boolean): FramePath[] {
  const moving = (hasFrames ? state.frames : []).flatMap((frame, index) => {
    if (!mayTouch(state, frame, from, length)) return []
    const start = carryAlong(state, frame, from)
    const bow = f32(f32(frame.bend) * lengthOf(difference(start, from)))
    return [{ frame: index + 1, start, length: lengthOf(difference(to, start)), bow }]
  })
  return [...moving, { frame: 0, start: from, length, bow: 0 }]
}

function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((component, axis) => component - b[axis])
}

function walk(
  state: PlainState,
  distance: SolidDistance,
  push: Push,
  paths: readonly FramePath[],
  to: Float32Array,
): Float32Array {
  const strides = stridesOf(Math.max(...paths.map(({ length }) => length)))
  const rest = paths[paths.length - 1]
  /** Sum of all pushes. */
  let pushed = new Float32Array(3)
  const placeAt = ({ start }: FramePath, n: number) => {
    const stride = difference(to, start).map(component => component * f32(1 / strides))
    const place = new Float32Array(3)
    addScaled(place, to, stride, n - strides)
    return place
  }
  const positionAt = (path: FramePath, n: number) => placeAt(path, n).map((component, axis) => component + pushed[axis])
  for (let done = 0; done < strides; ) {
    const free = Math.min(...paths.map(path => freeStrides(distance.at(positionAt(path, done)), path.length, strides, done)))
    // Strides that cannot reach a solid are tested once, together, because distances may jump.
    if (free > 0 && paths.every(path => distance.at(positionAt(path, done + free)) >= WALL_GAP)) {
      done += free
      continue
    }
    const before = pushed.slice()
    done++
    for (const path of done < strides ? paths : [rest]) {
      const share = f32(done / strides)
      const allowed = f32(path.bow * f32(share * f32(1 - share)))
      const here = positionAt(path, done)
      if (f32(distance.at(here) + allowed) >= WALL_GAP) continue
      if (done < strides && paths.length > 1 && frameAt(state, here) !== path.frame) continue
      const next = here.slice()
      push(next, allowed, path === rest ? undefined : difference(placeAt(path, done), placeAt(rest, done)))
      // Wedged: there is no way out from there, so the particle stays where it was.
      if (f32(distance.at(next) + allowed) < 0) return placeAt(path, done - 1).map((component, axis) => component + before[axis])
      pushed = pushed.map((component, axis) => component + f32(next[axis] - here[axis]))
    }
  }
  return positionAt(rest, strides)
}

/** Number of strides that cannot get to a solid `away`, of a path of `length` cells; 0 if joining them does not pay. */
function freeStrides(away: number, length: number, strides: number, done: number): number {
  const reach = f32(f32(f32(SLACK) * length) / strides)
  if (strides - done <= 1 || !(away > f32(WALL_GAP + f32(2 * reach)))) return 0
  return Math.trunc(Math.min(strides - done, f32(f32(away - WALL_GAP) / reach)))
}

/** Moves a position along the gradient until it is outside, or in a solid by no more than `allowed`; a few times, because corners and interpolation
 *  bend it. `offset`: of the position from where the particle is between the sides. */
type Push = (position: Float32Array, allowed: number, offset?: Float32Array) => void

function createPush(state: PlainState, distance: SolidDistance): Push {
  const sides = createSides(state)
  const slope = new Float32Array(3)
  return (position, allowed, offset) => {
    for (let turn = 0; turn < MAX_PUSHES; turn++) {
      const away = f32(distance.withSlope(position, slope) + allowed)
      if (away >= WALL_GAP) return
      const steepness = lengthOf(slope)
      if (!(steepness > MIN_STEEPNESS)) return
      addScaled(position, position, slope, f32(f32(2 * WALL_GAP - away) / f32(steepness * steepness)))
      // Between a side and an approaching solid, particles have to move along both.
      if (offset) addScaled(position, position, offset, -1)
      sides.clamp(position)
      if (offset) addScaled(position, position, offset, 1)
    }
  }
}

/** Where solids meet, slopes lead back and forth. Then the nearest node outside of them is a way out, if there is one around. */
function nearestOutside({ grid, arrays }: PlainState, position: Float32Array): Float32Array {
  const { shape, dims } = grid
  const [x, y, z] = position
  const lowest = (coordinate: number) => Math.ceil(Math.max(f32(coordinate - FARTHEST_NODE), 0))
  const highest = (coordinate: number, size: number) => Math.floor(Math.min(f32(coordinate + FARTHEST_NODE), size))
  const [firstK, lastK] = dims === 3 ? [lowest(z), highest(z, shape[2])] : [0, 0]
  let nearest = Infinity
  let found = position
  for (let k = firstK; k <= lastK; k++) {
    for (let j = lowest(y); j <= highest(y, shape[1]); j++) {
      for (let i = lowest(x); i <= highest(x, shape[0]); i++) {
        const node = i + (shape[0] + 1) * (j + (shape[1] + 1) * k)
        if (!(arrays.solid[node] > WALL_GAP)) continue
        const [dx, dy, dz] = [f32(i - x), f32(j - y), dims === 3 ? f32(k - z) : 0]
        const square = f32(f32(f32(dx * dx) + f32(dy * dy)) + f32(dz * dz))
        if (square >= nearest) continue
        nearest = square
        found = Float32Array.of(i, j, dims === 3 ? k : z)
      }
    }
  }
  return found
}
