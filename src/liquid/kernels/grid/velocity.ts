/** Velocities of the grid between its faces, by the pairs: those of an axis hold the velocities of paths on all its faces, followed by what
 *  particles add to theirs, as f32. For one position, and for four unrelated positions at once. */
import { Liquid } from '../liquid'
import { mixTwo } from './interpolate-four'
import { across, along, integers, lowerAcross, lowerAlong } from '../particles/weights'

/** Trilinear interpolation; `at`: address of the lowest of the eight faces around the position, fx, fy, fz: fractions from there. */
@inline
export function mix(at: usize, row: usize, plane: usize, fx: f32, fy: f32, fz: f32): f32 {
  // Lanes 0 and 1: the lower and the upper face along x.
  let both = mixRows(at, row, fy)
  if (plane) both = mixTwo(both, mixRows(at + plane, row, fy), f32x4.splat(fz))
  const left = f32x4.extract_lane(both, 0)
  return left + fx * (f32x4.extract_lane(both, 1) - left)
}

@inline
function mixRows(at: usize, row: usize, fy: f32): v128 {
  return mixTwo(v128.load64_zero(at), v128.load64_zero(at + row), f32x4.splat(fy))
}

/** Lanes x, y, z. */
export function velocityAt(liquid: Liquid, position: v128, size: v128): v128 {
  return sampleAt(liquid, position, size, liquid.pairX, liquid.pairY, liquid.pairZ)
}

/** By `beforeX` …; lanes x, y, z. */
export function keptVelocityAt(liquid: Liquid, position: v128, size: v128): v128 {
  return sampleAt(liquid, position, size, liquid.beforeX, liquid.beforeY, liquid.beforeZ)
}

/** What particles add to their velocity; lanes x, y, z. */
export function changeAt(liquid: Liquid, position: v128, size: v128): v128 {
  const x = liquid.pairX + liquid.toChangeX
  return sampleAt(liquid, position, size, x, liquid.pairY + liquid.toChangeY, liquid.pairZ + liquid.toChangeZ)
}

@inline
function sampleAt(liquid: Liquid, position: v128, size: v128, valuesX: usize, valuesY: usize, valuesZ: usize): v128 {
  const nx = <usize>liquid.nx
  const ny = <usize>liquid.ny
  const a = along(position, size)
  const c = across(position, size)
  const la = lowerAlong(a, size)
  const lc = lowerAcross(c, size)
  const ia = integers(la)
  const ic = integers(lc)
  const fa = f32x4.sub(a, la)
  const fc = f32x4.sub(c, lc)
  const cx = <usize>i32x4.extract_lane(ic, 0)
  const cy = <usize>i32x4.extract_lane(ic, 1)
  const cz = <usize>i32x4.extract_lane(ic, 2)
  const fcx = f32x4.extract_lane(fc, 0)
  const fcy = f32x4.extract_lane(fc, 1)
  const fcz = f32x4.extract_lane(fc, 2)
  const x = valuesX + ((<usize>i32x4.extract_lane(ia, 0) + (nx + 1) * (cy + ny * cz)) << 2)
  const u = mix(x, liquid.rowX, liquid.planeX, f32x4.extract_lane(fa, 0), fcy, fcz)
  const y = valuesY + ((cx + nx * (<usize>i32x4.extract_lane(ia, 1) + (ny + 1) * cz)) << 2)
  const v = mix(y, liquid.rowY, liquid.planeY, fcx, f32x4.extract_lane(fa, 1), fcz)
  if (liquid.dims == 2) return f32x4(u, v, 0, 0)
  const z = valuesZ + ((cx + nx * (cy + ny * <usize>i32x4.extract_lane(ia, 2))) << 2)
  return f32x4(u, v, mix(z, liquid.rowZ, liquid.planeZ, fcx, fcy, f32x4.extract_lane(fa, 2)), 0)
}

/** Where four positions, one per lane, are between faces and centres. */
@unmanaged
export class Places {
  /** Bytes from the first face of an axis, and from the first centre, to the lowest one around the position. */
  x: v128
  y: v128
  z: v128
  centre: v128
  /** Fractions from there. */
  alongX: v128
  alongY: v128
  alongZ: v128
  acrossX: v128
  acrossY: v128
  acrossZ: v128

  // ---- of particles, see particles/advect-four.ts
  fromX: v128
  fromY: v128
  fromZ: v128
  /** Velocity there. */
  firstX: v128
  firstY: v128
  firstZ: v128
  /** Velocity of the displacement. */
  meanX: v128
  meanY: v128
  meanZ: v128
  /** Second result of `mixBoth`. */
  further: v128
}

/** Bytes of `Places`. */
export const PLACES: usize = 384

// Addresses of the offsets, four words each.
@inline
export function atX(places: Places): usize {
  return changetype<usize>(places) + offsetof<Places>('x')
}
@inline
export function atY(places: Places): usize {
  return changetype<usize>(places) + offsetof<Places>('y')
}
@inline
export function atZ(places: Places): usize {
  return changetype<usize>(places) + offsetof<Places>('z')
}
@inline
export function atCentre(places: Places): usize {
  return changetype<usize>(places) + offsetof<Places>('centre')
}

/** Groups of four positions that a piece works on at a time. */
export const BATCH: i32 = 16

/** Address of the first group of a piece's batch. */
@inline
export function placesOf(liquid: Liquid, piece: i32): usize {
  return liquid.places + <usize>(BATCH * piece) * PLACES
}

/** Numbers of cells along x, y, z in all lanes, and values derived from them. Loading them is faster than computing them. */
@unmanaged
export class Bounds {
  nx: v128
  ny: v128
  sizeX: v128
  sizeY: v128
  sizeZ: v128
  /** Minus one, and minus two, but at least 0. */
  lastX: v128
  lastY: v128
  lastZ: v128
  lowerX: v128
  lowerY: v128
  lowerZ: v128
}

/** Bytes of `Bounds`. */
export const BOUNDS: i32 = 176

export function setBounds(liquid: Liquid): void {
  const bounds = changetype<Bounds>(liquid.bounds)
  bounds.nx = i32x4.splat(liquid.nx)
  bounds.ny = i32x4.splat(liquid.ny)
  bounds.sizeX = f32x4.splat(<f32>liquid.nx)
  bounds.sizeY = f32x4.splat(<f32>liquid.ny)
  bounds.sizeZ = f32x4.splat(<f32>liquid.nz)
  bounds.lastX = f32x4.splat(<f32>(liquid.nx - 1))
  bounds.lastY = f32x4.splat(<f32>(liquid.ny - 1))
  bounds.lastZ = f32x4.splat(<f32>(liquid.nz - 1))
  bounds.lowerX = f32x4.splat(<f32>max(0, liquid.nx - 2))
  bounds.lowerY = f32x4.splat(<f32>max(0, liquid.ny - 2))
  bounds.lowerZ = f32x4.splat(<f32>max(0, liquid.nz - 2))
}

/** Sets the strides of arrays of faces and of the velocities in the pairs. */
export function setStrides(liquid: Liquid): void {
  const nx = <usize>liquid.nx
  const ny = <usize>liquid.ny
  const nz = <usize>liquid.nz
  liquid.rowX = ny > 1 ? (nx + 1) << 2 : 0
  liquid.rowY = nx << 2
  liquid.rowZ = ny > 1 ? nx << 2 : 0
  liquid.planeX = nz > 1 ? ((nx + 1) * ny) << 2 : 0
  liquid.planeY = nz > 1 ? (nx * (ny + 1)) << 2 : 0
  liquid.planeZ = (nx * ny) << 2
  liquid.toChangeX = ((nx + 1) * ny * nz) << 2
  liquid.toChangeY = (nx * (ny + 1) * nz) << 2
  liquid.toChangeZ = (nx * ny * (nz + 1)) << 2
}

/** Clamps to 0 … last; NaN, which is no place in memory, becomes 0. */
@inline
export function clamp(coordinate: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.splat(0), coordinate), last)
}

/** As particles/weights.ts for one position: coordinates from faces and from centres, the lowest points around, and fractions from there. */
@inline
export function locate(places: Places, liquid: Liquid, x: v128, y: v128, z: v128): void {
  const bounds = changetype<Bounds>(liquid.bounds)
  const half = f32x4.splat(0.5)
  const ax = clamp(x, bounds.sizeX)
  const ay = clamp(y, bounds.sizeY)
  const lowerAX = f32x4.floor(f32x4.pmin(ax, bounds.lastX))
  const lowerAY = f32x4.floor(f32x4.pmin(ay, bounds.lastY))
  places.alongX = f32x4.sub(ax, lowerAX)
  places.alongY = f32x4.sub(ay, lowerAY)
  const cx = clamp(f32x4.sub(x, half), bounds.lastX)
  const cy = clamp(f32x4.sub(y, half), bounds.lastY)
  const lowerCX = f32x4.floor(f32x4.pmin(cx, bounds.lowerX))
  const lowerCY = f32x4.floor(f32x4.pmin(cy, bounds.lowerY))
  places.acrossX = f32x4.sub(cx, lowerCX)
  places.acrossY = f32x4.sub(cy, lowerCY)
  const icx = integers(lowerCX)
  let rows = integers(lowerCY)
  let rowsY = integers(lowerAY)
  // In 2D there is only one plane, and no loop interpolates across it.
  if (liquid.dims == 3) {
    const az = clamp(z, bounds.sizeZ)
    const lowerAZ = f32x4.floor(f32x4.pmin(az, bounds.lastZ))
    const cz = clamp(f32x4.sub(z, half), bounds.lastZ)
    const lowerCZ = f32x4.floor(f32x4.pmin(cz, bounds.lowerZ))
    places.alongZ = f32x4.sub(az, lowerAZ)
    places.acrossZ = f32x4.sub(cz, lowerCZ)
    const icz = integers(lowerCZ)
    const planes = i32x4.mul(bounds.ny, icz)
    const rowsZ = i32x4.add(rows, i32x4.mul(bounds.ny, integers(lowerAZ)))
    places.z = i32x4.shl(i32x4.add(icx, i32x4.mul(bounds.nx, rowsZ)), 2)
    rows = i32x4.add(rows, planes)
    rowsY = i32x4.add(i32x4.add(rowsY, planes), icz)
  }
  const centres = i32x4.mul(bounds.nx, rows)
  places.x = i32x4.shl(i32x4.add(integers(lowerAX), i32x4.add(centres, rows)), 2)
  places.y = i32x4.shl(i32x4.add(icx, i32x4.mul(bounds.nx, rowsY)), 2)
  places.centre = i32x4.shl(i32x4.add(icx, centres), 2)
}

/** Cells of four positions; the nearest cells for positions outside the grid. */
@inline
export function cellsAt(liquid: Liquid, x: v128, y: v128, z: v128): v128 {
  const bounds = changetype<Bounds>(liquid.bounds)
  let rows = integers(f32x4.floor(clamp(y, bounds.lastY)))
  if (liquid.dims == 3) rows = i32x4.add(rows, i32x4.mul(bounds.ny, integers(f32x4.floor(clamp(z, bounds.lastZ)))))
  return i32x4.add(integers(f32x4.floor(clamp(x, bounds.lastX))), i32x4.mul(bounds.nx, rows))
}

/** Interpolates x-faces at four positions; `values` is their array. `inRow`: the positions are usually neighbours in a row. */
@inline
export function mixX(liquid: Liquid, places: Places, values: usize, inRow: bool = false): v128 {
  return mixFour(values, atX(places), liquid.rowX, liquid.planeX, places.alongX, places.acrossY, places.acrossZ, inRow)
}
@inline
export function mixY(liquid: Liquid, places: Places, values: usize, inRow: bool = false): v128 {
  return mixFour(values, atY(places), liquid.rowY, liquid.planeY, places.acrossX, places.alongY, places.acrossZ, inRow)
}
/** 0 in 2D. */
@inline
export function mixZ(liquid: Liquid, places: Places, values: usize, inRow: bool = false): v128 {
  if (liquid.dims == 2) return f32x4.splat(0)
  return mixFour(values, atZ(places), liquid.rowZ, liquid.planeZ, places.acrossX, places.acrossY, places.alongZ, inRow)
}

@inline
function mixFour(values: usize, at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128, inRow: bool): v128 {
  return inRow ? mixRow(values, at, row, plane, fx, fy, fz) : mixPlaces(values, at, row, plane, fx, fy, fz)
}

/** Same result as `mixPlaces`, with whole vectors loaded where the four positions are neighbours in a row. */
@inline
function mixRow(values: usize, at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const start = load<i32>(at)
  if (!v128.all_true<i32>(v128.eq<i32>(v128.load(at), i32x4.add(i32x4.splat(start), i32x4(0, 4, 8, 12))))) {
    return mixPlaces(values, at, row, plane, fx, fy, fz)
  }
  const a = values + <usize>start
  let left = mixTwo(v128.load(a), v128.load(a + row), fy)
  let right = mixTwo(v128.load(a, 4), v128.load(a + row, 4), fy)
  if (plane) {
    const b = a + plane
    left = mixTwo(left, mixTwo(v128.load(b), v128.load(b + row), fy), fz)
    right = mixTwo(right, mixTwo(v128.load(b, 4), v128.load(b + row, 4), fy), fz)
  }
  return mixTwo(left, right, fx)
}

/** As `mix`, for four positions. */
@inline
export function mixAt(values: usize, at: v128, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const a = values + <usize>i32x4.extract_lane(at, 0)
  const b = values + <usize>i32x4.extract_lane(at, 1)
  const c = values + <usize>i32x4.extract_lane(at, 2)
  const d = values + <usize>i32x4.extract_lane(at, 3)
  return mixEach(a, b, c, d, row, plane, fx, fy, fz)
}

/** As `mixAt` with offsets in memory: loading a stored offset is faster than extracting it from a vector. */
@inline
function mixPlaces(values: usize, at: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const a = values + load<usize>(at)
  const b = values + load<usize>(at, 4)
  const c = values + load<usize>(at, 8)
  const d = values + load<usize>(at, 12)
  return mixEach(a, b, c, d, row, plane, fx, fy, fz)
}

@inline
function mixEach(a: usize, b: usize, c: usize, d: usize, row: usize, plane: usize, fx: v128, fy: v128, fz: v128): v128 {
  const ab = mixPlanes(a, b, row, plane, v128.shuffle<i32>(fy, fy, 0, 0, 1, 1), v128.shuffle<i32>(fz, fz, 0, 0, 1, 1))
  const cd = mixPlanes(c, d, row, plane, v128.shuffle<i32>(fy, fy, 2, 2, 3, 3), v128.shuffle<i32>(fz, fz, 2, 2, 3, 3))
  return mixAlong(ab, cd, fx)
}

/** As `mixPlaces`; also interpolates the values `further` bytes behind into `places.further`, with the same weights and offsets. */
@inline
export function mixBoth(
  places: Places,
  values: usize,
  further: usize,
  at: usize,
  row: usize,
  plane: usize,
  fx: v128,
  fy: v128,
  fz: v128,
): v128 {
  const a = values + load<usize>(at)
  const b = values + load<usize>(at, 4)
  const c = values + load<usize>(at, 8)
  const d = values + load<usize>(at, 12)
  const fyAB = v128.shuffle<i32>(fy, fy, 0, 0, 1, 1)
  const fyCD = v128.shuffle<i32>(fy, fy, 2, 2, 3, 3)
  const fzAB = v128.shuffle<i32>(fz, fz, 0, 0, 1, 1)
  const fzCD = v128.shuffle<i32>(fz, fz, 2, 2, 3, 3)
  const ab = mixPlanes(a, b, row, plane, fyAB, fzAB)
  const cd = mixPlanes(c, d, row, plane, fyCD, fzCD)
  const furtherAB = mixPlanes(a + further, b + further, row, plane, fyAB, fzAB)
  const furtherCD = mixPlanes(c + further, d + further, row, plane, fyCD, fzCD)
  places.further = mixAlong(furtherAB, furtherCD, fx)
  return mixAlong(ab, cd, fx)
}

/** Interpolates along y and z at two positions, for two neighbours along x each. */
@inline
function mixPlanes(a: usize, b: usize, row: usize, plane: usize, fy: v128, fz: v128): v128 {
  const lower = mixTwo(two(a, b), two(a + row, b + row), fy)
  if (plane == 0) return lower
  return mixTwo(lower, mixTwo(two(a + plane, b + plane), two(a + plane + row, b + plane + row), fy), fz)
}

@inline
function mixAlong(ab: v128, cd: v128, fx: v128): v128 {
  return mixTwo(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7), fx)
}

/** Loads two neighbours along x at each of two addresses. */
@inline
export function two(a: usize, b: usize): v128 {
  return v128.load64_lane(b, v128.load64_zero(a), 1)
}
