/** Walls of solids along the rays of all pixels: found once for as long as solids and camera stay as they are. From outside solids are
 *  milky; seen from inside, as the near wall of a container is, they are glass with a rim. */
import { mark, release, allocate } from './memory'
import { MOST_WALLS, Space, SOLID, SOLID_RIM, WALL } from './paint-space'
import { colour, mix4, sky, softWhite, SUN_X, SUN_Y, SUN_Z } from './paint-space-light'
import { enterGrid, solidAt } from './paint-space-rays'
import { smooth } from './ray-surroundings'

const TRUST: f32 = 0.9
const LEAST_STEP: f32 = 0.3
/** Normals are differences over this many cells to both sides. */
const REACH: f32 = 0.8

export function findWalls(space: Space): void {
  // What was listed before is free again.
  release(space.walls)
  if (!space.hasSolid) return
  const width = space.width
  const begin = space.walls
  let count: u32 = 0
  let pixel: usize = 0
  for (let j = 0; j < space.height; j++) {
    const up: f32 = <f32>1 - (<f32>2 * <f32>j + <f32>1) / <f32>space.height
    // As many as a row can have, until it is known how many it has.
    const end = begin + <usize>count * WALL
    release(end)
    allocate(<usize>(width * MOST_WALLS) * WALL)
    for (let i = 0; i < width; i++, pixel++) {
      const right: f32 = (<f32>2 * <f32>i + <f32>1) / <f32>width - <f32>1
      const dx = space.forwardX + right * space.rightX + up * space.upX
      const dy = space.forwardY + right * space.rightY + up * space.upY
      const dz = space.forwardZ + right * space.rightZ + up * space.upZ
      const first = count
      let startsInside: u32 = 0
      if (enterGrid(space, dx, dy, dz)) {
        startsInside = u32(along(space, dx, dy, dz, space.enter) < 0)
        count += <u32>follow(space, dx, dy, dz, space.walls + <usize>count * WALL)
      }
      store<u32>(space.firstWall + (pixel << 2), (first << 1) | startsInside)
      blend(space, pixel, first, count)
    }
  }
  store<u32>(space.firstWall + (pixel << 2), count << 1)
  release(begin + <usize>count * WALL)
}

@inline
function along(space: Space, dx: f32, dy: f32, dz: f32, way: f32): f32 {
  return solidAt(space, space.eyeX + way * dx, space.eyeY + way * dy, space.eyeZ + way * dz)
}

/** Lists the walls of one ray; returns how many. */
function follow(space: Space, dx: f32, dy: f32, dz: f32, to: usize): i32 {
  const length = sqrt<f32>(dx * dx + dy * dy + dz * dz)
  const leave = space.leave
  let way = space.enter
  let value = along(space, dx, dy, dz, way)
  let count = 0
  while (way < leave && count < MOST_WALLS) {
    const before = value
    const last = way
    way = min<f32>(way + max<f32>(TRUST * abs<f32>(value), LEAST_STEP) / length, leave)
    value = along(space, dx, dy, dz, way)
    if (value < 0 == before < 0) continue
    let crossing = last + (way - last) * (before / (before - value))
    const there = along(space, dx, dy, dz, crossing)
    if (there < 0 == before < 0) crossing += (way - crossing) * (there / (there - value))
    else crossing = last + (crossing - last) * (before / (before - there))
    shade(space, dx / length, dy / length, dz / length, crossing, length, value < 0, to)
    to += WALL
    count++
  }
  return count
}

function shade(space: Space, dx: f32, dy: f32, dz: f32, way: f32, length: f32, isFront: bool, to: usize): void {
  const x = space.eyeX + way * length * dx
  const y = space.eyeY + way * length * dy
  const z = space.eyeZ + way * length * dz
  let nx = solidAt(space, x + REACH, y, z) - solidAt(space, x - REACH, y, z)
  let ny = solidAt(space, x, y + REACH, z) - solidAt(space, x, y - REACH, z)
  let nz = solidAt(space, x, y, z + REACH) - solidAt(space, x, y, z - REACH)
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
    cover = <f32>0.035 + <f32>0.55 * grazing + <f32>0.10 * shine
  }
  v128.store(to, f32x4.replace_lane(softWhite(light), 3, cover))
  v128.store(to, f32x4.replace_lane(f32x4.replace_lane(f32x4.replace_lane(f32x4.splat(way), 0, nx), 1, ny), 2, nz), 16)
}

/** All walls of a pixel as one, from the farthest to the nearest. */
function blend(space: Space, pixel: usize, first: u32, end: u32): void {
  let light = f32x4.splat(0)
  let through: f32 = 1
  for (let at = end; at > first; at--) {
    const wall = v128.load(space.walls + <usize>(at - 1) * WALL)
    const cover = f32x4.extract_lane(wall, 3)
    light = mix4(light, wall, cover)
    through *= <f32>1 - cover
  }
  v128.store(space.glass + (pixel << 4), f32x4.replace_lane(light, 3, through))
}
