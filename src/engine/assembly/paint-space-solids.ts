/** Solids of a frame, and liquid continued into them as src/render/continued-liquid.ts has it: across a wall it stays as it is, so that
 *  liquid that touches a wall is seen to do so. What depends on solids alone is found once. */
import { FAR, Space } from './paint-space'

/** Layers of cells that liquid is continued into; interpolation looks one cell far, slopes two. */
const LAYERS: i32 = 3
const UNKNOWN: u8 = 255

/** Returns whether solids are others than those of the last call. */
export function takeSolids(space: Space): bool {
  const nodes = <usize>(space.nx + 1) * <usize>(space.ny + 1) * <usize>(space.nz + 1)
  const scale = <f32>1 / space.spacing
  const far = f32x4.splat(FAR)
  let changed = i32x4.splat(0)
  let inside = i32x4.splat(0)
  let offset: usize = 0
  for (const end = (nodes << 2) & ~15; offset < end; offset += 16) {
    const given = f32x4.mul(v128.load(space.givenSolid + offset), f32x4.splat(scale))
    const phi = f32x4.pmax(f32x4.neg(far), f32x4.pmin(far, given))
    changed = v128.or(changed, v128.xor(phi, v128.load(space.solid + offset)))
    inside = v128.or(inside, f32x4.lt(phi, f32x4.splat(0)))
    v128.store(space.solid + offset, phi)
  }
  let isOther = !space.hasTaken || v128.any_true(changed)
  space.hasTaken = 1
  let hasSolid = v128.any_true(inside)
  for (; offset < nodes << 2; offset += 4) {
    const given = load<f32>(space.givenSolid + offset) * scale
    const phi: f32 = given < FAR ? max<f32>(given, -FAR) : FAR
    isOther = isOther || phi != load<f32>(space.solid + offset)
    hasSolid = hasSolid || phi < 0
    store<f32>(space.solid + offset, phi)
  }
  space.hasSolid = hasSolid
  if (isOther && hasSolid) findContinued(space)
  return isOther
}

/** Lists cells in solids by how many cells they are away from those outside. */
function findContinued(space: Space): void {
  let count = markSolidCells(space)
  space.continuedCount = 0
  fillAround(space)
  for (let layer: u8 = 1; layer <= <u8>LAYERS && count > 0; layer++) count = addLayer(space, layer, count)
}

/** Returns how many of them are near enough to the outside to be continued into. */
function markSolidCells(space: Space): i32 {
  const row = <usize>(space.nx + 1) << 2
  const plane = row * <usize>(space.ny + 1)
  const deepest: f32 = <f32>-8 * <f32>(LAYERS + 1)
  let count = 0
  let cell: usize = 0
  for (let k = 0; k < space.nz; k++) {
    for (let j = 0; j < space.ny; j++) {
      let at = space.solid + plane * <usize>k + row * <usize>j
      for (let i = 0; i < space.nx; i++, cell++, at += 4) {
        const near = load<f32>(at) + load<f32>(at, 4) + load<f32>(at + row) + load<f32>(at + row, 4)
        const far = load<f32>(at + plane) + load<f32>(at + plane, 4) + load<f32>(at + plane + row) + load<f32>(at + plane + row, 4)
        const isSolid = near + far < 0
        store<u8>(space.layers + cell, isSolid ? UNKNOWN : 0)
        if (isSolid && near + far > deepest) store<u32>(space.front + (<usize>(count++) << 2), <u32>cell)
      }
    }
  }
  return count
}

/** Offsets in `liquid` of the 27 cells around one, and what they count: the nearer the more. */
function fillAround(space: Space): void {
  const row = (space.nx + 2) << 2
  const plane = row * (space.ny + 2)
  let to = space.around
  for (let z = -1; z <= 1; z++) {
    for (let y = -1; y <= 1; y++) {
      for (let x = -1; x <= 1; x++, to += 8) {
        store<i32>(to, z * plane + y * row + (x << 2))
        store<f32>(to, <f32>1 / <f32>max(x * x + y * y + z * z, 1), 4)
      }
    }
  }
}

/** Cells beside known ones become known in this layer; returns how many are left. */
function addLayer(space: Space, layer: u8, count: i32): i32 {
  const nx = space.nx
  const ny = space.ny
  let left = 0
  for (let at = 0; at < count; at++) {
    const cell = <i32>load<u32>(space.front + (<usize>at << 2))
    const i = cell % nx
    const j = (cell / nx) % ny
    const k = cell / (nx * ny)
    const known = knownAround(space, i, j, k, layer)
    if (!known) {
      store<u32>(space.front + (<usize>(left++) << 2), <u32>cell)
      continue
    }
    store<u8>(space.layers + <usize>cell, layer)
    const to = space.continued + (<usize>(space.continuedCount++) << 3)
    store<u32>(to, <u32>((i + 1 + (nx + 2) * (j + 1 + (ny + 2) * (k + 1))) << 2))
    store<u32>(to, known, 4)
  }
  return left
}

/** One bit for each of the 27 cells around. */
function knownAround(space: Space, i: i32, j: i32, k: i32, layer: u8): u32 {
  let known: u32 = 0
  let bit: u32 = 1
  for (let c = k - 1; c <= k + 1; c++) {
    for (let b = j - 1; b <= j + 1; b++) {
      for (let a = i - 1; a <= i + 1; a++, bit <<= 1) {
        const isInside = a >= 0 && b >= 0 && c >= 0 && a < space.nx && b < space.ny && c < space.nz
        if (isInside && load<u8>(space.layers + <usize>(a + space.nx * (b + space.ny * c))) < layer) known |= bit
      }
    }
  }
  return known
}

export function continueLiquid(space: Space): void {
  const end = space.continued + (<usize>space.continuedCount << 3)
  for (let at = space.continued; at < end; at += 8) {
    const to = space.liquid + <usize>load<u32>(at)
    let sum: f32 = 0
    let weights: f32 = 0
    for (let known = load<u32>(at, 4); known; known &= known - 1) {
      const other = space.around + (<usize>ctz(known) << 3)
      const weight = load<f32>(other, 4)
      sum += weight * load<f32>(to + <usize>load<i32>(other))
      weights += weight
    }
    store<f32>(to, sum / weights)
  }
}
