/** Where the rays of a tile can meet liquid at all: one thick ray for all of them, from both ends. Most pixels then begin just before the
 *  surface, and tiles without liquid are skipped. */
import { NOWHERE, Space, TILE } from './paint-space'
import { clearAt } from './paint-space-rays'

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
  const perColumn: f32 = <f32>2 / <f32>space.width
  const perRow: f32 = <f32>2 / <f32>space.height
  const right: f32 = (<f32>column + <f32>0.5) * <f32>TILE * perColumn - <f32>1
  const up: f32 = <f32>1 - (<f32>row + <f32>0.5) * <f32>TILE * perRow
  const dx = space.forwardX + right * space.rightX + up * space.upX
  const dy = space.forwardY + right * space.rightY + up * space.upY
  const dz = space.forwardZ + right * space.rightZ + up * space.upZ
  const length = sqrt<f32>(dx * dx + dy * dy + dz * dz)
  // From the middle of the tile to its corners, at way 1.
  const wide = sqrt<f32>(space.rightX * space.rightX + space.rightY * space.rightY + space.rightZ * space.rightZ) * perColumn
  const tall = sqrt<f32>(space.upX * space.upX + space.upY * space.upY + space.upZ * space.upZ) * perRow
  const radius = <f32>0.5 * <f32>TILE * sqrt<f32>(wide * wide + tall * tall)
  let near = nearest
  while (near < farthest) {
    const room = roomAt(space, dx, dy, dz, near) - radius * near
    if (!(room > <f32>0.05)) break
    near += room / (length + radius)
  }
  let far = farthest
  while (far > near) {
    const room = roomAt(space, dx, dy, dz, far) - radius * far
    if (!(room > <f32>0.05)) break
    far -= room / length
  }
  store<f32>(to, near)
  store<f32>(to, near < farthest ? far : 0, 4)
}

/** Cells around a place on a ray that surely have no liquid. */
@inline
function roomAt(space: Space, dx: f32, dy: f32, dz: f32, way: f32): f32 {
  const x = space.eyeX + way * dx
  const y = space.eyeY + way * dy
  const z = space.eyeZ + way * dz
  // What lies beside the box of liquid is at least as far from liquid as the nearest place of the box.
  const a = within(x, space.fromX, space.toX, space.nx)
  const b = within(y, space.fromY, space.toY, space.ny)
  const c = within(z, space.fromZ, space.toZ, space.nz)
  const off = sqrt<f32>((x - a) * (x - a) + (y - b) * (y - b) + (z - c) * (z - c))
  return max<f32>(off, dryAround(space, a, b, c))
}

@inline
function within(value: f32, from: i32, to: i32, size: i32): f32 {
  return min<f32>(max<f32>(value, <f32>max(from - MARGIN, 0)), <f32>min(to + MARGIN, size))
}

function dryAround(space: Space, x: f32, y: f32, z: f32): f32 {
  const clear = clearAt(space, x, y, z)
  return clear > 0 && !isWetAt(space, x, y, z) ? <f32>clear : 0
}

/** Of a place whose block is all liquid or all air. */
@inline
function isWetAt(space: Space, x: f32, y: f32, z: f32): bool {
  const row = <usize>(space.nx + 2)
  const plane = row * <usize>(space.ny + 2)
  return load<f32>(space.liquid + ((<usize>(<i32>x) + row * <usize>(<i32>y) + plane * <usize>(<i32>z)) << 2)) < 0
}
