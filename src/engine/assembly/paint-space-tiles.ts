/** Where the rays of a tile can meet liquid at all: one thick ray for all of them, from both ends. Most pixels then begin just before the
 *  surface, and tiles without liquid are skipped. */
import { NOWHERE, Space, TILE } from './paint-space'
import { clearAt, lengthOf, lowest, through } from './paint-space-rays'

const HALF_TILE: f32 = 0.5 * <f32>(TILE - 1)

/** Cells beyond those with liquid that interpolation, and liquid continued into solids, can bring it to. */
const MARGIN: i32 = 1

export function findReaches(space: Space): void {
  const nearest = boxAway(space, false)
  const farthest = boxAway(space, true)
  let to = space.reaches
  for (let j = 0; j < space.tilesY; j++) {
    for (let i = 0; i < space.tilesX; i++, to += 8) findReach(space, i, j, max<f32>(nearest, 0), farthest, to)
  }
}

/** The least or the largest way to a corner of the box that liquid is in. */
function boxAway(space: Space, isFarthest: bool): f32 {
  let found: f32 = isFarthest ? 0 : NOWHERE
  for (let corner = 0; corner < 8; corner++) {
    const x = corner & 1 ? <f32>(space.toX + MARGIN) : <f32>(space.fromX - MARGIN)
    const y = corner & 2 ? <f32>(space.toY + MARGIN) : <f32>(space.fromY - MARGIN)
    const z = corner & 4 ? <f32>(space.toZ + MARGIN) : <f32>(space.fromZ - MARGIN)
    // Forward is of length 1.
    const way = (x - space.eyeX) * space.forwardX + (y - space.eyeY) * space.forwardY + (z - space.eyeZ) * space.forwardZ
    found = isFarthest ? max<f32>(found, way) : min<f32>(found, way)
  }
  return found
}

function findReach(space: Space, column: i32, row: i32, nearest: f32, farthest: f32, to: usize): void {
  const direction = through(space, <f32>(column * TILE) + HALF_TILE, <f32>(row * TILE) + HALF_TILE)
  const length = lengthOf(direction)
  // From the middle of the tile to its corners, at way 1.
  const wide = sqrt<f32>(space.rightX * space.rightX + space.rightY * space.rightY + space.rightZ * space.rightZ) * space.perColumn
  const tall = sqrt<f32>(space.upX * space.upX + space.upY * space.upY + space.upZ * space.upZ) * space.perRow
  const radius = <f32>TILE * sqrt<f32>(wide * wide + tall * tall)
  let near = nearest
  while (near < farthest) {
    const room = roomAt(space, direction, near) - radius * near
    if (!(room > <f32>0.05)) break
    near += room / (length + radius)
  }
  let far = farthest
  while (far > near) {
    const room = roomAt(space, direction, far) - radius * far
    if (!(room > <f32>0.05)) break
    far -= room / length
  }
  store<f32>(to, near)
  store<f32>(to, near < farthest ? far : 0, 4)
}

/** Cells around a place on a ray that surely have no liquid. */
@inline
function roomAt(space: Space, direction: v128, way: f32): f32 {
  const at = changetype<usize>(space)
  const place = f32x4.add(v128.load(at, offsetof<Space>('eyeX')), f32x4.mul(direction, f32x4.splat(way)))
  // What lies beside the box of liquid is at least as far from liquid as the nearest place of the box.
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
  const clear = clearAt(space, corner)
  if (clear == 0) return 0
  const row = <usize>(space.nx + 2)
  const plane = row * <usize>(space.ny + 2)
  const i = <usize>i32x4.extract_lane(corner, 0), j = <usize>i32x4.extract_lane(corner, 1), k = <usize>i32x4.extract_lane(corner, 2)
  return load<f32>(space.liquid + ((i + row * j + plane * k) << 2)) < 0 ? 0 : <f32>clear
}
