/** From faces to particles, for APIC: velocity and its gradient. Particles keep nothing of theirs, so what they add is the velocity. */
import { current } from '../grid/rows'
import { pieceStart } from './sort'
import { across, along, integers, lowerAcross, lowerAlong, sizes } from './weights'

/** Stores a velocity component at a point, and its derivatives along x, y, z in 1/s, in arrays `room` bytes apart. A derivative along an axis
 *  with one point is 0. */
@inline
function gatherAxis(
  at: usize,
  hasUpper: bool,
  row: usize,
  plane: usize,
  fx: f32,
  fy: f32,
  fz: f32,
  perMetre: f32,
  velocity: usize,
  gradient: usize,
  room: usize,
): void {
  const a = v128.load64_zero(at)
  const b = v128.load64_zero(at + row)
  const c = v128.load64_zero(at + plane)
  const d = v128.load64_zero(at + plane + row)
  const lower = f32x4.add(a, f32x4.mul(f32x4.splat(fy), f32x4.sub(b, a)))
  const upper = f32x4.add(c, f32x4.mul(f32x4.splat(fy), f32x4.sub(d, c)))
  const both = f32x4.add(lower, f32x4.mul(f32x4.splat(fz), f32x4.sub(upper, lower)))
  const ab = f32x4.sub(b, a)
  const byY = f32x4.add(ab, f32x4.mul(f32x4.splat(fz), f32x4.sub(f32x4.sub(d, c), ab)))
  const byZ = f32x4.sub(upper, lower)
  store<f32>(velocity, between(both, fx))
  store<f32>(gradient, hasUpper ? perMetre * (f32x4.extract_lane(both, 1) - f32x4.extract_lane(both, 0)) : 0)
  store<f32>(gradient + room, row ? perMetre * between(byY, fx) : 0)
  store<f32>(gradient + 2 * room, plane ? perMetre * between(byZ, fx) : 0)
}

/** Interpolates between lanes 0 and 1. */
@inline
export function between(row: v128, fx: f32): f32 {
  const left = f32x4.extract_lane(row, 0)
  return left + fx * (f32x4.extract_lane(row, 1) - left)
}

@piece
export function gatherPiece(piece: i32): void {
  const liquid = current()
  const size = sizes(liquid)
  const nx = <usize>liquid.nx
  const ny = <usize>liquid.ny
  const room = (<usize>liquid.capacity) << 2
  const perMetre = <f32>(1 / liquid.spacing)
  // In a grid one cell wide, the element after a y- or z-face is in another row.
  const isWide = nx > 1
  const end = pieceStart(liquid, piece + 1)
  for (let n = pieceStart(liquid, piece); n < end; n++) {
    const at = (<usize>n) << 2
    const position = f32x4(load<f32>(liquid.px + at), load<f32>(liquid.py + at), load<f32>(liquid.pz + at), 0)
    const a = along(position, size)
    const c = across(position, size)
    const la = lowerAlong(a, size)
    const lc = lowerAcross(c, size)
    const ia = integers(la)
    const ic = integers(lc)
    const fa = f32x4.sub(a, la)
    const fc = f32x4.sub(c, lc)
    const cx = <usize>i32x4.extract_lane(ic, 0)
    const cy = <usize>i32x4.extract_lane(ic, 1)
    const cz = <usize>i32x4.extract_lane(ic, 2)
    const fcx = f32x4.extract_lane(fc, 0)
    const fcy = f32x4.extract_lane(fc, 1)
    const fcz = f32x4.extract_lane(fc, 2)
    const gradient = liquid.affine + at
    const x = liquid.pairX + liquid.toChangeX + ((<usize>i32x4.extract_lane(ia, 0) + (nx + 1) * (cy + ny * cz)) << 2)
    gatherAxis(x, true, liquid.rowX, liquid.planeX, f32x4.extract_lane(fa, 0), fcy, fcz, perMetre, liquid.vx + at, gradient, room)
    const y = liquid.pairY + liquid.toChangeY + ((cx + nx * (<usize>i32x4.extract_lane(ia, 1) + (ny + 1) * cz)) << 2)
    gatherAxis(
      y,
      isWide,
      liquid.rowY,
      liquid.planeY,
      fcx,
      f32x4.extract_lane(fa, 1),
      fcz,
      perMetre,
      liquid.vy + at,
      gradient + 3 * room,
      room,
    )
    if (liquid.dims == 2) continue
    const z = liquid.pairZ + liquid.toChangeZ + ((cx + nx * (cy + ny * <usize>i32x4.extract_lane(ia, 2))) << 2)
    gatherAxis(
      z,
      isWide,
      liquid.rowZ,
      liquid.planeZ,
      fcx,
      fcy,
      f32x4.extract_lane(fa, 2),
      perMetre,
      liquid.vz + at,
      gradient + 6 * room,
      room,
    )
  }
}
