/** Conjugate directions for cycles that are not linear: the change a cycle makes is used as a search direction, made conjugate to
 *  the previous one, and followed to the least energy ½ p·A p + b·p. On a settled pinned set this is the conjugate gradient method with
 *  the cycle as its preconditioner; whatever the cycle does, the energy falls. */
import { CONTACT, type SparseProblem } from '../../pressure/problem.js'
import type { Buffers } from '../../sparse/buffers.js'
import { nonZeros } from '../../sparse/matrix.js'
import type { WorkCounter } from './cycle.js'

/** A pressure within the bounds and w = A p + b. */
export interface AccelerationPoint {
  readonly p: Float64Array
  readonly w: Float64Array
}

export interface ConjugateDirections {
  /** Whether the energy of `next` is above that of `last`. */
  rises(last: AccelerationPoint, next: AccelerationPoint): boolean
  /** Replaces `next`, where the cycle led from `last`, by a point of less energy than `last`. Returns the step, as a share of the
   *  cycle's own; 0, and `next` of no use, if there is no such point between the two. */
  improve(last: AccelerationPoint, next: AccelerationPoint): number
  /** After `improve`: `next` becomes again where the cycle led, whatever its energy. */
  takeWhole(last: AccelerationPoint, next: AccelerationPoint): void
  /** The next direction starts afresh. */
  reset(): void
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

  /** next = last + step · direction within the bounds, where the energy is least; the step, 0 if the energy does not fall. */
  function advance(
    last: AccelerationPoint,
    next: AccelerationPoint,
    direction: Float64Array,
    image: Float64Array,
    longest: number,
  ): number {
    let slope = 0
    let curvature = 0
    for (let row = 0; row < rows; row++) {
      slope += direction[row] * last.w[row]
      curvature += direction[row] * image[row]
    }
    if (!(slope < 0 && curvature > 0)) return 0
    const step = Math.min(longest, -slope / curvature)
    const clipped = walk(last, next, direction, image, step)
    work.add(2 * rows)
    return !clipped || energyChange(last, next) < 0 ? step : 0
  }

  /** next = last + step · direction within the bounds; whether that had to be enforced. */
  function walk(
    last: AccelerationPoint,
    next: AccelerationPoint,
    direction: Float64Array,
    image: Float64Array,
    step: number,
  ): boolean {
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
    work.add(2 * rows)
    if (!clipped) return false
    // Clipping has bent the direction, so there is nothing for the next one to be conjugate to.
    remembered = false
    divergenceLeft(system, p, w)
    work.add(nonZeros(system))
    return true
  }

  /** Twice the difference of the energies, from that of the points: no digits are lost when they are close. */
  function energyChange(last: AccelerationPoint, next: AccelerationPoint): number {
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
      const step = advance(last, next, s, As, Infinity)
      if (step > 0) return step
      remembered = false
      // Up to the cycle's own result all points are within the bounds, so nothing is clipped.
      return advance(last, next, d, Ad, 1)
    },
    takeWhole(last, next) {
      remembered = false
      walk(last, next, d, Ad, 1)
    },
    reset() {
      remembered = false
    },
  }
}
