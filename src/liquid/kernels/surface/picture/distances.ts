/** Distances to the surface of a liquid, a few cells to both sides of it, bit for bit as plain/surface/picture/distances.ts. */
import { CENTRE_SOLID, KEPT_NEAR, LEAST_STEP, SMOOTHED_NEAR, WIDEST } from '../../../shared-constants'
import { CELLS, current, endRow, firstRow } from '../../grid/rows'
import { Liquid } from '../../liquid'
import { endCell, firstCell, fourLinks, haveLinks, linked, picture, stepOf, storeFour } from './arrays'

const NEAREST: f32 = 1e-4

/** From `from`, the level set, to `to`. */
@piece
export function startPiece(piece: i32): void {
  const liquid = current()
  const from = picture().from
  const to = picture().to
  const links = picture().links
  const end = endCell(liquid, piece)
  const one = f32x4.splat(1)
  const widest = f32x4.splat(<f32>WIDEST)
  for (let cell = firstCell(liquid, piece); cell < end; cell += 4) {
    const at = from + ((<usize>cell) << 2)
    const own = v128.load(at)
    if (!areBeside(liquid, at, own)) {
      storeFour(to + ((<usize>cell) << 2), widest, end - cell)
      continue
    }
    const four = fourLinks(links + <usize>cell)
    let inverseSquares = f32x4.splat(0)
    let isBeside = i32x4.splat(0)
    for (let axis = 0; axis < liquid.dims; axis++) {
      const step = stepOf(liquid, axis)
      const lower = linked(at, own, -step, four, 1 << (2 * axis))
      const upper = linked(at, own, step, four, 2 << (2 * axis))
      const share = f32x4.min(crossing(own, lower), crossing(own, upper))
      const isCrossed = f32x4.le(share, one)
      const inverse = v128.bitselect(f32x4.div(one, share), slopeTowards(own, lower, upper), isCrossed)
      inverseSquares = f32x4.add(inverseSquares, f32x4.mul(inverse, inverse))
      isBeside = v128.or(isBeside, isCrossed)
    }
    const distance = f32x4.min(f32x4.div(one, f32x4.sqrt(inverseSquares)), widest)
    storeFour(to + ((<usize>cell) << 2), v128.bitselect(distance, widest, isBeside), end - cell)
  }
}

/** Whether any cell beside four cells, linked or not, is on the other side of the surface. */
@inline
function areBeside(liquid: Liquid, at: usize, own: v128): bool {
  const x = v128.or(v128.xor(own, v128.load(at - 4)), v128.xor(own, v128.load(at + 4)))
  const row = stepOf(liquid, 1)
  const y = v128.or(v128.xor(own, v128.load(at - row)), v128.xor(own, v128.load(at + row)))
  let signs = v128.or(x, y)
  if (liquid.dims == 3) {
    const plane = stepOf(liquid, 2)
    signs = v128.or(signs, v128.or(v128.xor(own, v128.load(at - plane)), v128.xor(own, v128.load(at + plane))))
  }
  return i32x4.bitmask(signs) != 0
}

@inline
function slopeTowards(own: v128, lower: v128, upper: v128): v128 {
  const nearer = f32x4.min(f32x4.abs(lower), f32x4.abs(upper))
  const share = f32x4.div(nearer, f32x4.max(f32x4.abs(own), f32x4.splat(NEAREST)))
  return f32x4.max(f32x4.splat(0), f32x4.sub(f32x4.splat(1), share))
}

@inline
function crossing(own: v128, other: v128): v128 {
  const zero = f32x4.splat(0)
  const areApart = v128.xor(f32x4.lt(own, zero), f32x4.lt(other, zero))
  const share = f32x4.max(f32x4.splat(NEAREST), f32x4.div(own, f32x4.sub(own, other)))
  return v128.bitselect(share, f32x4.splat(2), areApart)
}

/** One pass of distances, from `from` to `to`. */
@piece
export function arrivalPiece(piece: i32): void {
  const liquid = current()
  const from = picture().from
  const to = picture().to
  const links = picture().links
  const end = endCell(liquid, piece)
  const x = stepOf(liquid, 0)
  const y = stepOf(liquid, 1)
  const z = stepOf(liquid, 2)
  const isDeep = liquid.dims == 3
  const bits = isDeep ? 63 : 15
  for (let cell = firstCell(liquid, piece); cell < end; ) {
    const stop = min(end, cell + 16)
    if (stop - cell == 16 && haveLinks(links + <usize>cell, bits)) {
      for (; cell < stop; cell += 4) {
        const at = from + ((<usize>cell) << 2)
        const u = f32x4.min(v128.load(at - x), v128.load(at + x))
        const v = f32x4.min(v128.load(at - y), v128.load(at + y))
        const w = isDeep ? f32x4.min(v128.load(at - z), v128.load(at + z)) : f32x4.splat(<f32>WIDEST)
        v128.store(to + ((<usize>cell) << 2), nearer(v128.load(at), u, v, w))
      }
      continue
    }
    for (; cell < stop; cell += 4) {
      const at = from + ((<usize>cell) << 2)
      const own = v128.load(at)
      const four = fourLinks(links + <usize>cell)
      const w = isDeep ? least(at, own, z, four, 2) : f32x4.splat(<f32>WIDEST)
      storeFour(to + ((<usize>cell) << 2), nearer(own, least(at, own, x, four, 0), least(at, own, y, four, 1), w), end - cell)
    }
  }
}

/** Most cells are far from the surface, or have their distance already. */
@inline
function nearer(own: v128, x: v128, y: v128, z: v128): v128 {
  const low = f32x4.min(f32x4.min(x, y), z)
  const isOpen = f32x4.gt(own, f32x4.splat(picture().settled))
  const isFarther = f32x4.gt(own, f32x4.add(low, f32x4.splat(<f32>LEAST_STEP)))
  if (!v128.any_true(v128.and(isOpen, isFarther))) return own
  return v128.bitselect(f32x4.min(own, arrival(x, y, z, low)), own, isOpen)
}

@inline
function least(at: usize, own: v128, step: isize, links: v128, axis: i32): v128 {
  return f32x4.min(linked(at, own, -step, links, 1 << (2 * axis)), linked(at, own, step, links, 2 << (2 * axis)))
}

@inline
function arrival(x: v128, y: v128, z: v128, low: v128): v128 {
  const zero = f32x4.splat(0)
  const unit = f32x4.splat(1)
  const high = f32x4.max(f32x4.max(x, y), z)
  const middle = f32x4.max(f32x4.min(x, y), f32x4.min(f32x4.max(x, y), z))
  const one = f32x4.add(low, unit)
  const apart = f32x4.sub(middle, low)
  const root = f32x4.sqrt(f32x4.max(zero, f32x4.sub(f32x4.splat(2), f32x4.mul(apart, apart))))
  const both = f32x4.add(low, middle)
  const two = f32x4.mul(f32x4.splat(0.5), f32x4.add(both, root))
  const sum = f32x4.add(both, high)
  const squares = f32x4.add(f32x4.add(f32x4.mul(low, low), f32x4.mul(middle, middle)), f32x4.mul(high, high))
  const inner = f32x4.sub(f32x4.mul(sum, sum), f32x4.mul(f32x4.splat(3), f32x4.sub(squares, unit)))
  const three = f32x4.div(f32x4.add(sum, f32x4.sqrt(f32x4.max(zero, inner))), f32x4.splat(3))
  return v128.bitselect(one, v128.bitselect(two, three, f32x4.le(two, high)), f32x4.le(one, middle))
}

/** `away` of rows with cells near the surface; of all others FAR_AWAY. */
@piece
export function markRowsPiece(piece: i32): void {
  const liquid = current()
  const wide = picture().wide
  const away = picture().away
  const near = f32x4.splat(<f32>SMOOTHED_NEAR)
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    let found = false
    const first = row * liquid.nx
    const last = first + liquid.nx
    for (let cell = first; cell < last && !found; cell += 4) {
      let lanes = i32x4.bitmask(f32x4.lt(f32x4.abs(v128.load(wide + ((<usize>cell) << 2))), near))
      if (last - cell < 4) lanes &= (1 << (last - cell)) - 1
      found = lanes != 0
    }
    store<u8>(away + <usize>row, found ? 0 : FAR_AWAY)
  }
}

const FAR_AWAY: u8 = 255

/** Rows between every row and the nearest that was marked, by two sweeps over all of them. */
export function measureAway(liquid: Liquid): void {
  const away = picture().away
  const ny = liquid.ny
  const rows = ny * liquid.nz
  for (let row = 0; row < rows; row++) {
    const j = row % ny
    let least = <i32>load<u8>(away + <usize>row)
    if (j > 0) least = min(least, 1 + <i32>load<u8>(away + <usize>(row - 1)))
    if (row >= ny) least = min(least, 1 + around(away, row - ny, j, ny))
    store<u8>(away + <usize>row, <u8>least)
  }
  for (let row = rows - 1; row >= 0; row--) {
    const j = row % ny
    let least = <i32>load<u8>(away + <usize>row)
    if (j < ny - 1) least = min(least, 1 + <i32>load<u8>(away + <usize>(row + 1)))
    if (row + ny < rows) least = min(least, 1 + around(away, row + ny, j, ny))
    store<u8>(away + <usize>row, <u8>least)
  }
}

/** The least of a row and the two beside it. */
@inline
function around(away: usize, row: i32, j: i32, ny: i32): i32 {
  let least = <i32>load<u8>(away + <usize>row)
  if (j > 0) least = min(least, <i32>load<u8>(away + <usize>(row - 1)))
  return j < ny - 1 ? min(least, <i32>load<u8>(away + <usize>(row + 1))) : least
}

/** `wide`: the level set near the surface, distances (`from`) away from it; `to`: its depth outside solids. */
@piece
export function widenPiece(piece: i32): void {
  const liquid = current()
  const from = picture().from
  const to = picture().to
  const wide = picture().wide
  const end = endCell(liquid, piece)
  const zero = f32x4.splat(0)
  const one = f32x4.splat(1)
  const near = f32x4.splat(<f32>KEPT_NEAR)
  for (let cell = firstCell(liquid, piece); cell < end; cell += 4) {
    const offset = (<usize>cell) << 2
    const value = v128.load(liquid.phi + offset)
    const distance = v128.load(from + offset)
    const far = f32x4.max(zero, f32x4.min(one, f32x4.div(f32x4.sub(distance, near), near)))
    const signed = v128.bitselect(f32x4.neg(distance), distance, f32x4.lt(value, zero))
    const result = f32x4.add(value, f32x4.mul(far, f32x4.sub(signed, value)))
    const solid = v128.and(fourLinks(liquid.touch + <usize>cell), i32x4.splat(CENTRE_SOLID))
    const isOutside = i32x4.eq(solid, i32x4.splat(0))
    storeFour(wide + offset, result, end - cell)
    storeFour(to + offset, v128.bitselect(f32x4.neg(result), f32x4.splat(-(<f32>WIDEST)), isOutside), end - cell)
  }
}
