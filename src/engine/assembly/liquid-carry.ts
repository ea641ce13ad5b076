/** Deep liquid moves on the grid: where what is in a cell has come from (semi-Lagrangian, by the midpoint rule), how deep it lay there, and the velocity it brings
 *  along, by cubic interpolation within the bounds of its nearest neighbours. Ways are found for centres; a face takes the mean of both
 *  sides, which is as accurate. */
import { number, setNumber, setPointer } from './jobs'
import { LAYER, Liquid } from './liquid'
import { sampleCubic } from './liquid-cubic'
import { CARRY, MERGE, TRACE } from './liquid-pieces'
import { BEYOND } from './liquid-project'
import { byAxis, byteAt, CELLS, current, endRow, f32At, firstRow, planeRows, rowLength } from './liquid-rows'
import { velocityAt } from './particle-advect'
import { across, integers, lowerAcross, planeX, planeY, planeZ, rowX, rowY, rowZ, sizes } from './particle-weights'
import { run } from './pool'

/** Needs the pairs, `depth`, and velocities that are known or extrapolated as far as liquid gets. Writes `carried` and `beforeX` … . */
export function carryDeep(liquid: Liquid, dt: f64): void {
  setPointer(0, changetype<usize>(liquid))
  setNumber(0, dt / liquid.spacing)
  run(TRACE, liquid.chunkCount)
  run(CARRY, liquid.chunkCount)
}

/** After particles have given their velocities. */
export function mergeDeep(liquid: Liquid): void {
  setPointer(0, changetype<usize>(liquid))
  run(MERGE, liquid.chunkCount)
}

export function traceChunk(chunk: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const size = sizes(liquid)
  const scale = <f32>number(0)
  const end = endRow(liquid, CELLS, chunk)
  for (let row = firstRow(liquid, CELLS, chunk); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const layer = liquid.layerX + <usize>(row * (nx + 1))
    for (let i = 0; i < nx; i++) {
      const cell = row * nx + i
      // No velocity reaches there, and no liquid.
      if (byteAt(layer, i) == BEYOND) {
        store<u8>(liquid.carried + <usize>cell, 0)
        continue
      }
      const to = f32x4(<f32>i + 0.5, <f32>j + 0.5, <f32>k + 0.5, 0)
      const middle = f32x4.sub(to, f32x4.mul(velocityOfCell(liquid, cell, row, k), f32x4.splat(0.5 * scale)))
      const way = f32x4.mul(velocityAt(liquid, middle, size, false, 0, 0), f32x4.splat(scale))
      const at = <usize>cell << 2
      store<f32>(liquid.wayX + at, f32x4.extract_lane(way, 0))
      store<f32>(liquid.wayY + at, f32x4.extract_lane(way, 1))
      store<f32>(liquid.wayZ + at, f32x4.extract_lane(way, 2))
      store<u8>(liquid.carried + <usize>cell, <u8>(depthAt(liquid, f32x4.sub(to, way), size) + 0.5))
    }
  }
}

/** In the centre. */
@inline
function velocityOfCell(liquid: Liquid, cell: i32, row: i32, k: i32): v128 {
  const x = liquid.pairX + (<usize>(cell + row) << 3)
  const y = liquid.pairY + (<usize>(cell + liquid.nx * k) << 3)
  const z = liquid.pairZ + (<usize>cell << 3)
  const u = load<f32>(x) + load<f32>(x, 8)
  const v = load<f32>(y) + load<f32>(y + (<usize>liquid.nx << 3))
  const w = liquid.dims == 3 ? load<f32>(z) + load<f32>(z + planeZ(liquid)) : 0
  return f32x4.mul(f32x4(u, v, w, 0), f32x4.splat(0.5))
}

/** Between centres. */
@inline
function depthAt(liquid: Liquid, position: v128, size: v128): f32 {
  const c = across(position, size)
  const lower = lowerAcross(c, size)
  const i = integers(lower)
  const f = f32x4.sub(c, lower)
  const right: usize = liquid.nx > 1 ? 1 : 0
  const row: usize = liquid.ny > 1 ? liquid.nx : 0
  const plane: usize = liquid.nz > 1 ? liquid.nx * liquid.ny : 0
  const at = liquid.depth + <usize>(i32x4.extract_lane(i, 0) + liquid.nx * (i32x4.extract_lane(i, 1) + liquid.ny * i32x4.extract_lane(i, 2)))
  const fx = f32x4.extract_lane(f, 0)
  const fy = f32x4.extract_lane(f, 1)
  const lowerPlane = alongY(at, right, row, fx, fy)
  return lowerPlane + f32x4.extract_lane(f, 2) * (alongY(at + plane, right, row, fx, fy) - lowerPlane)
}

@inline
function alongY(at: usize, right: usize, row: usize, fx: f32, fy: f32): f32 {
  const lower = alongX(at, right, fx)
  return lower + fy * (alongX(at + row, right, fx) - lower)
}

@inline
function alongX(at: usize, right: usize, fx: f32): f32 {
  const left = <f32>load<u8>(at)
  return left + fx * (<f32>load<u8>(at + right) - left)
}

/** From here on the grid has a say in velocities; a cell deeper it has the only one. */
@inline
function leastCarried(liquid: Liquid): i32 {
  return LAYER * (liquid.band - 1)
}

/** Of sixteen faces those with deep liquid on both sides; `lower` and `upper`: what is carried in the cells there. */
@inline
function deepLanes(lower: usize, upper: usize, least: v128): i32 {
  return v128.bitmask<i8>(v128.gt<u8>(v128.min<u8>(v128.load(lower), v128.load(upper)), least))
}

/** Velocities that deep liquid brings along, on faces that it has a say on; 0 on others. */
export function carryChunk(chunk: i32): void {
  const liquid = current()
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const j = row % rows
      const k = row / rows
      memory.fill(before + (<usize>(row * length) << 2), 0, <usize>length << 2)
      for (let i = 0; i < length; i += 16) {
        let lanes = lanesOfRow(liquid, axis, i, j, k)
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          store<f32>(before + (<usize>(row * length + n) << 2), broughtTo(liquid, axis, n, j, k))
        }
      }
    }
  }
}

/** Takes the velocity of deep liquid where particles are not told to be. */
export function mergeChunk(chunk: i32): void {
  const liquid = current()
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const before = byAxis(axis, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
    const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, chunk)
    for (let row = firstRow(liquid, axis, chunk); row < end; row++) {
      const j = row % rows
      const k = row / rows
      for (let i = 0; i < length; i += 16) {
        let lanes = lanesOfRow(liquid, axis, i, j, k)
        for (; lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          const face = <usize>(row * length + n)
          const carried = min(byteAt(liquid.carried, cellBeside(liquid, axis, n, j, k, 1)), byteAt(liquid.carried, cellBeside(liquid, axis, n, j, k, 0)))
          const share = load<u8>(layer + face) ? 1 : min(1, <f64>(carried - leastCarried(liquid)) / <f64>LAYER)
          const own = load<f64>(u + (face << 3))
          store<f64>(u + (face << 3), own + share * (<f64>load<f32>(before + (face << 2)) - own))
          store<u8>(layer + face, 0)
        }
      }
    }
  }
}

/** The cell below (1) or above (0) a face; on a side of the grid the one there is. */
@inline
function cellBeside(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32, below: i32): i32 {
  const x = axis == 0 ? within(i - below, liquid.nx) : i
  const y = axis == 1 ? within(j - below, liquid.ny) : j
  const z = axis == 2 ? within(k - below, liquid.nz) : k
  return x + liquid.nx * (y + liquid.ny * z)
}

@inline
function within(index: i32, size: i32): i32 {
  return min(max(index, 0), size - 1)
}

/** Of sixteen faces of a row, from face i on, those with deep liquid on both sides, or on the one that is in the grid. */
@inline
function lanesOfRow(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): i32 {
  const least = v128.splat<u8>(<u8>leastCarried(liquid))
  const nx = liquid.nx
  if (axis != 0) {
    const lanes = deepLanes(
      liquid.carried + <usize>cellBeside(liquid, axis, i, j, k, 1),
      liquid.carried + <usize>cellBeside(liquid, axis, i, j, k, 0),
      least,
    )
    return i + 16 > nx ? lanes & ((1 << (nx - i)) - 1) : lanes
  }
  const at = liquid.carried + <usize>(i + nx * (j + liquid.ny * k))
  let upper = v128.bitmask<i8>(v128.gt<u8>(v128.load(at), least))
  let lower = v128.bitmask<i8>(v128.gt<u8>(v128.load(at - 1), least))
  if (i == 0) lower |= 1
  if (i + 16 > nx) upper = (upper & ((1 << (nx - i)) - 1)) | (1 << (nx - i))
  return lower & upper & (i + 16 > nx ? (1 << (nx + 1 - i)) - 1 : 0xffff)
}

function broughtTo(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f32 {
  const below = cellBeside(liquid, axis, i, j, k, 1)
  const above = cellBeside(liquid, axis, i, j, k, 0)
  const x = <f32>i + (axis == 0 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayX, below) + f32At(liquid.wayX, above))
  const y = <f32>j + (axis == 1 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayY, below) + f32At(liquid.wayY, above))
  const z = <f32>k + (axis == 2 ? <f32>0 : 0.5) - 0.5 * (f32At(liquid.wayZ, below) + f32At(liquid.wayZ, above))
  if (axis == 0) return sampleCubic(liquid.pairX, liquid.nx + 1, liquid.ny, liquid.nz, rowX(liquid), planeX(liquid), x, y - 0.5, z - 0.5)
  if (axis == 1) return sampleCubic(liquid.pairY, liquid.nx, liquid.ny + 1, liquid.nz, rowY(liquid), planeY(liquid), x - 0.5, y, z - 0.5)
  return sampleCubic(liquid.pairZ, liquid.nx, liquid.ny, liquid.nz + 1, rowZ(liquid), planeZ(liquid), x - 0.5, y - 0.5, z)
}
