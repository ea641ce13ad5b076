/** The residual of p = 0, and what else is needed of a problem before levels are built. */
import { CONTACT } from '../../../../pressure/cell-kinds'
import { Input } from './input'
import { jobOf, larger, setSum, sumOf, totalOf } from '../../../../machine/kernels/job'
import { run } from '../../../../machine/kernels/pool'

/** Minimum number of unknowns in a piece. */
const MIN_PIECE: i32 = 8192
const MAX_PIECES: i32 = 64

@unmanaged
export class InspectInputJob {
  input: Input
  /** Unknowns of a piece. */
  size: i32
}

/** The largest natural residual of p = 0, NaN if anything is not finite. Also sets the number of non-zeros, that of contacts pinned at
 *  p = 0, and the scale of the input. */
export function inspect(input: Input): f64 {
  // Whole groups of eight, whose kinds are read at once.
  const size = (max(MIN_PIECE, (input.unknowns + MAX_PIECES - 1) / MAX_PIECES) + 7) & ~7
  const pieces = (input.unknowns + size - 1) / size
  const task = jobOf<InspectInputJob>()
  task.input = input
  task.size = size
  run(inspectPiece, pieces)
  let largest = 0.0
  let link = 0.0
  let diagonal = 0.0
  for (let piece = 0; piece < pieces; piece++) {
    largest = larger(largest, sumOf(piece, 0))
    link = min(link, sumOf(piece, 3))
    diagonal = max(diagonal, sumOf(piece, 4))
  }
  input.nonZeros = input.unknowns + 2 * <i32>totalOf(pieces, 1)
  input.pinnedAtZero = <i32>totalOf(pieces, 2)
  input.scale = link < 0 ? -link : diagonal > 0 ? diagonal : 1
  return largest
}

/** Sums of a piece: largest residual, pairs of linked cells, contacts pinned at p = 0, the lowest link, the highest diagonal. */
@piece
export function inspectPiece(piece: i32): void {
  const task = jobOf<InspectInputJob>()
  const input = task.input
  const size = task.size
  const end = <usize>min(input.unknowns, (piece + 1) * size)
  const contacts = v128.splat<u8>(<u8>CONTACT)
  const zero = f64x2.splat(0)
  let largest = 0.0
  let broken = zero
  let most = zero
  let lowest = zero
  let highest = zero
  let pairs = i64x2.splat(0)
  let pinnedAtZero = 0
  for (let unknown = <usize>(piece * size); unknown < end; unknown += 8) {
    const stop = min(end, unknown + 8)
    const plain = stop == unknown + 8 && !v128.any_true(v128.eq<u8>(v128.load64_zero(input.kind + unknown), contacts))
    if (!plain)
      for (let n = unknown; n < stop; n++) {
        const b = load<f64>(input.b + (n << 3))
        if (load<u8>(input.kind + n) == CONTACT) {
          if (b > 0) pinnedAtZero++
          largest = max(largest, -b)
        } else largest = max(largest, abs(b))
      }
    const last = (stop - 1) << 3
    for (let at = unknown << 3; at <= last; at += 16) {
      // The last of an odd number counts alone.
      const alone = at == last
      const b = loadPair(input.b + at, alone)
      const east = loadPair(input.east + at, alone)
      const north = loadPair(input.north + at, alone)
      const up = loadPair(input.up + at, alone)
      const diagonal = loadPair(input.diagonal + at, alone)
      if (plain) most = f64x2.pmax(most, f64x2.abs(b))
      // 0 · NaN and 0 · ∞ are NaN.
      const all = f64x2.add(f64x2.add(f64x2.add(diagonal, east), f64x2.add(north, up)), b)
      broken = f64x2.add(broken, f64x2.mul(zero, all))
      lowest = f64x2.pmin(lowest, f64x2.pmin(east, f64x2.pmin(north, up)))
      highest = f64x2.pmax(highest, diagonal)
      pairs = i64x2.sub(pairs, i64x2.add(f64x2.ne(east, zero), i64x2.add(f64x2.ne(north, zero), f64x2.ne(up, zero))))
    }
  }
  largest = max(largest, max(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)))
  setSum(piece, 0, largest + (f64x2.extract_lane(broken, 0) + f64x2.extract_lane(broken, 1)))
  setSum(piece, 1, <f64>(i64x2.extract_lane(pairs, 0) + i64x2.extract_lane(pairs, 1)))
  setSum(piece, 2, <f64>pinnedAtZero)
  setSum(piece, 3, min(f64x2.extract_lane(lowest, 0), f64x2.extract_lane(lowest, 1)))
  setSum(piece, 4, max(f64x2.extract_lane(highest, 0), f64x2.extract_lane(highest, 1)))
}

@inline
function loadPair(at: usize, alone: bool): v128 {
  return alone ? v128.load64_zero(at) : v128.load(at)
}
