/** The memory layout of a lattice. Lines of the box along x that hold unknowns follow each other, each from its first to its last
 *  unknown and split by the parity of i, so that the cells of one colour are adjacent and six constant steps lead to the
 *  neighbours. Blocks of two cells that hold an unknown form records; those in open liquid need no coefficients. Vectors are f64
 *  and hold 0 in the gaps of a line. Values that are read beyond the ends of a line have weight 0. */

/** Filled by the host (lattice/compiled.ts). */
@unmanaged
export class Lattice {
  /** Links in open liquid per axis, ≥ 0, and their sum over all faces. */
  wx: f64
  wy: f64
  wz: f64
  diagonal: f64
  nx: i32
  ny: i32
  nz: i32
  /** Line of every (j + ny k), or −1. */
  lineOf: usize
  lines: usize
  records: usize
  /** First line of every piece; one more at the end. */
  pieces: usize
  pieceCount: i32
  /** Space for a line of this lattice or of the next finer one, for every piece. */
  scratch: usize
  scratchBytes: usize
}

/** A line with unknowns; one more at the end. */
@unmanaged
export class Line {
  j: i32
  k: i32
  /** First and last i that is an unknown. */
  from: i32
  to: i32
  /** First record of each list. */
  red: i32
  black: i32
  bandRed: i32
  bandBlack: i32
  /** Offset of its even cells in a vector, in bytes; the odd ones follow. */
  start: usize
  /** i / 2 of the first cell of both halves, even; may be before `from`. */
  first: i32
  /** Bytes of each half, whole blocks. */
  half: usize
}

export const LINE: usize = offsetof<Line>()

export const RED: usize = 0
export const BLACK: usize = 1

@unmanaged
export class Run {
  /** In bytes from the start of a vector. */
  start: usize
  /** Pairs of cells. */
  blocks: u32
  /** 0 in open liquid, else for each block 128 bytes: inverse (0 where there is no unknown), diagonal, and the weights towards
   *  −x, +x, −y, +y, −z, +z. */
  slots: usize
  /** Steps to the neighbours in bytes. The upper one along x is 8 bytes beyond the lower one, which is ahead for even i. */
  left: isize
  south: usize
  north: usize
  down: usize
  up: usize
}

export const RUN: usize = offsetof<Run>()

@inline
export function lineAt(lattice: Lattice, line: i32): Line {
  return changetype<Line>(lattice.lines + <usize>line * LINE)
}

@inline
export function firstLine(lattice: Lattice, piece: i32): i32 {
  return load<i32>(lattice.pieces + ((<usize>piece) << 2))
}

/** First record of a list in a line; of line + 1, its end. */
@inline
export function recordOf(lattice: Lattice, list: usize, line: i32): usize {
  return lattice.records + <usize>load<i32>(lattice.lines + <usize>line * LINE + (list << 2), 16) * RUN
}

/** First record of a list in a piece; with piece + 1, its end. */
@inline
export function recordAt(lattice: Lattice, list: usize, piece: i32): usize {
  return recordOf(lattice, list, firstLine(lattice, piece))
}

/** First byte of a piece in a vector; with piece + 1, its end. */
@inline
export function byteAt(lattice: Lattice, piece: i32): usize {
  return lineAt(lattice, firstLine(lattice, piece)).start
}

/** The line (j, k), or 0 if there is none. */
@inline
export function findLine(lattice: Lattice, j: i32, k: i32): Line {
  if (<u32>j >= <u32>lattice.ny || <u32>k >= <u32>lattice.nz) return changetype<Line>(0)
  const line = load<i32>(lattice.lineOf + ((<usize>(j + lattice.ny * k)) << 2))
  return line < 0 ? changetype<Line>(0) : lineAt(lattice, line)
}

@inline
export function onMask(slot: usize): v128 {
  return v128.ne<f64>(v128.load(slot), v128.splat<f64>(0))
}

/** Σ w x over the neighbours of a block with a slot. */
@inline
export function sumPacked(slot: usize, at: usize, left: usize, south: usize, north: usize, down: usize, up: usize): v128 {
  const along = v128.add<f64>(
    v128.mul<f64>(v128.load(slot, 32), v128.load(at + left)),
    v128.mul<f64>(v128.load(slot, 48), v128.load(at + left, 8)),
  )
  const across = v128.add<f64>(
    v128.mul<f64>(v128.load(slot, 64), v128.load(at + south)),
    v128.mul<f64>(v128.load(slot, 80), v128.load(at + north)),
  )
  const upright = v128.add<f64>(
    v128.mul<f64>(v128.load(slot, 96), v128.load(at + down)),
    v128.mul<f64>(v128.load(slot, 112), v128.load(at + up)),
  )
  return v128.add<f64>(v128.add<f64>(along, across), upright)
}

/** The same in open liquid. In flat lattices the steps along z are 0 and so is their weight. */
@inline
export function sumOpen(
  wx: v128,
  wy: v128,
  wz: v128,
  at: usize,
  left: usize,
  south: usize,
  north: usize,
  down: usize,
  up: usize,
): v128 {
  const along = v128.mul<f64>(wx, v128.add<f64>(v128.load(at + left), v128.load(at + left, 8)))
  const across = v128.mul<f64>(wy, v128.add<f64>(v128.load(at + south), v128.load(at + north)))
  const upright = v128.mul<f64>(wz, v128.add<f64>(v128.load(at + down), v128.load(at + up)))
  return v128.add<f64>(v128.add<f64>(along, across), upright)
}

@inline
export function lanesSum(v: v128): f64 {
  return v128.extract_lane<f64>(v, 0) + v128.extract_lane<f64>(v, 1)
}
