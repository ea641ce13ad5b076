/** Conjugate directions for cycles that are not linear: the change a cycle makes is taken as a search direction, made conjugate to
 *  the previous one, and followed to the least energy ½ p·A p + b·p. On a settled pinned set this is the conjugate gradient method with
 *  the cycle as its preconditioner; whatever the cycle does, the energy falls. */
import { CONTACT, type SparseProblem } from '../pressure/problem.js'
import type { Buffers } from '../sparse/buffers.js'
import { nonZeros } from '../sparse/matrix.js'
import type { WorkCounter } from './galerkin-cycle.js'

/** A pressure within the bounds and w = A p + b. */
export interface Point {
  readonly p: Float64Array
  readonly w: Float64Array
}

export interface ConjugateDirections {
  /** Whether the cycle led uphill from `last` to `next`. */
  rises(last: Point, next: Point): boolean
  /** Replaces `next`, where the cycle led from `last`, by a point of less energy than `last`. false, and `next` of no use, if there
   *  is none between the two. */
  improve(last: Point, next: Point): boolean
  /** The next direction starts afresh. */
  forget(): void
}

export function createConjugateDirections(system: SparseProblem, buffers: Buffers, work: WorkCounter): ConjugateDirections {
  const { rows, kind } = system
  const { divergenceLeft } = buffers.loops
  const d = buffers.f64('fas.d', rows)
  const Ad = buffers.f64('fas.Ad', rows)
  const s = buffers.f64('fas.s', rows)
  const As = buffers.f64('fas.As', rows)
  let remembered = false

  /** The share of the previous direction that makes d conjugate to it; 0 if that direction moves a contact that is pinned now. */
  function shareOfPrevious(p: Float64Array): number {
    if (!remembered) return 0
    let along = 0
    let curvature = 0
    for (let row = 0; row < rows; row++) {
      if (p[row] === 0 && s[row] !== 0 && kind[row] === CONTACT) return 0
      along += d[row] * As[row]
      curvature += s[row] * As[row]
    }
    return curvature > 0 ? -along / curvature : 0
  }

  /** next = last + step · direction within the bounds; whether the energy falls. */
  function advance(last: Point, next: Point, direction: Float64Array, image: Float64Array, longest: number): boolean {
    let slope = 0
    let curvature = 0
    for (let row = 0; row < rows; row++) {
      slope += direction[row] * last.w[row]
      curvature += direction[row] * image[row]
    }
    if (!(slope < 0 && curvature > 0)) return false
    const step = Math.min(longest, -slope / curvature)
    const { p, w } = next
    let clipped = false
    for (let row = 0; row < rows; row++) {
      p[row] = last.p[row] + step * direction[row]
      w[row] = last.w[row] + step * image[row]
      if (p[row] < 0 && kind[row] === CONTACT) {
        p[row] = 0
        clipped = true
      }
    }
    work.add(4 * rows)
    if (!clipped) return true
    // Clipping has bent the direction, so there is nothing for the next one to be conjugate to.
    remembered = false
    divergenceLeft(system, p, w)
    work.add(nonZeros(system))
    return energyChange(last, next) < 0
  }

  /** Twice the difference of the energies, from that of the points: no digits are lost when they are close. */
  function energyChange(last: Point, next: Point): number {
    let change = 0
    for (let row = 0; row < rows; row++) change += (next.p[row] - last.p[row]) * (next.w[row] + last.w[row])
    work.add(2 * rows)
    return change
  }

  return {
    rises: (last, next) => energyChange(last, next) > 0,
    improve(last, next) {
      for (let row = 0; row < rows; row++) {
        d[row] = next.p[row] - last.p[row]
        Ad[row] = next.w[row] - last.w[row]
      }
      const beta = shareOfPrevious(next.p)
      for (let row = 0; row < rows; row++) {
        s[row] = beta === 0 ? d[row] : d[row] + beta * s[row]
        As[row] = beta === 0 ? Ad[row] : Ad[row] + beta * As[row]
      }
      work.add(6 * rows)
      remembered = true
      if (advance(last, next, s, As, Infinity)) return true
      remembered = false
      // Up to the cycle's own result all points lie within the bounds, so that nothing is clipped.
      return advance(last, next, d, Ad, 1)
    },
    forget() {
      remembered = false
    },
  }
}
