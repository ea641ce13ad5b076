/** Sealed pockets of a problem in the memory of a machine. */

import type { SolveMachine } from '../../machine/generated/solve.js'
import {
  neutralisePockets,
  type Pocket,
  type SortedPockets,
  shiftPockets,
  sortPockets,
  subtractMeans,
} from '../../pressure/pockets.js'
import { CONTACT } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { type LoadedProblem, labelPockets } from './load-problem.js'

/** Rows are unknowns in the order of the grid. */
export interface LoadedPockets extends SortedPockets {
  readonly any: boolean
  /** Restores kinds and b of the input. */
  restore(): void
  /** Shifts the pressure of singular pockets, whose rows are given in the numbering of `p`. */
  shift(singular: readonly Int32Array[], p: Float64Array): void
}

/** Neutralises the singular pockets of the input, and those alone: expanding ones keep their contacts and must always hold one pinned. */
export function neutraliseLoaded(
  machine: SolveMachine,
  loaded: LoadedProblem,
  tolerance: number,
  separating: boolean,
  scratch: Buffers,
): LoadedPockets {
  const { memory } = machine
  const { record, unknowns } = loaded
  // Created where they are used: arrays become invalid when memory grows.
  const kinds = () => new Uint8Array(memory.buffer, record.kind, unknowns)
  const divergence = () => new Float64Array(memory.buffer, record.b, unknowns)
  const pressure = () => new Float64Array(memory.buffer, record.p, unknowns)
  const { count, labels } = labelPockets(machine, loaded)
  const pockets = listByLabel(labels, count, scratch).map(rows => describe(rows, kinds(), divergence()))
  const sorted = sortPockets(pockets, tolerance, separating)
  const singular = sorted.singular.map(({ rows }) => rows)
  const total = singular.reduce((sum, rows) => sum + rows.length, 0)
  const kindBefore = scratch.u8('pockets.kind', total)
  const bBefore = scratch.f64('pockets.b', total)
  const starts: number[] = []
  let saved = 0
  for (const rows of singular) {
    starts.push(saved)
    saved = save(rows, kinds(), kindBefore, saved)
    save(rows, divergence(), bBefore, saved - rows.length)
  }
  neutralisePockets(sorted.singular, kinds(), divergence())
  // A constant that a start has in a sealed pocket means nothing, stays, and costs digits.
  if (loaded.started) subtractMeans(singular, pressure())
  return {
    ...sorted,
    any: count > 0,
    restore() {
      const [kind, b] = [kinds(), divergence()]
      singular.forEach((rows, pocket) => {
        for (let at = 0; at < rows.length; at++) {
          kind[rows[at]] = kindBefore[starts[pocket] + at]
          b[rows[at]] = bBefore[starts[pocket] + at]
        }
      })
    },
    shift: (rows, p) => shiftPockets(rows, (pocket, at) => kindBefore[starts[pocket] + at] === CONTACT, p),
  }
}

/** Copies the values of `rows` to `to` from `at` on; returns where they end. */
function save(rows: Int32Array, from: Uint8Array | Float64Array, to: Uint8Array | Float64Array, at: number): number {
  for (let n = 0; n < rows.length; n++) to[at + n] = from[rows[n]]
  return at + rows.length
}

function describe(rows: Int32Array, kind: Uint8Array, b: Float64Array): Pocket {
  let excess = 0
  let contacts = 0
  for (let at = 0; at < rows.length; at++) {
    excess += b[rows[at]]
    if (kind[rows[at]] === CONTACT) contacts++
  }
  return { rows, contacts, excess, mean: excess / rows.length }
}

/** The unknowns of every label from 0 to `count` − 1, ascending. Loops, because a function called for each unknown takes ten times as long. */
function listByLabel(label: Int32Array, count: number, scratch: Buffers): Int32Array[] {
  const ends = scratch.i32('pockets.ends', count).fill(0)
  for (let unknown = 0; unknown < label.length; unknown++) if (label[unknown] >= 0) ends[label[unknown]]++
  let total = 0
  for (let pocket = 0; pocket < count; pocket++) {
    const size = ends[pocket]
    ends[pocket] = total
    total += size
  }
  const rows = scratch.i32('pockets.rows', total)
  for (let unknown = 0; unknown < label.length; unknown++) if (label[unknown] >= 0) rows[ends[label[unknown]]++] = unknown
  return Array.from(ends, (end, pocket) => rows.subarray(pocket === 0 ? 0 : ends[pocket - 1], end))
}
