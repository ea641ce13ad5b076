/** Walls of solids along the rays of all pixels: found once for as long as solids and camera stay as they are. From outside solids are
 *  milky; seen from inside, as the near wall of a container is, they are glass with a rim. */
import * as shared from '../../rendering-constants'
import { mark, release, allocate } from '../../../machine/kernels/memory'
import { MOST_WALLS, Space, SOLID, SOLID_RIM, TILE, WALL_BYTES } from './space'
import { colour, mix4, sky, smooth, softWhite, SUN_X, SUN_Y, SUN_Z, vector } from './light'
import { enterGrid, lengthOf, placeAt, solidAt, through } from './rays'
import { findWallReaches } from './tiles'

/** Steps are this many cells longer than the distance, so that they end behind the wall at once; thinner solids may be missed. */
const BEYOND: f32 = <f32>shared.BEYOND_WALL_STEP
/** Likewise where the distance grows. */
const BEYOND_AWAY: f32 = <f32>shared.BEYOND_AWAY
/** Rays that go along a wall come in and out of it between the points of the level set, by less than this many cells. */
const FLAT: f32 = 0.05
/** Cells from a wall that are near enough, and turns after which any are. */
const CLOSE: f32 = <f32>shared.NEAR_WALL
const MOST_TURNS: i32 = 4
/** Normals are differences between places this many cells off along every axis. */
const REACH: f32 = <f32>shared.NORMAL_REACH

export function findWalls(space: Space): void {
  // What was listed before is free again.
  release(space.walls)
  if (!space.hasSolid) return
  const width = space.width
  findWallReaches(space)
  const begin = space.walls
  let count: u32 = 0
  let pixel: usize = 0
  for (let j = 0; j < space.height; j++) {
    // The largest number that a row can have, until it is counted.
    const end = begin + <usize>count * WALL_BYTES
    release(end)
    allocate(<usize>(width * MOST_WALLS) * WALL_BYTES)
    for (let i = 0; i < width; i++, pixel++) {
      const direction = through(space, <f32>i, <f32>j)
      const first = count
      let startsInside: u32 = 0
      if (enterGrid(space, direction)) {
        // Before the tile's first wall a ray stays inside or outside, and behind its last one.
        const reach = space.reaches + ((<usize>(i / TILE + space.tilesX * (j / TILE))) << 3)
        const from = max<f32>(space.enter, load<f32>(reach))
        const value = along(space, direction, min<f32>(from, space.leave))
        startsInside = u32(value < 0)
        space.leave = min<f32>(space.leave, load<f32>(reach, 4))
        if (from < space.leave) count += <u32>follow(space, direction, from, value, space.walls + <usize>count * WALL_BYTES)
      }
      store<u32>(space.firstWall + (pixel << 2), (first << 1) | startsInside)
      blend(space, pixel, first, count)
    }
  }
  store<u32>(space.firstWall + (pixel << 2), count << 1)
  release(begin + <usize>count * WALL_BYTES)
}

@inline
function along(space: Space, direction: v128, way: f32): f32 {
  return solidAt(space, placeAt(space, direction, way))
}

/** Lists the walls of one ray, which begins at a way where the level set has a value; returns how many. */
function follow(space: Space, direction: v128, way: f32, value: f32, to: usize): i32 {
  const shorter = <f32>1 / lengthOf(direction)
  const leave = space.leave
  let isInside = value < 0
  // The last place on this side of the next wall.
  let before = way
  let valueBefore = value
  let count = 0
  let beyond = BEYOND
  while (way < leave && count < MOST_WALLS) {
    const last = abs<f32>(value)
    const next = min<f32>(way + (last + beyond) * shorter, leave)
    // So far from the eye a step is no change.
    if (!(next > way)) break
    way = next
    value = along(space, direction, way)
    beyond = abs<f32>(value) > last ? BEYOND_AWAY : BEYOND
    if (value < 0 == isInside) {
      before = way
      valueBefore = value
    } else if (abs<f32>(value) > FLAT) {
      isInside = !isInside
      shade(space, direction, crossing(space, direction, before, valueBefore, way, value), shorter, isInside, to)
      to += WALL_BYTES
      count++
      before = way
      valueBefore = value
    }
  }
  return count
}

/** Where the level set is 0 between two ways of different sign: false position, in which an end that stays counts half. */
function crossing(space: Space, direction: v128, from: f32, a: f32, to: f32, b: f32): f32 {
  let way = from + (to - from) * (a / (a - b))
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const there = along(space, direction, way)
    if (abs<f32>(there) < CLOSE) break
    if (there < 0 == a < 0) {
      from = way
      a = there
      b *= 0.5
    } else {
      to = way
      b = there
      a *= 0.5
    }
    way = from + (to - from) * (a / (a - b))
  }
  return way
}

function shade(space: Space, direction: v128, way: f32, shorter: f32, isFront: bool, to: usize): void {
  const look = f32x4.mul(direction, f32x4.splat(shorter))
  const dx = f32x4.extract_lane(look, 0),
    dy = f32x4.extract_lane(look, 1),
    dz = f32x4.extract_lane(look, 2)
  const place = placeAt(space, direction, way)
  // The corners of a tetrahedron are enough.
  const a = solidAt(space, f32x4.add(place, vector(REACH, REACH, REACH)))
  const b = solidAt(space, f32x4.add(place, vector(REACH, -REACH, -REACH)))
  const c = solidAt(space, f32x4.add(place, vector(-REACH, REACH, -REACH)))
  const d = solidAt(space, f32x4.add(place, vector(-REACH, -REACH, REACH)))
  let nx = a + b - c - d
  let ny = a - b + c - d
  let nz = a - b - c + d
  const steep = <f32>1 / max<f32>(sqrt<f32>(nx * nx + ny * ny + nz * nz), <f32>1e-12)
  nx *= steep
  ny *= steep
  nz *= steep
  const facing = -(nx * dx + ny * dy + nz * dz)
  const miss = <f32>1 - min<f32>(abs<f32>(facing), 1)
  const grazing = miss * miss * miss
  const twice = <f32>2 * facing
  const above = sky(space, dx + twice * nx, dy + twice * ny, dz + twice * nz)
  let light: v128
  let cover: f32
  if (isFront) {
    const lit = <f32>0.62 + <f32>0.38 * max<f32>(nx * SUN_X + ny * SUN_Y + nz * SUN_Z, 0) + <f32>0.1 * ny
    light = mix4(f32x4.mul(colour(space, SOLID), f32x4.splat(lit)), above, <f32>0.04 + <f32>0.4 * grazing)
    cover = <f32>0.42 + <f32>0.3 * grazing
  } else {
    const shine = smooth(0.8, 1.6, f32x4.extract_lane(above, 1))
    light = mix4(colour(space, SOLID_RIM), above, <f32>0.35 + <f32>0.5 * shine)
    cover = <f32>0.035 + <f32>0.55 * grazing + <f32>0.1 * shine
  }
  v128.store(to, f32x4.replace_lane(softWhite(light), 3, cover))
  v128.store(to, f32x4.replace_lane(vector(nx, ny, nz), 3, way), 16)
}

/** All walls of a pixel as one, from the farthest to the nearest. */
function blend(space: Space, pixel: usize, first: u32, end: u32): void {
  let light = f32x4.splat(0)
  let through: f32 = 1
  for (let at = end; at > first; at--) {
    const wall = v128.load(space.walls + <usize>(at - 1) * WALL_BYTES)
    const cover = f32x4.extract_lane(wall, 3)
    light = mix4(light, wall, cover)
    through *= <f32>1 - cover
  }
  v128.store(space.glass + (pixel << 4), f32x4.replace_lane(light, 3, through))
}
