/** Continues the surface into solids, bit for bit as plain/surface/picture/continue.ts. */
import { byteAt, CELLS, current, endRow, f32At, firstRow } from '../../grid/rows'
import { Liquid } from '../../liquid'
import { picture } from './arrays'
import { NOT_REACHED } from './links'

/** One layer: cells only read those of layers before, so pieces may be done in any order. */
@piece
export function continuePiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const layers = picture().layers
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    for (let i = 0; i < nx; i += 16) {
      const cell = row * nx + i
      let lanes = i8x16.bitmask(i8x16.eq(v128.load(layers + <usize>cell), i8x16.splat(<i8>NOT_REACHED)))
      if (lanes != 0) lanes &= besideKnown(liquid, cell, j, k)
      if (nx - i < 16) lanes &= (1 << (nx - i)) - 1
      for (; lanes != 0; lanes &= lanes - 1) meanAround(liquid, i + ctz(lanes), j, k)
    }
  }
}

/** Bits of sixteen cells beside known ones, and of some more at the ends of rows. */
function besideKnown(liquid: Liquid, cell: i32, j: i32, k: i32): i32 {
  const row = liquid.nx
  const plane = row * liquid.ny
  let least = i8x16.splat(-1)
  for (let c = max(k - 1, 0) - k; c <= min(k + 1, liquid.nz - 1) - k; c++) {
    for (let b = max(j - 1, 0) - j; b <= min(j + 1, liquid.ny - 1) - j; b++) {
      const at = picture().layers + <usize>(cell + b * row + c * plane)
      const besides = i8x16.min_u(v128.load(at - 1), v128.load(at + 1))
      least = i8x16.min_u(least, i8x16.min_u(v128.load(at), besides))
    }
  }
  return i8x16.bitmask(i8x16.lt_u(least, i8x16.splat(<i8>picture().layer)))
}

function meanAround(liquid: Liquid, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const layers = picture().layers
  const surface = picture().surface
  const layer = picture().layer
  let sum: f32 = 0
  let weights: f32 = 0
  for (let c = max(k - 1, 0); c <= min(k + 1, liquid.nz - 1); c++) {
    for (let b = max(j - 1, 0); b <= min(j + 1, ny - 1); b++) {
      for (let a = max(i - 1, 0); a <= min(i + 1, nx - 1); a++) {
        const other = a + nx * (b + ny * c)
        if (byteAt(layers, other) >= layer) continue
        const axes = abs(a - i) + abs(b - j) + abs(c - k)
        const weight: f32 = axes == 1 ? 1 : axes == 2 ? 0.5 : <f32>(1.0 / 3)
        sum += weight * f32At(surface, other)
        weights += weight
      }
    }
  }
  if (weights == 0) return
  const cell = i + nx * (j + ny * k)
  store<f32>(surface + ((<usize>cell) << 2), sum / weights)
  store<u8>(layers + <usize>cell, <u8>layer)
}
