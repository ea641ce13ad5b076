/** Which neighbours of a cell are on the same side of all walls: see plain/surface/picture/links.ts. */
import { CENTRE_SOLID, PICTURE_LAYERS } from '../../../shared-constants'
import { CELLS, current, endRow, firstRow, nodeIndex } from '../../grid/rows'
import { Liquid } from '../../liquid'
import { wallDistances } from '../walls'
import { picture } from './arrays'

/** In `layers`: in a solid and in no layer yet, or too deep for any. */
export const NOT_REACHED: u8 = 254
const TOO_DEEP: u8 = 255

@piece
export function linksPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    for (let i = 0; i < nx; i += 16) storeLinks(liquid, row * nx + i, i, j, k)
  }
}

/** Of up to sixteen cells in a row, from (i, j, k) on. */
function storeLinks(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const plane = nx * ny
  const row = j + ny * k
  const own = solidBits(liquid, cell)
  const faceX = cell + row
  const faceY = cell + nx * k
  let links = v128.and(between(liquid, own, cell - 1, liquid.openX, faceX), i8x16.splat(1))
  if (i == 0) links = i8x16.replace_lane(links, 0, 0)
  links = v128.or(links, v128.and(between(liquid, own, cell + 1, liquid.openX, faceX + 1), i8x16.splat(2)))
  if (j > 0) links = v128.or(links, v128.and(between(liquid, own, cell - nx, liquid.openY, faceY), i8x16.splat(4)))
  if (j < ny - 1) links = v128.or(links, v128.and(between(liquid, own, cell + nx, liquid.openY, faceY + nx), i8x16.splat(8)))
  if (k > 0) links = v128.or(links, v128.and(between(liquid, own, cell - plane, liquid.openZ, cell), i8x16.splat(16)))
  if (k < liquid.nz - 1)
    links = v128.or(links, v128.and(between(liquid, own, cell + plane, liquid.openZ, cell + plane), i8x16.splat(32)))
  const to = picture().links + <usize>cell
  const layers = picture().layers + <usize>cell
  const marks = v128.any_true(own) ? layerMarks(liquid, own, nodeIndex(liquid, i, j, k)) : own
  const left = nx - i
  if (left > 16) {
    v128.store(to, links)
    v128.store(layers, marks)
    return
  }
  // What follows belongs to another row.
  storeBytes(to, links, left)
  store<u8>(to + <usize>(left - 1), load<u8>(to + <usize>(left - 1)) & ~2)
  storeBytes(layers, marks, left)
}

/** 0, NOT_REACHED or TOO_DEEP. */
function layerMarks(liquid: Liquid, own: v128, node: i32): v128 {
  const low = i16x8.narrow_i32x4_s(areNear(liquid, node), areNear(liquid, node + 4))
  const high = i16x8.narrow_i32x4_s(areNear(liquid, node + 8), areNear(liquid, node + 12))
  const mark = v128.bitselect(i8x16.splat(<i8>NOT_REACHED), i8x16.splat(<i8>TOO_DEEP), i8x16.narrow_i16x8_s(low, high))
  return v128.and(mark, i8x16.ne(own, i8x16.splat(0)))
}

/** Whether four centres are no deeper in solids than the surface is continued. */
@inline
function areNear(liquid: Liquid, node: i32): v128 {
  return f32x4.gt(wallDistances(liquid, node), f32x4.splat(-(<f32>(PICTURE_LAYERS + 1))))
}

@inline
function solidBits(liquid: Liquid, cell: i32): v128 {
  return v128.and(v128.load(liquid.touch + <usize>cell), i8x16.splat(<i8>CENTRE_SOLID))
}

/** All bits of lanes whose cell is linked with the one from `other` on, through the faces from `face` on. */
@inline
function between(liquid: Liquid, own: v128, other: i32, open: usize, face: i32): v128 {
  const areOutside = i8x16.eq(v128.or(own, solidBits(liquid, other)), i8x16.splat(0))
  const at = open + ((<usize>face) << 2)
  const low = i16x8.narrow_i32x4_s(isOpen(at), isOpen(at + 16))
  const high = i16x8.narrow_i32x4_s(isOpen(at + 32), isOpen(at + 48))
  return v128.and(areOutside, i8x16.narrow_i16x8_s(low, high))
}

@inline
function isOpen(at: usize): v128 {
  return f32x4.ne(v128.load(at), f32x4.splat(0))
}

function storeBytes(to: usize, bytes: v128, count: i32): void {
  let low = i64x2.extract_lane(bytes, 0)
  const high = i64x2.extract_lane(bytes, 1)
  for (let n = 0; n < count; n++) {
    if (n == 8) low = high
    store<u8>(to + <usize>n, <u8>low)
    low = low >> 8
  }
}
