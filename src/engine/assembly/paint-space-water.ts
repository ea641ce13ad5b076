/** Liquid before the scene: what is behind it is bent, absorbed (Beer and Lambert) and mixed with scattered light, and its surface mirrors
 *  the studio (Schlick's Fresnel term); as COMPOSE of src/web/stage/water-shaders.ts has it. */
import { ABSORBED, atHand, LAMP, NOWHERE, runPieces, Space, SCATTERED, THICKNESS_BITS, TILE, WALL } from './paint-space'
import { colour, fading4, groundAt, mix4, mixPixels, sky, softWhite, SUN_X, SUN_Y, SUN_Z, toPixel, vector } from './paint-space-light'
import { MEASURE_THICKNESS, PAINT_WATER } from './paint-space-pieces'
import { enterGrid, EYE, lengthOf, march, placeAt, SIDE, SURFACE, through, WALL_OF_SOLID } from './paint-space-rays'
import { smooth } from './ray-surroundings'

/** Walls are drawn once more where they are nearer than liquid, or as near by this many cells: liquid at a wall is as near as the wall. */
const SLACK: f32 = 0.75

/** Cells of liquid that are measured for every pixel, so that drops and edges are as sharp as pixels are; more of it is smooth. */
const SHARP: f32 = 1

export function paintWater(space: Space): void {
  memory.fill(space.depths, 0, (<usize>space.width * <usize>space.height) << 2)
  runPieces(space, MEASURE_THICKNESS, space.thicknessY)
  runPieces(space, PAINT_WATER, space.tilesY)
}

/** A row of tiles. */
export function waterPiece(row: i32): void {
  const space = atHand()
  let reach = space.reaches + (<usize>(row * space.tilesX) << 3)
  for (let column = 0; column < space.tilesX; column++, reach += 8) {
    if (load<f32>(reach) < load<f32>(reach, 4)) paintTile(space, column * TILE, row * TILE, load<f32>(reach), load<f32>(reach, 4))
  }
}

/** A row of every fourth pixel, without the ball. */
export function thicknessPiece(j: i32): void {
  const space = atHand()
  const row = min(j << THICKNESS_BITS, space.height - 1)
  let to = space.thickness + (<usize>(j * space.thicknessX) << 2)
  for (let i = 0; i < space.thicknessX; i++, to += 4) {
    const column = min(i << THICKNESS_BITS, space.width - 1)
    const reach = space.reaches + (<usize>(column / TILE + space.tilesX * (row / TILE)) << 3)
    space.thick = 0
    if (load<f32>(reach) < load<f32>(reach, 4)) {
      const direction = through(space, <f32>column, <f32>row)
      const pixel = <usize>column + <usize>space.width * <usize>row
      if (enterGrid(space, direction)) follow(space, pixel, direction, lengthOf(direction), load<f32>(reach), load<f32>(reach, 4), NOWHERE)
    }
    store<f32>(to, space.thick)
  }
}

/** Between the pixels of which it was measured. */
@inline
function thicknessAt(space: Space, column: i32, row: i32): f32 {
  const share: f32 = <f32>1 / <f32>(1 << THICKNESS_BITS)
  const fx = <f32>(column & ((1 << THICKNESS_BITS) - 1)) * share
  const fy = <f32>(row & ((1 << THICKNESS_BITS) - 1)) * share
  const line = <usize>space.thicknessX << 2
  const at = space.thickness + (<usize>((column >> THICKNESS_BITS) + space.thicknessX * (row >> THICKNESS_BITS)) << 2)
  const above = load<f32>(at) + fx * (load<f32>(at, 4) - load<f32>(at))
  const below = load<f32>(at + line) + fx * (load<f32>(at + line, 4) - load<f32>(at + line))
  return above + fy * (below - above)
}

function paintTile(space: Space, left: i32, top: i32, near: f32, far: f32): void {
  const endX = min(left + TILE, space.width)
  const endY = min(top + TILE, space.height)
  for (let j = top; j < endY; j++) {
    for (let i = left; i < endX; i++) {
      const direction = through(space, <f32>i, <f32>j)
      if (!enterGrid(space, direction)) continue
      const pixel = <usize>i + <usize>space.width * <usize>j
      const length = lengthOf(direction)
      const ball = load<f32>(space.scene + (pixel << 4), 12)
      const wall = follow(space, pixel, direction, length, near, min<f32>(far, ball), ball < NOWHERE ? NOWHERE : SHARP)
      if (space.hit == 0) continue
      // Before the ball there is less than was measured.
      if (ball == NOWHERE) space.thick = max<f32>(space.thick, thicknessAt(space, i, j))
      store<f32>(space.depths + (pixel << 2), space.hit)
      const light = shade(space, pixel, i, j, direction, length, wall)
      store<u32>(space.picture + (pixel << 2), withWalls(space, pixel, toPixel(space, light)))
    }
  }
}

/** Follows the ray of a pixel from one way to another through all that solids leave of it, until it was in `reach` cells of liquid or came out of it;
 *  or to its end, if that is NOWHERE. Returns the wall at which it met liquid, if it did there. */
function follow(space: Space, pixel: usize, direction: v128, length: f32, near: f32, far: f32, reach: f32): usize {
  space.thick = 0
  space.hit = 0
  const from = max<f32>(space.enter, near)
  const to = min<f32>(space.leave, far)
  // Between the side and where the tile begins nothing is liquid.
  const start = space.side < 0 ? EYE : SIDE
  if (!space.hasSolid) {
    if (from < to) march(space, direction, from, to, length, start, reach)
    return 0
  }
  const word = load<u32>(space.firstWall + (pixel << 2))
  const end = space.walls + <usize>(load<u32>(space.firstWall + (pixel << 2), 4) >> 1) * WALL
  let met: usize = 0
  let open = from
  let kind = start
  let behind: usize = 0
  let isInside = (word & 1) != 0
  for (let wall = space.walls + <usize>(word >> 1) * WALL; wall <= end; wall += WALL, isInside = !isInside) {
    // Behind the last wall lies the end of the ray.
    const way = wall < end ? load<f32>(wall, 28) : to
    if (isInside) {
      open = max<f32>(from, way)
      kind = WALL_OF_SOLID
      behind = wall
    } else if (open < min<f32>(way, to)) {
      const isDry = space.hit == 0
      march(space, direction, open, min<f32>(way, to), length, kind, reach)
      if (isDry && space.hit > 0) {
        met = behind
        if (reach < NOWHERE) break
      }
    }
    if (way >= to) break
  }
  return met
}

function shade(space: Space, pixel: usize, column: i32, row: i32, direction: v128, length: f32, wall: usize): v128 {
  const way = space.hit
  const thick = space.thick
  const place = placeAt(space, direction, way)
  const x = f32x4.extract_lane(place, 0), y = f32x4.extract_lane(place, 1), z = f32x4.extract_lane(place, 2)
  const look = f32x4.mul(direction, f32x4.splat(<f32>1 / length))
  const dx = f32x4.extract_lane(look, 0), dy = f32x4.extract_lane(look, 1), dz = f32x4.extract_lane(look, 2)
  let normal = normalAt(space, x, y, z, dx, dy, dz, wall)
  let nx = f32x4.extract_lane(normal, 0)
  let ny = f32x4.extract_lane(normal, 1)
  let nz = f32x4.extract_lane(normal, 2)
  let along = dx * nx + dy * ny + dz * nz
  if (along > <f32>-0.02) {
    // What is seen faces the eye, if only just.
    nx -= dx * (along + <f32>0.02)
    ny -= dy * (along + <f32>0.02)
    nz -= dz * (along + <f32>0.02)
    const scale = <f32>1 / sqrt<f32>(nx * nx + ny * ny + nz * nz)
    nx *= scale
    ny *= scale
    nz *= scale
    along = dx * nx + dy * ny + dz * nz
  }
  const behind = bentAt(space, pixel, column, row, way, nx, ny, nz)
  const through = fading4(f32x4.mul(colour(space, ABSORBED), f32x4.splat(thick)))
  // Where liquid ends all at once it still shows: its surface alone takes some light.
  const surface = vector(0.80, 0.92, 0.97)
  const murk = <f32>1 - <f32>0.94 * f32x4.extract_lane(through, 3)
  const lit = <f32>0.42 + <f32>0.85 * min<f32>(max<f32>(<f32>0.5 + <f32>0.5 * (nx * SUN_X + ny * SUN_Y + nz * SUN_Z), 0), 1)
  const scattered = f32x4.mul(colour(space, SCATTERED), f32x4.splat(lit * murk))
  const body = f32x4.add(f32x4.mul(f32x4.mul(behind, through), surface), scattered)
  const twice = <f32>-2 * along
  const above = mirrored(space, x, y, z, dx + twice * nx, dy + twice * ny, dz + twice * nz)
  const miss = <f32>1 - min<f32>(-along, 1)
  const mirrors = <f32>0.025 + <f32>0.975 * miss * miss * miss * miss * sqrt<f32>(miss)
  const glint = f32x4.mul(colour(space, LAMP), f32x4.splat(<f32>0.6 * glintOf(dx, dy, dz, nx, ny, nz)))
  const water = softWhite(f32x4.add(mix4(body, above, mirrors), glint))
  // Spray that is thinner than a pixel sees is partly air.
  const cover = smooth(0, 0.16, thick)
  return cover < 1 ? mix4(v128.load(space.scene + (pixel << 4)), water, cover) : water
}

/** Out of the liquid where the ray has met it, of length 1. */
function normalAt(space: Space, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32, wall: usize): v128 {
  if (space.met == SURFACE) return slopeAt(space, x, y, z)
  if (space.met == WALL_OF_SOLID) return f32x4.neg(v128.load(wall, 16))
  if (space.met == EYE) return vector(-dx, -dy, -dz)
  if (space.side == 0) return vector(dx > 0 ? -1 : 1, 0, 0)
  if (space.side == 1) return vector(0, dy > 0 ? -1 : 1, 0)
  return vector(0, 0, dz > 0 ? -1 : 1)
}

/** The direction in which liquid ends, between the middles of cells. */
function slopeAt(space: Space, x: f32, y: f32, z: f32): v128 {
  const px = within(x, space.nx), py = within(y, space.ny), pz = within(z, space.nz)
  const i = min(<i32>px, max(space.nx - 2, 0)), j = min(<i32>py, max(space.ny - 2, 0)), k = min(<i32>pz, max(space.nz - 2, 0))
  // A grid of one cell along an axis has no next one.
  const next: usize = space.nx > 1 ? 16 : 0
  const row: usize = space.ny > 1 ? <usize>space.nx << 4 : 0
  const plane: usize = space.nz > 1 ? <usize>(space.nx * space.ny) << 4 : 0
  const at = space.slopes + (<usize>(i + space.nx * (j + space.ny * k)) << 4)
  const fx = px - <f32>i, fy = py - <f32>j, fz = pz - <f32>k
  const near = mix4(mix4(v128.load(at), v128.load(at + next), fx), mix4(v128.load(at + row), v128.load(at + row + next), fx), fy)
  const back = at + plane
  const far = mix4(mix4(v128.load(back), v128.load(back + next), fx), mix4(v128.load(back + row), v128.load(back + row + next), fx), fy)
  const slope = mix4(near, far, fz)
  const a = f32x4.extract_lane(slope, 0), b = f32x4.extract_lane(slope, 1), c = f32x4.extract_lane(slope, 2)
  const steep = sqrt<f32>(a * a + b * b + c * c)
  // Where a level set is flat any direction will do, but not none.
  if (!(steep > <f32>1e-9)) return vector(0, 1, 0)
  return f32x4.mul(slope, f32x4.splat(<f32>1 / steep))
}

@inline
function within(value: f32, size: i32): f32 {
  return min<f32>(max<f32>(value - <f32>0.5, 0), <f32>(size - 1))
}

/** The scene where a ray that is bent by the surface comes from, or straight behind it if that is before the liquid. */
function bentAt(space: Space, pixel: usize, column: i32, row: i32, way: f32, nx: f32, ny: f32, nz: f32): v128 {
  const shift = min<f32>(space.thick, <f32>0.35 * <f32>space.nx) * <f32>0.175 / way
  const right = (nx * space.rightX + ny * space.rightY + nz * space.rightZ) * space.perRight
  const up = (nx * space.upX + ny * space.upY + nz * space.upZ) * space.perUp
  const x = min<f32>(max<f32>(<f32>column - right * shift * <f32>space.width, 0), <f32>(space.width - 1))
  const y = min<f32>(max<f32>(<f32>row + up * shift * <f32>space.height, 0), <f32>(space.height - 1))
  const i = min(<i32>x, max(space.width - 2, 0))
  const j = min(<i32>y, max(space.height - 2, 0))
  const next: usize = space.width > 1 ? 16 : 0
  const line: usize = space.height > 1 ? <usize>space.width << 4 : 0
  const at = space.scene + ((<usize>i + <usize>space.width * <usize>j) << 4)
  if (load<f32>(at, 12) < way) return v128.load(space.scene + (pixel << 4))
  const fx = x - <f32>i
  return mix4(
    mix4(v128.load(at), v128.load(at + next), fx),
    mix4(v128.load(at + line), v128.load(at + line + next), fx),
    y - <f32>j,
  )
}

/** What a surface at a place mirrors: the sky, or the ground if it looks down. */
function mirrored(space: Space, x: f32, y: f32, z: f32, dx: f32, dy: f32, dz: f32): v128 {
  const above = sky(space, dx, dy, dz)
  if (dy >= <f32>-0.02) return above
  const way = -y / dy
  const tint = vector(0.62, 0.78, 0.88)
  const ground = groundAt(space, x + way * dx, z + way * dz, <f32>0.02 * <f32>space.nx)
  return mix4(above, f32x4.mul(tint, ground), smooth(0.02, 0.2, -dy))
}

/** The lamp in the surface: a power of how well it is mirrored to the eye. */
@inline
function glintOf(dx: f32, dy: f32, dz: f32, nx: f32, ny: f32, nz: f32): f32 {
  const hx = SUN_X - dx
  const hy = SUN_Y - dy
  const hz = SUN_Z - dz
  const well = nx * hx + ny * hy + nz * hz
  const squared = well * well / (hx * hx + hy * hy + hz * hz)
  // Less would be no step of the screen.
  if (!(well > 0 && squared > <f32>0.9)) return 0
  const p4 = squared * squared
  const p8 = p4 * p4
  const p16 = p8 * p8
  const p32 = p16 * p16
  const p64 = p32 * p32
  return p64 * p64 * p64 * p32 * p16
}

/** Walls before liquid over it. */
@inline
function withWalls(space: Space, pixel: usize, water: u32): u32 {
  if (!space.hasSolid) return water
  const first = load<u32>(space.firstWall + (pixel << 2)) >> 1
  for (let at = load<u32>(space.firstWall + (pixel << 2), 4) >> 1; at > first; at--) {
    const wall = space.walls + <usize>(at - 1) * WALL
    if (load<f32>(wall, 28) < space.hit + SLACK) water = mixPixels(water, toPixel(space, v128.load(wall)), load<f32>(wall, 12))
  }
  return water
}
