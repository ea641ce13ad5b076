/** Liquid before the scene: where rays of pixels meet it, and how much of it they go through. */
import * as shared from '../../rendering-constants'
import { mixPixels, smooth, toPixel } from './light'
import { enterGrid, EYE, lengthOf, march, SIDE, SURFACE, through, WALL_OF_SOLID } from './rays'
import { shade } from './shade'
import { atHand, NO_HIT, runPieces, Space, THICKNESS_BITS, TILE, WALL_BYTES } from './space'

/** Walls are drawn once more where they are nearer than liquid, or as near by this many cells: liquid at a wall is as near as the wall. */
const SLACK: f32 = 0.75

/** Cells of liquid that are measured for every pixel, also where it is deep, so that drops before it are as sharp as pixels are. */
const SHARP: f32 = <f32>shared.SHARP_DEPTH

export function paintWater(space: Space): void {
  memory.fill(space.depths, 0, (<usize>space.width * <usize>space.height) << 2)
  runPieces(space, thicknessPiece, space.thicknessY)
  runPieces(space, waterPiece, space.tilesY)
}

/** A row of tiles. */
@piece
export function waterPiece(row: i32): void {
  const space = atHand()
  let reach = space.reaches + ((<usize>(row * space.tilesX)) << 3)
  for (let column = 0; column < space.tilesX; column++, reach += 8) {
    if (load<f32>(reach) < load<f32>(reach, 4)) paintTile(space, column * TILE, row * TILE, load<f32>(reach), load<f32>(reach, 4))
  }
}

/** A row of every fourth pixel, without the ball. */
@piece
export function thicknessPiece(j: i32): void {
  const space = atHand()
  const row = min(j << THICKNESS_BITS, space.height - 1)
  const first = <usize>(j * space.thicknessX)
  for (let i = 0; i < space.thicknessX; i++) {
    const column = min(i << THICKNESS_BITS, space.width - 1)
    const reach = space.reaches + ((<usize>(column / TILE + space.tilesX * (row / TILE))) << 3)
    space.thick = 0
    let isDeep = false
    if (load<f32>(reach) < load<f32>(reach, 4)) {
      const direction = through(space, <f32>column, <f32>row)
      const pixel = <usize>column + <usize>space.width * <usize>row
      const length = lengthOf(direction)
      if (enterGrid(space, direction)) {
        follow(space, pixel, direction, length, load<f32>(reach), load<f32>(reach, 4), NO_HIT)
        isDeep = space.hit > 0 && (space.exit == 0 || (space.exit - space.hit) * length > space.thin)
      }
    }
    store<f32>(space.thickness + ((first + i) << 2), space.thick)
    store<u8>(space.deep + first + i, u8(isDeep))
  }
}

/** Whether all pixels around one of which that was measured see deep liquid first. */
@inline
function isDeepAt(space: Space, column: i32, row: i32): bool {
  const at = space.deep + <usize>((column >> THICKNESS_BITS) + space.thicknessX * (row >> THICKNESS_BITS))
  return (load<u16>(at) & load<u16>(at + space.thicknessX)) == 0x0101
}

/** Between the pixels of which it was measured. */
@inline
function thicknessAt(space: Space, column: i32, row: i32): f32 {
  const share: f32 = <f32>1 / <f32>(1 << THICKNESS_BITS)
  const fx = <f32>(column & ((1 << THICKNESS_BITS) - 1)) * share
  const fy = <f32>(row & ((1 << THICKNESS_BITS) - 1)) * share
  const line = (<usize>space.thicknessX) << 2
  const at = space.thickness + ((<usize>((column >> THICKNESS_BITS) + space.thicknessX * (row >> THICKNESS_BITS))) << 2)
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
      const reach = ball < NO_HIT ? NO_HIT : isDeepAt(space, i, j) ? SHARP : space.thin
      const wall = follow(space, pixel, direction, length, near, min<f32>(far, ball), reach)
      if (space.hit == 0) continue
      store<f32>(space.depths + (pixel << 2), space.hit)
      space.thinness = 0
      space.hasNext = 0
      // Before the ball there is less than was measured, and no more of the scene than the ball.
      if (ball == NO_HIT) lookBehind(space, pixel, i, j, direction, length, far)
      const light = shade(space, pixel, i, j, direction, wall)
      store<u32>(space.picture + (pixel << 2), withWalls(space, pixel, toPixel(space, light)))
    }
  }
}

/** Cells behind thin liquid from where on more of it is looked for, if there is as much of it. */
const APART: f32 = <f32>shared.APART_DEPTH

/** Sets how thick liquid is in all, and what is behind it if it is thin: light of the next liquid. */
function lookBehind(space: Space, pixel: usize, column: i32, row: i32, direction: v128, length: f32, far: f32): void {
  const first = space.thick
  const all = max<f32>(first, thicknessAt(space, column, row))
  space.thick = all
  const exit = space.exit
  const thinness = exit > 0 ? <f32>1 - smooth(<f32>0.5 * space.thin, space.thin, first) : <f32>0
  if (!(thinness > 0)) return
  const hit = space.hit
  const met = space.met
  space.thinness = thinness
  if (!(all > first + APART)) return
  const wall = follow(space, pixel, direction, length, exit + APART / length, far, space.thin)
  if (space.hit > 0) {
    space.thinness = 0
    if (space.met != WALL_OF_SOLID) space.met = SURFACE
    space.thick = max<f32>(space.thick, all - first)
    v128.store(changetype<usize>(space), shade(space, pixel, column, row, direction, wall), offsetof<Space>('next0'))
    space.hasNext = 1
    space.thick = all + thinness * (first - all)
  } else space.thick = all
  space.hit = hit
  space.met = met
  space.exit = exit
  space.thinness = thinness
}

/** Follows the ray of a pixel from one way to another through all that solids leave of it, until it was in `reach` cells of liquid or came out of it;
 *  or to its end, if that is NO_HIT. Returns the wall at which it met liquid, if it did there. */
function follow(space: Space, pixel: usize, direction: v128, length: f32, near: f32, far: f32, reach: f32): usize {
  space.thick = 0
  space.hit = 0
  space.exit = 0
  const from = max<f32>(space.enter, near)
  const to = min<f32>(space.leave, far)
  // Between the side and where the tile begins nothing is liquid.
  const start = space.side < 0 ? EYE : SIDE
  if (!space.hasSolid) {
    if (from < to) march(space, direction, from, to, length, start, reach)
    return 0
  }
  const word = load<u32>(space.firstWall + (pixel << 2))
  const end = space.walls + <usize>(load<u32>(space.firstWall + (pixel << 2), 4) >> 1) * WALL_BYTES
  let met: usize = 0
  let open = from
  let kind = start
  let behind: usize = 0
  let isInside = (word & 1) != 0
  for (let wall = space.walls + <usize>(word >> 1) * WALL_BYTES; wall <= end; wall += WALL_BYTES, isInside = !isInside) {
    // Behind the last wall is the end of the ray.
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
        if (reach < NO_HIT) break
      }
    }
    if (way >= to) break
  }
  return met
}

/** Walls before liquid over it. */
@inline
function withWalls(space: Space, pixel: usize, water: u32): u32 {
  if (!space.hasSolid) return water
  const first = load<u32>(space.firstWall + (pixel << 2)) >> 1
  for (let at = load<u32>(space.firstWall + (pixel << 2), 4) >> 1; at > first; at--) {
    const wall = space.walls + <usize>(at - 1) * WALL_BYTES
    if (load<f32>(wall, 28) < space.hit + SLACK) water = mixPixels(water, toPixel(space, v128.load(wall)), load<f32>(wall, 12))
  }
  return water
}
