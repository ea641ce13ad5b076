/** Paths of particles near solids, walked in short strides, stopped at walls and continued along them. Solids are where they are at the end of the
 *  substep. Walls that move are met in their own frame: there they rest, and the path leads from where the particle would be had it gone with
 *  the wall to where it ends. So nothing is pushed by a wall that moves as the liquid does, and no wall jumps over a particle. In each frame, only
 *  its own walls stop the particle. */
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
  const all = createWalls(state)
  const still = createWalls(state, state.motion.still)
  const moving = createWalls(state, state.motion.moving)
  return (from, to, length, hasFrames) => {
    const paths = hasFrames ? movingPaths(state, moving, from, to, length) : []
    const rest: FramePath = { frame: 0, walls: paths.length > 0 ? still : all, start: from, length, bow: 0 }
    const end = walk(state, [...paths, rest], to)
    if (all.distance.at(end) >= 0) return end
    all.push(end, 0)
    return all.distance.at(end) < 0 ? nearestOutside(state, end) : end
  }
}

interface PathWalls {
  readonly distance: SolidDistance
  readonly push: Push
}

function createWalls(state: PlainState, nodes?: Float32Array): PathWalls {
  const distance = createDistance(state, nodes)
  return { distance, push: createPush(state, distance) }
}

/** A straight path as seen from the walls of a frame. */
interface FramePath {
  /** 0: walls that never move. */
  readonly frame: number
  readonly walls: PathWalls
  readonly start: Float32Array
  readonly length: number
  /** Cells by which the path, which is an arc, is off its chord, times 1 / (σ (1 − σ)) at share σ of it. */
  readonly bow: number
}

function movingPaths(state: PlainState, walls: PathWalls, from: Float32Array, to: Float32Array, length: number): FramePath[] {
  return state.motion.frames.flatMap((frame, index) => {
    if (!mayTouch(state, frame, from, length)) return []
    const start = carryAlong(state, frame, from)
    const bow = f32(f32(frame.bend) * lengthOf(difference(start, from)))
    return [{ frame: index + 1, walls, start, length: lengthOf(difference(to, start)), bow }]
  })
}

function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((component, axis) => component - b[axis])
}

/** Moving frames come first in `paths`, and that of walls that never move last. */
function walk(state: PlainState, paths: readonly FramePath[], to: Float32Array): Float32Array {
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
  const awayAt = (path: FramePath, n: number) => path.walls.distance.at(positionAt(path, n))
  const pushBy = (here: Float32Array, next: Float32Array) => {
    pushed = pushed.map((component, axis) => component + f32(next[axis] - here[axis]))
  }
  for (const path of paths) {
    // Surfaces between nodes shift a little as walls move, so the particle may start in one: it leaves before a stride carries it deeper.
    const here = positionAt(path, 0)
    if (path.walls.distance.at(here) >= 0 || isOfAnother(state, path, here)) continue
    const next = here.slice()
    path.walls.push(next, 0, path.frame === 0 ? undefined : difference(placeAt(path, 0), placeAt(rest, 0)))
    if (path.walls.distance.at(next) >= 0) pushBy(here, next)
  }
  for (let done = 0; done < strides; ) {
    const free = Math.min(...paths.map(path => freeStrides(awayAt(path, done), path.length, strides, done)))
    // Strides that cannot reach a solid are tested once, together, because distances may jump.
    if (free > 0 && paths.every(path => awayAt(path, done + free) >= WALL_GAP)) {
      done += free
      continue
    }
    const before = paths.map(path => positionAt(path, done))
    done++
    for (const [at, path] of paths.entries()) {
      const { distance, push } = path.walls
      const allowed = bowAt(path, done, strides)
      const here = positionAt(path, done)
      if (f32(distance.at(here) + allowed) >= WALL_GAP || isOfAnother(state, path, here)) continue
      const next = here.slice()
      push(next, allowed, path.frame === 0 ? undefined : difference(placeAt(path, done), placeAt(rest, done)))
      // Wedged: there is no way out from there, or only a wrong one, so the particle stays where it was.
      if (f32(distance.at(next) + allowed) < 0) return before[at]
      const wasOutside = f32(distance.at(before[at]) + bowAt(path, done - 1, strides)) >= 0
      if (wasOutside && isAstray(before[at], here, next)) return before[at]
      pushBy(here, next)
    }
  }
  return positionAt(rest, strides)
}

/** Whether a push from `here` to `next` cannot be out of a wall that was met on the stride from `before` to `here`: because it leads on, farther than
 *  the stride did, or because the way back is much shorter; three walls that meet at right angles lengthen a push by √3. Between the faces of
 *  walls about as thin as a cell, distances have no usable slope. */
function isAstray(before: Float32Array, here: Float32Array, next: Float32Array): boolean {
  const stride = difference(here, before)
  const pushing = difference(next, here)
  if (dot(pushing, stride) > dot(stride, stride)) return true
  return lengthOf(pushing) > f32(2 * f32(lengthOf(stride) + 2 * WALL_GAP))
}

function dot(a: Float32Array, b: Float32Array): number {
  return f32(f32(f32(a[0] * b[0]) + f32(a[1] * b[1])) + f32(a[2] * b[2]))
}

/** Cells by which a path is off its chord after n strides. */
function bowAt({ bow }: FramePath, n: number, strides: number): number {
  const share = f32(n / strides)
  return f32(bow * f32(share * f32(1 - share)))
}

/** Whether the moving wall at a position belongs to another frame than the path. */
function isOfAnother(state: PlainState, { frame }: FramePath, position: Float32Array): boolean {
  if (frame === 0) return false
  const there = frameAt(state, position)
  return there !== 0 && there !== frame
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
