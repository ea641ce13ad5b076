/** The level sets of a frame for pictures of it: in cells, finite, and liquid continued into solids. */
import { continueLiquid, findContinued } from '../continue'
import { farthest, Flat, repeatBorder } from './flat'

/** Reads the frame from the host. Everything derived from the last frame is invalid. */
export function takeLevels(flat: Flat): void {
  const count = (flat.nx + 1) * (flat.ny + 1)
  if (!flat.hasSolid || !areEqual(flat.givenSolid, flat.keptSolid, count)) takeSolid(flat, count)
  const far = farthest(flat)
  scale(flat, flat.givenLiquid, flat.liquid, flat.nx, flat.ny, far, 1)
  continueLiquid(flat.continuation, flat.liquid)
  repeatBorder(flat, flat.liquid, flat.nx, flat.ny)
  flat.reach = 0
  flat.sight = 0
}

function areEqual(a: usize, b: usize, count: i32): bool {
  let differing = i32x4.splat(0)
  for (let at: usize = 0; at < (<usize>count) << 2; at += 16)
    differing = v128.or(differing, v128.xor(v128.load(a + at), v128.load(b + at)))
  return !v128.any_true(differing)
}

function takeSolid(flat: Flat, count: i32): void {
  memory.copy(flat.keptSolid, flat.givenSolid, ((<usize>count) << 2) + 16)
  flat.hasSolid = 1
  const far = farthest(flat)
  scale(flat, flat.givenSolid, flat.solid, flat.nx + 1, flat.ny + 1, far, far)
  repeatBorder(flat, flat.solid, flat.nx + 1, flat.ny + 1)
  findContinued(flat.continuation, flat.solid)
}

/** From metres to cells, no farther than `far`; what is not a number becomes `unknown`. */
function scale(flat: Flat, from: usize, to: usize, columns: i32, rows: i32, far: f32, unknown: f32): void {
  const factor = f32x4.splat(flat.perMetre)
  const most = f32x4.splat(far)
  const least = f32x4.splat(-far)
  const instead = f32x4.splat(unknown)
  for (let j = 0; j < rows; j++) {
    const source = from + ((<usize>(j * columns)) << 2)
    const target = to + flat.rowBytes * <usize>j
    // The last four reach into the border, which is filled in afterwards.
    for (let i: usize = 0; i < (<usize>columns) << 2; i += 16) {
      const value = f32x4.mul(v128.load(source + i), factor)
      const known = v128.bitselect(value, instead, f32x4.eq(value, value))
      v128.store(target + i, f32x4.pmin(f32x4.pmax(known, least), most))
    }
  }
}
