/** From the level set of a frame to what rays read: in cells, continued into solids and beyond the grid, with blocks that rays may skip,
 *  and slopes for normals. */
import { continueLiquid } from '../continue'
import { FAR, Space } from './space'

/** Cells that a ray can walk at once, at most. */
const MOST_CLEAR: i32 = 8
/** Slopes are needed within this many cells of the surface: as far as the cells around it are, and one more. */
const NEAR: f32 = 1.8

export function takeLiquid(space: Space): void {
  scaleLiquid(space)
  if (!space.hasLiquid) return
  if (space.hasSolid) continueLiquid(space.continuation, firstCell(space))
  repeatSides(space)
  findClear(space)
  measureClear(space)
  findSlopes(space)
}

/** Of `liquid`, which has one more on every side. */
@inline
function firstCell(space: Space): usize {
  return space.liquid + rowOf(space) * <usize>(space.ny + 3) + 4
}

@inline
function rowOf(space: Space): usize {
  return (<usize>(space.nx + 2)) << 2
}

/** Lanes of a vector that are in a row of which `count` cells are left, as bits. */
@inline
function within(count: i32): i32 {
  return count >= 4 ? 15 : (1 << count) - 1
}

/** Into cells, and finds the box that liquid is in. */
function scaleLiquid(space: Space): void {
  const nx = space.nx
  const row = rowOf(space)
  const plane = row * <usize>(space.ny + 2)
  const scale = f32x4.splat(<f32>1 / space.spacing)
  const far = f32x4.splat(FAR)
  const zero = f32x4.splat(0)
  let fromX = nx,
    fromY = space.ny,
    fromZ = space.nz
  let toX = 0,
    toY = 0,
    toZ = 0
  let from = space.givenLiquid
  for (let k = 0; k < space.nz; k++) {
    for (let j = 0; j < space.ny; j++) {
      const to = space.liquid + plane * <usize>(k + 1) + row * <usize>(j + 1) + 4
      let first = nx
      let last = -1
      for (let i = 0; i < nx; i += 4) {
        const offset = (<usize>i) << 2
        // What is not a number is not less than FAR.
        const phi = f32x4.pmax(f32x4.neg(far), f32x4.pmin(far, f32x4.mul(v128.load(from + offset), scale)))
        v128.store(to + offset, phi)
        const wet = i32x4.bitmask(f32x4.lt(phi, zero)) & within(nx - i)
        if (!wet) continue
        first = min(first, i + ctz(wet))
        last = i + 31 - clz(wet)
      }
      from += (<usize>nx) << 2
      if (last < 0) continue
      fromX = min(fromX, first)
      toX = max(toX, last + 1)
      fromY = min(fromY, j)
      toY = max(toY, j + 1)
      fromZ = min(fromZ, k)
      toZ = k + 1
    }
  }
  space.fromX = fromX
  space.fromY = fromY
  space.fromZ = fromZ
  space.toX = toX
  space.toY = toY
  space.toZ = toZ
  space.hasLiquid = toX > 0
}

/** Liquid is continued beyond the sides of the grid. */
function repeatSides(space: Space): void {
  const row = rowOf(space)
  const plane = row * <usize>(space.ny + 2)
  for (let k = 1; k <= space.nz; k++) {
    const first = space.liquid + plane * <usize>k
    for (let j = 1; j <= space.ny; j++) {
      const at = first + row * <usize>j
      store<f32>(at, load<f32>(at, 4))
      store<f32>(at + row - 4, load<f32>(at + row - 8))
    }
    memory.copy(first, first + row, row)
    memory.copy(first + plane - row, first + plane - 2 * row, row)
  }
  memory.copy(space.liquid, space.liquid + plane, plane)
  const last = space.liquid + plane * <usize>(space.nz + 1)
  memory.copy(last, last - plane, plane)
}

/** Bytes of all cells and those around them. */
@inline
function bytesOf(space: Space): usize {
  return <usize>(space.nx + 2) * <usize>(space.ny + 2) * <usize>(space.nz + 2)
}

/** Marks places, by the lowest of the eight cells around them, with 1 if those are all liquid or all air, else with 0. */
function findClear(space: Space): void {
  const bytes = bytesOf(space)
  const row = <usize>(space.nx + 2)
  const plane = row * <usize>(space.ny + 2)
  for (let at: usize = 0; at < bytes; at += 16) {
    const from = space.liquid + (at << 2)
    const low = i16x8.narrow_i32x4_s(i32x4.shr_s(v128.load(from), 31), i32x4.shr_s(v128.load(from, 16), 31))
    const high = i16x8.narrow_i32x4_s(i32x4.shr_s(v128.load(from, 32), 31), i32x4.shr_s(v128.load(from, 48), 31))
    v128.store(space.eroded + at, i8x16.narrow_i16x8_s(low, high))
  }
  const one = i8x16.splat(1)
  for (let at: usize = 0; at < bytes; at += 16) {
    const p = space.eroded + at
    const a = v128.load(p),
      b = v128.load(p, 1),
      c = v128.load(p + row),
      d = v128.load(p + row, 1)
    const q = p + plane
    const e = v128.load(q),
      f = v128.load(q, 1),
      g = v128.load(q + row),
      h = v128.load(q + row, 1)
    const some = v128.or(v128.or(v128.or(a, b), v128.or(c, d)), v128.or(v128.or(e, f), v128.or(g, h)))
    const all = v128.and(v128.and(v128.and(a, b), v128.and(c, d)), v128.and(v128.and(e, f), v128.and(g, h)))
    v128.store(space.free + at, v128.and(i8x16.eq(some, all), one))
  }
  clearBeyond(space)
}

/** Nothing beyond the grid is read. */
function clearBeyond(space: Space): void {
  const row = <usize>(space.nx + 2)
  const plane = row * <usize>(space.ny + 2)
  const end = space.free + plane * <usize>(space.nz + 1)
  for (let at = space.free; at < end; at += plane) {
    for (let last = at + row - 1; last < at + plane; last += row) store<u8>(last, 1)
    memory.fill(at + plane - row, 1, row)
  }
  memory.fill(end, 1, plane)
}

/** How many cells to every side are like a place: every pass removes those with different neighbours. */
function measureClear(space: Space): void {
  const bytes = bytesOf(space)
  const row = <usize>(space.nx + 2)
  const plane = row * <usize>(space.ny + 2)
  memory.fill(space.clear, 0, bytes)
  for (let turn = 0; turn < MOST_CLEAR; turn++) {
    erode(space.free, space.eroded, bytes, 1)
    erode(space.eroded, space.again, bytes, row)
    erode(space.again, space.free, bytes, plane)
    clearBeyond(space)
    let some = i8x16.splat(0)
    for (let at: usize = 0; at < bytes; at += 16) {
      const left = v128.load(space.free + at)
      some = v128.or(some, left)
      v128.store(space.clear + at, i8x16.add(v128.load(space.clear + at), left))
    }
    if (!v128.any_true(some)) return
  }
}

@inline
function erode(from: usize, to: usize, bytes: usize, step: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    const p = from + at
    v128.store(to + at, v128.and(v128.load(p), v128.and(v128.load(p - step), v128.load(p + step))))
  }
}

/** Differences over two cells, smoothed across with weights 1, 2, 1, in rows that have cells near the surface. */
function findSlopes(space: Space): void {
  const nx = space.nx
  const row = rowOf(space)
  const plane = row * <usize>(space.ny + 2)
  const room = (<usize>(nx + 8)) << 2
  const sumX = space.sums,
    sumY = sumX + room,
    sumZ = sumY + room
  let to = space.slopes
  for (let k = 0; k < space.nz; k++) {
    for (let j = 0; j < space.ny; j++, to += (<usize>nx) << 4) {
      const at = space.liquid + plane * <usize>(k + 1) + row * <usize>(j + 1)
      if (!hasSurface(at, row)) {
        // Pictures do not depend on the frame before.
        memory.fill(to, 0, (<usize>nx) << 4)
        continue
      }
      for (let offset: usize = 0; offset < row; offset += 16) {
        const p = at + offset
        const below = v128.load(p - row),
          above = v128.load(p + row)
        const back = smooth3(v128.load(p - plane - row), v128.load(p - plane), v128.load(p - plane + row))
        const front = smooth3(v128.load(p + plane - row), v128.load(p + plane), v128.load(p + plane + row))
        v128.store(sumX + offset, smooth3(back, smooth3(below, v128.load(p), above), front))
        v128.store(sumZ + offset, f32x4.sub(front, back))
        const upper = smooth3(v128.load(p - plane + row), above, v128.load(p + plane + row))
        const lower = smooth3(v128.load(p - plane - row), below, v128.load(p + plane - row))
        v128.store(sumY + offset, f32x4.sub(upper, lower))
      }
      storeSlopes(to, nx, sumX, sumY, sumZ)
    }
  }
}

function hasSurface(at: usize, row: usize): bool {
  const near = f32x4.splat(NEAR)
  for (let offset: usize = 0; offset < row; offset += 16) {
    if (v128.any_true(f32x4.lt(f32x4.abs(v128.load(at + offset)), near))) return true
  }
  return false
}

@inline
function smooth3(a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.add(a, c), f32x4.add(b, b))
}

/** One row, of which the sums begin one cell before. */
function storeSlopes(to: usize, nx: i32, sumX: usize, sumY: usize, sumZ: usize): void {
  const zero = f32x4.splat(0)
  for (let i = 0; i < nx; i += 4) {
    const at = (<usize>i) << 2
    const x = f32x4.sub(v128.load(sumX + at, 8), v128.load(sumX + at))
    const y = smooth3(v128.load(sumY + at), v128.load(sumY + at, 4), v128.load(sumY + at, 8))
    const z = smooth3(v128.load(sumZ + at), v128.load(sumZ + at, 4), v128.load(sumZ + at, 8))
    const lowXY = v128.shuffle<f32>(x, y, 0, 4, 1, 5)
    const highXY = v128.shuffle<f32>(x, y, 2, 6, 3, 7)
    const lowZ = v128.shuffle<f32>(z, zero, 0, 4, 1, 5)
    const highZ = v128.shuffle<f32>(z, zero, 2, 6, 3, 7)
    const left = nx - i
    const p = to + (at << 2)
    v128.store(p, v128.shuffle<f64>(lowXY, lowZ, 0, 2))
    if (left > 1) v128.store(p, v128.shuffle<f64>(lowXY, lowZ, 1, 3), 16)
    if (left > 2) v128.store(p, v128.shuffle<f64>(highXY, highZ, 0, 2), 32)
    if (left > 3) v128.store(p, v128.shuffle<f64>(highXY, highZ, 1, 3), 48)
  }
}
