/** Four neighbours in a row at once. Liquid that moves together brings to four neighbours what four neighbours had: then whole vectors are
 *  loaded where single values would be otherwise. The same numbers, bit for bit, as one by one. */

/** Velocities of four faces in a row, from the pairs that begin at `at`. */
@inline
export function fourOf(at: usize): v128 {
  return i8x16.shuffle(v128.load(at), v128.load(at, 16), 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
}

/** `first`, and each lane one more than the lane before. */
@inline
export function counting(first: f32): v128 {
  return f32x4.add(f32x4.splat(first), f32x4(0, 1, 2, 3))
}

/** Do the lowest points of four follow each other in a row? */
@inline
export function follow(x: v128, y: v128, z: v128): bool {
  const inRow = f32x4.eq(x, counting(f32x4.extract_lane(x, 0)))
  const inPlane = v128.and(f32x4.eq(y, f32x4.splat(f32x4.extract_lane(y, 0))), f32x4.eq(z, f32x4.splat(f32x4.extract_lane(z, 0))))
  return i32x4.all_true(v128.and(inRow, inPlane))
}

@inline
export function first(lower: v128): usize {
  return <usize>f32x4.extract_lane(lower, 0)
}

@inline
export function mixTwo(lower: v128, upper: v128, f: v128): v128 {
  return f32x4.add(lower, f32x4.mul(f, f32x4.sub(upper, lower)))
}

/** As `mix` of grid-to-particle. */
@inline
export function mixFour(at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  return mixTwo(mixRows(at, row, plane, fy, fz), mixRows(at + 8, row, plane, fy, fz), fx)
}

@inline
function mixRows(at: usize, row: usize, plane: usize, fy: v128, fz: v128): v128 {
  const lower = mixTwo(fourOf(at), fourOf(at + row), fy)
  return mixTwo(lower, mixTwo(fourOf(at + plane), fourOf(at + plane + row), fy), fz)
}

/** As `sampleCubic` of liquid-cubic: `at` is the lowest of the nearest points of the first of them. */
@inline
export function cubicFour(at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const gx = f32x4.sub(f32x4.splat(1), fx)
  const gy = f32x4.sub(f32x4.splat(1), fy)
  const gz = f32x4.sub(f32x4.splat(1), fz)
  // The nearest points: left and right, then lower and upper along y, then along z.
  const left00 = fourOf(at)
  const left10 = fourOf(at + row)
  const left01 = fourOf(at + plane)
  const left11 = fourOf(at + plane + row)
  const right00 = fourOf(at + 8)
  const right10 = fourOf(at + row + 8)
  const right01 = fourOf(at + plane + 8)
  const right11 = fourOf(at + plane + row + 8)
  const second = weigh(weigh(left00, left10, gy, fy), weigh(left01, left11, gy, fy), gz, fz)
  const third = weigh(weigh(right00, right10, gy, fy), weigh(right01, right11, gy, fy), gz, fz)
  const outer = weigh(fromRows(at - 8, row, plane, gy, fy, gz, fz), fromRows(at + 16, row, plane, gy, fy, gz, fz), gx, fx)
  const half = f32x4.mul(f32x4.mul(f32x4.splat(0.5), fx), gx)
  const straight = weigh(second, third, gx, fx)
  const alongRow = f32x4.sub(straight, f32x4.mul(half, f32x4.add(outer, innerOf(second, third, fx))))
  const bentLeft = bends(at, row, plane, left00, left10, left01, left11, fy, gy, fz, gz)
  const bentRight = bends(at + 8, row, plane, right00, right10, right01, right11, fy, gy, fz, gz)
  const value = f32x4.add(alongRow, mixTwo(bentLeft, bentRight, fx))
  const least = f32x4.pmin(
    f32x4.pmin(f32x4.pmin(left00, left10), f32x4.pmin(left01, left11)),
    f32x4.pmin(f32x4.pmin(right00, right10), f32x4.pmin(right01, right11)),
  )
  const most = f32x4.pmax(
    f32x4.pmax(f32x4.pmax(left00, left10), f32x4.pmax(left01, left11)),
    f32x4.pmax(f32x4.pmax(right00, right10), f32x4.pmax(right01, right11)),
  )
  return f32x4.pmin(f32x4.pmax(value, least), most)
}

@inline
function weigh(lower: v128, upper: v128, g: v128, f: v128): v128 {
  return f32x4.add(f32x4.mul(g, lower), f32x4.mul(f, upper))
}

/** Between four rows. */
@inline
function fromRows(at: usize, row: usize, plane: usize, gy: v128, fy: v128, gz: v128, fz: v128): v128 {
  const lower = weigh(fourOf(at), fourOf(at + row), gy, fy)
  return weigh(lower, weigh(fourOf(at + plane), fourOf(at + plane + row), gy, fy), gz, fz)
}

@inline
function innerOf(second: v128, third: v128, f: v128): v128 {
  const thrice = f32x4.mul(f32x4.splat(3), f)
  return weigh(second, third, f32x4.sub(thrice, f32x4.splat(2)), f32x4.sub(f32x4.splat(1), thrice))
}

/** What the cubics along y and z add. */
@inline
function bends(at: usize, row: usize, plane: usize, p00: v128, p10: v128, p01: v128, p11: v128, fy: v128, gy: v128, fz: v128, gz: v128): v128 {
  const alongY = weigh(bend(at, row, p00, p10, fy, gy), bend(at + plane, row, p01, p11, fy, gy), gz, fz)
  const alongZ = weigh(bend(at, plane, p00, p01, fz, gz), bend(at + row, plane, p10, p11, fz, gz), gy, fy)
  return f32x4.add(alongY, alongZ)
}

@inline
function bend(at: usize, step: usize, second: v128, third: v128, f: v128, g: v128): v128 {
  const outer = weigh(fourOf(at - step), fourOf(at + 2 * step), g, f)
  return f32x4.mul(f32x4.mul(f32x4.mul(f32x4.splat(-0.5), f), g), f32x4.add(outer, innerOf(second, third, f)))
}
