/** Frames of moving walls: how each carries its points within a substep, by the exact poses of its solids. Solids that move together share one. */
import type { Grid } from '../../grid/grid.js'
import { motionBetween, multiply } from '../../scene/rotation.js'
import type { Pose, SceneSolid, Vector } from '../../scene/setting.js'
import type { WallFrame } from '../loops.js'

export interface SubstepFrames {
  readonly frames: readonly WallFrame[]
  /** By solid: the number of its frame, from 1; 0 if it never moves. */
  readonly frameOf: readonly number[]
  /** Largest displacement of a point of a solid inside the domain, in cells. */
  readonly farthest: number
}

/** Cells that a wall may seem to reach beyond its bounds, because distances are interpolated between nodes. */
const INTERPOLATED = 1

/** Of the motion of solids from time `since` to time `at`. */
export function framesBetween(grid: Grid, solids: readonly SceneSolid[], since: number, at: number): SubstepFrames {
  const frames: WallFrame[] = []
  let farthest = 0
  const frameOf = solids.map(solid => {
    if (!solid.isMoving) return 0
    farthest = Math.max(farthest, largestWay(grid, solid, since, at) / grid.spacing)
    const frame = frameFor(grid, solid, since, at)
    const same = frames.findIndex(other => haveSameMotion(other, frame))
    if (same < 0) return frames.push(frame)
    frames[same] = { ...frame, bounds: unite(frames[same].bounds, frame.bounds) }
    return same + 1
  })
  return { frames, frameOf, farthest }
}

/** Largest displacement of a point of a solid that is inside the domain at either time, m: at a corner of its bounds. */
export function largestWay(grid: Grid, solid: SceneSolid, since: number, at: number): number {
  const [before, after] = [solid.poseAt(since), solid.poseAt(at)]
  const forth = largestWithin(grid, solid.boundsAt(since, 0), motionBetween(before, after))
  return Math.max(forth, largestWithin(grid, solid.boundsAt(at, 0), motionBetween(after, before)))
}

function largestWithin({ shape, spacing, dims }: Grid, [low, high]: readonly [Vector, Vector], { R, shift }: Pose): number {
  let largest = 0
  for (let corner = 0; corner < 2 ** dims; corner++) {
    const coordinate = (axis: number) => {
      if (axis >= dims) return 0
      const x = (corner >> axis) & 1 ? high[axis] : low[axis]
      return Math.min(Math.max(x, 0), shape[axis] * spacing)
    }
    const x: Vector = [coordinate(0), coordinate(1), coordinate(2)]
    const turned = multiply(R, x)
    largest = Math.max(largest, Math.hypot(...turned.map((part, axis) => part + shift[axis] - x[axis])))
  }
  return largest
}

function haveSameMotion(a: WallFrame, b: WallFrame): boolean {
  return a.turn.every((part, at) => part === b.turn[at]) && a.shift.every((part, at) => part === b.shift[at])
}

function frameFor(grid: Grid, solid: SceneSolid, since: number, at: number): WallFrame {
  const { R, shift } = motionBetween(solid.poseAt(since), solid.poseAt(at))
  const h = grid.spacing
  const turn = R.map((part, n) => (n % 4 === 0 ? part - 1 : part))
  const angle = 2 * Math.asin(Math.min(1, Math.hypot(...turn) / Math.sqrt(8)))
  const bend = 2 * Math.tan(angle / 4)
  // On its way, a corner is off the chord by a quarter of `bend` times the chord.
  const margin = (bend / 4) * largestWay(grid, solid, since, at) + INTERPOLATED * h
  const [low, high] = unite(solid.boundsAt(since, margin), solid.boundsAt(at, margin))
  const cells = ([x, y, z]: Vector): Vector => [x / h, y / h, z / h]
  return { turn, shift: cells(shift), bend, bounds: [cells(low), cells(high)] }
}

function unite([low, high]: readonly [Vector, Vector], [lower, higher]: readonly [Vector, Vector]): readonly [Vector, Vector] {
  const each = (a: Vector, b: Vector, choose: (x: number, y: number) => number): Vector => [
    choose(a[0], b[0]),
    choose(a[1], b[1]),
    choose(a[2], b[2]),
  ]
  return [each(low, lower, Math.min), each(high, higher, Math.max)]
}
