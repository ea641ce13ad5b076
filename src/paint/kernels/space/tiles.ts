/** Where the rays of a tile can meet something at all: one thick ray for all of them. Most pixels then begin just before a surface, and
 *  tiles without one are skipped. */
import { NO_HIT, Space, TILE } from './space'
import { lengthOf, lowest, placeAt, solidAt, through } from './rays'

/** From the middle of the first pixel of a tile to that of the tile. */
const HALF_TILE: f32 = 3.5
/** Cells of room at which a thick ray ends. */
const LEAST_ROOM: f32 = 0.05

/** Cells beyond those with liquid that interpolation, and liquid continued into solids, can bring it to. */
const MARGIN: i32 = 1

/** For liquid: from where to where, for every tile. */
export function findReaches(space: Space): void {
  const at = changetype<usize>(space)
  const margin = i32x4.splat(MARGIN)
  const from = f32x4.convert_i32x4_s(i32x4.sub(v128.load(at, offsetof<Space>('fromX')), margin))
  const to = f32x4.convert_i32x4_s(i32x4.add(v128.load(at, offsetof<Space>('toX')), margin))
  findBetween(space, from, to, false)
}

/** The same for walls of solids. */
export function findWallReaches(space: Space): void {
  const size = f32x4.convert_i32x4_s(v128.load(changetype<usize>(space), offsetof<Space>('nx')))
  findBetween(space, f32x4.splat(0), size, true)
}

function findBetween(space: Space, from: v128, to: v128, ofSolids: bool): void {
  const nearest = boxAway(space, from, to, false)
  const farthest = boxAway(space, from, to, true)
  const radius = tileRadius(space)
  let reach = space.reaches
  for (let j = 0; j < space.tilesY; j++) {
    for (let i = 0; i < space.tilesX; i++, reach += 8) {
      const direction = throughTile(space, i, j)
      const length = lengthOf(direction)
      let near = nearest
      while (near < farthest) {
        const room = roomAt(space, direction, near, ofSolids) - radius * near
        if (!(room > LEAST_ROOM)) break
        const next = near + room / (length + radius)
        if (!(next > near)) break
        near = next
      }
      let far = farthest
      while (far > near) {
        const room = roomAt(space, direction, far, ofSolids) - radius * far
        if (!(room > LEAST_ROOM)) break
        const next = far - room / length
        if (!(next < far)) break
        far = next
      }
      store<f32>(reach, near)
      store<f32>(reach, far, 4)
    }
  }
}

@inline
function throughTile(space: Space, column: i32, row: i32): v128 {
  return through(space, <f32>(column * TILE) + HALF_TILE, <f32>(row * TILE) + HALF_TILE)
}

/** From the middle of a tile to its corners, at way 1. */
function tileRadius(space: Space): f32 {
  const wide =
    sqrt<f32>(space.rightX * space.rightX + space.rightY * space.rightY + space.rightZ * space.rightZ) * space.perColumn
  const tall = sqrt<f32>(space.upX * space.upX + space.upY * space.upY + space.upZ * space.upZ) * space.perRow
  return <f32>TILE * sqrt<f32>(wide * wide + tall * tall)
}

/** The least or the largest way to a corner of a box; not less than 0. */
function boxAway(space: Space, lower: v128, upper: v128, isFarthest: bool): f32 {
  let found: f32 = isFarthest ? 0 : NO_HIT
  for (let corner = 0; corner < 8; corner++) {
    const x = corner & 1 ? f32x4.extract_lane(upper, 0) : f32x4.extract_lane(lower, 0)
    const y = corner & 2 ? f32x4.extract_lane(upper, 1) : f32x4.extract_lane(lower, 1)
    const z = corner & 4 ? f32x4.extract_lane(upper, 2) : f32x4.extract_lane(lower, 2)
    // Forward is of length 1.
    const way = (x - space.eyeX) * space.forwardX + (y - space.eyeY) * space.forwardY + (z - space.eyeZ) * space.forwardZ
    found = isFarthest ? max<f32>(found, way) : min<f32>(found, way)
  }
  return max<f32>(found, 0)
}

/** Cells around a place on a ray that surely have no liquid, or no wall of a solid. */
@inline
function roomAt(space: Space, direction: v128, way: f32, ofSolids: bool): f32 {
  const at = changetype<usize>(space)
  const place = placeAt(space, direction, way)
  if (ofSolids) return abs<f32>(solidAt(space, place))
  // A point beside the box of liquid is at least as far from liquid as from the box.
  const margin = i32x4.splat(MARGIN)
  const from = i32x4.max_s(i32x4.sub(v128.load(at, offsetof<Space>('fromX')), margin), i32x4.splat(0))
  const to = i32x4.min_s(i32x4.add(v128.load(at, offsetof<Space>('toX')), margin), v128.load(at, offsetof<Space>('nx')))
  const near = f32x4.min(f32x4.max(place, f32x4.convert_i32x4_s(from)), f32x4.convert_i32x4_s(to))
  return max<f32>(lengthOf(f32x4.sub(place, near)), dryAround(space, near))
}

/** Cells around a place that are air, as far as that is known. */
@inline
function dryAround(space: Space, place: v128): f32 {
  const corner = lowest(place)
  const row = space.nx + 2
  const plane = row * (space.ny + 2)
  const i = i32x4.extract_lane(corner, 0),
    j = i32x4.extract_lane(corner, 1),
    k = i32x4.extract_lane(corner, 2)
  const cell = <usize>(i + row * j + plane * k)
  return load<f32>(space.liquid + (cell << 2)) < 0 ? 0 : <f32>load<u8>(space.clear + cell)
}
