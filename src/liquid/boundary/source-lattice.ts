/** Where liquid comes in. A source has a lattice of places, as many to a cell as there are particles in one, that moves through its shape at
 *  its mean velocity. A place becomes a particle when it enters the shape, so it does not matter how many substeps that takes. Lengths are in
 *  cells, velocities in cells per second, both in the frame of the source unless a comment says otherwise. */
import { checkVector } from '../../checks.js'
import type { ScalarFunction } from '../../grid/field.js'
import type { Grid } from '../../grid/grid.js'
import type { Exchanger, Source, Vector } from '../../scene/setting.js'
import { placeInCell, SEED_REACH, type Seeding } from '../particles/seed.js'
import { type CellBox, createPlacements, inCells, ownBox, type PlacedCells, type PlacedShape, regionOf } from './placed-shape.js'

/** A source, and what is known about it from the start. */
export interface PreparedSource {
  readonly source: Source
  readonly phi: ScalarFunction
  readonly box: CellBox | undefined
  readonly placeAt: (time: number) => PlacedCells
  readonly velocity: (x: number, y: number, z: number) => Vector
  /** Mean velocity and largest speed in the shape, and whether the velocity is the same everywhere. */
  readonly mean: Vector
  readonly fastest: number
  readonly isUniform: boolean
  /** From 1; distinguishes its lattice from those of other sources. */
  readonly number: number
}

export function prepareSource(grid: Grid, source: Source, number: number): PreparedSource {
  const phi = inCells(grid, source.phi)
  const box = ownBox(grid, source, phi)
  const h = grid.spacing
  const depth = grid.dims === 2 ? 0 : h
  const velocity = (x: number, y: number, z: number): Vector => {
    const [u, v, w] = source.velocity(x * h, y * h, z * depth)
    return [u / h, v / h, grid.dims === 2 ? 0 : w / h]
  }
  const placeAt = createPlacements(grid, source, phi, box)
  const speeds = meanVelocity(grid, phi, velocity, box)
  checkVector(speeds.mean, `The velocity of setting.sources[${number - 1}]`)
  return { source, phi, box, placeAt, velocity, number, ...speeds }
}

/** Sample points per axis for the mean velocity. */
const SAMPLES = 24

function meanVelocity(grid: Grid, phi: ScalarFunction, velocity: PreparedSource['velocity'], box: CellBox | undefined) {
  const side = (axis: number, end: 0 | 1) => {
    const bound = box?.[end][axis] ?? Infinity
    return Number.isFinite(bound) ? bound : end * grid.shape[axis]
  }
  const at = (axis: number, n: number, of: number) => side(axis, 0) + ((n + 0.5) / of) * (side(axis, 1) - side(axis, 0))
  const deep = grid.dims === 2 ? 1 : SAMPLES
  const sum = [0, 0, 0]
  let count = 0
  let fastest = 0
  let first: Vector | undefined
  let isUniform = true
  const add = (x: number, y: number, z: number) => {
    const u = velocity(x, y, z)
    first ??= u
    for (let axis = 0; axis < 3; axis++) {
      sum[axis] += u[axis]
      if (u[axis] !== first[axis]) isUniform = false
    }
    fastest = Math.max(fastest, Math.hypot(...u))
    count++
  }
  for (let c = 0; c < deep; c++)
    for (let b = 0; b < SAMPLES; b++)
      for (let a = 0; a < SAMPLES; a++) {
        const [x, y, z] = [at(0, a, SAMPLES), at(1, b, SAMPLES), at(2, c, deep)]
        if (phi(x, y, z) < 0) add(x, y, z)
      }
  // A shape too thin to be met.
  if (count === 0) add(at(0, 0, 1), at(1, 0, 1), at(2, 0, 1))
  const mean: Vector = isUniform && first ? first : [sum[0] / count, sum[1] / count, sum[2] / count]
  return { mean, fastest, isUniform }
}

/** The part of the time since the last exchange in which a source or drain was active, s. */
export interface ActivePart {
  readonly span: number
  /** From its end until now. */
  readonly ago: number
  /** Whether it began in it. */
  readonly begins: boolean
}

/** `last`: time of the last exchange; absent: there was none. */
export function activePart({ from, until }: Exchanger, time: number, last = time): ActivePart | undefined {
  const begins = last < from || (last === time && time === from)
  const end = Math.min(time, until)
  const start = Math.max(last, from)
  return from <= time && start <= end && start < until ? { span: end - start, ago: time - end, begins } : undefined
}

/** What is in the way of liquid that comes in, at positions of the grid. */
export interface OpenSpace {
  /** In the domain and outside of solids. */
  isOpen(x: number, y: number, z: number): boolean
  /** No more than the distance to the nearest solid or side. */
  clearance(x: number, y: number, z: number): number
}

/** A particle that a source adds, at positions of the grid. */
export interface NewPlace {
  readonly at: Vector
  /** Where it was last inside the shape. */
  readonly inside: Vector
}

/** The particles that a source adds: all its places that were in the shape at any moment of the active part and,
 *  unless it begins, were not in it before. A place that comes from a solid or from beyond a side was not. If it passes through the shape
 *  several times, only the first counts: downstream the liquid of the upstream part arrives. */
export function findPlaces(
  grid: Grid,
  seeding: Seeding,
  { phi, box, velocity, mean, isUniform, fastest, number }: PreparedSource,
  placed: PlacedShape,
  { time, part: { span, ago, begins } }: { readonly time: number; readonly part: ActivePart },
  around: OpenSpace,
): NewPlace[] {
  const found: NewPlace[] = []
  const isOpen = (at: Vector) => around.isOpen(...placed.toGrid(...at))
  const active = { from: ago, until: ago + span }
  const travel = fastest * (span + ago)
  const region = regionOf(grid, placed, box, travel)
  const across = Math.hypot(...region[0].map((low, axis) => region[1][axis] - low))

  /** Undefined if the place did not enter. Where it would be in a solid by now, it stays in the shape. */
  function entered(at: Vector): NewPlace | undefined {
    // Of the middle of the way, so that liquid that turns in circles does not seem to come from outside of them.
    const u = isUniform ? mean : velocity(...moved(at, velocity(...at), -0.5 * (ago + span)))
    const before = moved(at, u, -(ago + span))
    const wasInside = phi(...before) < 0
    if (!begins && wasInside && isOpen(before)) return undefined
    const hit = firstInside(phi, at, u, active)
    if (hit === undefined) return undefined
    if (!begins && !wasInside && isOpen(before)) {
      const upstream = firstInside(phi, before, u, { from: 0, until: across / Math.hypot(...u) })
      if (upstream !== undefined && isOpen(moved(before, u, -upstream))) return undefined
    }
    const inside = moved(at, u, -hit)
    const here = isOpen(at) ? at : inside
    return isOpen(here) ? { at: placed.toGrid(...here), inside: placed.toGrid(...inside) } : undefined
  }

  /** Whether any place of the cell around a point may have entered. */
  const reach = isUniform ? SEED_REACH : SEED_REACH + travel
  function mayEnter(centre: Vector): boolean {
    const before = isUniform ? moved(centre, mean, -(ago + span)) : centre
    if (!begins && phi(...before) < -reach && around.clearance(...placed.toGrid(...before)) > reach) return false
    if (!isUniform) return phi(...centre) < reach
    return firstInside(phi, centre, mean, { ...active, margin: 1.3 * reach }) !== undefined
  }

  forLatticeCells(grid, region, mean, time, (cell, shift, code) => {
    if (!mayEnter([cell[0] + 0.5 + shift[0], cell[1] + 0.5 + shift[1], cell[2] + 0.5 + shift[2]])) return
    for (let part = 0; part < seeding.perCell; part++) {
      const [x, y, z] = placeInCell(grid, seeding, code, part, number)
      const place = entered([cell[0] + x + shift[0], cell[1] + y + shift[1], cell[2] + z + shift[2]])
      if (place) found.push(place)
    }
  })
  return found
}

function moved([x, y, z]: Vector, [u, v, w]: Vector, time: number): Vector {
  return [x + u * time, y + v * time, z + w * time]
}

/** Cells: a part of a shape that is passed in a shorter step does not matter. */
const MIN_TRACE_STEP = 0.05

/** How long ago, between two times, a point was in a shape or within a margin of it; undefined if it was not. Steps by the
 *  distance, with a margin by at least 0.4 of that, so that no way within three quarters of the margin is missed. */
function firstInside(
  phi: ScalarFunction,
  [x, y, z]: Vector,
  [u, v, w]: Vector,
  { from, until, margin = 0 }: { readonly from: number; readonly until: number; readonly margin?: number },
): number | undefined {
  const speed = Math.hypot(u, v, w)
  for (let ago = from; ago <= until; ) {
    const distance = phi(x - u * ago, y - v * ago, z - w * ago) - margin
    if (distance < 0) return ago
    if (speed === 0 || ago === until) return undefined
    ago = Math.min(until, ago + Math.max(distance, MIN_TRACE_STEP + 0.4 * margin) / speed)
  }
  return undefined
}

/** Bits of a coordinate in the code of a cell of the lattice: 51 in all, which a number holds exactly. */
const CODE = 2 ** 17

/** Cells of a lattice that has moved by `shift`, as far as they reach into a region. */
function forLatticeCells(
  grid: Grid,
  [low, high]: CellBox,
  mean: Vector,
  time: number,
  visit: (cell: Vector, shift: Vector, code: number) => void,
): void {
  const shift: Vector = [mean[0] * time, mean[1] * time, mean[2] * time]
  const first = (axis: number) => Math.floor(low[axis] - shift[axis])
  const last = (axis: number) => Math.floor(high[axis] - shift[axis])
  const [lowest, highest] = grid.dims === 2 ? [0, 0] : [first(2), last(2)]
  for (let k = lowest; k <= highest; k++)
    for (let j = first(1); j <= last(1); j++)
      for (let i = first(0); i <= last(0); i++) visit([i, j, k], shift, i + CODE * (j + CODE * k))
}
