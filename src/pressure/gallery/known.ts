/** Turns known physics of an answer into arrays. */

import type { ScalarFunction } from '../../grid/field.js'
import type { Resolved } from '../gallery.js'
import { CONTACT, DRY, type Problem } from '../problem.js'
import { GRAVITY, sampleScene } from './scene.js'

/** A divergence this small next to the largest in the problem is rounding. */
const DIVERGENCE_ROUNDING = 1e-9

/** Weight of the liquid above, in Pa, for a surface at height `level` of the unit domain; 0 in DRY cells. */
export function hydrostatic(problem: Problem, options: Resolved, level: number): Float64Array {
  const { density, scale } = options
  const pressure = sampleScene(options, (_, y) => density * GRAVITY * scale * (level - y))
  return pressure.map((p, cell) => (problem.kind[cell] === DRY ? 0 : p))
}

/** 1 in the unknowns that are inside the shape. */
export function markUnknowns(problem: Problem, options: Resolved, shape: ScalarFunction): Uint8Array {
  return Uint8Array.from(sampleScene(options, shape), (phi, cell) => (problem.kind[cell] !== DRY && phi < 0 ? 1 : 0))
}

/** Shifts the pressure of one pocket, in place, so that its smallest contact (or cell, if it has no contact) has p = 0. */
export function shiftPocket(problem: Problem, pocket: Uint8Array, pressure: Float64Array): void {
  const separating = pocket.some((inside, cell) => inside && problem.kind[cell] === CONTACT)
  let smallest = Infinity
  pocket.forEach((inside, cell) => {
    if (inside && (!separating || problem.kind[cell] === CONTACT)) smallest = Math.min(smallest, pressure[cell])
  })
  pocket.forEach((inside, cell) => {
    if (inside) pressure[cell] -= smallest
  })
}

/** The pinned contacts if p = 0 is the answer everywhere: those that the liquid leaves by itself. */
export function pinnedAtZeroPressure({ kind, b }: Problem): Uint8Array {
  const largest = b.reduce((size, value) => Math.max(size, Math.abs(value)), 0)
  return Uint8Array.from(kind, (k, cell) => (k === CONTACT && b[cell] > DIVERGENCE_ROUNDING * largest ? 1 : 0))
}
