/** Liquid continued into solids: across a wall its level set stays as it is, so that the surface meets the wall at a right angle and liquid
 *  that touches a wall is seen to do so. src/paint/continued-liquid.ts is the definition. Which cell becomes the mean of which others
 *  depends on solids alone, and is found once for as long as they stay. */
import * as shared from '../rendering-constants'
import { allocate, countOf } from '../../machine/kernels/memory'

/** Layers of cells that liquid is continued into; interpolation looks one cell far, slopes two. */
const LAYERS: i32 = shared.CONTINUED_LAYERS
const UNKNOWN: u8 = 255

@unmanaged
export class Continuation {
  nx: i32
  ny: i32
  nz: i32
  /** Bytes from a cell to the next along y and z in the lattice of liquid, and from a node to the next in that of solids. */
  row: i32
  plane: i32
  solidRow: usize
  solidPlane: usize
  /** Cells that are continued into, nearest to the outside first: bytes from the first cell, and which of the 27 around it are known. */
  list: usize
  count: i32
  /** Of each of the 27 cells around a cell: how far off in bytes, and how much it counts. */
  around: usize
  /** A byte and a word for each cell, while the list is made. */
  layers: usize
  front: usize
}

/** For lattices whose rows and planes are so many bytes apart; `solidPlane` is 0 in 2D, where both layers of nodes are one. */
export function createContinuation(
  nx: i32,
  ny: i32,
  nz: i32,
  row: i32,
  plane: i32,
  solidRow: usize,
  solidPlane: usize,
): Continuation {
  const made = changetype<Continuation>(allocate(offsetof<Continuation>()))
  const cells = countOf(nx, ny, nz)
  made.nx = nx
  made.ny = ny
  made.nz = nz
  made.row = row
  made.plane = plane
  made.solidRow = solidRow
  made.solidPlane = solidPlane
  made.list = allocate(cells << 3)
  made.count = 0
  made.around = allocate(27 << 3)
  made.layers = allocate(cells)
  made.front = allocate(cells << 2)
  return made
}

/** Lists cells in solids by how many cells they are away from those outside. `solid`: distances in cells, from the first node on. */
export function findContinued(made: Continuation, solid: usize): void {
  let waiting = markSolidCells(made, solid)
  made.count = 0
  fillAround(made)
  for (let layer: u8 = 1; layer <= <u8>LAYERS && waiting > 0; layer++) waiting = addLayer(made, layer, waiting)
}

/** Returns how many of them are near enough to the outside to be continued into. */
function markSolidCells(made: Continuation, solid: usize): i32 {
  const row = made.solidRow
  const plane = made.solidPlane
  const deepest: f32 = <f32>-8 * <f32>(LAYERS + 1)
  let count = 0
  let cell: usize = 0
  for (let k = 0; k < made.nz; k++) {
    for (let j = 0; j < made.ny; j++) {
      let at = solid + plane * <usize>k + row * <usize>j
      for (let i = 0; i < made.nx; i++, cell++, at += 4) {
        const near = load<f32>(at) + load<f32>(at, 4) + load<f32>(at + row) + load<f32>(at + row, 4)
        const far =
          load<f32>(at + plane) + load<f32>(at + plane, 4) + load<f32>(at + plane + row) + load<f32>(at + plane + row, 4)
        const isSolid = near + far < 0
        store<u8>(made.layers + cell, isSolid ? UNKNOWN : 0)
        if (isSolid && near + far > deepest) {
          store<u32>(made.front + ((<usize>count) << 2), <u32>cell)
          count++
        }
      }
    }
  }
  return count
}

/** Nearer cells count more. */
function fillAround(made: Continuation): void {
  let to = made.around
  for (let z = -1; z <= 1; z++) {
    for (let y = -1; y <= 1; y++) {
      for (let x = -1; x <= 1; x++, to += 8) {
        store<i32>(to, z * made.plane + y * made.row + (x << 2))
        store<f32>(to, <f32>1 / <f32>max(x * x + y * y + z * z, 1), 4)
      }
    }
  }
}

/** Cells beside known ones become known in this layer; returns how many are left. */
function addLayer(made: Continuation, layer: u8, waiting: i32): i32 {
  const nx = made.nx
  const ny = made.ny
  let left = 0
  for (let at = 0; at < waiting; at++) {
    const cell = <i32>load<u32>(made.front + ((<usize>at) << 2))
    const i = cell % nx
    const j = (cell / nx) % ny
    const k = cell / (nx * ny)
    const known = knownAround(made, i, j, k, layer)
    if (!known) {
      store<u32>(made.front + ((<usize>left) << 2), <u32>cell)
      left++
      continue
    }
    store<u8>(made.layers + <usize>cell, layer)
    const to = made.list + ((<usize>made.count) << 3)
    made.count++
    store<u32>(to, <u32>((i << 2) + made.row * j + made.plane * k))
    store<u32>(to, known, 4)
  }
  return left
}

/** One bit for each of the 27 cells around. */
function knownAround(made: Continuation, i: i32, j: i32, k: i32, layer: u8): u32 {
  let known: u32 = 0
  let bit: u32 = 1
  for (let c = k - 1; c <= k + 1; c++) {
    for (let b = j - 1; b <= j + 1; b++) {
      for (let a = i - 1; a <= i + 1; a++, bit <<= 1) {
        const isInside = a >= 0 && b >= 0 && c >= 0 && a < made.nx && b < made.ny && c < made.nz
        if (isInside && load<u8>(made.layers + <usize>(a + made.nx * (b + made.ny * c))) < layer) known |= bit
      }
    }
  }
  return known
}

/** `liquid`: from the first cell on. */
export function continueLiquid(made: Continuation, liquid: usize): void {
  const end = made.list + ((<usize>made.count) << 3)
  for (let at = made.list; at < end; at += 8) {
    const to = liquid + <usize>load<u32>(at)
    let sum: f32 = 0
    let weights: f32 = 0
    for (let known = load<u32>(at, 4); known; known &= known - 1) {
      const other = made.around + ((<usize>ctz(known)) << 3)
      const weight = load<f32>(other, 4)
      sum += weight * load<f32>(to + <usize>load<i32>(other))
      weights += weight
    }
    store<f32>(to, sum / weights)
  }
}
