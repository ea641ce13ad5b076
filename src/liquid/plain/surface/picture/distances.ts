/** Distances to the surface of a liquid, a few cells to both sides of it. The level set of particles only tells inside from outside there: deep
 *  in liquid it is anything from −1 to −¼, by chance. */
import { DISTANCE_PASSES, KEPT_NEAR, LEAST_STEP, WIDEST } from '../../../shared-constants.js'
import { f32 } from '../../arithmetic.js'
import type { Beside } from './links.js'

/** Share of the way to a neighbour that no surface is nearer than. */
const NEAREST = f32(1e-4)

/** `phi` near the surface, signed distances from 2 KEPT_NEAR on, at most WIDEST. */
export function widen(phi: Float32Array, beside: readonly Beside[]): Float32Array {
  let distance = phi.map((_, cell) => startAt(phi, cell, beside))
  for (let pass = 0; pass < DISTANCE_PASSES; pass++) {
    const from = distance
    // What is nearer has its distance already: each pass has added a step.
    const settled = f32(pass * f32(LEAST_STEP))
    distance = from.map((own, cell) => (own > settled ? Math.min(own, arrival(from, cell, beside)) : own))
  }
  return phi.map((value, cell) => {
    const far = Math.max(0, Math.min(1, f32(f32(distance[cell] - KEPT_NEAR) / KEPT_NEAR)))
    const signed = value < 0 ? -distance[cell] : distance[cell]
    return value + f32(far * f32(signed - value))
  })
}

/** Beside the surface its distance, elsewhere WIDEST. 1/d² = Σ 1/dₐ², exact for planes: dₐ is the distance along an axis, to the surface where it
 *  crosses the axis next to the cell, else to where the value would be 0 by its slope towards the surface. Values on the other side of the cell
 *  are left out, because they are no distances: the level set is cut off in the depth. */
function startAt(phi: Float32Array, cell: number, beside: readonly Beside[]): number {
  const own = phi[cell]
  let inverseSquares = 0
  let isBeside = false
  for (const values of beside) {
    const [lower, upper] = values(phi, cell)
    const share = Math.min(crossing(own, lower), crossing(own, upper))
    const inverse = share <= 1 ? f32(1 / share) : slopeTowards(own, lower, upper)
    inverseSquares = f32(inverseSquares + f32(inverse * inverse))
    isBeside ||= share <= 1
  }
  return isBeside ? Math.min(f32(1 / f32(Math.sqrt(inverseSquares))), WIDEST) : WIDEST
}

/** Towards the neighbour that is nearer to the surface, as a share of the cell's own value. */
function slopeTowards(own: number, lower: number, upper: number): number {
  const nearer = Math.min(Math.abs(lower), Math.abs(upper))
  return Math.max(0, f32(1 - f32(nearer / Math.max(Math.abs(own), NEAREST))))
}

/** Share of the way to a neighbour at which the surface is; beyond 1 if it is not between them. */
function crossing(own: number, other: number): number {
  if (own < 0 === other < 0) return 2
  return Math.max(NEAREST, f32(own / f32(own - other)))
}

/** Smallest d with Σ max(d − uₐ, 0)² = 1, u being the smaller of two neighbours, the upwind solution of |∇d| = 1. */
function arrival(distance: Float32Array, cell: number, beside: readonly Beside[]): number {
  const along = [0, 1, 2].map(axis => {
    const [lower, upper] = beside[axis]?.(distance, cell) ?? [WIDEST, WIDEST]
    return Math.min(lower, upper)
  })
  const low = Math.min(along[0], along[1], along[2])
  const high = Math.max(along[0], along[1], along[2])
  const middle = Math.max(Math.min(along[0], along[1]), Math.min(Math.max(along[0], along[1]), along[2]))
  const one = f32(low + 1)
  if (one <= middle) return one
  const apart = f32(middle - low)
  const two = f32(0.5 * f32(f32(low + middle) + f32(Math.sqrt(f32(2 - f32(apart * apart))))))
  if (two <= high) return two
  const sum = f32(f32(low + middle) + high)
  const squares = f32(f32(f32(low * low) + f32(middle * middle)) + f32(high * high))
  const root = f32(Math.sqrt(Math.max(0, f32(f32(sum * sum) - f32(3 * f32(squares - 1))))))
  return f32(f32(sum + root) / 3)
}
