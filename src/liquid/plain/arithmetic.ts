/** Arithmetic in f32. Particles are stored in f32, and results are to have the same bits as those of the compiled loops, which calculate in
 *  f32 throughout: so every operation on such numbers is rounded. What is stored in a Float32Array is rounded by storing it. */

/** The nearest f32. */
export const f32 = Math.fround

/** From `lower` (share 0) to `upper` (share 1). */
export function mix(lower: number, upper: number, share: number): number {
  return f32(lower + f32(share * f32(upper - lower)))
}

/** Length of a vector of three components. */
export function lengthOf(vector: Float32Array): number {
  const square = f32(f32(vector[0] * vector[0]) + f32(vector[1] * vector[1]))
  return f32(Math.sqrt(f32(square + f32(vector[2] * vector[2]))))
}

/** sum = from + length · direction; `sum` may be `from`. */
export function addScaled(sum: Float32Array, from: Float32Array, direction: Float32Array, length: number): void {
  for (let axis = 0; axis < 3; axis++) sum[axis] = from[axis] + f32(direction[axis] * length)
}

/** The nearest whole number; of two, the even one. */
export function roundToEven(value: number): number {
  const rounded = Math.round(value)
  return rounded - value === 0.5 && rounded % 2 !== 0 ? rounded - 1 : rounded
}
