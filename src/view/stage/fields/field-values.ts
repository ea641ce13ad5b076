/** What slices show of a frame: one number per cell, how it is coloured, and what its colours mean. */

import { openFaceFractions, snapToSurface } from '../../../grid/levelset.js'
import { addOutflow, createFaceField, type FaceField } from '../../../grid/staggered.js'
import { cellVelocity } from '../../../io/formats/cell-velocity.js'
import type { Frame } from '../../../liquid/frame.js'
import { CONTACT, DRY } from '../../../pressure/problem.js'

export type FieldName = 'pressure' | 'speed' | 'divergence' | 'pinned'

/** Value of cells without liquid; exact in f32. */
export const NOTHING = -(2 ** 100)

/** Values of "pinned". */
export const PINNED_VALUES = { liquid: 0, pressed: 1, pinned: 2 } as const

export interface FieldReader {
  /** One number per cell, NOTHING in dry ones, in an array that the next call overwrites; undefined if the frame holds no
   *  fields. Divergence is the outflow through the open parts of faces, 1/s; the motion of solids is not included. */
  read(frame: Frame, field: FieldName): Float32Array | undefined
}

export function createFieldReader(): FieldReader {
  let values = new Float32Array(0)
  let velocities = new Float32Array(0)
  let outflow = new Float64Array(0)
  let faces: FaceField | undefined
  let open: { readonly solid: Float32Array; readonly fractions: FaceField } | undefined

  function readSpeed({ grid, fields }: Frame): void {
    if (velocities.length !== 3 * grid.cells) velocities = new Float32Array(3 * grid.cells)
    cellVelocity(grid, fields!.velocity, velocities)
    for (let cell = 0, at = 0; cell < grid.cells; cell++, at += 3)
      values[cell] = Math.hypot(velocities[at], velocities[at + 1], velocities[at + 2])
  }

  function readDivergence({ grid, fields, solid }: Frame): void {
    if (!open || open.solid.length !== solid.length || !open.solid.every((phi, node) => phi === solid[node])) {
      const fractions = openFaceFractions(grid, snapToSurface(grid, Float64Array.from(solid)))
      open = { solid: solid.slice(), fractions }
    }
    if (outflow.length !== grid.cells || faces?.[0].length !== fields!.velocity[0].length) {
      outflow = new Float64Array(grid.cells)
      faces = createFaceField(grid)
    }
    fields!.velocity.forEach((velocity, axis) => {
      faces![axis].set(velocity)
    })
    addOutflow(grid, faces!, open.fractions, outflow.fill(0))
    values.set(outflow)
  }

  function readPinned({ fields }: Frame): void {
    const { kind, pressure } = fields!
    for (let cell = 0; cell < values.length; cell++) {
      const isContact = kind[cell] === CONTACT
      values[cell] = isContact ? (pressure[cell] === 0 ? PINNED_VALUES.pinned : PINNED_VALUES.pressed) : PINNED_VALUES.liquid
    }
  }

  return {
    read(frame, field) {
      if (!frame.fields) return undefined
      const { kind, pressure } = frame.fields
      if (values.length !== frame.grid.cells) values = new Float32Array(frame.grid.cells)
      if (field === 'pressure') values.set(pressure)
      else if (field === 'speed') readSpeed(frame)
      else if (field === 'divergence') readDivergence(frame)
      else readPinned(frame)
      for (let cell = 0; cell < values.length; cell++) if (kind[cell] === DRY) values[cell] = NOTHING
      return values
    },
  }
}

/** The largest size of a value where there is liquid. */
export function largestValue(values: Float32Array): number {
  let largest = 0
  for (const value of values) if (value !== NOTHING && Math.abs(value) > largest) largest = Math.abs(value)
  return largest
}

/** A round number that is at least `largest`; the one before as long as it fits, so that colours keep their meaning from frame to frame. */
export function steadyBound(largest: number, previous: number): number {
  if (!(largest > 0) || largest === Infinity) return previous > 0 ? previous : 1
  if (largest <= previous && largest >= 0.3 * previous) return previous
  const power = 10 ** Math.floor(Math.log10(largest))
  return power * ([1, 1.5, 2, 3, 5, 7].find(step => step * power >= largest) ?? 10)
}
