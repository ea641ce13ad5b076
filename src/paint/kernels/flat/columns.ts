/** Columns of pixels, four by four: where they are, and how values there come from points of the lattices. */
import { MARK_AIR, MARK_DEEP, MARK_SHALLOW, MARK_SOLID } from '../../flat-marks'
import { BALL, BEFORE, CELL_MARKS, Flat, RIM, Runs } from './flat'

const LIQUID: i32 = MARK_DEEP | MARK_SHALLOW

/** Pixels from a side of the domain within which its rim is seen. */
export const RIM_PIXELS: f32 = 1.1

@unmanaged
export class Group {
  // Four of each. In cells: place, and how far beyond the domain.
  x0: f32
  x1: f32
  x2: f32
  x3: f32
  beyond0: f32
  beyond1: f32
  beyond2: f32
  beyond3: f32
  // Bytes from the beginning of a row to the first of the four points around a pixel: cells, nodes.
  cell0: u32
  cell1: u32
  cell2: u32
  cell3: u32
  node0: u32
  node1: u32
  node2: u32
  node3: u32
  /** The cells they are in. */
  first: i32
  last: i32
  /** Whether they are seen as part of the domain at all, and its rim with them. */
  isInside: i32
  hasRim: i32
}

export const PLACE: usize = 0
export const COLUMN_BEYOND: usize = 16
export const CELL_POINTS: usize = 32
export const NODE_POINTS: usize = 48
/** Behind that: four weights and four slopes of Catmull and Rom's cubic, of each four, for cells and for nodes. */
export const CELL_WEIGHTS: usize = offsetof<Group>()
export const NODE_WEIGHTS: usize = CELL_WEIGHTS + 128
export const GROUP: usize = NODE_WEIGHTS + 128

@inline
export function groupsOf(flat: Flat): i32 {
  return (flat.width + 3) >> 2
}

@inline
export function groupAt(flat: Flat, n: i32): Group {
  return changetype<Group>(flat.groups + <usize>n * GROUP)
}

export function setColumns(flat: Flat): void {
  const count = groupsOf(flat)
  const nx = <f32>flat.nx
  const rim = RIM_PIXELS * flat.pixel
  for (let n = 0; n < count; n++) {
    const group = groupAt(flat, n)
    const at = changetype<usize>(group)
    let nearest: f32 = Infinity
    let deepest: f32 = -Infinity
    for (let lane = 0; lane < 4; lane++) {
      const x = flat.originX + (<f32>(n * 4 + lane) + <f32>0.5) * flat.pixel
      const beyond = max<f32>(-x, x - nx)
      const to = at + ((<usize>lane) << 2)
      store<f32>(to + PLACE, x)
      store<f32>(to + COLUMN_BEYOND, beyond)
      setPoints(to + CELL_POINTS, to + CELL_WEIGHTS, x - <f32>0.5, flat.nx - 1)
      setPoints(to + NODE_POINTS, to + NODE_WEIGHTS, x, flat.nx)
      nearest = min<f32>(nearest, beyond)
      deepest = max<f32>(deepest, beyond)
    }
    group.first = cellOf(group.x0, flat.nx)
    group.last = cellOf(group.x3, flat.nx)
    group.isInside = i32(nearest < rim)
    group.hasRim = i32(deepest > -rim)
  }
}

@inline
export function cellOf(x: f32, count: i32): i32 {
  return <i32>within(x, <f32>(count - 1))
}

/** From 0 to `last`. */
@inline
export function within(value: f32, last: f32): f32 {
  return value > 0 ? min<f32>(value, last) : 0
}

/** Of one pixel, sixteen bytes from one weight to the next. */
@inline
function setPoints(points: usize, weights: usize, place: f32, last: i32): void {
  const p = within(place, <f32>last)
  const base = <i32>p
  const t = p - <f32>base
  store<u32>(points, (BEFORE + base - 1) << 2)
  for (let n = 0; n < 4; n++) {
    store<f32>(weights + ((<usize>n) << 4), weightAt(n, t))
    store<f32>(weights + ((<usize>n) << 4), slopeAt(n, t), 64)
  }
}

/** Catmull and Rom's cubic through four points, between the second and the third of them. */
export function weightAt(n: i32, t: f32): f32 {
  const half: f32 = 0.5
  if (n == 0) return half * (t * (t * (2 - t) - 1))
  if (n == 1) return half * (t * t * (3 * t - 5) + 2)
  if (n == 2) return half * (t * (t * (4 - 3 * t) + 1))
  return half * (t * t * (t - 1))
}

export function slopeAt(n: i32, t: f32): f32 {
  const half: f32 = 0.5
  if (n == 0) return half * (t * (4 - 3 * t) - 1)
  if (n == 1) return half * (t * (9 * t - 10))
  if (n == 2) return half * (t * (8 - 9 * t) + 1)
  return half * (t * (3 * t - 2))
}

/** What may be seen in every four pixels of a row that is in a row of cells; 0 is what is beside the domain. And which parts of the lattices
 *  are needed for that. */
export function setKinds(flat: Flat, row: i32): void {
  const marks = flat.marks + <usize>(flat.stride * row)
  const count = groupsOf(flat)
  flat.liquidRuns.count = 0
  flat.depthRuns.count = 0
  flat.solidRuns.count = 0
  for (let n = 0; n < count; n++) {
    const group = groupAt(flat, n)
    let kind = 0
    if (group.isInside) {
      for (let i = group.first; i <= group.last; i++) kind |= load<u8>(marks + <usize>i)
      kind &= CELL_MARKS
      if (kind != MARK_AIR && kind != MARK_SOLID) {
        if (kind & LIQUID) {
          addRun(flat.depthRuns, group)
          if (kind & MARK_AIR) addRun(flat.liquidRuns, group)
        }
        if (kind & MARK_SOLID) addRun(flat.solidRuns, group)
      }
      if (group.hasRim) kind |= RIM
    }
    store<u8>(flat.kinds + <usize>n, <u8>kind)
  }
}

/** Two points to the left of a cell, and three to the right of it, are the farthest that a cubic looks at. */
@inline
function addRun(runs: Runs, group: Group): void {
  const first = ((<u32>(BEFORE + group.first - 2)) << 2) & ~15
  const end = (<u32>(BEFORE + group.last + 4)) << 2
  const last = changetype<usize>(runs) + ((<usize>runs.count) << 3)
  if (runs.count > 0 && first <= load<u32>(last, 4)) {
    store<u32>(last, end, 4)
    return
  }
  runs.count++
  store<u32>(last, first, 8)
  store<u32>(last, end, 12)
}

/** Adds the ball to groups of a row that it may be seen in, and removes it again. */
export function toggleBall(flat: Flat): void {
  const reach = flat.ballRadius + flat.pixel
  const count = groupsOf(flat)
  for (let n = 0; n < count; n++) {
    const group = groupAt(flat, n)
    const at = flat.kinds + <usize>n
    if (group.isInside && group.x3 > flat.ballX - reach && group.x0 < flat.ballX + reach) store<u8>(at, load<u8>(at) ^ <u8>BALL)
  }
}
