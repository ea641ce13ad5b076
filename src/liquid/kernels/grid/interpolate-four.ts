/** Interpolation for four neighbours in a row at once. Their liquid usually comes from four neighbours, too, so whole vectors are loaded
 *  instead of single values. */

/** Lanes first, first + 1, first + 2, first + 3. */
@inline
export function counting(first: f32): v128 {
  return f32x4.add(f32x4.splat(first), f32x4(0, 1, 2, 3))
}

/** Lane 0 … 3 of a vector, chosen at run time. */
@inline
export function laneOf(words: v128, lane: i32): i32 {
  if (lane == 0) return i32x4.extract_lane(words, 0)
  if (lane == 1) return i32x4.extract_lane(words, 1)
  return lane == 2 ? i32x4.extract_lane(words, 2) : i32x4.extract_lane(words, 3)
}

@inline
export function mixTwo(lower: v128, upper: v128, f: v128): v128 {
  return f32x4.add(lower, f32x4.mul(f, f32x4.sub(upper, lower)))
}

/** Catmull and Rom's cubic along each axis, linear along the others; the mixed terms that are left out are of fourth order. A cubic overshoots
 *  where values jump, so the eight nearest points bound the result. `at`: the lowest of the eight points nearest to the first of four
 *  positions in a row; fx, fy, fz: fractions from there. `plane` is 0 where there is only one. */
export function cubicFour(at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const one = f32x4.splat(1)
  const gx = f32x4.sub(one, fx)
  const gy = f32x4.sub(one, fy)
  const gz = f32x4.sub(one, fz)
  const bentX = bendOf(fx, gx)
  const bentY = bendOf(fy, gy)
  const bentZ = bendOf(fz, gz)
  const lowerY = f32x4.mul(bentY, lowerBend(fy))
  const upperY = f32x4.mul(bentY, upperBend(fy))
  const lowerZ = f32x4.mul(bentZ, lowerBend(fz))
  const upperZ = f32x4.mul(bentZ, upperBend(fz))
  // Sums over rows: of the four points along x with linear weights, and of the two nearest with the bends across x.
  let second = v128.load(at)
  let third = v128.load(at, 4)
  let least = f32x4.pmin(second, third)
  let most = f32x4.pmax(second, third)
  let weight = f32x4.mul(gy, gz)
  let bend = f32x4.add(f32x4.mul(lowerY, gz), f32x4.mul(gy, lowerZ))
  let left = f32x4.mul(bend, second)
  let right = f32x4.mul(bend, third)
  second = f32x4.mul(weight, second)
  third = f32x4.mul(weight, third)
  let first = f32x4.mul(weight, v128.load(at - 4))
  let fourth = f32x4.mul(weight, v128.load(at, 8))

  let here = at + row
  let low = v128.load(here)
  let high = v128.load(here, 4)
  least = f32x4.pmin(least, f32x4.pmin(low, high))
  most = f32x4.pmax(most, f32x4.pmax(low, high))
  weight = f32x4.mul(fy, gz)
  bend = f32x4.add(f32x4.mul(upperY, gz), f32x4.mul(fy, lowerZ))
  left = plus(left, bend, low)
  right = plus(right, bend, high)
  second = plus(second, weight, low)
  third = plus(third, weight, high)
  first = plus(first, weight, v128.load(here - 4))
  fourth = plus(fourth, weight, v128.load(here, 8))

  here = at - row
  weight = f32x4.mul(bentY, gy)
  bend = f32x4.mul(weight, gz)
  left = plus(left, bend, v128.load(here))
  right = plus(right, bend, v128.load(here, 4))
  here = at + 2 * row
  const weightUp = f32x4.mul(bentY, fy)
  bend = f32x4.mul(weightUp, gz)
  left = plus(left, bend, v128.load(here))
  right = plus(right, bend, v128.load(here, 4))
  if (plane) {
    const above = at + plane
    here = above - row
    bend = f32x4.mul(weight, fz)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))
    here = above + 2 * row
    bend = f32x4.mul(weightUp, fz)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))

    low = v128.load(above)
    high = v128.load(above, 4)
    least = f32x4.pmin(least, f32x4.pmin(low, high))
    most = f32x4.pmax(most, f32x4.pmax(low, high))
    weight = f32x4.mul(gy, fz)
    bend = f32x4.add(f32x4.mul(lowerY, fz), f32x4.mul(gy, upperZ))
    left = plus(left, bend, low)
    right = plus(right, bend, high)
    second = plus(second, weight, low)
    third = plus(third, weight, high)
    first = plus(first, weight, v128.load(above - 4))
    fourth = plus(fourth, weight, v128.load(above, 8))
    here = above + row
    low = v128.load(here)
    high = v128.load(here, 4)
    least = f32x4.pmin(least, f32x4.pmin(low, high))
    most = f32x4.pmax(most, f32x4.pmax(low, high))
    weight = f32x4.mul(fy, fz)
    bend = f32x4.add(f32x4.mul(upperY, fz), f32x4.mul(fy, upperZ))
    left = plus(left, bend, low)
    right = plus(right, bend, high)
    second = plus(second, weight, low)
    third = plus(third, weight, high)
    first = plus(first, weight, v128.load(here - 4))
    fourth = plus(fourth, weight, v128.load(here, 8))

    const belowZ = f32x4.mul(bentZ, gz)
    const aboveZ = f32x4.mul(bentZ, fz)
    here = at - plane
    bend = f32x4.mul(belowZ, gy)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))
    here = here + row
    bend = f32x4.mul(belowZ, fy)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))
    here = above + plane
    bend = f32x4.mul(aboveZ, gy)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))
    here = here + row
    bend = f32x4.mul(aboveZ, fy)
    left = plus(left, bend, v128.load(here))
    right = plus(right, bend, v128.load(here, 4))
  }
  const outer = f32x4.add(f32x4.mul(gx, first), f32x4.mul(fx, fourth))
  const inner = f32x4.add(f32x4.mul(lowerBend(fx), second), f32x4.mul(upperBend(fx), third))
  const line = f32x4.add(f32x4.mul(gx, f32x4.add(second, left)), f32x4.mul(fx, f32x4.add(third, right)))
  const value = f32x4.add(line, f32x4.mul(bentX, f32x4.add(outer, inner)))
  return f32x4.pmin(f32x4.pmax(value, least), most)
}

@inline
function plus(sum: v128, weight: v128, value: v128): v128 {
  return f32x4.add(sum, f32x4.mul(weight, value))
}

/** A cubic through four points is above the line between the inner two by this times (1 − f) first + `lowerBend` second + `upperBend` third
 *  + f fourth. */
@inline
function bendOf(f: v128, g: v128): v128 {
  return f32x4.mul(f32x4.mul(f32x4.splat(-0.5), f), g)
}

@inline
function lowerBend(f: v128): v128 {
  return f32x4.sub(f32x4.mul(f32x4.splat(3), f), f32x4.splat(2))
}

@inline
function upperBend(f: v128): v128 {
  return f32x4.sub(f32x4.splat(1), f32x4.mul(f32x4.splat(3), f))
}
