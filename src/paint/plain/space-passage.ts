/** The way of a ray through liquid. */
import { BEYOND_BEHIND, BEYOND_DEEP, BEYOND_WITHIN, DEEP_LEVEL } from '../rendering-constants.js'
import { length, type Vector } from '../vector.js'
import type { SpaceLevels } from './space-levels.js'
import { type PixelRay, placeOn, type Wall } from './space-walls.js'

/** Ways at which a ray enters and leaves the grid. */
export interface Span {
  readonly from: number
  readonly to: number
  /** The axis of the side that it enters through; undefined if it begins in the grid. */
  readonly axis: 0 | 1 | 2 | undefined
}

/** Undefined if the ray passes the grid by. */
export function spanInGrid(shape: Vector, { eye, direction }: PixelRay): Span | undefined {
  let [from, to] = [-Infinity, Infinity]
  let side: 0 | 1 | 2 = 0
  for (const axis of [0, 1, 2] as const) {
    // Along a side the ways are without end, and of the right sign.
    const steep = Math.max(Math.abs(direction[axis]), 1e-9) * (direction[axis] < 0 ? -1 : 1)
    const ways = [-eye[axis] / steep, (shape[axis] - eye[axis]) / steep]
    const near = Math.min(...ways)
    if (near > from) {
      from = near
      side = axis
    }
    to = Math.min(to, Math.max(...ways))
  }
  const span: Span = { from: Math.max(from, 0), to, axis: from > 0 ? side : undefined }
  return span.from < to ? span : undefined
}

/** What a ray meets: the surface of liquid, or liquid at the side of the grid, at a wall or around the eye. */
export type Met = 'surface' | 'side' | 'eye' | Wall

/** One part of a ray that is in liquid. */
export interface Layer {
  readonly way: number
  readonly met: Met
  /** Cells of liquid. */
  readonly cells: number
  /** Way at which the ray leaves it into air; undefined if a wall, a side of the grid or the end of the ray is there. */
  readonly exit: number | undefined
}

/** Cells of a step that a level set near a surface is trusted with, which need not be a distance. */
const MAX_TRUSTED = 1.5
/** Steps before the first liquid are this many cells longer than the level set; `BEYOND_WITHIN` and others are those after it. */
const BEYOND_WALL = 0.2

/** All liquid on a ray from where it enters the grid to a way. `walls` are those on its way through the grid. */
export function layersAlong(levels: SpaceLevels, ray: PixelRay, span: Span, walls: readonly Wall[], end: number): Layer[] {
  const cells = length(ray.direction)
  const layers: Layer[] = []
  for (const part of openParts(levels, ray, span, walls)) {
    const to = Math.min(part.to, end)
    if (part.from >= to) continue
    for (const run of liquidRuns(levels, ray, part.from, to, layers.length > 0)) {
      const met = run.from === part.from ? part.start : 'surface'
      layers.push({ way: run.from, met, cells: (run.to - run.from) * cells, exit: run.isIntoAir ? run.to : undefined })
    }
  }
  return layers
}

interface OpenPart {
  readonly from: number
  readonly to: number
  readonly start: Met
}

/** What solids leave of the ray. */
function openParts(levels: SpaceLevels, ray: PixelRay, span: Span, walls: readonly Wall[]): OpenPart[] {
  const parts: OpenPart[] = []
  let isInside = levels.hasSolid && levels.solidAt(placeOn(ray, span.from)) < 0
  let from = span.from
  let start: Met = span.axis === undefined ? 'eye' : 'side'
  for (const wall of walls) {
    if (!isInside) parts.push({ from, to: wall.way, start })
    isInside = !isInside
    from = wall.way
    start = wall
  }
  if (!isInside) parts.push({ from, to: span.to, start })
  return parts
}

interface Run {
  readonly from: number
  readonly to: number
  readonly isIntoAir: boolean
}

/** Parts of a ray that are in liquid, between two ways outside of solids. */
function liquidRuns(levels: SpaceLevels, ray: PixelRay, start: number, end: number, isBehind: boolean): Run[] {
  const along = (way: number) => levels.liquidAt(placeOn(ray, way))
  const perCell = 1 / length(ray.direction)
  const runs: Run[] = []
  let way = start
  let value = along(way)
  let wetFrom = value < 0 ? way : undefined
  for (;;) {
    const within = value < DEEP_LEVEL ? BEYOND_DEEP : BEYOND_WITHIN
    const beyond = wetFrom !== undefined ? within : isBehind || runs.length > 0 ? BEYOND_BEHIND : BEYOND_WALL
    const next = Math.min(way + (Math.min(Math.abs(value), MAX_TRUSTED) + beyond) * perCell, end)
    if (!(next > way)) break
    const there = along(next)
    if (there < 0 !== value < 0) {
      const guess = way + (next - way) * (value / (value - there))
      if (wetFrom !== undefined) {
        runs.push({ from: wetFrom, to: guess, isIntoAir: true })
        wetFrom = undefined
      } else wetFrom = runs.length > 0 || isBehind ? guess : refined(along, way, value, next, there, guess)
    }
    way = next
    value = there
  }
  if (wetFrom !== undefined) runs.push({ from: wetFrom, to: end, isIntoAir: false })
  return runs
}

/** One more turn of false position, from the first guess on. */
function refined(along: (way: number) => number, from: number, a: number, to: number, b: number, guess: number): number {
  const c = along(guess)
  return c < 0 ? from + (guess - from) * (a / (a - c)) : guess + (to - guess) * (c / (c - b))
}
