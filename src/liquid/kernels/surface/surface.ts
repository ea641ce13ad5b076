/** The surface of a liquid from its particles: mean positions of Zhu and Bridson (2005), converted to distances (profile.ts). Sides of the grid
 *  and solids mirror the particles in front of them, so that the surface meets walls without bending and continues into solids where liquid
 *  touches them. Particles must be sorted. */
import { MIN_DEEP, REACH } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { firstParticle, Liquid } from '../liquid'
import { areSolid, lanesOf, SurfaceJob } from './marks'
import { distanceFor, distancesFor } from './profile'
import { byteAt, CELLS, current, endRow, f32At, firstRow, nodeIndex } from '../grid/rows'
import {
  addAround,
  addCell,
  addListed,
  clear,
  initProbe,
  merge,
  placeProbe,
  Probe,
  setMirror,
  spreadOf,
  SUMS_BYTES,
  Sums,
  totals,
  totalsOfFour,
} from './sums'
import { FREE, FREE_DISTANCES, PROBE_AT, SURFACE_SCRATCH, WALL_DISTANCES } from './scratch'
import { wallDistances, wallSlopes } from './walls'

/** Particles do not resolve larger depths, in cells. */
const DEEPEST: f32 = -1

/** Distance at centres of crowded cells. */
const CROWDED: f32 = -0.25

/** Liquid this far from a wall, in cells, does not touch it. */
const GAP: f32 = 0.5

/** Distance to walls without solids. */
const NO_SOLID: f32 = 1e6

/** The mean of few particles is off by chance, which always increases its distance. For independent random positions, the squared distance
 *  would be too large by their spread; this share of the spread is subtracted, because particles of a liquid keep apart. */
const CHANCE: f32 = 0.25

/** Less weight than this does not define a surface. */
const MIN_WEIGHT: f32 = 1e-12

@piece
export function surfacePiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const scratch = liquid.scratch + <usize>(piece * SURFACE_SCRATCH)
  const end = endRow(liquid, CELLS, piece)
  initProbe(changetype<Probe>(scratch + PROBE_AT))
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const phi = liquid.phi + ((<usize>(row * nx)) << 2)
    for (let i = 0; i < nx; i += 16) {
      const lanes = min(16, nx - i)
      const all = (1 << lanes) - 1
      const todo = lanesOf(liquid, i, j, k)
      const inReach = <i32>todo & all
      const deep = <i32>(todo >> 16) & all
      const at = phi + ((<usize>i) << 2)
      const deepInSolids = liquid.hasSolids ? deep & v128.bitmask<i8>(areSolid(liquid, row * nx + i)) : 0
      if (lanes == 16 && (inReach == 0 || (deep == all && deepInSolids == 0))) {
        const value = v128.splat<f32>(inReach == 0 ? <f32>REACH : DEEPEST)
        for (let n: usize = 0; n < 64; n += 16) v128.store(at + n, value)
        continue
      }
      for (let n = 0; n < lanes; n++) store<f32>(at + ((<usize>n) << 2), (deep >> n) & 1 ? DEEPEST : <f32>REACH)
      if (liquid.hasSolids) storeWalls(liquid, scratch + WALL_DISTANCES, i, j, k)
      for (let rest = deepInSolids; rest != 0; rest &= rest - 1) {
        const n = ctz(rest)
        store<f32>(at + ((<usize>n) << 2), max(DEEPEST, continuedInto(f32At(scratch + WALL_DISTANCES, n))))
      }
      const near = inReach & ~deep
      const free = freeLanes(liquid, scratch, near, i, j, k)
      let value = scratch + FREE_DISTANCES
      for (let rest = near; rest != 0; rest &= rest - 1) {
        const n = ctz(rest)
        let distance: f32
        if ((free >> n) & 1) {
          distance = load<f32>(value)
          value += 4
        } else
          distance = surfaceDistance(
            liquid,
            scratch,
            i + n,
            j,
            k,
            liquid.hasSolids ? f32At(scratch + WALL_DISTANCES, n) : NO_SOLID,
          )
        distance = max(DEEPEST, distance)
        store<f32>(at + ((<usize>n) << 2), min(distance, crowdedDistance(liquid, row * nx + i + n)))
      }
    }
  }
}

/** Returns those of `lanes`, of sixteen centres in a row, that have neither a wall nor liquid without particles in reach, and stores their
 *  distances one after the other. Four at a time take hardly longer than one. */
function freeLanes(liquid: Liquid, scratch: usize, lanes: i32, i: i32, j: i32, k: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  if (j == 0 || j == ny - 1 || (liquid.dims == 3 && (k == 0 || k == liquid.nz - 1))) return 0
  const cell = i + nx * (j + ny * k)
  const isDeep = v128.ge<u8>(v128.load(liquid.carried + <usize>cell), v128.splat<u8>(<u8>MIN_DEEP))
  let free = lanes & ~v128.bitmask<i8>(isDeep)
  if (i == 0) free &= ~1
  if (i + 16 >= nx) free &= ~(1 << (nx - 1 - i))
  if (liquid.hasSolids) free &= ~v128.bitmask<i8>(areInReach(scratch + WALL_DISTANCES))
  const probe = changetype<Probe>(scratch + PROBE_AT)
  let at = scratch + FREE
  for (let rest = free; rest != 0; rest &= rest - 1, at += SUMS_BYTES) {
    const n = i + ctz(rest)
    clear(changetype<Sums>(at))
    placeProbe(probe, <f32>n + 0.5, <f32>j + 0.5, <f32>k + 0.5)
    addAround(liquid, changetype<Sums>(at), probe, n, j, k, false)
  }
  let value = scratch + FREE_DISTANCES
  for (let first = scratch + FREE; first < at; first += 4 * SUMS_BYTES, value += 16) v128.store(value, distancesOf(liquid, first))
  return free
}

/** Lanes of sixteen centres with walls in reach. */
@inline
function areInReach(walls: usize): v128 {
  const reach = v128.splat<f32>(<f32>REACH)
  const low = v128.narrow<i32>(v128.lt<f32>(v128.load(walls), reach), v128.lt<f32>(v128.load(walls, 16), reach))
  return v128.narrow<i16>(
    low,
    v128.narrow<i32>(v128.lt<f32>(v128.load(walls, 32), reach), v128.lt<f32>(v128.load(walls, 48), reach)),
  )
}

/** As `distanceOf`, for four `Sums`. */
@inline
function distancesOf(liquid: Liquid, first: usize): v128 {
  const weight = totalsOfFour(first + offsetof<Sums>('weight'))
  const x = v128.div<f32>(totalsOfFour(first + offsetof<Sums>('x')), weight)
  const y = v128.div<f32>(totalsOfFour(first + offsetof<Sums>('y')), weight)
  const z = v128.div<f32>(totalsOfFour(first + offsetof<Sums>('z')), weight)
  const square = v128.add<f32>(v128.add<f32>(v128.mul<f32>(x, x), v128.mul<f32>(y, y)), v128.mul<f32>(z, z))
  const spread = v128.mul<f32>(v128.splat<f32>(CHANCE), totalsOfFour(first + offsetof<Sums>('spread')))
  const byChance = v128.div<f32>(spread, v128.mul<f32>(weight, weight))
  const mean = v128.sqrt<f32>(v128.max<f32>(v128.sub<f32>(square, byChance), v128.splat<f32>(0)))
  const isKnown = v128.gt<f32>(weight, v128.splat<f32>(MIN_WEIGHT))
  return v128.bitselect(distancesFor(liquid.profile, v128.and(mean, isKnown)), v128.splat<f32>(<f32>REACH), isKnown)
}

/** Distances of sixteen centres to walls; undefined beyond the end of the row. */
function storeWalls(liquid: Liquid, walls: usize, i: i32, j: i32, k: i32): void {
  const node = nodeIndex(liquid, i, j, k)
  for (let n = 0; n < 16; n += 4) v128.store(walls + ((<usize>n) << 2), wallDistances(liquid, node + n))
}

/** Largest distance at the centre of a cell by the number of its particles: a cell that holds more than it has room for is liquid wherever they
 *  are; as air it would collect ever more. Without walls in the cell, the bound falls with their number. */
@inline
function crowdedDistance(liquid: Liquid, cell: i32): f32 {
  const count = firstParticle(liquid, cell + 1) - firstParticle(liquid, cell)
  const open = f32At(liquid.openCell, cell)
  const room = <f32>jobOf<SurfaceJob>().particlesPerCell * open
  if (count == 0 || <f32>count < room) return <f32>REACH
  return open < 1 ? CROWDED : max<f32>(CROWDED, <f32>1.5 - <f32>count / room)
}

/** Signed distance to the surface at a centre with walls in reach, from the particles in reach and, where they touch walls, their images. */
function surfaceDistance(liquid: Liquid, scratch: usize, i: i32, j: i32, k: i32, wall: f32): f32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const nz = liquid.nz
  // In a solid beside liquid without particles.
  if (byteAt(liquid.carried, i + nx * (j + ny * k)) >= MIN_DEEP) return continuedInto(wall)
  const particles = changetype<Sums>(scratch)
  const probe = changetype<Probe>(scratch + PROBE_AT)
  const deep = liquid.dims == 3 ? 1 : 0
  clear(particles)
  placeProbe(probe, <f32>i + 0.5, <f32>j + 0.5, <f32>k + 0.5)
  const listed = addAround(liquid, particles, probe, i, j, k, false)
  const alone = distanceOf(liquid, particles)
  const isAtSide = i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || (deep && (k == 0 || k == nz - 1))
  const away = isAtSide ? min(wall, 0.5) : wall
  if (alone + away >= GAP) return alone
  const images = changetype<Sums>(scratch + SUMS_BYTES)
  clear(images)
  if (isAtSide) addSideImages(liquid, images, probe, i, j, k)
  if (wall < <f32>REACH) addSolidImages(liquid, images, probe, i, j, k, wall, isAtSide ? -1 : listed)
  merge(particles, images)
  // In a solid the liquid continues as far as REACH, and ends there.
  const together = distanceOf(liquid, particles)
  return wall < 0 ? max(together, -wall - <f32>REACH) : together
}

/** Distance at a centre that is this far in front of a wall, if liquid fills all of the space there: it continues into the solid as far as
 *  REACH. */
@inline
function continuedInto(wall: f32): f32 {
  return wall < -(<f32>REACH) ? <f32>REACH : -wall - <f32>REACH
}

function distanceOf(liquid: Liquid, sums: Sums): f32 {
  const means = totals(sums)
  const weight = v128.extract_lane<f32>(means, 3)
  if (!(weight > MIN_WEIGHT)) return <f32>REACH
  const mean = v128.div<f32>(means, v128.splat<f32>(weight))
  const squares = v128.mul<f32>(mean, mean)
  const square = v128.extract_lane<f32>(squares, 0) + v128.extract_lane<f32>(squares, 1) + v128.extract_lane<f32>(squares, 2)
  const byChance = (CHANCE * spreadOf(sums)) / (weight * weight)
  return distanceFor(liquid.profile, sqrt(max(square - byChance, 0)))
}

/** Adds the images of particles in the cells along sides. Instead of the particles the centre is mirrored, and the mirrored components of the
 *  sums are negated. */
function addSideImages(liquid: Liquid, sums: Sums, probe: Probe, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const nz = liquid.nz
  const deep = liquid.dims == 3 ? 1 : 0
  const own = changetype<Sums>(changetype<usize>(sums) + SUMS_BYTES)
  for (let c = k - deep; c <= k + deep; c++) {
    const isOutZ = c < 0 || c >= nz
    for (let b = j - 1; b <= j + 1; b++) {
      const isOutY = b < 0 || b >= ny
      for (let a = i - 1; a <= i + 1; a++) {
        const isOutX = a < 0 || a >= nx
        if (!isOutX && !isOutY && !isOutZ) continue
        clear(own)
        placeProbe(probe, mirrored(i, a, nx), mirrored(j, b, ny), mirrored(k, c, nz))
        addCell(liquid, own, probe, (isOutX ? i : a) + nx * ((isOutY ? j : b) + ny * (isOutZ ? k : c)))
        if (isOutX) own.x = v128.neg<f32>(own.x)
        if (isOutY) own.y = v128.neg<f32>(own.y)
        if (isOutZ) own.z = v128.neg<f32>(own.z)
        merge(sums, own)
      }
    }
  }
}

/** Centre of cell n along an axis, mirrored in the side beyond which cell `at` is. */
@inline
function mirrored(n: i32, at: i32, size: i32): f32 {
  const centre = <f32>n + 0.5
  return at < 0 ? -centre : at >= size ? 2 * <f32>size - centre : centre
}

/** Adds images in the nearest solid, as if its surface were a plane. `listed`: groups of four around, if all are still in the list, else −1. */
function addSolidImages(liquid: Liquid, sums: Sums, probe: Probe, i: i32, j: i32, k: i32, wall: f32, listed: i32): void {
  const slopes = wallSlopes(liquid, nodeIndex(liquid, i, j, k))
  const x = v128.extract_lane<f32>(slopes, 0)
  const y = v128.extract_lane<f32>(slopes, 1)
  const z = v128.extract_lane<f32>(slopes, 2)
  const length = sqrt(x * x + y * y + z * z)
  if (!(length > 0)) return
  placeProbe(probe, <f32>i + 0.5, <f32>j + 0.5, <f32>k + 0.5)
  setMirror(probe, wall, x / length, y / length, z / length)
  if (listed < 0) addAround(liquid, sums, probe, i, j, k, true)
  else addListed(liquid, sums, probe, listed, true)
}
