/** The surface of a liquid from its particles: mean positions as Zhu and Bridson (2005) take them, turned into distances (liquid-profile).
 *  Sides of the grid and solids mirror the particles before them, so that the surface meets walls without bending away from them and goes on
 *  in a solid as it is before it, as long as liquid touches the wall. Needs particles sorted by cell. */
import { number } from './jobs'
import { LEAST_DEEP, Liquid } from './liquid'
import { firstOf, lanesOf } from './liquid-marks'
import { distanceFor, REACH } from './liquid-profile'
import { byteAt, CELLS, current, endRow, firstRow } from './liquid-rows'
import { wallDistance, wallSlope } from './liquid-walls'

/** Particles do not tell depths beyond this from each other, in cells. */
const DEEPEST: f32 = -1

/** Distance of centres of crowded cells at most. */
const CROWDED: f32 = -0.25

/** Liquid this far from a wall, in cells, no longer touches it. */
const GAP: f32 = 0.5

/** Further from walls than any centre is. */
const NO_SOLID: f32 = 1e6

/** Means of few particles lie off by chance, and so always too far away. If all particles were placed at random, the square would be too large
 *  by their spread; this share of it is taken off, because particles of a liquid keep apart. */
const CHANCE: f32 = 0.25

/** Less weight than this says nothing about where the surface is. */
const LEAST_WEIGHT: f32 = 1e-12

/** Sums over particles around a cell, in four lanes. A chunk has three: of particles, of their images, and of some of these. */
@unmanaged
class Sums {
  weight: v128
  x: v128
  y: v128
  z: v128
  spread: v128
}

const SUMS: usize = 80
/** Bytes of a chunk. */
export const SURFACE_SCRATCH: i32 = 256

export function surfaceChunk(chunk: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const scratch = liquid.scratch + <usize>(chunk * SURFACE_SCRATCH)
  const end = endRow(liquid, CELLS, chunk)
  for (let row = firstRow(liquid, CELLS, chunk); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const phi = liquid.phi + (<usize>(row * nx) << 2)
    for (let i = 0; i < nx; i += 16) {
      const lanes = min(16, nx - i)
      const all = (1 << lanes) - 1
      const todo = lanesOf(liquid, i, j, k)
      const inReach = <i32>todo & all
      const deep = <i32>(todo >> 16) & all
      const at = phi + (<usize>i << 2)
      if (lanes == 16 && (inReach == 0 || deep == all)) {
        const value = v128.splat<f32>(inReach == 0 ? REACH : DEEPEST)
        for (let n: usize = 0; n < 64; n += 16) v128.store(at + n, value)
        continue
      }
      for (let n = 0; n < lanes; n++) {
        let value = REACH
        if ((deep >> n) & 1) value = DEEPEST
        else if ((inReach >> n) & 1) {
          value = max(DEEPEST, surfaceDistance(liquid, scratch, i + n, j, k))
          if (value > CROWDED && isCrowded(liquid, row * nx + i + n)) value = CROWDED
        }
        store<f32>(at + (<usize>n << 2), value)
      }
    }
  }
}

/** Does a cell hold particles for more than its room? Then it is liquid wherever in it they are: as air it would take up ever more. */
@inline
function isCrowded(liquid: Liquid, cell: i32): bool {
  const count = firstOf(liquid, cell + 1) - firstOf(liquid, cell)
  return count > 0 && <f32>count >= <f32>number(1) * load<f32>(liquid.openCell + (<usize>cell << 2))
}

/** Signed distance of a centre to the surface, by the particles in reach and, where they touch walls, their images. */
function surfaceDistance(liquid: Liquid, scratch: usize, i: i32, j: i32, k: i32): f32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const nz = liquid.nz
  const wall = liquid.hasSolids ? wallDistance(liquid, i, j, k) : NO_SOLID
  // Beside liquid without particles, in a solid: it goes on as far as any does.
  if (byteAt(liquid.carried, i + nx * (j + ny * k)) >= LEAST_DEEP) return wall < -REACH ? REACH : -wall - REACH
  const particles = changetype<Sums>(scratch)
  const deep = liquid.dims == 3 ? 1 : 0
  addAround(liquid, particles, i, j, k)
  const alone = distanceOf(liquid, particles)
  const isAtSide = i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || (deep && (k == 0 || k == nz - 1))
  const away = isAtSide ? min(wall, 0.5) : wall
  if (away >= REACH || alone + away >= GAP) return alone
  const images = changetype<Sums>(scratch + SUMS)
  clear(images)
  if (isAtSide) addSideImages(liquid, images, i, j, k)
  if (wall < REACH) addSolidImages(liquid, images, i, j, k, wall)
  merge(particles, images)
  // In a solid liquid goes on as far as particles reach, and ends there.
  const together = distanceOf(liquid, particles)
  return wall < 0 ? max(together, -wall - REACH) : together
}

/** Sums of the particles in the cells around a centre. As `addParticles` of row after row, which would store and load them each time. */
function addAround(liquid: Liquid, sums: Sums, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const first = max(0, i - 1)
  const behind = min(nx, i + 2)
  const lastB = min(ny - 1, j + 1)
  const lastC = min(liquid.nz - 1, k + 1)
  const atX = v128.splat<f32>(<f32>i + 0.5)
  const atY = v128.splat<f32>(<f32>j + 0.5)
  const atZ = v128.splat<f32>(<f32>k + 0.5)
  let weight = v128.splat<f32>(0)
  let sumX = weight
  let sumY = weight
  let sumZ = weight
  let spread = weight
  for (let c = max(0, k - 1); c <= lastC; c++) {
    for (let b = max(0, j - 1); b <= lastB; b++) {
      const row = nx * (b + ny * c)
      const end = firstOf(liquid, row + behind)
      for (let n = firstOf(liquid, row + first); n < end; n += 4) {
        const at = <usize>n << 2
        const dx = v128.sub<f32>(v128.load(liquid.px + at), atX)
        const dy = v128.sub<f32>(v128.load(liquid.py + at), atY)
        const dz = v128.sub<f32>(v128.load(liquid.pz + at), atZ)
        const square = squareOf(dx, dy, dz)
        const w = weightOf(square, end - n)
        weight = v128.add<f32>(weight, w)
        sumX = v128.add<f32>(sumX, v128.mul<f32>(w, dx))
        sumY = v128.add<f32>(sumY, v128.mul<f32>(w, dy))
        sumZ = v128.add<f32>(sumZ, v128.mul<f32>(w, dz))
        spread = v128.add<f32>(spread, v128.mul<f32>(v128.mul<f32>(w, w), square))
      }
    }
  }
  sums.weight = weight
  sums.x = sumX
  sums.y = sumY
  sums.z = sumZ
  sums.spread = spread
}

@inline
function clear(sums: Sums): void {
  const zero = v128.splat<f32>(0)
  sums.weight = zero
  sums.x = zero
  sums.y = zero
  sums.z = zero
  sums.spread = zero
}

@inline
function merge(into: Sums, from: Sums): void {
  into.weight = v128.add<f32>(into.weight, from.weight)
  into.x = v128.add<f32>(into.x, from.x)
  into.y = v128.add<f32>(into.y, from.y)
  into.z = v128.add<f32>(into.z, from.z)
  into.spread = v128.add<f32>(into.spread, from.spread)
}

function distanceOf(liquid: Liquid, sums: Sums): f32 {
  const weight = lanesSum(sums.weight)
  if (!(weight > LEAST_WEIGHT)) return REACH
  const x = lanesSum(sums.x) / weight
  const y = lanesSum(sums.y) / weight
  const z = lanesSum(sums.z) / weight
  const byChance = (CHANCE * lanesSum(sums.spread)) / (weight * weight)
  return distanceFor(liquid.profile, sqrt(max(x * x + y * y + z * z - byChance, 0)))
}

@inline
function lanesSum(v: v128): f32 {
  return v128.extract_lane<f32>(v, 0) + v128.extract_lane<f32>(v, 1) + (v128.extract_lane<f32>(v, 2) + v128.extract_lane<f32>(v, 3))
}

/** Lanes of the last four particles that are still particles of the run. */
@inline
function tail(rest: i32): v128 {
  return v128.gt<i32>(v128.splat<i32>(rest), i32x4(0, 1, 2, 3))
}

/** (1 − d² / REACH²)³, 0 beyond. */
@inline
function weightOf(square: v128, rest: i32): v128 {
  const s = v128.sub<f32>(v128.splat<f32>(1), v128.mul<f32>(square, v128.splat<f32>(1 / (REACH * REACH))))
  let inside = v128.pmax<f32>(v128.splat<f32>(0), s)
  if (rest < 4) inside = v128.and(inside, tail(rest))
  return v128.mul<f32>(v128.mul<f32>(inside, inside), inside)
}

@inline
function squareOf(dx: v128, dy: v128, dz: v128): v128 {
  return v128.add<f32>(v128.add<f32>(v128.mul<f32>(dx, dx), v128.mul<f32>(dy, dy)), v128.mul<f32>(dz, dz))
}

/** Particles from n to end, seen from (x, y, z). */
function addParticles(liquid: Liquid, sums: Sums, n: i32, end: i32, x: f32, y: f32, z: f32): void {
  const atX = v128.splat<f32>(x)
  const atY = v128.splat<f32>(y)
  const atZ = v128.splat<f32>(z)
  let px = liquid.px + (<usize>n << 2)
  let py = liquid.py + (<usize>n << 2)
  let pz = liquid.pz + (<usize>n << 2)
  let weight = sums.weight
  let sumX = sums.x
  let sumY = sums.y
  let sumZ = sums.z
  let spread = sums.spread
  for (; n < end; n += 4, px += 16, py += 16, pz += 16) {
    const dx = v128.sub<f32>(v128.load(px), atX)
    const dy = v128.sub<f32>(v128.load(py), atY)
    const dz = v128.sub<f32>(v128.load(pz), atZ)
    const square = squareOf(dx, dy, dz)
    const w = weightOf(square, end - n)
    weight = v128.add<f32>(weight, w)
    sumX = v128.add<f32>(sumX, v128.mul<f32>(w, dx))
    sumY = v128.add<f32>(sumY, v128.mul<f32>(w, dy))
    sumZ = v128.add<f32>(sumZ, v128.mul<f32>(w, dz))
    spread = v128.add<f32>(spread, v128.mul<f32>(v128.mul<f32>(w, w), square))
  }
  sums.weight = weight
  sums.x = sumX
  sums.y = sumY
  sums.z = sumZ
  sums.spread = spread
}

/** Images of what lies in the cells along sides. A centre sees the images of particles as their images see it: those of the cell's own row,
 *  from the centre mirrored, with the mirrored components turned back. */
function addSideImages(liquid: Liquid, sums: Sums, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const nz = liquid.nz
  const deep = liquid.dims == 3 ? 1 : 0
  const own = changetype<Sums>(changetype<usize>(sums) + SUMS)
  for (let c = k - deep; c <= k + deep; c++) {
    const isOutZ = c < 0 || c >= nz
    for (let b = j - 1; b <= j + 1; b++) {
      const isOutY = b < 0 || b >= ny
      const row = nx * ((isOutY ? j : b) + ny * (isOutZ ? k : c))
      for (let a = i - 1; a <= i + 1; a++) {
        const isOutX = a < 0 || a >= nx
        if (!isOutX && !isOutY && !isOutZ) continue
        const cell = row + (isOutX ? i : a)
        clear(own)
        const x = mirrored(i, a, nx)
        const y = mirrored(j, b, ny)
        const z = mirrored(k, c, nz)
        addParticles(liquid, own, firstOf(liquid, cell), firstOf(liquid, cell + 1), x, y, z)
        if (isOutX) own.x = v128.neg<f32>(own.x)
        if (isOutY) own.y = v128.neg<f32>(own.y)
        if (isOutZ) own.z = v128.neg<f32>(own.z)
        merge(sums, own)
      }
    }
  }
}

/** Centre of cell n along an axis, mirrored in the side beyond which `at` lies. */
@inline
function mirrored(n: i32, at: i32, size: i32): f32 {
  const centre = <f32>n + 0.5
  return at < 0 ? -centre : at >= size ? 2 * <f32>size - centre : centre
}

/** Images in the nearest solid, as if its surface were a plane. */
function addSolidImages(liquid: Liquid, sums: Sums, i: i32, j: i32, k: i32, wall: f32): void {
  const slopeX = wallSlope(liquid, 0, i, j, k)
  const slopeY = wallSlope(liquid, 1, i, j, k)
  const slopeZ = wallSlope(liquid, 2, i, j, k)
  const length = sqrt(slopeX * slopeX + slopeY * slopeY + slopeZ * slopeZ)
  if (!(length > 0)) return
  const nx = liquid.nx
  const ny = liquid.ny
  const deep = liquid.dims == 3 ? 1 : 0
  const first = max(0, i - 1)
  const last = min(nx - 1, i + 1)
  for (let c = max(0, k - deep); c <= min(liquid.nz - 1, k + deep); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const row = nx * (b + ny * c)
      const from = firstOf(liquid, row + first)
      const to = firstOf(liquid, row + last + 1)
      addMirrored(liquid, sums, from, to, i, j, k, wall, slopeX / length, slopeY / length, slopeZ / length)
    }
  }
}

function addMirrored(liquid: Liquid, sums: Sums, n: i32, end: i32, i: i32, j: i32, k: i32, wall: f32, x: f32, y: f32, z: f32): void {
  const normalX = v128.splat<f32>(x)
  const normalY = v128.splat<f32>(y)
  const normalZ = v128.splat<f32>(z)
  const away = v128.splat<f32>(wall)
  for (; n < end; n += 4) {
    const at = <usize>n << 2
    const dx = v128.sub<f32>(v128.load(liquid.px + at), v128.splat<f32>(<f32>i + 0.5))
    const dy = v128.sub<f32>(v128.load(liquid.py + at), v128.splat<f32>(<f32>j + 0.5))
    const dz = v128.sub<f32>(v128.load(liquid.pz + at), v128.splat<f32>(<f32>k + 0.5))
    // How far before the wall; the image lies as far behind it.
    const along = v128.add<f32>(v128.add<f32>(v128.mul<f32>(normalX, dx), v128.mul<f32>(normalY, dy)), v128.mul<f32>(normalZ, dz))
    const before = v128.add<f32>(away, along)
    const twice = v128.add<f32>(before, before)
    const square = v128.add<f32>(squareOf(dx, dy, dz), v128.mul<f32>(v128.add<f32>(twice, twice), away))
    const w = v128.and(weightOf(square, end - n), v128.gt<f32>(before, v128.splat<f32>(0)))
    sums.weight = v128.add<f32>(sums.weight, w)
    sums.x = v128.add<f32>(sums.x, v128.mul<f32>(w, v128.sub<f32>(dx, v128.mul<f32>(twice, normalX))))
    sums.y = v128.add<f32>(sums.y, v128.mul<f32>(w, v128.sub<f32>(dy, v128.mul<f32>(twice, normalY))))
    sums.z = v128.add<f32>(sums.z, v128.mul<f32>(w, v128.sub<f32>(dz, v128.mul<f32>(twice, normalZ))))
    sums.spread = v128.add<f32>(sums.spread, v128.mul<f32>(v128.mul<f32>(w, w), square))
  }
}
