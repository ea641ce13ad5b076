/** Solids of a frame. */
import { findContinued } from '../continue'
import { FAR, Space } from './space'

/** Returns whether solids are others than those of the last call. */
export function takeSolids(space: Space): bool {
  const nodes = <usize>(space.nx + 1) * <usize>(space.ny + 1) * <usize>(space.nz + 1)
  const scale = <f32>1 / space.spacing
  const far = f32x4.splat(FAR)
  let changed = i32x4.splat(0)
  let inside = i32x4.splat(0)
  let offset: usize = 0
  for (const end = (nodes << 2) & ~15; offset < end; offset += 16) {
    const given = f32x4.mul(v128.load(space.givenSolid + offset), f32x4.splat(scale))
    const phi = f32x4.pmax(f32x4.neg(far), f32x4.pmin(far, given))
    changed = v128.or(changed, v128.xor(phi, v128.load(space.solid + offset)))
    inside = v128.or(inside, f32x4.lt(phi, f32x4.splat(0)))
    v128.store(space.solid + offset, phi)
  }
  let isOther = !space.hasTaken || v128.any_true(changed)
  space.hasTaken = 1
  let hasSolid = v128.any_true(inside)
  for (; offset < nodes << 2; offset += 4) {
    const given = load<f32>(space.givenSolid + offset) * scale
    const phi: f32 = given < FAR ? max<f32>(given, -FAR) : FAR
    isOther = isOther || phi != load<f32>(space.solid + offset)
    hasSolid = hasSolid || phi < 0
    store<f32>(space.solid + offset, phi)
  }
  space.hasSolid = hasSolid
  if (isOther && hasSolid) findContinued(space.continuation, space.solid)
  return isOther
}
