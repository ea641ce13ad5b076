/** Continues velocities beyond where they are known, layer by layer, as src/grid/extrapolate.ts defines. A piece that fills a layer looks at
 *  earlier ones alone, so neither the order of pieces nor that of faces matters, and values are filled in place. */
import { pointer } from './jobs'
import { Liquid } from './liquid'
import { BEYOND } from './liquid-project'
import { byAxis, byteAt, current, endRow, firstRow, planeRows, rowLength } from './liquid-rows'

/** Fills the layer that pointer 1 counts. */
export function extrapolateChunk(chunk: i32): void {
  const liquid = current()
  const layer = <i32>pointer(1)
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const planes = liquid.dims == 2 ? 1 : liquid.nz + i32(axis == 2)
    const length = rowLength(liquid, axis)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++)
      fillRow(liquid, axis, row * length, length, row % rows, rows, row / rows, planes, layer)
  }
}

function fillRow(liquid: Liquid, axis: i32, face: i32, length: i32, j: i32, rows: i32, k: i32, planes: i32, layer: i32): void {
  const marks = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>face
  const values = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + (<usize>face << 3)
  const plane = length * rows
  // A missing neighbour is the face itself, which is not known yet.
  const south = j > 0 ? -length : 0
  const north = j < rows - 1 ? length : 0
  const down = k > 0 ? -plane : 0
  const up = k < planes - 1 ? plane : 0
  const beyond = v128.splat<u8>(BEYOND)
  const earlier = v128.splat<u8>(<u8>(layer - 1))
  for (let i = 0; i < length; i += 16) {
    const at = marks + <usize>i
    const open = v128.eq<u8>(v128.load(at), beyond)
    if (!v128.any_true(open)) continue
    // Beside the row's ends the neighbours of x belong to other rows; they are looked at again below.
    const isNext = v128.or(
      v128.or(
        v128.or(v128.eq<u8>(v128.load(at - 1), earlier), v128.eq<u8>(v128.load(at + 1), earlier)),
        v128.or(v128.eq<u8>(v128.load(at + <usize>south), earlier), v128.eq<u8>(v128.load(at + <usize>north), earlier)),
      ),
      v128.or(v128.eq<u8>(v128.load(at + <usize>down), earlier), v128.eq<u8>(v128.load(at + <usize>up), earlier)),
    )
    let lanes = v128.bitmask<i8>(v128.and(open, isNext))
    if (i + 16 > length) lanes &= (1 << (length - i)) - 1
    for (; lanes != 0; lanes &= lanes - 1) {
      const n = i + ctz(lanes)
      fillFace(marks, values, n, n > 0 ? -1 : 0, n < length - 1 ? 1 : 0, south, north, down, up, layer)
    }
  }
}

@inline
function fillFace(
  marks: usize,
  values: usize,
  n: i32,
  west: i32,
  east: i32,
  south: i32,
  north: i32,
  down: i32,
  up: i32,
  layer: i32,
): void {
  let sum = 0.0
  let count = 0
  if (byteAt(marks, n + west) < layer) {
    sum += load<f64>(values + (<usize>(n + west) << 3))
    count++
  }
  if (byteAt(marks, n + east) < layer) {
    sum += load<f64>(values + (<usize>(n + east) << 3))
    count++
  }
  if (byteAt(marks, n + south) < layer) {
    sum += load<f64>(values + (<usize>(n + south) << 3))
    count++
  }
  if (byteAt(marks, n + north) < layer) {
    sum += load<f64>(values + (<usize>(n + north) << 3))
    count++
  }
  if (byteAt(marks, n + down) < layer) {
    sum += load<f64>(values + (<usize>(n + down) << 3))
    count++
  }
  if (byteAt(marks, n + up) < layer) {
    sum += load<f64>(values + (<usize>(n + up) << 3))
    count++
  }
  // None at an end of the row that lies beside an earlier face of another row.
  if (count == 0) return
  store<f64>(values + (<usize>n << 3), sum / <f64>count)
  store<u8>(marks + <usize>n, <u8>layer)
}
