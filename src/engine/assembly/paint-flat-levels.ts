/** The level sets of a frame for pictures of it: in cells, finite, and liquid continued into solids: across a wall it stays as it is, so that
 *  the surface meets the wall at a right angle. As src/render/continued-liquid.ts has it, but which cell is the mean of which others is
 *  remembered for as long as the solids stay. */
import { farthest, Flat, repeatBorder } from './paint-flat'

/** Layers of cells; pictures look no deeper into solids. */
const LAYERS: i32 = 3
const NEVER: u8 = 255

/** Takes what the host has given. Nothing that was made of the frame before is good any more. */
export function takeLevels(flat: Flat): void {
  const count = (flat.nx + 1) * (flat.ny + 1)
  if (!flat.hasSolid || !areEqual(flat.givenSolid, flat.keptSolid, count)) takeSolid(flat, count)
  const far = farthest(flat)
  scale(flat, flat.givenLiquid, flat.liquid, flat.nx, flat.ny, far, 1)
  continueLiquid(flat)
  repeatBorder(flat, flat.liquid, flat.nx, flat.ny)
  flat.reach = 0
  flat.sight = 0
}

function areEqual(a: usize, b: usize, count: i32): bool {
  let differing = i32x4.splat(0)
  for (let at: usize = 0; at < <usize>count << 2; at += 16)
    differing = v128.or(differing, v128.xor(v128.load(a + at), v128.load(b + at)))
  return !v128.any_true(differing)
}

function takeSolid(flat: Flat, count: i32): void {
  memory.copy(flat.keptSolid, flat.givenSolid, (<usize>count << 2) + 16)
  flat.hasSolid = 1
  const far = farthest(flat)
  scale(flat, flat.givenSolid, flat.solid, flat.nx + 1, flat.ny + 1, far, far)
  repeatBorder(flat, flat.solid, flat.nx + 1, flat.ny + 1)
  listContinued(flat)
}

/** From metres to cells, no farther than `far`; what is not a number becomes `unknown`. */
function scale(flat: Flat, from: usize, to: usize, columns: i32, rows: i32, far: f32, unknown: f32): void {
  const factor = f32x4.splat(flat.perMetre)
  const most = f32x4.splat(far)
  const least = f32x4.splat(-far)
  const instead = f32x4.splat(unknown)
  for (let j = 0; j < rows; j++) {
    const source = from + (<usize>(j * columns) << 2)
    const target = to + flat.rowBytes * <usize>j
    // The last four reach into the border, which is filled in afterwards.
    for (let i: usize = 0; i < <usize>columns << 2; i += 16) {
      const value = f32x4.mul(v128.load(source + i), factor)
      const known = v128.bitselect(value, instead, f32x4.eq(value, value))
      v128.store(target + i, f32x4.pmin(f32x4.pmax(known, least), most))
    }
  }
}

/** Cells whose centre is in a solid, but not deep in it, by layers: those beside open cells first. */
function listContinued(flat: Flat): void {
  const nx = flat.nx
  const ny = flat.ny
  const stride = flat.stride
  const layers = flat.bits
  memory.fill(layers - <usize>(stride + 4), NEVER, <usize>stride * <usize>(ny + 2))
  const deepest: f32 = -<f32>((LAYERS + 1) * 4)
  // Candidates as places of cells; what is left of them is kept for the next layer.
  const front = flat.list
  let waiting: usize = 0
  for (let j = 0; j < ny; j++) {
    for (let i = 0; i < nx; i++) {
      const cell = i + stride * j
      const node = flat.solid + (<usize>cell << 2)
      const sum = load<f32>(node) + load<f32>(node, 4) + load<f32>(node + flat.rowBytes) + load<f32>(node + flat.rowBytes, 4)
      if (sum >= 0) store<u8>(layers + <usize>cell, 0)
      else if (sum > deepest) store<u32>(front + (waiting++ << 2), cell)
    }
  }
  let count: usize = 0
  for (let layer = 1; layer <= LAYERS && waiting > 0; layer++) {
    let rest: usize = 0
    for (let n: usize = 0; n < waiting; n++) {
      const cell = load<u32>(front + (n << 2))
      const known = knownAround(layers + <usize>cell, stride, <u8>layer)
      if (!known) store<u32>(front + (rest++ << 2), cell)
      else {
        store<u8>(layers + <usize>cell, <u8>layer)
        const entry = flat.continued + (count++ << 3)
        store<u32>(entry, cell << 2)
        store<u32>(entry, known, 4)
      }
    }
    waiting = rest
  }
  flat.continuedCount = <i32>count
}

/** Which of the eight cells around one were known before this layer, as bits. */
function knownAround(at: usize, stride: i32, layer: u8): u32 {
  let known: u32 = 0
  for (let n = 0; n < 8; n++) if (load<u8>(at + neighbour(n, stride)) < layer) known |= 1 << n
  return known
}

/** Straight ones first. */
@inline
function neighbour(n: i32, stride: i32): i32 {
  switch (n) {
    case 0:
      return -1
    case 1:
      return 1
    case 2:
      return -stride
    case 3:
      return stride
    case 4:
      return -stride - 1
    case 5:
      return 1 - stride
    case 6:
      return stride - 1
    default:
      return stride + 1
  }
}

/** Means of known neighbours, diagonal ones counting half. */
function continueLiquid(flat: Flat): void {
  for (let n = 0; n < flat.continuedCount; n++) {
    const entry = flat.continued + (<usize>n << 3)
    const at = flat.liquid + <usize>load<u32>(entry)
    let sum: f32 = 0
    let weights: f32 = 0
    for (let known = load<u32>(entry, 4); known; known &= known - 1) {
      const which = ctz(known)
      const weight: f32 = which < 4 ? 1 : 0.5
      sum += weight * load<f32>(at + (neighbour(which, flat.stride) << 2))
      weights += weight
    }
    store<f32>(at, sum / weights)
  }
}
