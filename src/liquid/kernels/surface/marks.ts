/** Finds the cells near the surface of a liquid, from the particles of cells and the liquid that the grid carries, sixteen cells at a time. Only
 *  these cells read particles, so the cost of finding the surface is proportional to its area. Marks are stored in `pairX`, which is free until
 *  the transfer from particles. */
import { CENTRE_SOLID, MIN_DEEP } from '../../shared-constants'
import { jobOf } from '../../../machine/kernels/job'
import { firstParticle, Liquid } from '../liquid'
import { CELLS, current, endRow, firstRow, LiquidJob } from '../grid/rows'
import { SURFACE_SCRATCH } from './scratch'

/** Arguments of the loops that find the surface. */
@unmanaged
export class SurfaceJob extends LiquidJob {
  /** Particles of a full cell. */
  particlesPerCell: f64
  /** Least number of particles of a well filled cell. */
  minFilled: i32
}

// Marks of cells; 0 is empty.
const OCCUPIED: u8 = 255
/** Liquid fills the cell: it is occupied, or empty by chance among occupied ones. */
const FILLED: u8 = 1
/** At least half as many particles as in a full cell: the surface is not in the lower half of the cell. */
const WELL_FILLED: u8 = 2
/** Three quarters of the particles that there is room for, at least; or solid. */
const FULL_CELL: u8 = 4
/** The centre is in a solid. */
const SOLID_CELL: u8 = 8
/** Filled or solid: no air. */
const NO_AIR: u8 = 128

@inline
function occupied(liquid: Liquid): usize {
  return liquid.pairX
}

@inline
function filled(liquid: Liquid): usize {
  return liquid.pairX + <usize>liquid.cells
}

/** Marks of holes, see holes.ts. */
@inline
export function holes(liquid: Liquid): usize {
  return liquid.pairX + 2 * <usize>liquid.cells
}

@piece
export function markOccupiedPiece(piece: i32): void {
  const liquid = current()
  const marks = occupied(liquid)
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  for (; cell + 16 <= end; cell += 16) {
    const at = liquid.cellStart + ((<usize>cell) << 2)
    const low = v128.narrow<i32>(areOccupied(at), areOccupied(at + 16))
    const high = v128.narrow<i32>(areOccupied(at + 32), areOccupied(at + 48))
    v128.store(marks + <usize>cell, v128.or(v128.narrow<i16>(low, high), areCarried(liquid, cell)))
  }
  for (; cell < end; cell++) {
    const isOccupied =
      firstParticle(liquid, cell + 1) > firstParticle(liquid, cell) || v128.extract_lane<u8>(areCarried(liquid, cell), 0) != 0
    store<u8>(marks + <usize>cell, isOccupied ? OCCUPIED : 0)
  }
}

/** Lanes of sixteen cells outside solids that are full of liquid carried by the grid. */
@inline
function areCarried(liquid: Liquid, cell: i32): v128 {
  const isDeep = v128.ge<u8>(v128.load(liquid.carried + <usize>cell), v128.splat<u8>(<u8>MIN_DEEP))
  return v128.andnot(isDeep, areSolid(liquid, cell))
}

/** Lanes of sixteen cells whose centre is in a solid. */
@inline
export function areSolid(liquid: Liquid, cell: i32): v128 {
  const touch = v128.and(v128.load(liquid.touch + <usize>cell), v128.splat<u8>(<u8>CENTRE_SOLID))
  return v128.ne<u8>(touch, v128.splat<u8>(0))
}

@inline
function areOccupied(at: usize): v128 {
  return v128.ne<i32>(v128.load(at), v128.load(at, 4))
}

@piece
export function markFilledPiece(piece: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  const scratch = liquid.scratch + <usize>(piece * SURFACE_SCRATCH)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const to = filled(liquid) + <usize>(row * nx)
    for (let i = 0; i < nx; i += 16) {
      const marks = marksOf(liquid, row * nx + i, i, row % liquid.ny, row / liquid.ny)
      if (i + 16 <= nx) v128.store(to + <usize>i, marks)
      else {
        v128.store(scratch, marks)
        memory.copy(to + <usize>i, scratch, nx - i)
      }
    }
  }
}

/** Marks of sixteen cells in a row. */
@inline
function marksOf(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): v128 {
  const nx = liquid.nx
  const plane = <usize>(nx * liquid.ny)
  const at = occupied(liquid) + <usize>cell
  const own = v128.load(at)
  // Neighbours beyond sides do not count, but there must be at least one inside.
  let around = v128.and(v128.or(v128.load(at - 1), lowerEnd(i, 1)), v128.or(v128.load(at + 1), upperEnd(i, nx, 1)))
  if (j > 0) around = v128.and(around, v128.load(at - <usize>nx))
  if (j < liquid.ny - 1) around = v128.and(around, v128.load(at + <usize>nx))
  if (k > 0) around = v128.and(around, v128.load(at - plane))
  if (k < liquid.nz - 1) around = v128.and(around, v128.load(at + plane))
  if (liquid.cells == 1) around = v128.splat<u8>(0)
  const isFilled = v128.or(own, around)
  const isSolid = areSolid(liquid, cell)
  let marks = v128.and(isFilled, v128.splat<u8>(NO_AIR | FILLED))
  marks = v128.or(marks, v128.and(isSolid, v128.splat<u8>(NO_AIR | SOLID_CELL | FULL_CELL)))
  if (!v128.any_true(isFilled)) return marks
  const start = liquid.cellStart + ((<usize>cell) << 2)
  const low = v128.narrow<i32>(areMany(start), areMany(start + 16))
  const many = v128.narrow<i16>(low, v128.narrow<i32>(areMany(start + 32), areMany(start + 48)))
  const isCarried = areCarried(liquid, cell)
  const isWell = v128.or(v128.or(around, many), isCarried)
  const isFull = v128.and(isFilled, v128.or(areFull(liquid, cell), isCarried))
  marks = v128.or(marks, v128.and(isWell, v128.splat<u8>(WELL_FILLED)))
  return v128.or(marks, v128.and(isFull, v128.splat<u8>(FULL_CELL)))
}

@inline
function areMany(at: usize): v128 {
  return v128.ge<i32>(v128.sub<i32>(v128.load(at, 4), v128.load(at)), v128.splat<i32>(jobOf<SurfaceJob>().minFilled))
}

/** Lanes of sixteen cells that hold three quarters of the particles that there is room for, at least. */
@inline
function areFull(liquid: Liquid, cell: i32): v128 {
  const least = v128.splat<f32>(<f32>(0.75 * jobOf<SurfaceJob>().particlesPerCell))
  const low = v128.narrow<i32>(areFourFull(liquid, cell, least), areFourFull(liquid, cell + 4, least))
  return v128.narrow<i16>(low, v128.narrow<i32>(areFourFull(liquid, cell + 8, least), areFourFull(liquid, cell + 12, least)))
}

@inline
function areFourFull(liquid: Liquid, cell: i32, least: v128): v128 {
  const at = (<usize>cell) << 2
  const counts = v128.sub<i32>(v128.load(liquid.cellStart + at, 4), v128.load(liquid.cellStart + at))
  return f32x4.ge(f32x4.convert_i32x4_s(counts), f32x4.mul(least, v128.load(liquid.openCell + at)))
}

/** Sixteen cells of a row: bits 0 to 15 are set for cells with particles around, bits 16 to 31 for cells deep in the liquid. */
export function lanesOf(liquid: Liquid, i: i32, j: i32, k: i32): u32 {
  const own = v128.load(filled(liquid) + <usize>(i + liquid.nx * (j + liquid.ny * k)))
  const isFilled = v128.shl<i8>(own, 7)
  const inReach = v128.bitmask<i8>(isFilled) == 0xffff ? 0xffff : lanesInReach(liquid, i, j, k)
  if (inReach == 0) return 0
  const carried = v128.bitmask<i8>(areCarried(liquid, i + liquid.nx * (j + liquid.ny * k)))
  const deep = carried == 0xffff ? carried : carried | (inReach & lanesDeep(liquid, i, j, k))
  return <u32>inReach | ((<u32>deep) << 16)
}

/** Lanes less than `shift` cells from the lower end of the row; lane 0 is cell i. */
@inline
function lowerEnd(i: i32, shift: i32): v128 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return i == 0 ? v128.lt<i8>(lanes, v128.splat<i8>(<i8>shift)) : v128.splat<i8>(0)
}

@inline
function upperEnd(i: i32, nx: i32, shift: i32): v128 {
  const lanes = i8x16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
  return v128.ge<i8>(lanes, v128.splat<i8>(<i8>min(16, max(0, nx - i - shift))))
}

/** Bits of the sixteen cells in a row with particles in the cells around them. */
function lanesInReach(liquid: Liquid, i: i32, j: i32, k: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  let west = v128.splat<u8>(0)
  let here = west
  let east = west
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const at = occupied(liquid) + <usize>(i + nx * (b + ny * c))
      west = v128.or(west, v128.load(at - 1))
      here = v128.or(here, v128.load(at))
      east = v128.or(east, v128.load(at + 1))
    }
  }
  west = v128.andnot(west, lowerEnd(i, 1))
  east = v128.andnot(east, upperEnd(i, nx, 1))
  return v128.bitmask<i8>(v128.or(here, v128.or(west, east)))
}

/** Bits of the sixteen cells in a row that are so deep in the liquid that the surface is out of reach: no air around, and liquid goes on in every
 *  direction along an axis. In bytes, bit 7 is the result; marks are shifted there. */
function lanesDeep(liquid: Liquid, i: i32, j: i32, k: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const nz = liquid.nz
  const at = filled(liquid) + <usize>(i + nx * (j + ny * k))
  const own = v128.load(at)
  // Beyond the ends of a row are cells of other rows.
  const atStart = lowerEnd(i, 1)
  const atEnd = upperEnd(i, nx, 1)
  let all = v128.splat<u8>(255)
  for (let c = max(0, k - 1); c <= min(nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const there = filled(liquid) + <usize>(i + nx * (b + ny * c))
      const beside = v128.and(v128.or(v128.load(there - 1), atStart), v128.or(v128.load(there + 1), atEnd))
      all = v128.and(all, v128.and(beside, v128.load(there)))
    }
  }
  const isSolid = solidOf(own)
  const isFull = fullOf(own)
  let deep = v128.and(all, v128.bitselect(fullOf(all), v128.shl<i8>(own, 7), isSolid))
  if (v128.bitmask<i8>(deep) == 0) return 0
  deep = v128.and(deep, v128.bitselect(isFull, goesOn(own, at, -1, lowerEnd(i, 2)), atStart))
  deep = v128.and(deep, v128.bitselect(isFull, goesOn(own, at, 1, upperEnd(i, nx, 2)), atEnd))
  const none = v128.splat<i8>(0)
  const ends = v128.splat<i8>(-1)
  deep = v128.and(deep, j == 0 ? isFull : goesOn(own, at, -nx, j > 1 ? none : ends))
  deep = v128.and(deep, j == ny - 1 ? isFull : goesOn(own, at, nx, j < ny - 2 ? none : ends))
  if (liquid.dims == 3) {
    const plane = nx * ny
    deep = v128.and(deep, k == 0 ? isFull : goesOn(own, at, -plane, k > 1 ? none : ends))
    deep = v128.and(deep, k == nz - 1 ? isFull : goesOn(own, at, plane, k < nz - 2 ? none : ends))
  }
  return v128.bitmask<i8>(deep)
}

/** Bit 7 where the neighbour at `step` is well filled, or filled and followed by a filled one; or, where one of both cells is solid, if both
 *  are full. `ends`: lanes whose neighbour is the last one. */
@inline
function goesOn(own: v128, at: usize, step: i32, ends: v128): v128 {
  const next = v128.load(at + <usize>step)
  const after = v128.andnot(v128.load(at + <usize>(2 * step)), ends)
  const isInLiquid = v128.and(v128.shl<i8>(next, 7), v128.or(v128.shl<i8>(next, 6), v128.shl<i8>(after, 7)))
  const isAtWall = v128.or(solidOf(own), solidOf(next))
  return v128.bitselect(v128.and(fullOf(own), fullOf(next)), isInLiquid, isAtWall)
}

// The marks SOLID_CELL and FULL_CELL, in bit 7.

@inline
function solidOf(marks: v128): v128 {
  return v128.shl<i8>(marks, 4)
}

@inline
function fullOf(marks: v128): v128 {
  return v128.shl<i8>(marks, 5)
}
