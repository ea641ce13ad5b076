/** Sealed pockets in a problem that lies in the memory of a machine. */
import { inputField, type LoadedProblem, pocketCount } from '../engine/compiled-problem.js'
import type { Machine } from '../engine/kernels.js'
import { judgePocket, type Pocket } from '../pressure/pockets.js'
import { CONTACT, LIQUID } from '../pressure/problem.js'

export interface Harmless {
  readonly any: boolean
  readonly singular: readonly Int32Array[]
  readonly expanding: readonly Pocket[]
  readonly infeasible: readonly Pocket[]
  /** Largest mean that was taken out of a pocket that has a solution, 1/s. */
  readonly spread: number
  /** For each singular pocket: which of its unknowns were contacts. */
  readonly contactOf: readonly Uint8Array[]
  /** For each singular pocket: what was taken out of its b, 1/s. */
  readonly means: readonly number[]
}

/** In balanced and infeasible pockets no contact can let go, so they become liquid, and the mean of b is taken out. */
export function makeHarmless(machine: Machine, loaded: LoadedProblem, tolerance: number, separating: boolean): Harmless {
  const { kernels, memory } = machine
  const { input, unknowns } = loaded
  const singular: Int32Array[] = []
  const expanding: Pocket[] = []
  const infeasible: Pocket[] = []
  const contactOf: Uint8Array[] = []
  const means: number[] = []
  let spread = 0
  const count = pocketCount(machine, input)
  if (count === 0) return { any: false, singular, expanding, infeasible, spread, contactOf, means }
  kernels.labelPockets(input)
  const label = new Int32Array(memory.buffer, inputField(machine, input, 'segment'), unknowns)
  const kind = new Uint8Array(memory.buffer, inputField(machine, input, 'kind'), unknowns)
  const b = new Float64Array(memory.buffer, inputField(machine, input, 'b'), unknowns)
  for (const rows of sortByLabel(label, count)) {
    let excess = 0
    let contacts = 0
    for (let at = 0; at < rows.length; at++) {
      excess += b[rows[at]]
      if (kind[rows[at]] === CONTACT) contacts++
    }
    const pocket: Pocket = { rows, contacts, excess }
    const nature = judgePocket(pocket, tolerance, separating)
    if (nature === 'expanding') {
      expanding.push(pocket)
      continue
    }
    const mean = excess / rows.length
    if (nature === 'infeasible') infeasible.push(pocket)
    else spread = Math.max(spread, Math.abs(mean))
    const isContact = new Uint8Array(rows.length)
    for (let at = 0; at < rows.length; at++) {
      const row = rows[at]
      isContact[at] = kind[row] === CONTACT ? 1 : 0
      kind[row] = LIQUID
      b[row] -= mean
    }
    singular.push(rows)
    contactOf.push(isContact)
    means.push(mean)
  }
  return { any: true, singular, expanding, infeasible, spread, contactOf, means }
}

/** Loops, because a function called for each unknown takes ten times as long. */
function sortByLabel(label: Int32Array, count: number): Int32Array[] {
  const sizes = new Int32Array(count)
  for (let unknown = 0; unknown < label.length; unknown++) if (label[unknown] >= 0) sizes[label[unknown]]++
  const lists = Array.from(sizes, size => new Int32Array(size))
  sizes.fill(0)
  for (let unknown = 0; unknown < label.length; unknown++) {
    const pocket = label[unknown]
    if (pocket >= 0) lists[pocket][sizes[pocket]++] = unknown
  }
  return lists
}

/** Pressure of a singular pocket is free up to a constant: the smallest contact pressure becomes 0 (without contacts, the smallest). */
export function shiftSingular(pockets: readonly Int32Array[], contactOf: readonly Uint8Array[], p: Float64Array): void {
  pockets.forEach((rows, pocket) => {
    let smallest = Infinity
    let smallestContact = Infinity
    rows.forEach((row, at) => {
      smallest = Math.min(smallest, p[row])
      if (contactOf[pocket][at]) smallestContact = Math.min(smallestContact, p[row])
    })
    const shift = smallestContact < Infinity ? smallestContact : smallest
    for (const row of rows) p[row] -= shift
  })
}
