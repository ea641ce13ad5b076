/** The light around liquid: a studio with a ground, as src/view/stage/shading.ts and space/surroundings-shaders.ts have it. Light is four numbers
 *  at a time, of which the last is left over. */
import * as shared from '../../rendering-constants'
import { CODES, GROUND, GROUND_LINE, HORIZON, LAMP, MIRRORED, Space, ZENITH } from './space'

export const SUN_X: f32 = <f32>shared.TO_LAMP_X
export const SUN_Y: f32 = <f32>shared.TO_LAMP_Y
export const SUN_Z: f32 = <f32>shared.TO_LAMP_Z
// Across the strip of the small lamp; of length 1.
const STRIP_X: f32 = 0.9022581
const STRIP_Y: f32 = -0.2506272
const STRIP_Z: f32 = 0.3508781

/** From 0 to 1 between two values, without corners. */
@inline
export function smooth(from: f32, to: f32, value: f32): f32 {
  const t = min<f32>(max<f32>((value - from) / (to - from), 0), 1)
  return t * t * (<f32>3 - <f32>2 * t)
}

/** e⁻ˣ for x ≥ 0, to about a hundredth: no table, and never below 0. */
@inline
export function fading(x: f32): f32 {
  return <f32>1 / (<f32>1 + x * (<f32>1 + x * (<f32>0.5 + x * (<f32>0.16667 + x * <f32>0.041667))))
}

@inline
export function mix4(a: v128, b: v128, share: f32): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), f32x4.splat(share)))
}

@inline
export function colour(space: Space, which: usize): v128 {
  return v128.load(space.colours + which)
}

/** Three numbers, and one left over. */
@inline
export function vector(x: f32, y: f32, z: f32): v128 {
  return f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(z), 0, x), 1, y)
}

/** e⁻ˣ of four x ≥ 0, to about a thousandth. */
@inline
export function fading4(x: v128): v128 {
  const one = f32x4.splat(1)
  const part = f32x4.mul(x, f32x4.splat(0.125))
  const cubic = f32x4.add(f32x4.splat(0.5), f32x4.mul(part, f32x4.splat(0.16666667)))
  const root = f32x4.add(one, f32x4.mul(part, f32x4.add(one, f32x4.mul(part, cubic))))
  const squared = f32x4.mul(root, root)
  const fourth = f32x4.mul(squared, squared)
  return f32x4.div(one, f32x4.mul(fourth, fourth))
}

/** Bright light does not clip but nears white. */
@inline
export function softWhite(light: v128): v128 {
  const knee = f32x4.splat(0.75)
  const over = f32x4.max(f32x4.sub(light, knee), f32x4.splat(0))
  const rest = f32x4.sub(f32x4.splat(1), fading4(f32x4.mul(over, f32x4.splat(4))))
  return f32x4.add(f32x4.min(light, knee), f32x4.mul(rest, f32x4.splat(0.25)))
}

/** Bytes for the screen, opaque. */
@inline
export function toPixel(space: Space, light: v128): u32 {
  const scaled = f32x4.mul(f32x4.min(f32x4.max(light, f32x4.splat(0)), f32x4.splat(1)), f32x4.splat(<f32>CODES))
  const at = i32x4.trunc_sat_f32x4_s(f32x4.add(scaled, f32x4.splat(0.5)))
  const codes = space.codes
  const r = <u32>load<u8>(codes + <usize>i32x4.extract_lane(at, 0))
  const g = <u32>load<u8>(codes + <usize>i32x4.extract_lane(at, 1))
  const b = <u32>load<u8>(codes + <usize>i32x4.extract_lane(at, 2))
  return r | (g << 8) | (b << 16) | 0xff000000
}

/** Two colours of the screen mixed. */
@inline
export function mixPixels(below: u32, above: u32, share: f32): u32 {
  const part = <i32>nearest<f32>(share * <f32>256)
  const both = 0x00ff00ff
  const rb = ((below & both) * <u32>(256 - part) + (above & both) * <u32>part) >> 8
  const g = (((below >> 8) & 255) * <u32>(256 - part) + ((above >> 8) & 255) * <u32>part) >> 8
  return (rb & both) | (g << 8) | 0xff000000
}

/** What is seen in the distance, by the height of the direction. */
@inline
export function backdrop(space: Space, dy: f32): v128 {
  return mix4(colour(space, HORIZON), colour(space, ZENITH), smooth(-0.1, 0.9, dy))
}

/** What surfaces mirror, in a direction of length 1. */
export function sky(space: Space, dx: f32, dy: f32, dz: f32): v128 {
  const large = smooth(0.8, 0.93, dx * SUN_X + dy * SUN_Y + dz * SUN_Z)
  let lamps = large
  if (dy > <f32>0.1) {
    const off = abs<f32>(dx * STRIP_X + dy * STRIP_Y + dz * STRIP_Z - <f32>0.1)
    if (off < <f32>0.05) lamps += <f32>0.35 * smooth(0.05, 0, off) * smooth(0.1, 0.35, dy)
  }
  const low = f32x4.mul(colour(space, HORIZON), f32x4.splat(1.05))
  const even = mix4(low, colour(space, MIRRORED), smooth(0, 0.75, dy))
  return f32x4.add(even, f32x4.mul(colour(space, LAMP), f32x4.splat(lamps)))
}

/** The ground at a place that a pixel sees `blur` cells wide. */
export function groundAt(space: Space, x: f32, z: f32, blur: f32): v128 {
  const longest = <f32>max(space.nx, space.nz)
  const offX = x - <f32>0.5 * <f32>space.nx
  const offZ = z - <f32>0.5 * <f32>space.nz
  const away = sqrt<f32>(offX * offX + offZ * offZ) / longest
  const horizon = colour(space, HORIZON)
  if (away >= <f32>3.2) return horizon
  let light = colour(space, GROUND)
  if (away < <f32>2.2) {
    const square = <f32>0.125 * longest
    const thin: f32 = 0.014
    const width = max<f32>(thin, blur / square)
    const off = min<f32>(offLine(offX / square), offLine(offZ / square))
    const drawn = ((<f32>1 - smooth(<f32>0.5 * width, <f32>1.2 * width, off)) * thin) / width
    const dark = <f32>0.5 - <f32>0.5 * tileSide(offX / square, width) * tileSide(offZ / square, width)
    const far = <f32>1 - smooth(0.5, 2.2, away)
    light = mix4(light, colour(space, GROUND_LINE), max<f32>(drawn, <f32>shared.TILE_TONE * dark) * far)
  }
  return mix4(horizon, light, <f32>1 - smooth(0.6, 3.2, away))
}

/** 1 in every other tile along an axis, -1 between them, and even where tiles are as narrow as what a pixel sees. */
function tileSide(place: f32, width: f32): f32 {
  const off = place - <f32>2 * nearest<f32>(<f32>0.5 * place)
  const inside = min<f32>(abs<f32>(off), <f32>1 - abs<f32>(off))
  return copysign<f32>(min<f32>(inside / width, 1) * (<f32>1 - smooth(0.25, 1, width)), off)
}

/** Distance from the nearest whole number. */
@inline
function offLine(place: f32): f32 {
  return abs<f32>(place - nearest<f32>(place))
}
