/** Fills false holes: a few cells inside liquid that look like air by chance, or because a wall passes through them. As air they would have no
 *  pressure, and all liquid around would rush in within a substep. */
import { jobOf } from '../../../machine/kernels/job'
import { firstParticle, Liquid } from '../liquid'
import { holes, SurfaceJob } from './marks'
import { byAxis, byteAt, CELLS, current, endRow, f32At, firstRow } from '../grid/rows'
import { SURFACE_SCRATCH } from './scratch'

/** Largest number of cells of a hole, two along every axis; larger ones are bubbles, which stay. */
@inline
function largestHole(liquid: Liquid): i32 {
  return 1 << liquid.dims
}

/** Cells at a larger distance have no liquid next to them. */
const FAR: f32 = 1.2

/** Smallest distance at centres of filled holes. */
const SHALLOW: f32 = -0.25
/** A hole at distance 0 becomes liquid, too. */
const JUST_INSIDE: f32 = 1e-3

/** Marks are stored in `pairX`, after those of marks.ts. */
@piece
export function findHolesPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const list = liquid.scratch + <usize>(piece * SURFACE_SCRATCH)
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % ny
    const k = row / ny
    const phi = liquid.phi + ((<usize>(row * nx)) << 2)
    const marks = holes(liquid) + <usize>(row * nx)
    for (let i = 0; i < nx; i += 16) {
      if (i + 16 <= nx) {
        v128.store(marks + <usize>i, v128.splat<u8>(0))
        for (let lanes = besideLiquid(phi + ((<usize>i) << 2)); lanes != 0; lanes &= lanes - 1) {
          const n = i + ctz(lanes)
          const cell = row * nx + n
          if (!isOpenEnded(liquid, cell, n, j, k) && isHole(liquid, list, cell)) store<u8>(marks + <usize>n, 1)
        }
        continue
      }
      const stop = min(nx, i + 16)
      for (let n = i; n < stop; n++) {
        const value = f32At(phi, n)
        const cell = row * nx + n
        const isFound = value >= 0 && value < FAR && !isOpenEnded(liquid, cell, n, j, k) && isHole(liquid, list, cell)
        store<u8>(marks + <usize>n, isFound ? 1 : 0)
      }
    }
  }
}

/** Bits of the sixteen cells that are air with liquid next to them. */
@inline
function besideLiquid(at: usize): i32 {
  const low = v128.narrow<i32>(areBeside(at), areBeside(at + 16))
  return v128.bitmask<i8>(v128.narrow<i16>(low, v128.narrow<i32>(areBeside(at + 32), areBeside(at + 48))))
}

@inline
function areBeside(at: usize): v128 {
  const phi = v128.load(at)
  return v128.and(v128.ge<f32>(phi, v128.splat<f32>(0)), v128.lt<f32>(phi, v128.splat<f32>(FAR)))
}

/** Whether air continues straight along an axis for more cells than a hole has. Usually it does, and then only a half full cell at a wall can
 *  be a hole. */
function isOpenEnded(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): bool {
  if (isHalfFullAtWall(liquid, cell)) return false
  const nx = liquid.nx
  const ny = liquid.ny
  if (continuesStraight(liquid, liquid.openX, cell, cell + j + ny * k, 1, i, nx)) return true
  if (continuesStraight(liquid, liquid.openY, cell, cell + nx * k, nx, j, ny)) return true
  return liquid.dims == 3 && continuesStraight(liquid, liquid.openZ, cell, cell, nx * ny, k, liquid.nz)
}

/** In both directions along an axis; `face` is the lower face of the cell, which is at `position` of `size`. */
@inline
function continuesStraight(liquid: Liquid, open: usize, cell: i32, face: i32, step: i32, position: i32, size: i32): bool {
  const most = largestHole(liquid)
  if (position + most < size && isAir(liquid, open, cell + step, face + step, step, most)) return true
  return position >= most && isAir(liquid, open, cell - step, face, -step, most)
}

/** Whether `count` cells, each reached through an open face, are air. */
function isAir(liquid: Liquid, open: usize, cell: i32, face: i32, step: i32, count: i32): bool {
  for (let n = 0; n < count; n++) {
    if (f32At(liquid.phi, cell + n * step) < 0 || f32At(open, face + n * step) == 0) return false
  }
  return true
}

@piece
export function fillHolesPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  let cell = firstRow(liquid, CELLS, piece) * nx
  const end = endRow(liquid, CELLS, piece) * nx
  while (cell < end) {
    if (cell + 16 <= end && !v128.any_true(v128.load(holes(liquid) + <usize>cell))) {
      cell += 16
      continue
    }
    // As far inside as it seemed to be outside: a pit of the surface at the height of a centre changes little.
    const at = liquid.phi + ((<usize>cell) << 2)
    if (byteAt(holes(liquid), cell)) store<f32>(at, max<f32>(SHALLOW, -load<f32>(at) - JUST_INSIDE))
    cell++
  }
}

/** Flood fill of air from a cell, which ends soon in a hole. A half full cell that a wall cuts, with only one air neighbour, is a hole,
 *  too. */
function isHole(liquid: Liquid, list: usize, cell: i32): bool {
  store<i32>(list, cell)
  let count = addNeighbours(liquid, list, 0, 1)
  if (count == 2 && isHalfFullAtWall(liquid, cell)) return true
  // Isolated, without any open face.
  if (count == 1 && !hasOpenFace(liquid, cell)) return false
  for (let at = 1; at < count; at++) count = addNeighbours(liquid, list, at, count)
  return count <= largestHole(liquid)
}

@inline
function isHalfFullAtWall(liquid: Liquid, cell: i32): bool {
  const particles = firstParticle(liquid, cell + 1) - firstParticle(liquid, cell)
  return (
    f32At(liquid.openCell, cell) < 1 &&
    particles > 0 &&
    <f32>particles >= 0.5 * <f32>jobOf<SurfaceJob>().particlesPerCell * f32At(liquid.openCell, cell)
  )
}

/** Adds the air next to a cell of the list, until the list is longer than a hole; beyond open sides there is more air than that. */
function addNeighbours(liquid: Liquid, list: usize, at: i32, known: i32): i32 {
  const cell = load<i32>(list + ((<usize>at) << 2))
  const largest = largestHole(liquid)
  let count = known
  for (let face = 0; face < 2 * liquid.dims; face++) {
    if (count > largest) return count
    const next = neighbourBehind(liquid, cell, face)
    if (next == CLOSED) continue
    if (next == OUTSIDE) return largest + 1
    if (f32At(liquid.phi, next) < 0) continue
    let isNew = true
    for (let n = 0; n < count; n++) if (load<i32>(list + ((<usize>n) << 2)) == next) isNew = false
    if (!isNew) continue
    store<i32>(list + ((<usize>count) << 2), next)
    count++
  }
  return count
}

const CLOSED: i32 = -1
const OUTSIDE: i32 = -2

/** The cell on the other side of a face (−x, +x, −y, +y, −z, +z), or CLOSED or OUTSIDE. */
function neighbourBehind(liquid: Liquid, cell: i32, face: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const row = cell / nx
  const k = row / ny
  const axis = face >> 1
  const upper = face & 1
  const step = axis == 0 ? 1 : axis == 1 ? nx : nx * ny
  const first = axis == 0 ? cell + row : axis == 1 ? cell + nx * k : cell
  if (f32At(byAxis(axis, liquid.openX, liquid.openY, liquid.openZ), first + upper * step) == 0) return CLOSED
  const position = axis == 0 ? cell - row * nx : axis == 1 ? row - k * ny : k
  const last = axis == 0 ? nx - 1 : axis == 1 ? ny - 1 : liquid.nz - 1
  if (position == (upper ? last : 0)) return OUTSIDE
  return upper ? cell + step : cell - step
}

function hasOpenFace(liquid: Liquid, cell: i32): bool {
  for (let face = 0; face < 2 * liquid.dims; face++) if (neighbourBehind(liquid, cell, face) != CLOSED) return true
  return false
}
