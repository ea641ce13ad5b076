/** What a picture of a 2D frame is painted from, in memory. Lengths are in cells, the origin is the lower left corner of the domain, y points
 *  up. */
import { allocate, countOf } from '../../../machine/kernels/memory'
import { MARK_AIR, MARK_DEEP, MARK_SHALLOW, MARK_SOLID } from '../../flat-marks'
import { Continuation, createContinuation } from '../continue'

/** Points that a lattice has in memory before the first and behind the last of a row, at least, and rows below and above. They
 *  repeat the outermost points, so that cubics need no bounds checks. */
export const BEFORE: i32 = 4
const BEHIND: i32 = 4
const BELOW: i32 = 1
const ABOVE: i32 = 2
/** Bytes around every lattice: vectors are loaded whole. */
const GUARD: usize = 64

/** All marks of a cell. */
export const CELL_MARKS: i32 = MARK_AIR | MARK_DEEP | MARK_SHALLOW | MARK_SOLID
/** And in four pixels, besides: the rim of the domain, and the ball. */
export const RIM: i32 = 16
export const BALL: i32 = 32

// Places of colours, the first of them in the order of the host.
export const AIR_BELOW: i32 = 0
export const AIR_ABOVE: i32 = 1
export const STONE_BELOW: i32 = 2
export const STONE_ABOVE: i32 = 3
export const STONE_EDGE: i32 = 4
export const SHALLOW_WATER: i32 = 5
export const DEEP_WATER: i32 = 6
export const OUTLINE: i32 = 7
export const GLEAM: i32 = 8
export const DOMAIN_EDGE: i32 = 9
export const MARGIN: i32 = 10
export const BALL_COLOUR: i32 = 11
/** The dark side of the edge of liquid. */
export const DUSK: i32 = 12
// Those of a row of pixels; WATER_SPAN is what shallow water has more than deep water.
export const ROW_AIR: i32 = 13
export const ROW_STONE: i32 = 14
export const ROW_WATER: i32 = 15
export const WATER_SPAN: i32 = 16
const COLOURS: usize = 17

/** Parts of a row, two u32 each from the eighth byte on: the first byte, and the one behind the last. */
@unmanaged
export class Runs {
  count: i32
}

@unmanaged
export class Flat {
  // ---- given by the host
  nx: i32
  ny: i32
  width: i32
  height: i32
  /** Cells per metre. */
  perMetre: f32
  /** The lower left corner of the picture, and the side of a pixel. */
  originX: f32
  originY: f32
  pixel: f32
  /** Of the rounded border of liquid, and of the shade before walls. */
  edgeWidth: f32
  wallShade: f32
  /** A radius of 0 is no ball. */
  ballX: f32
  ballY: f32
  ballRadius: f32

  // ---- given by createFlat
  /** f32, m, as frames have them: per cell, and per node of one layer. */
  givenLiquid: usize
  givenSolid: usize
  /** Three f32 each in [0, 1]. */
  colours: usize
  /** Four bytes a pixel. */
  pixels: usize

  /** The solids that what follows was made of. */
  keptSolid: usize
  hasSolid: i32
  /** Cells from liquid that have their depth, and the side of pixels that marks are for; 0 if there are none yet. */
  reach: i32
  sight: f32

  // ---- lattices: addresses of their first point; points from row to row, bytes of the f32 ones
  stride: i32
  rowBytes: usize
  /** f32 per cell: level set of liquid, continued into solids, and how deep it looks. */
  liquid: usize
  depth: usize
  /** f32 per node. */
  solid: usize
  /** u8 per cell: what may be seen there. */
  marks: usize
  /** f32 and u8, of passing use. */
  spare: usize
  bits: usize
  /** The continuation of liquid into solids. */
  continuation: Continuation
  /** u32 per cell, for lists of cells, and three times per row: where its part of the list begins, and when it was changed and looked at. */
  list: usize
  rowStarts: usize
  rowChanged: usize
  rowSeen: usize

  // ---- of a row of pixels
  /** f32 per point of a row of a lattice: value and slope upwards. */
  rowLiquid: usize
  rowDepth: usize
  rowSolid: usize
  /** A `Group` for every four pixels in a row, and u8 each: what may be seen in them. */
  groups: usize
  kinds: usize
  /** What pixels need of the rows above. */
  liquidRuns: Runs
  depthRuns: Runs
  solidRuns: Runs
  /** Four pixels that are being painted. */
  four: usize

  // ---- factors: what one pixel, one width of the border and one shade is worth, how soon light is lost, and the edge of stone
  perPixel: f32
  perEdge: f32
  perShade: f32
  perDepth: f32
  perStone: f32
}

export function createLayout(nx: i32, ny: i32, width: i32, height: i32, groupBytes: usize): Flat {
  const flat = changetype<Flat>(allocate(offsetof<Flat>()))
  memory.fill(changetype<usize>(flat), 0, offsetof<Flat>())
  flat.nx = nx
  flat.ny = ny
  flat.width = width
  flat.height = height
  flat.stride = (BEFORE + nx + 1 + BEHIND + 15) & ~15
  flat.rowBytes = (<usize>flat.stride) << 2
  const cells = countOf(nx, ny, 1)
  const nodes = countOf(nx + 1, ny + 1, 1)
  flat.givenLiquid = allocate((cells << 2) + GUARD)
  flat.givenSolid = allocate((nodes << 2) + GUARD)
  flat.keptSolid = allocate((nodes << 2) + GUARD)
  // Compared whole, what is behind the last node too.
  memory.fill(flat.givenSolid, 0, (nodes << 2) + GUARD)
  flat.colours = allocate(COLOURS * 12)
  // The last four pixels of a row may reach beyond it.
  flat.pixels = allocate((countOf(width, height, 1) << 2) + GUARD)
  flat.liquid = lattice(flat, 2)
  flat.depth = lattice(flat, 2)
  flat.solid = lattice(flat, 2)
  flat.spare = lattice(flat, 2)
  flat.marks = lattice(flat, 0)
  flat.bits = lattice(flat, 0)
  flat.continuation = createContinuation(nx, ny, 1, <i32>flat.rowBytes, 0, flat.rowBytes, 0)
  flat.list = allocate(cells << 2)
  flat.rowStarts = allocate((<usize>(ny + 1)) << 2)
  flat.rowChanged = allocate((<usize>(ny + 2)) << 2) + 4
  flat.rowSeen = allocate((<usize>ny) << 2)
  flat.rowLiquid = allocate(2 * flat.rowBytes)
  flat.rowDepth = allocate(2 * flat.rowBytes)
  flat.rowSolid = allocate(2 * flat.rowBytes)
  const groupCount = <usize>(width + 3) >> 2
  flat.groups = allocate(groupCount * groupBytes)
  flat.kinds = allocate(groupCount)
  flat.liquidRuns = changetype<Runs>(allocate((groupCount + 1) << 3))
  flat.depthRuns = changetype<Runs>(allocate((groupCount + 1) << 3))
  flat.solidRuns = changetype<Runs>(allocate((groupCount + 1) << 3))
  flat.four = allocate(128)
  return flat
}

/** Address of the first point of a lattice of values of 1 << `shift` bytes. */
function lattice(flat: Flat, shift: usize): usize {
  const bytes = countOf(flat.stride, rowsOf(flat), 1) << shift
  const at = allocate(bytes + 2 * GUARD)
  memory.fill(at, 0, bytes + 2 * GUARD)
  return at + GUARD + ((<usize>(BELOW * flat.stride + BEFORE)) << shift)
}

/** Rows of a lattice in memory. */
@inline
export function rowsOf(flat: Flat): i32 {
  return BELOW + flat.ny + 1 + ABOVE
}

/** Where the lattice begins in memory, with what is before its first point. */
@inline
export function beginOf(flat: Flat, first: usize, shift: usize): usize {
  return first - ((<usize>(BELOW * flat.stride + BEFORE)) << shift)
}

/** What is longer than any distance in the domain. */
@inline
export function farthest(flat: Flat): f32 {
  return <f32>(flat.nx + flat.ny)
}

/** Gives the points around a lattice of f32 the values of the outermost ones. */
export function repeatBorder(flat: Flat, first: usize, columns: i32, rows: i32): void {
  for (let j = 0; j < rows; j++) {
    const row = first + flat.rowBytes * <usize>j
    const left = load<f32>(row)
    for (let i = -BEFORE; i < 0; i++) store<f32>(row + (i << 2), left)
    const right = load<f32>(row + ((<usize>(columns - 1)) << 2))
    for (let i = columns; i < flat.stride - BEFORE; i++) store<f32>(row + (i << 2), right)
  }
  const begin = first - (BEFORE << 2)
  const last = begin + flat.rowBytes * <usize>(rows - 1)
  for (let j = 1; j <= BELOW; j++) memory.copy(begin - flat.rowBytes * <usize>j, begin, flat.rowBytes)
  for (let j = rows; j < rowsOf(flat) - BELOW; j++) memory.copy(begin + flat.rowBytes * <usize>j, last, flat.rowBytes)
}
