/** What may be seen in each cell, as src/view/stage/flat/marks.ts has it: where no surface and no wall is near, pixels are plain. */
import { MARK_AIR, MARK_DEEP, MARK_SHALLOW, MARK_SOLID } from '../../flat-marks'
import { BEFORE, Flat } from './flat'

/** Cells from a surface and from a wall within which a picture of small pixels may have an edge. */
const SURFACE_REACH: f32 = 0.95
const WALL_REACH: f32 = 1.5
/** After so many widths and shades nothing is left of the rounded border of liquid, and of the shade before walls. */
const EDGE_WIDTHS: f32 = 4
const WALL_SHADES: f32 = 5
/** Pixels to both sides of a surface in which it is seen, of level sets that are steeper than a distance. */
const SURFACE_PIXELS: f32 = 2
/** Pixels into a wall over which its edge fades. */
const WALL_PIXELS: f32 = 4
const NOT_SOLID: i32 = 16

/** Fills in `marks`, for pixels no larger than `sight`. */
export function markCells(flat: Flat, sight: f32): void {
  markLiquid(flat)
  const steps = 1 + <i32>ceil<f32>(max<f32>(SURFACE_PIXELS * sight - SURFACE_REACH, 0))
  const around = widen(flat, flat.bits, flat.marks, steps)
  if (around != flat.marks) memory.copy(flat.marks, around, <usize>flat.stride * <usize>flat.ny)
  markWalls(flat, sight)
}

/** Of single points, into `bits`. */
function markLiquid(flat: Flat): void {
  const bytes = <usize>flat.stride * <usize>(flat.ny + 2)
  const from = flat.rowBytes + (BEFORE << 2)
  const bits = flat.bits - <usize>(flat.stride + BEFORE)
  const deepest = -EDGE_WIDTHS * flat.edgeWidth
  for (let at: usize = 0; at < bytes; at += 16) {
    const four = flat.liquid - from + (at << 2)
    const depths = flat.depth - from + (at << 2)
    const low = v128.narrow<i32>(marksAt(four, depths, deepest), marksAt(four + 16, depths + 16, deepest))
    const high = v128.narrow<i32>(marksAt(four + 32, depths + 32, deepest), marksAt(four + 48, depths + 48, deepest))
    v128.store(bits + at, v128.narrow<i16>(low, high))
  }
}

@inline
function marksAt(liquid: usize, depth: usize, deepest: f32): v128 {
  const value = v128.load(liquid)
  const isDeep = f32x4.lt(v128.load(depth), f32x4.splat(deepest))
  const wet = v128.bitselect(i32x4.splat(MARK_DEEP), i32x4.splat(MARK_SHALLOW), isDeep)
  return v128.or(
    v128.and(f32x4.gt(value, f32x4.splat(-SURFACE_REACH)), i32x4.splat(MARK_AIR)),
    v128.and(f32x4.lt(value, f32x4.splat(SURFACE_REACH)), wet),
  )
}

/** Every cell gets the bits of the eight around it too, so many times. The result is in one or the other array, whose rows of the border
 *  are as good as any. */
export function widen(flat: Flat, from: usize, to: usize, times: i32): usize {
  const stride = <usize>flat.stride
  for (let time = 0; time < times; time++) {
    if (time > 0) {
      memory.copy(from - stride - BEFORE, from - BEFORE, stride)
      memory.copy(from - BEFORE + stride * <usize>flat.ny, from - BEFORE + stride * <usize>(flat.ny - 1), stride)
    }
    const end = from - BEFORE + stride * <usize>flat.ny
    for (let at = from - BEFORE; at < end; at += 16) {
      const left = v128.or(v128.load(at - stride - 1), v128.or(v128.load(at - 1), v128.load(at + stride - 1)))
      const middle = v128.or(v128.load(at - stride), v128.or(v128.load(at), v128.load(at + stride)))
      const right = v128.or(v128.load(at - stride + 1), v128.or(v128.load(at + 1), v128.load(at + stride + 1)))
      v128.store(to + (at - from), v128.or(left, v128.or(middle, right)))
    }
    const other = from
    from = to
    to = other
  }
  return from
}

/** Adds solids to `marks`: cells deep in them are nothing else. */
function markWalls(flat: Flat, sight: f32): void {
  const stride = <usize>flat.stride
  const bits = flat.bits - BEFORE
  const from = flat.solid - (BEFORE << 2)
  const rock = f32x4.splat(-max<f32>(WALL_REACH, WALL_PIXELS * sight))
  const shade = f32x4.splat(max<f32>(max<f32>(WALL_REACH, WALL_SHADES * flat.wallShade), SURFACE_PIXELS * sight))
  const bytes = stride * <usize>(flat.ny + 1)
  for (let at: usize = 0; at < bytes; at += 16) {
    const four = from + (at << 2)
    const low = v128.narrow<i32>(wallsAt(four, rock, shade), wallsAt(four + 16, rock, shade))
    const high = v128.narrow<i32>(wallsAt(four + 32, rock, shade), wallsAt(four + 48, rock, shade))
    v128.store(bits + at, v128.narrow<i16>(low, high))
  }
  const end = bits + stride * <usize>flat.ny
  const solid = i8x16.splat(<i8>MARK_SOLID)
  for (let at = bits; at < end; at += 16) {
    const corners = v128.or(
      v128.or(v128.load(at), v128.load(at + 1)),
      v128.or(v128.load(at + stride), v128.load(at + stride + 1)),
    )
    const isOpen = i8x16.eq(v128.and(corners, i8x16.splat(<i8>NOT_SOLID)), i8x16.splat(<i8>NOT_SOLID))
    const place = flat.marks + (at - flat.bits)
    v128.store(place, v128.bitselect(v128.or(v128.load(place), v128.and(corners, solid)), solid, isOpen))
  }
}

@inline
function wallsAt(at: usize, rock: v128, shade: v128): v128 {
  const value = v128.load(at)
  return v128.or(
    v128.and(f32x4.gt(value, rock), i32x4.splat(NOT_SOLID)),
    v128.and(f32x4.lt(value, shade), i32x4.splat(MARK_SOLID)),
  )
}
