/** The volume inside the surface of a liquid as it is exported (src/liquid/surface/surface-mesh.ts): values at centres, the larger of liquid
 *  and solid, triangles between them, closed along the sides of the grid. Every cube between eight centres is around a node. */
import { setSum } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { CELLS, current, endRow, f32At, firstRow, nodeIndex } from '../grid/rows'
import { SURFACE_SCRATCH } from './scratch'
import { wallDistances } from './walls'

/** In cells. */
@piece
export function volumePiece(piece: i32): void {
  const liquid = current()
  const ny = liquid.ny
  const isDeep = liquid.dims == 3
  const scratch = liquid.scratch + <usize>(piece * SURFACE_SCRATCH)
  const end = endRow(liquid, CELLS, piece)
  let sum = 0.0
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const isLast = isDeep && k == liquid.nz - 1
    sum += alongNodes(liquid, scratch, j, k)
    if (isLast) sum += alongNodes(liquid, scratch, j, k + 1)
    if (j < ny - 1) continue
    sum += alongNodes(liquid, scratch, ny, k)
    if (isLast) sum += alongNodes(liquid, scratch, ny, k + 1)
  }
  setSum(piece, 0, sum)
}

/** Volume of the cubes around a row of nodes, sixteen at a time. Only cubes with corners inside and outside contain surface. */
function alongNodes(liquid: Liquid, scratch: usize, j: i32, k: i32): f64 {
  const nx = liquid.nx
  let sum = 0.0
  let allBefore = 0
  let anyBefore = 0
  for (let i = 0; i <= nx; i += 16) {
    const lower = liquidLanes(liquid, i, j - 1, k)
    const upper = liquidLanes(liquid, i, j, k)
    let all = lower & upper
    let any = lower | upper
    if (liquid.dims == 3) {
      const before = liquidLanes(liquid, i, j - 1, k - 1)
      const beside = liquidLanes(liquid, i, j, k - 1)
      all &= before & beside
      any |= before | beside
    }
    const nodes = nx + 1 - i >= 16 ? 0xffff : (1 << (nx + 1 - i)) - 1
    const full = all & ((all << 1) | allBefore) & nodes
    let cut = (any | (any << 1) | anyBefore) & nodes & ~full
    if (cut != 0) storeAround(liquid, scratch, i, j, k)
    for (; cut != 0; cut &= cut - 1) sum += cutCube(liquid, scratch, i, ctz(cut))
    allBefore = (all >> 15) & 1
    anyBefore = (any >> 15) & 1
  }
  return sum
}

/** Bits of the sixteen centres in a row that are in liquid and outside solids, by the exported values; none beyond the sides. */
function liquidLanes(liquid: Liquid, i: i32, j: i32, k: i32): i32 {
  if (i >= liquid.nx || j < 0 || j >= liquid.ny || k < 0 || k >= liquid.nz) return 0
  const cell = i + liquid.nx * (j + liquid.ny * k)
  const at = liquid.phi + ((<usize>cell) << 2)
  const low = v128.narrow<i32>(areInside(at), areInside(at + 16))
  const high = v128.narrow<i32>(areInside(at + 32), areInside(at + 48))
  let lanes = v128.bitmask<i8>(v128.narrow<i16>(low, high))
  if (lanes != 0 && liquid.hasSolids && v128.any_true(v128.load(liquid.touch + <usize>cell)))
    lanes &= openLanes(liquid, nodeIndex(liquid, i, j, k))
  return liquid.nx - i >= 16 ? lanes : lanes & ((1 << (liquid.nx - i)) - 1)
}

/** Bits of the sixteen centres in a row outside solids. A centre on the surface of a solid is not, whatever its `touch`: cubes beside it are
 *  cut. */
function openLanes(liquid: Liquid, node: i32): i32 {
  const low = v128.narrow<i32>(areBefore(liquid, node), areBefore(liquid, node + 4))
  return v128.bitmask<i8>(v128.narrow<i16>(low, v128.narrow<i32>(areBefore(liquid, node + 8), areBefore(liquid, node + 12))))
}

@inline
function areBefore(liquid: Liquid, node: i32): v128 {
  return v128.gt<f32>(wallDistances(liquid, node), v128.splat<f32>(0))
}

@inline
function areInside(at: usize): v128 {
  return v128.lt<f32>(v128.load(at), v128.splat<f32>(0))
}

/** Bytes of a row of the seventeen values around sixteen nodes, in whole vectors. Scratch of a piece: four rows, corners of a cube, points. */
const ROW: usize = 80
const CORNERS: usize = 4 * ROW
const POINTS: usize = CORNERS + 32

/** The exported level set at the centres around sixteen nodes in a row, from (i, j, k) on. */
function storeAround(liquid: Liquid, rows: usize, i: i32, j: i32, k: i32): void {
  storeRow(liquid, rows, i, j - 1, k - 1)
  storeRow(liquid, rows + ROW, i, j, k - 1)
  storeRow(liquid, rows + 2 * ROW, i, j - 1, k)
  storeRow(liquid, rows + 3 * ROW, i, j, k)
}

/** Row from centre i − 1 on. Beyond a side values are so far outside that deep liquid ends at the side. A 2D grid continues along z. */
function storeRow(liquid: Liquid, to: usize, i: i32, j: i32, k: i32): void {
  const b = min(max(j, 0), liquid.ny - 1)
  const c = min(max(k, 0), liquid.nz - 1)
  const isOut = b != j || (c != k && liquid.dims == 3)
  const phi = liquid.phi + ((<usize>(i - 1 + liquid.nx * (b + liquid.ny * c))) << 2)
  const node = nodeIndex(liquid, i - 1, b, c)
  for (let n = 0; n < 20; n += 4) {
    let values = v128.load(phi + ((<usize>n) << 2))
    if (liquid.hasSolids) values = v128.max<f32>(values, v128.neg<f32>(wallDistances(liquid, node + n)))
    v128.store(to + ((<usize>n) << 2), isOut ? v128.max<f32>(v128.neg<f32>(values), v128.splat<f32>(0.5)) : values)
  }
  if (i == 0) store<f32>(to, beyond(load<f32>(to, 4), isOut))
  if (i + 16 > liquid.nx) {
    const last = to + ((<usize>(liquid.nx - i)) << 2)
    store<f32>(last, beyond(load<f32>(last), isOut), 4)
  }
}

/** Value beyond the end of a row. */
@inline
function beyond(last: f32, isOut: bool): f32 {
  return isOut ? last : max<f32>(-last, 0.5)
}

/** ∫ x dy dz over the triangles of the cube around node i + n: the sum over all cubes is the volume, because the surface is closed. */
function cutCube(liquid: Liquid, rows: usize, i: i32, n: i32): f64 {
  const corners = rows + CORNERS
  const points = rows + POINTS
  const at = rows + ((<usize>n) << 2)
  const lower = v128.load64_lane(at + ROW, v128.load64_zero(at), 1)
  const upper = v128.load64_lane(at + 3 * ROW, v128.load64_zero(at + 2 * ROW), 1)
  v128.store(corners, lower)
  v128.store(corners, upper, 16)
  const zero = v128.splat<f32>(0)
  const inside = v128.bitmask<i32>(v128.lt<f32>(lower, zero)) | (v128.bitmask<i32>(v128.lt<f32>(upper, zero)) << 4)
  const edges = liquid.cubes + ((<usize>inside) << 4)
  const count = <usize>load<u8>(edges)
  let sum = 0.0
  for (let edge = edges + 1; edge <= edges + count; edge += 3) {
    for (let m: usize = 0; m < 3; m++) crossing(corners, <i32>load<u8>(edge + m), points + 24 * m)
    const meanX = (load<f64>(points) + load<f64>(points, 24) + load<f64>(points, 48)) / 3
    const y = load<f64>(points, 8)
    const z = load<f64>(points, 16)
    const first = (load<f64>(points, 32) - y) * (load<f64>(points, 64) - z)
    const second = (load<f64>(points, 56) - y) * (load<f64>(points, 40) - z)
    sum += (<f64>(i + n) + meanX) * 0.5 * (first - second)
  }
  return sum
}

/** Point of the surface on an edge of a cube (src/grid/cube-cases.ts), in coordinates of the cube. */
@inline
function crossing(corners: usize, edge: i32, point: usize): void {
  const axis = edge >> 2
  const next = axis == 2 ? 0 : axis + 1
  const last = axis == 0 ? 2 : axis - 1
  const from = ((edge & 1) << next) | (((edge >> 1) & 1) << last)
  const here = <f64>f32At(corners, from)
  const there = <f64>f32At(corners, from | (1 << axis))
  store<f64>(point + ((<usize>axis) << 3), here / (here - there))
  store<f64>(point + ((<usize>next) << 3), <f64>(edge & 1))
  store<f64>(point + ((<usize>last) << 3), <f64>((edge >> 1) & 1))
}

/** Σ of the open fraction of cells times the liquid fraction estimated from the distance of the centre, in cells. Drops and sheets that are too
 *  thin for a surface count, with more than their volume. */
@piece
export function cellVolumePiece(piece: i32): void {
  const liquid = current()
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  let sum = 0.0
  while (cell < end) {
    if (cell + 16 <= end && areBeyond(liquid.phi + ((<usize>cell) << 2))) {
      cell += 16
      continue
    }
    const stop = min(end, cell + 16)
    for (; cell < stop; cell++) {
      const phi = f32At(liquid.phi, cell)
      if (phi < 0.5) sum += <f64>f32At(liquid.openCell, cell) * (phi > -0.5 ? 0.5 - <f64>phi : 1)
    }
  }
  setSum(piece, 0, sum)
}

/** Whether sixteen centres are so far outside that their cells hold no liquid. */
@inline
function areBeyond(at: usize): bool {
  const half = v128.splat<f32>(0.5)
  const first = v128.and(v128.ge<f32>(v128.load(at), half), v128.ge<f32>(v128.load(at, 16), half))
  return v128.all_true<i32>(
    v128.and(first, v128.and(v128.ge<f32>(v128.load(at, 32), half), v128.ge<f32>(v128.load(at, 48), half))),
  )
}
