/** The last of a picture: steps along edges are smoothed, and the edges of the
 *  grid are drawn over it as thin lines. */
import * as shared from '../../rendering-constants'
import { EDGE, Space } from './space'
import { colour, mixPixels } from './light'

/** Neighbours that differ less have no step between them. Of 255. */
const LEAST_STEP: u8 = 12
const OPACITY: f32 = 0.4
/** Lines are drawn before liquid, or not farther behind its surface than this, in cells. */
const SLACK: f32 = 0.75
/** Lines begin this far before the eye, in cells. */
const BEFORE_EYE: f32 = <f32>shared.BEFORE_EYE

export function smoothEdges(space: Space): void {
  const width = space.width
  const height = space.height
  const row = (<usize>width) << 2
  memory.copy(space.pixels, space.picture, row * <usize>height)
  const least = i8x16.splat(LEAST_STEP)
  for (let j = 1; j < height - 1; j++) {
    const line = row * <usize>j
    for (let i = 1; i < width - 1; i += 4) {
      const at = space.picture + line + ((<usize>i) << 2)
      const here = v128.load(at)
      const sideways = v128.or(differing(here, v128.load(at - 4)), differing(here, v128.load(at, 4)))
      const upwards = v128.or(differing(here, v128.load(at - row)), differing(here, v128.load(at + row)))
      // Bits of all differences together are no less than the largest of them.
      const steps = i32x4.bitmask(i32x4.ne(i8x16.gt_u(v128.or(sideways, upwards), least), i32x4.splat(0)))
      if (!steps) continue
      const count = min(4, width - 1 - i)
      for (let lane = 0; lane < count; lane++) {
        if (steps & (1 << lane)) smoothPixel(at + ((<usize>lane) << 2), row, space.pixels + line + ((<usize>(i + lane)) << 2))
      }
    }
  }
}

@inline
function differing(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a))
}

/** Of 255 · 256. */
@inline
function brightness(at: usize): i32 {
  return 77 * <i32>load<u8>(at) + 151 * <i32>load<u8>(at, 1) + 28 * <i32>load<u8>(at, 2)
}

/** Replaces a pixel by a mean along the edge through it, if there is one. */
function smoothPixel(at: usize, row: usize, to: usize): void {
  const here = brightness(at)
  const left = brightness(at - 4)
  const right = brightness(at + 4)
  const above = brightness(at - row)
  const below = brightness(at + row)
  const nw = <f32>((here + left + above + brightness(at - row - 4)) >> 2)
  const ne = <f32>((here + right + above + brightness(at - row + 4)) >> 2)
  const sw = <f32>((here + left + below + brightness(at + row - 4)) >> 2)
  const se = <f32>((here + right + below + brightness(at + row + 4)) >> 2)
  const middle = <f32>here
  const most = max<f32>(middle, max<f32>(max<f32>(nw, ne), max<f32>(sw, se)))
  const least = min<f32>(middle, min<f32>(min<f32>(nw, ne), min<f32>(sw, se)))
  if (most - least < max<f32>(<f32>0.03 * 65280, <f32>0.1 * most)) return
  // The edge is perpendicular to the gradient of brightness.
  const alongX = nw + ne - (sw + se)
  const alongY = se + ne - (sw + nw)
  const size = max<f32>(abs<f32>(alongX), abs<f32>(alongY))
  if (size < 6) return
  const x = alongX / size
  const y = alongY / size
  const near = bothSides(at, row, <f32>0.3 * x, <f32>0.3 * y)
  const wide = f32x4.mul(f32x4.add(near, bothSides(at, row, x, y)), f32x4.splat(0.5))
  const mean =
    <f32>77 * f32x4.extract_lane(wide, 0) + <f32>151 * f32x4.extract_lane(wide, 1) + <f32>28 * f32x4.extract_lane(wide, 2)
  const chosen = mean < least || mean > most ? near : wide
  const bytes = i32x4.trunc_sat_f32x4_s(f32x4.add(chosen, f32x4.splat(0.5)))
  const r = i32x4.extract_lane(bytes, 0),
    g = i32x4.extract_lane(bytes, 1),
    b = i32x4.extract_lane(bytes, 2)
  store<u32>(to, <u32>(r | (g << 8) | (b << 16)) | 0xff000000)
}

/** Mean of the colours at a place up to a pixel away, and at the one opposite to it. */
function bothSides(at: usize, row: usize, x: f32, y: f32): v128 {
  return f32x4.mul(f32x4.add(between(at, row, x, y), between(at, row, -x, -y)), f32x4.splat(0.5))
}

@inline
function between(at: usize, row: usize, x: f32, y: f32): v128 {
  const next: usize = x < 0 ? -4 : 4
  const line: usize = y < 0 ? -row : row
  const wideX = abs<f32>(x)
  const wideY = abs<f32>(y)
  const both = f32x4.splat(wideX)
  const same = f32x4.splat(<f32>1 - wideX)
  const near = f32x4.add(f32x4.mul(same, channels(at)), f32x4.mul(both, channels(at + next)))
  const far = f32x4.add(f32x4.mul(same, channels(at + line)), f32x4.mul(both, channels(at + line + next)))
  return f32x4.add(f32x4.mul(f32x4.splat(<f32>1 - wideY), near), f32x4.mul(f32x4.splat(wideY), far))
}

@inline
function channels(at: usize): v128 {
  return f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at))))
}

/** The twelve edges of the grid. */
export function drawEdges(space: Space): void {
  for (let axis = 0; axis < 3; axis++) {
    for (let which = 0; which < 4; which++) {
      // From one corner to the other along the axis, at one of the four ends of the other two.
      const a = which & 1
      const b = which >> 1
      const x = <f32>(a * i32(axis != 0) * space.nx) - space.eyeX
      const y = <f32>((axis == 0 ? a : b) * i32(axis != 1) * space.ny) - space.eyeY
      const z = <f32>(b * i32(axis != 2) * space.nz) - space.eyeZ
      const way = x * space.forwardX + y * space.forwardY + z * space.forwardZ
      const length = <f32>(axis == 0 ? space.nx : axis == 1 ? space.ny : space.nz)
      const ahead = length * (axis == 0 ? space.forwardX : axis == 1 ? space.forwardY : space.forwardZ)
      // The part that is before the eye.
      let from: f32 = 0
      let to: f32 = 1
      if (way < BEFORE_EYE) from = (BEFORE_EYE - way) / ahead
      if (way + ahead < BEFORE_EYE) to = (BEFORE_EYE - way) / ahead
      if (!(from >= 0 && to <= 1 && from < to)) continue
      drawLine(space, x, y, z, axis, from * length, to * length)
    }
  }
}

/** Along an axis from one place to another, both seen from the eye. */
function drawLine(space: Space, x: f32, y: f32, z: f32, axis: i32, from: f32, to: f32): void {
  const ax = x + (axis == 0 ? from : 0),
    ay = y + (axis == 1 ? from : 0),
    az = z + (axis == 2 ? from : 0)
  const bx = x + (axis == 0 ? to : 0),
    by = y + (axis == 1 ? to : 0),
    bz = z + (axis == 2 ? to : 0)
  const nearA = <f32>1 / (ax * space.forwardX + ay * space.forwardY + az * space.forwardZ)
  const nearB = <f32>1 / (bx * space.forwardX + by * space.forwardY + bz * space.forwardZ)
  const columnA = columnOf(space, ax, ay, az, nearA),
    rowA = rowOf(space, ax, ay, az, nearA)
  const columnB = columnOf(space, bx, by, bz, nearB),
    rowB = rowOf(space, bx, by, bz, nearB)
  const isSteep = abs<f32>(rowB - rowA) > abs<f32>(columnB - columnA)
  const a = isSteep ? rowA : columnA
  const b = isSteep ? rowB : columnB
  const length = b - a
  if (!(abs<f32>(length) > <f32>0.01)) return
  const first = max(<i32>ceil<f32>(min<f32>(a, b)), 0)
  const last = min(<i32>floor<f32>(max<f32>(a, b)), (isSteep ? space.height : space.width) - 1)
  // Pixels from the middle of the line that it covers in part.
  const reach = <f32>0.5 * (space.lineWidth + <f32>1)
  for (let at = first; at <= last; at++) {
    const share = (<f32>at - a) / length
    // On the screen one over the way changes evenly.
    const away = <f32>1 / (nearA + share * (nearB - nearA))
    const across = isSteep ? columnA + share * (columnB - columnA) : rowA + share * (rowB - rowA)
    for (let beside = <i32>floor<f32>(across - reach) + 1; <f32>beside < across + reach; beside++) {
      const covered = min<f32>(reach - abs<f32>(<f32>beside - across), 1)
      drawPoint(space, isSteep ? beside : at, isSteep ? at : beside, away, covered)
    }
  }
}

@inline
function columnOf(space: Space, x: f32, y: f32, z: f32, near: f32): f32 {
  const right = (x * space.rightX + y * space.rightY + z * space.rightZ) * space.perRight * near
  return <f32>0.5 * ((right + <f32>1) * space.wholeWidth - <f32>1) - space.left
}

@inline
function rowOf(space: Space, x: f32, y: f32, z: f32, near: f32): f32 {
  const up = (x * space.upX + y * space.upY + z * space.upZ) * space.perUp * near
  return <f32>0.5 * ((<f32>1 - up) * space.wholeHeight - <f32>1) - space.top
}

function drawPoint(space: Space, column: i32, row: i32, away: f32, share: f32): void {
  if (column < 0 || row < 0 || column >= space.width || row >= space.height) return
  const pixel = <usize>column + <usize>space.width * <usize>row
  const water = load<f32>(space.depths + (pixel << 2))
  if ((water > 0 && away >= water + SLACK) || away > load<f32>(space.scene + (pixel << 4), 12)) return
  const at = space.pixels + (pixel << 2)
  const edge = i32x4.trunc_sat_f32x4_s(colour(space, EDGE))
  const bytes = i32x4.extract_lane(edge, 0) | (i32x4.extract_lane(edge, 1) << 8) | (i32x4.extract_lane(edge, 2) << 16)
  store<u32>(at, mixPixels(load<u32>(at), <u32>bytes, OPACITY * share))
}
