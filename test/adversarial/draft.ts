/** A grid problem being made: which cells are wet, what joins them, where air is. Written for the tests, without the code under test. */
import type { PressureProblem } from '../../src/pressure/problem.js'
import type { Draw } from './draw.js'

export const DRY = 0
export const LIQUID = 1
export const CONTACT = 2

export interface Draft {
  readonly dims: 2 | 3
  readonly shape: readonly [number, number, number]
  readonly cells: number
  readonly strides: readonly [number, number, number]
  readonly wet: Uint8Array
  readonly contact: Uint8Array
  /** Conductance between a cell and its upper neighbour per axis, ≥ 0. */
  readonly faces: readonly [Float64Array, Float64Array, Float64Array]
  /** Conductance between a cell and air. */
  readonly air: Float64Array
  readonly b: Float64Array
  /** Keep unknowns whose row is empty, which no assembly makes. */
  keepEmpty?: boolean
}

export function createDraft(sides: readonly number[]): Draft {
  const shape = [sides[0], sides[1], sides[2] ?? 1] as const
  const cells = shape[0] * shape[1] * shape[2]
  const values = () => new Float64Array(cells)
  return {
    dims: sides.length as 2 | 3,
    shape,
    cells,
    strides: [1, shape[0], shape[0] * shape[1]],
    wet: new Uint8Array(cells),
    contact: new Uint8Array(cells),
    faces: [values(), values(), values()],
    air: values(),
    b: values(),
  }
}

/** Small enough for the reference; `large` ones are judged all the same. */
export function drawShape(draw: Draw, large: boolean, dims: 2 | 3 = draw.chance(0.6) ? 2 : 3): number[] {
  if (large) return Array.from({ length: dims }, () => (dims === 2 ? draw.whole(30, 52) : draw.whole(9, 14)))
  if (dims === 2 && draw.chance(0.1)) return draw.chance(0.5) ? [draw.whole(4, 120), 1] : [1, draw.whole(4, 120)]
  return Array.from({ length: dims }, () => (dims === 2 ? draw.whole(3, 18) : draw.whole(2, 7)))
}

export function positionOf({ shape }: Draft, cell: number): [number, number, number] {
  return [cell % shape[0], Math.floor(cell / shape[0]) % shape[1], Math.floor(cell / (shape[0] * shape[1]))]
}

/** The upper neighbour along an axis, −1 beyond the grid. */
export function upper(draft: Draft, cell: number, axis: number): number {
  return positionOf(draft, cell)[axis] + 1 < draft.shape[axis] ? cell + draft.strides[axis] : -1
}

/** Joins all neighbouring wet cells. */
export function joinWet(draft: Draft, conductance: (cell: number, axis: number) => number = () => 1): void {
  for (let cell = 0; cell < draft.cells; cell++) {
    if (!draft.wet[cell]) continue
    for (let axis = 0; axis < draft.dims; axis++) {
      const other = upper(draft, cell, axis)
      if (other >= 0 && draft.wet[other]) draft.faces[axis][cell] = conductance(cell, axis)
    }
  }
}

/** Cells with a face that leads neither to a wet cell nor out of a plane of the grid become contacts. */
export function touchWalls(draft: Draft, share: () => boolean = () => true): void {
  for (let cell = 0; cell < draft.cells; cell++) {
    if (!draft.wet[cell]) continue
    const position = positionOf(draft, cell)
    let closed = false
    for (let axis = 0; axis < draft.dims; axis++) {
      if (draft.faces[axis][cell] === 0) closed = true
      if (position[axis] === 0 || draft.faces[axis][cell - draft.strides[axis]] === 0) closed = true
    }
    if (closed && draft.air[cell] === 0 && share()) draft.contact[cell] = 1
  }
}

/** Air above the last layer of an axis, at random distances of the surface, or in a few holes. */
export function addAir(draft: Draft, draw: Draw, where = draw.pick(['top', 'top', 'top', 'holes', 'one'])): void {
  const wet = [...draft.wet.keys()].filter(cell => draft.wet[cell])
  if (wet.length === 0) return
  const conductance = () => 1 / (draw.chance(0.2) ? 0.01 : draw.between(0.01, 1))
  if (where === 'one') draft.air[draw.pick(wet)] = conductance()
  else if (where === 'holes') {
    for (let hole = draw.whole(1, 4); hole > 0; hole--) draft.air[draw.pick(wet)] = conductance()
  } else {
    const axis = draw.whole(0, draft.dims - 1)
    const last = Math.max(...wet.map(cell => positionOf(draft, cell)[axis]))
    for (const cell of wet) if (positionOf(draft, cell)[axis] === last) draft.air[cell] = conductance()
  }
}

/** Connected wet cells, by faces that are open. */
export function bodiesOf(draft: Draft): number[][] {
  const seen = new Uint8Array(draft.cells)
  const bodies: number[][] = []
  for (let seed = 0; seed < draft.cells; seed++) {
    if (seen[seed] || !draft.wet[seed]) continue
    const body = [seed]
    seen[seed] = 1
    for (let head = 0; head < body.length; head++) {
      const cell = body[head]
      for (let axis = 0; axis < draft.dims; axis++) {
        const stride = draft.strides[axis]
        const near = [draft.faces[axis][cell] > 0 ? cell + stride : -1]
        if (positionOf(draft, cell)[axis] > 0 && draft.faces[axis][cell - stride] > 0) near.push(cell - stride)
        for (const other of near) {
          if (other < 0 || seen[other]) continue
          seen[other] = 1
          body.push(other)
        }
      }
    }
    bodies.push(body)
  }
  return bodies
}

/** All conductances times `scale`; unknowns without any become dry, as an assembly makes them. */
export function finishDraft(draft: Draft, scale: number): PressureProblem {
  const { dims, shape, cells, strides, wet, contact, faces, air, keepEmpty } = draft
  const diagonal = new Float64Array(cells)
  const links: [Float64Array, Float64Array, Float64Array] = [
    new Float64Array(cells),
    new Float64Array(cells),
    new Float64Array(cells),
  ]
  const kind = new Uint8Array(cells)
  for (let cell = 0; cell < cells; cell++) {
    if (!wet[cell]) continue
    diagonal[cell] += scale * air[cell]
    for (let axis = 0; axis < dims; axis++) {
      const value = scale * faces[axis][cell]
      if (value === 0) continue
      links[axis][cell] = -value
      diagonal[cell] += value
      diagonal[cell + strides[axis]] += value
    }
  }
  for (let cell = 0; cell < cells; cell++)
    if (wet[cell] && (diagonal[cell] > 0 || keepEmpty)) kind[cell] = contact[cell] ? CONTACT : LIQUID
  const b = draft.b.map((value, cell) => (kind[cell] === DRY ? 0 : value))
  return { grid: { dims, shape, spacing: 1, cells }, kind, diagonal, links, b }
}
