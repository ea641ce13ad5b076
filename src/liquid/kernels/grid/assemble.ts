/** The pressure problem of a liquid: the same operations as src/pressure/assemble.ts in the same order, so results have the same bits. */
import { CONTACT, DRY, LIQUID, NO_WALL, OPEN_SIDE_FRACTION, SEPARATING } from '../../../pressure/cell-kinds'
import { TOUCH_KIND } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { distanceFactor, liquidFraction } from './liquid-fraction'
import { openOfSolids } from './open'
import { byteAt, CELLS, current, endRow, f32At, f64At, firstRow, LiquidJob, sideAt } from './rows'
import { ownerOfFace, velocityOfWall } from './wall-velocity'

@unmanaged
export class AssembleJob extends LiquidJob {
  /** dt / (density spacing²). */
  scale: f64
  /** Target divergence, 1/s. */
  divergence: f64
  /** Whether any wall has a velocity. */
  moving: bool
}

/** A cell is an unknown if its centre is liquid and some face of it is open. */
@piece
export function kindPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const plane = nx * ny
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const cell = row * nx
    const k = row / ny
    const openX = liquid.openX + ((<usize>(row * (nx + 1))) << 2)
    const openY = liquid.openY + ((<usize>((row + k) * nx)) << 2)
    const openZ = liquid.openZ + ((<usize>cell) << 2)
    const phi = liquid.phi + ((<usize>cell) << 2)
    const kind = liquid.kind + <usize>cell
    const touch = liquid.touch + <usize>cell
    let i = 0
    while (i < nx) {
      const stop = min(nx, i + 4)
      if (stop == i + 4 && !v128.any_true(v128.lt<f32>(v128.load(phi + ((<usize>i) << 2)), v128.splat<f32>(0)))) {
        if (load<u32>(kind + <usize>i)) dryFour(liquid, cell + i)
        i = stop
        continue
      }
      if (stop == i + 4 && areWet(phi + ((<usize>i) << 2), openX + ((<usize>i) << 2))) {
        const walls = load<u32>(touch + <usize>i)
        // Bytes of LIQUID, raised to CONTACT where the wall is SEPARATING.
        store<u32>(kind + <usize>i, 0x01010101 + separating(walls))
        i = stop
        continue
      }
      if (stop == i + 4) dryFour(liquid, cell + i)
      for (; i < stop; i++) {
        const isOpen =
          f32At(phi, i) < 0 &&
          (f32At(openX, i) > 0 ||
            f32At(openX, i + 1) > 0 ||
            f32At(openY, i) > 0 ||
            f32At(openY, i + nx) > 0 ||
            f32At(openZ, i) > 0 ||
            f32At(openZ, i + plane) > 0)
        const isContact = (byteAt(touch, i) & TOUCH_KIND) == SEPARATING
        store<u8>(kind + <usize>i, isOpen ? (isContact ? CONTACT : LIQUID) : DRY)
      }
    }
  }
}

/** Leaves no unknowns, and rows of zeros everywhere. */
export function liquidClearProblem(liquid: Liquid): void {
  const whole = liquid.cells & ~3
  for (let cell = 0; cell < whole; cell += 4) if (load<u32>(liquid.kind + <usize>cell)) dryFour(liquid, cell)
  for (let cell = whole; cell < liquid.cells; cell++) {
    store<u8>(liquid.kind + <usize>cell, DRY)
    clearCell(liquid, (<usize>cell) << 3)
  }
}

/** Clears the rows of four cells without unknowns. Rows of cells that had none before are zeros already, so air that stays air is skipped. */
@inline
function dryFour(liquid: Liquid, cell: i32): void {
  store<u32>(liquid.kind + <usize>cell, 0)
  const at = (<usize>cell) << 3
  const zero = v128.splat<f64>(0)
  storeFour(liquid.diagonal + at, zero)
  storeFour(liquid.linkX + at, zero)
  storeFour(liquid.linkY + at, zero)
  storeFour(liquid.linkZ + at, zero)
  storeFour(liquid.b + at, zero)
}

/** Whether four cells in a row are liquid and their lower faces along x open. */
@inline
function areWet(phi: usize, openX: usize): bool {
  const zero = v128.splat<f32>(0)
  return v128.all_true<i32>(v128.and(v128.lt<f32>(v128.load(phi), zero), v128.gt<f32>(v128.load(openX), zero)))
}

/** Four bytes: 1 where the wall is separating, else 0. */
@inline
function separating(walls: u32): u32 {
  const kinds = v128.and(v128.splat<i32>(<i32>walls), v128.splat<i8>(<i8>TOUCH_KIND))
  return <u32>v128.extract_lane<i32>(v128.and(v128.eq<i8>(kinds, v128.splat<i8>(<i8>SEPARATING)), v128.splat<i8>(1)), 0)
}

@piece
export function matrixPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const j = row % liquid.ny
    const k = row / liquid.ny
    const kind = liquid.kind + <usize>(row * nx)
    const isInside = j > 0 && j < liquid.ny - 1 && (liquid.dims == 2 || (k > 0 && k < liquid.nz - 1))
    let i = 0
    while (i < nx) {
      const stop = min(nx, i + 4)
      if (stop == i + 4) {
        if (load<u32>(kind + <usize>i) == 0) {
          i = stop
          continue
        }
        if (isInside && i > 0 && stop < nx && areInterior(liquid, row * nx + i, row * (nx + 1) + i, (row + k) * nx + i)) {
          buildFour(liquid, row * nx + i, row * (nx + 1) + i, (row + k) * nx + i)
          i = stop
          continue
        }
      }
      for (; i < stop; i++) {
        clearCell(liquid, (<usize>(row * nx + i)) << 3)
        if (byteAt(kind, i) != DRY) buildCell(liquid, row, i, j, k)
      }
    }
  }
}

@inline
function clearCell(liquid: Liquid, at: usize): void {
  store<f64>(liquid.diagonal + at, 0)
  store<f64>(liquid.linkX + at, 0)
  store<f64>(liquid.linkY + at, 0)
  store<f64>(liquid.linkZ + at, 0)
  store<f64>(liquid.b + at, 0)
}

@inline
function storeFour(at: usize, value: v128): void {
  v128.store(at, value)
  v128.store(at, value, 16)
}

/** Whether four cells in a row and all their neighbours are unknowns, with fully open faces. */
function areInterior(liquid: Liquid, cell: i32, faceX: i32, faceY: i32): bool {
  const row = <usize>liquid.nx
  const plane = row * <usize>liquid.ny
  const at = liquid.kind + <usize>cell
  let unknown = isUnknown(at) & isUnknown(at - 1) & isUnknown(at + 1) & isUnknown(at - row) & isUnknown(at + row)
  if (liquid.dims == 3) unknown &= isUnknown(at - plane) & isUnknown(at + plane)
  if (unknown != 0x01010101) return false
  if (jobOf<AssembleJob>().moving && load<u32>(liquid.touch + <usize>cell) != 0) return false
  const x = liquid.openX + ((<usize>faceX) << 2)
  const y = liquid.openY + ((<usize>faceY) << 2)
  let open = v128.and(v128.and(isWhole(x), isWhole(x + 4)), v128.and(isWhole(y), isWhole(y + (row << 2))))
  if (liquid.dims == 3) {
    const z = liquid.openZ + ((<usize>cell) << 2)
    open = v128.and(open, v128.and(isWhole(z), isWhole(z + (plane << 2))))
  }
  return v128.all_true<i32>(open)
}

/** Bit 0 of each of four bytes is set for unknowns: LIQUID is 1, CONTACT 2. */
@inline
function isUnknown(at: usize): u32 {
  const kinds = load<u32>(at)
  return (kinds | (kinds >> 1)) & 0x01010101
}

@inline
function isWhole(at: usize): v128 {
  return v128.eq<f32>(v128.load(at), v128.splat<f32>(1))
}

/** Same result as `buildCell` for four interior cells. */
function buildFour(liquid: Liquid, cell: i32, faceX: i32, faceY: i32): void {
  const scale = jobOf<AssembleJob>().scale
  let diagonal = scale + scale + scale + scale
  if (liquid.dims == 3) diagonal = diagonal + scale + scale
  const at = (<usize>cell) << 3
  const link = v128.splat<f64>(-scale)
  storeFour(liquid.diagonal + at, v128.splat<f64>(diagonal))
  storeFour(liquid.linkX + at, link)
  storeFour(liquid.linkY + at, link)
  storeFour(liquid.linkZ + at, liquid.dims == 3 ? link : v128.splat<f64>(0))
  const h = v128.splat<f64>(liquid.spacing)
  const row = (<usize>liquid.nx) << 3
  const plane = row * <usize>liquid.ny
  const desired = v128.splat<f64>(jobOf<AssembleJob>().divergence)
  for (let n: usize = 0; n < 32; n += 16) {
    const x = liquid.ux + ((<usize>faceX) << 3) + n
    const y = liquid.uy + ((<usize>faceY) << 3) + n
    let b = v128.add<f64>(v128.splat<f64>(0), differences(x, 8, h))
    b = v128.add<f64>(b, differences(y, row, h))
    if (liquid.dims == 3) b = v128.add<f64>(b, differences(liquid.uz + at + n, plane, h))
    v128.store(liquid.b + at + n, v128.sub<f64>(b, desired))
  }
}

@inline
function differences(at: usize, step: usize, h: v128): v128 {
  return v128.div<f64>(v128.sub<f64>(v128.load(at + step), v128.load(at)), h)
}

function buildCell(liquid: Liquid, row: i32, i: i32, j: i32, k: i32): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const plane = nx * ny
  const cell = row * nx + i
  const faceX = row * (nx + 1) + i
  const faceY = (row + k) * nx + i
  const factor = distanceFactor(liquid, cell)
  let diagonal = 0.0
  diagonal = addFaces(liquid, diagonal, factor, cell, 1, liquid.openX, faceX, 1, i, nx, liquid.linkX)
  diagonal = addFaces(liquid, diagonal, factor, cell, nx, liquid.openY, faceY, nx, j, ny, liquid.linkY)
  diagonal = addFaces(liquid, diagonal, factor, cell, plane, liquid.openZ, cell, plane, k, liquid.nz, liquid.linkZ)
  store<f64>(liquid.diagonal + ((<usize>cell) << 3), diagonal)
  let b = 0.0
  b += outflow(liquid, liquid.openX, liquid.ux, faceX, 1)
  b += outflow(liquid, liquid.openY, liquid.uy, faceY, nx)
  b += outflow(liquid, liquid.openZ, liquid.uz, cell, plane)
  if (jobOf<AssembleJob>().moving && (byteAt(liquid.touch, cell) & TOUCH_KIND) != NO_WALL) {
    b += solidFlux(liquid, 0, liquid.openX, faceX, 1, i, j, k)
    b += solidFlux(liquid, 1, liquid.openY, faceY, nx, i, j, k)
    b += solidFlux(liquid, 2, liquid.openZ, cell, plane, i, j, k)
  }
  store<f64>(liquid.b + ((<usize>cell) << 3), b - jobOf<AssembleJob>().divergence * <f64>f32At(liquid.openCell, cell))
}

/** Adds the two faces of a cell along one axis; the cell is at `position` of `size` along it. `factor` enlarges distances to p = 0. */
@inline
function addFaces(
  liquid: Liquid,
  diagonal: f64,
  factor: f64,
  cell: i32,
  stride: i32,
  open: usize,
  face: i32,
  step: i32,
  position: i32,
  size: i32,
  link: usize,
): f64 {
  const scale = jobOf<AssembleJob>().scale
  const lower = <f64>f32At(open, face)
  if (lower != 0) {
    if (position == 0) diagonal += (scale * lower) / (OPEN_SIDE_FRACTION * factor)
    else if (byteAt(liquid.kind, cell - stride) != DRY) diagonal += scale * lower
    else diagonal += (scale * lower) / (liquidFraction(f32At(liquid.phi, cell), f32At(liquid.phi, cell - stride)) * factor)
  }
  const upper = <f64>f32At(open, face + step)
  if (upper != 0) {
    if (position == size - 1) diagonal += (scale * upper) / (OPEN_SIDE_FRACTION * factor)
    else if (byteAt(liquid.kind, cell + stride) != DRY) {
      diagonal += scale * upper
      store<f64>(link + ((<usize>cell) << 3), -scale * upper)
    } else diagonal += (scale * upper) / (liquidFraction(f32At(liquid.phi, cell), f32At(liquid.phi, cell + stride)) * factor)
  }
  return diagonal
}

@inline
function outflow(liquid: Liquid, open: usize, u: usize, face: i32, step: i32): f64 {
  const upper = <f64>f32At(open, face + step) * f64At(u, face + step)
  return (upper - <f64>f32At(open, face) * f64At(u, face)) / liquid.spacing
}

/** Σ ± (V_cell − V_face) u_solid / spacing along one axis. */
function solidFlux(liquid: Liquid, axis: i32, open: usize, face: i32, step: i32, i: i32, j: i32, k: i32): f64 {
  const volume = <f64>f32At(liquid.openCell, i + liquid.nx * (j + liquid.ny * k))
  const upI = i + i32(axis == 0)
  const upJ = j + i32(axis == 1)
  const upK = k + i32(axis == 2)
  const lower = <f64>openWithoutSides(liquid, axis, open, face, i, j, k)
  const upper = <f64>openWithoutSides(liquid, axis, open, face + step, upI, upJ, upK)
  const below = solidVelocity(liquid, axis, i, j, k)
  const above = solidVelocity(liquid, axis, upI, upJ, upK)
  return ((volume - upper) * above - (volume - lower) * below) / liquid.spacing
}

/** Sides are at rest, so on a face that they close only solids count. */
@inline
function openWithoutSides(liquid: Liquid, axis: i32, open: usize, face: i32, i: i32, j: i32, k: i32): f32 {
  const side = sideAt(liquid, axis, axis == 0 ? i : axis == 1 ? j : k)
  return side > NO_WALL || (axis == 2 && liquid.dims == 2) ? openOfSolids(liquid, axis, i, j, k) : f32At(open, face)
}

/** Velocity of the nearest solid at the centre of a face, along its axis, m/s. */
function solidVelocity(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f64 {
  const h = liquid.spacing
  const x = (<f64>i + (axis == 0 ? 0 : 0.5)) * h
  const y = (<f64>j + (axis == 1 ? 0 : 0.5)) * h
  const z = liquid.dims == 2 ? 0 : (<f64>k + (axis == 2 ? 0 : 0.5)) * h
  return velocityOfWall(liquid, ownerOfFace(liquid, axis, i, j, k), axis, x, y, z)
}
