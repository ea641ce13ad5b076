/** Depth of cells below the surface. Particles are kept only in a band below the surface; deeper liquid is carried by the grid (Ferstl, Ando,
 *  Wojtan, Westermann and Thuerey 2016, narrow band FLIP). Depths count cells to the nearest air, diagonals like straight steps. A wall is no
 *  surface, but where the liquid separates from it there will be one: so pinned contacts count as air, and so do places where particles come,
 *  go or are pushed: sources, drains, open sides and moving solids. */
import { CONTACT, NO_WALL } from '../../../pressure/cell-kinds'
import { CENTRE_SOLID, LAYER, MIN_DEEP } from '../../shared-constants'
import { jobOf, setSum } from '../../../machine/kernels/job'
import { firstParticle, Liquid, wallOf } from '../liquid'
import { areSolid } from '../surface/marks'
import { byteAt, CELLS, current, endRow, f32At, firstRow, hasLetGo, LiquidJob, nodeIndex, nodeStep, sideKind } from '../grid/rows'
import { run } from '../../../machine/kernels/pool'

/** Depths beyond the band that are distinguished, so that `carried` has a slope where the band ends. */
const BELOW_BAND: i32 = 2

/** Liquid at a wall that is nearer to its surface than this, in cells, has begun to separate. As deep liquid it would fill the gap. */
const AJAR: f32 = -0.4

@unmanaged
class DepthJob extends LiquidJob {
  /** Layer to mark, from 1. */
  layer: i32
}

@unmanaged
export class HiddenJob extends LiquidJob {
  /** Particles of a full cell. */
  perCell: i32
}

/** Sets `depth` from `phi`, `kind` and `pressure`, after a solve. */
export function findDepth(liquid: Liquid): void {
  const job = jobOf<DepthJob>()
  job.liquid = liquid
  run(depthStartPiece, liquid.pieceCount)
  for (let layer = 1; layer < liquid.band + BELOW_BAND; layer++) {
    job.layer = layer
    run(deepenPiece, liquid.pieceCount)
  }
}

/** Largest depth. */
@inline
export function deepest(liquid: Liquid): i32 {
  return LAYER * (liquid.band + BELOW_BAND)
}

@piece
export function depthStartPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  const most = v128.splat<u8>(<u8>deepest(liquid))
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const depth = liquid.depth + <usize>(row * nx)
    for (let i = 0; i < nx; i += 16) {
      const cell = row * nx + i
      if (i + 16 <= nx && !isBesideOpenSide(liquid, i, 16, j, k)) {
        v128.store(depth + <usize>i, v128.and(most, areDeep(liquid, cell, i, j, k)))
        continue
      }
      const stop = min(nx, i + 16)
      for (let n = i; n < stop; n++) store<u8>(depth + <usize>n, isShallow(liquid, n, j, k) ? 0 : <u8>deepest(liquid))
    }
  }
}

/** Lanes of sixteen cells in a row, away from open sides, that are not shallow. */
@inline
function areDeep(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): v128 {
  const inLiquid = areBelow(liquid, cell, 0)
  const touch = v128.load(liquid.touch + <usize>cell)
  const kept = v128.load(liquid.kept + <usize>cell)
  if (!v128.any_true(v128.or(touch, kept))) return inLiquid
  const isTouched = v128.ne<u8>(touch, v128.splat<u8>(0))
  const deep = v128.or(v128.bitselect(areBelow(liquid, cell, AJAR), inLiquid, isTouched), areSolid(liquid, cell))
  let shallow = v128.bitmask<i8>(v128.ne<u8>(kept, v128.splat<u8>(0)))
  const contacts = v128.bitmask<i8>(v128.eq<u8>(v128.load(liquid.kind + <usize>cell), v128.splat<u8>(<u8>CONTACT)))
  for (let lanes = contacts; lanes != 0; lanes &= lanes - 1) {
    if (hasLetGo(liquid, cell + ctz(lanes))) shallow |= lanes & -lanes
  }
  if (liquid.hasSolids) {
    for (let lane = 0; lane < 16; lane++) if (isMoving(liquid, i + lane, j, k)) shallow |= 1 << lane
  }
  return shallow == 0 ? deep : v128.andnot(deep, lanesOf(shallow))
}

/** Lanes of sixteen cells whose centre is deeper than `distance`. */
@inline
function areBelow(liquid: Liquid, cell: i32, distance: f32): v128 {
  const at = liquid.phi + ((<usize>cell) << 2)
  const most = v128.splat<f32>(distance)
  const low = v128.narrow<i32>(v128.lt<f32>(v128.load(at), most), v128.lt<f32>(v128.load(at, 16), most))
  return v128.narrow<i16>(low, v128.narrow<i32>(v128.lt<f32>(v128.load(at, 32), most), v128.lt<f32>(v128.load(at, 48), most)))
}

/** Bytes with all bits set where any bit of the byte is set. */
@inline
function lanesOf(bits: i32): v128 {
  const each = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128)
  const bytes = v128.shuffle<i8>(
    v128.splat<i16>(<i16>bits),
    v128.splat<i16>(<i16>bits),
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
    1,
  )
  return v128.eq<i8>(v128.and(bytes, each), each)
}

/** Whether any of `count` cells in a row is at an open side. */
function isBesideOpenSide(liquid: Liquid, i: i32, count: i32, j: i32, k: i32): bool {
  if (i == 0 && sideKind(liquid, 0, false) == NO_WALL) return true
  if (i + count >= liquid.nx && sideKind(liquid, 0, true) == NO_WALL) return true
  if (j == 0 && sideKind(liquid, 1, false) == NO_WALL) return true
  if (j == liquid.ny - 1 && sideKind(liquid, 1, true) == NO_WALL) return true
  if (liquid.dims == 2) return false
  return (k == 0 && sideKind(liquid, 2, false) == NO_WALL) || (k == liquid.nz - 1 && sideKind(liquid, 2, true) == NO_WALL)
}

/** Air, or what counts as air. */
function isShallow(liquid: Liquid, i: i32, j: i32, k: i32): bool {
  const cell = i + liquid.nx * (j + liquid.ny * k)
  if (byteAt(liquid.kept, cell) || isBesideOpenSide(liquid, i, 1, j, k) || isMoving(liquid, i, j, k)) return true
  // A contact may have its centre in the solid that it separates from.
  if (hasLetGo(liquid, cell)) return true
  const touch = byteAt(liquid.touch, cell)
  return !(touch & CENTRE_SOLID) && f32At(liquid.phi, cell) >= (touch ? AJAR : 0)
}

/** Whether a moving solid reaches into the cell. */
function isMoving(liquid: Liquid, i: i32, j: i32, k: i32): bool {
  if (f32At(liquid.openCell, i + liquid.nx * (j + liquid.ny * k)) == 1) return false
  const node = nodeIndex(liquid, i, j, k)
  for (let q = 0; q < 8; q++) {
    const at = node + (q & 1) + nodeStep(liquid, 1) * ((q >> 1) & 1) + nodeStep(liquid, 2) * (q >> 2)
    if (f32At(liquid.solid, at) <= 0 && wallOf(liquid, byteAt(liquid.owner, at)).moves) return true
  }
  return false
}

/** Marks the cells next to the previous layer. A piece reads earlier layers only and marks no cell twice. */
@piece
export function deepenPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const layer = LAYER * jobOf<DepthJob>().layer
  const unknown = v128.splat<u8>(<u8>deepest(liquid))
  const earlier = v128.splat<u8>(<u8>(layer - LAYER))
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const depth = liquid.depth + <usize>(row * nx)
    for (let i = 0; i < nx; i += 16) {
      const open = v128.eq<u8>(v128.load(depth + <usize>i), unknown)
      if (!v128.any_true(open)) continue
      let west = v128.splat<u8>(0)
      let here = west
      let east = west
      for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
        for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
          const at = liquid.depth + <usize>(i + nx * (b + ny * c))
          west = v128.or(west, v128.eq<u8>(v128.load(at - 1), earlier))
          here = v128.or(here, v128.eq<u8>(v128.load(at), earlier))
          east = v128.or(east, v128.eq<u8>(v128.load(at + 1), earlier))
        }
      }
      // Beyond the ends of a row are cells of other rows.
      let lanes = v128.bitmask<i8>(here)
      lanes |= i == 0 ? v128.bitmask<i8>(west) & ~1 : v128.bitmask<i8>(west)
      lanes |= i + 16 >= nx ? v128.bitmask<i8>(east) & ~(1 << (nx - 1 - i)) : v128.bitmask<i8>(east)
      lanes &= v128.bitmask<i8>(open)
      if (i + 16 > nx) lanes &= (1 << (nx - i)) - 1
      for (; lanes != 0; lanes &= lanes - 1) store<u8>(depth + <usize>(i + ctz(lanes)), <u8>layer)
    }
  }
}

/** Room in cells of carried liquid that their particles do not fill, in particles. */
@piece
export function hiddenPiece(piece: i32): void {
  const liquid = current()
  const perCell = <f32>jobOf<HiddenJob>().perCell
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  let sum = 0.0
  for (; cell < end; cell++) {
    if (byteAt(liquid.carried, cell) < MIN_DEEP) continue
    sum += max<f64>(
      0,
      perCell * f32At(liquid.openCell, cell) - <f32>(firstParticle(liquid, cell + 1) - firstParticle(liquid, cell)),
    )
  }
  setSum(piece, 0, sum)
}
