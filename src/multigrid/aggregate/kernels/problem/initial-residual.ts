/** The first look at a problem, before anything is made of it. */
import { Input } from './input'
import { jobOf, larger, setSum, sumOf, totalOf } from '../../../../machine/kernels/job'
import { run } from '../../../../machine/kernels/pool'

const CONTACT: u8 = 2
/** Unknowns of a piece, at least; and pieces, at most. */
const PIECE: i32 = 8192
const PIECES: i32 = 64

@unmanaged
export class InspectInputJob {
  input: Input
  /** Unknowns of a piece. */
  size: i32
}

/** The largest natural residual of p = 0, NaN if anything is not finite. Also non-zeros of the matrix, contacts that lift off at p = 0, and
 *  what coefficients are to be divided by. */
export function inspect(input: Input): f64 {
  // Whole groups of eight, whose kinds are read at once.
  const size = (max(PIECE, (input.unknowns + PIECES - 1) / PIECES) + 7) & ~7
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
  input.lifted = <i32>totalOf(pieces, 2)
  input.scale = link < 0 ? -link : diagonal > 0 ? diagonal : 1
  return largest
}

/** Sums of a piece: largest residual, pairs of linked cells, contacts that lift off, the lowest link, the highest diagonal. */
@piece
export function inspectPiece(piece: i32): void {
  const task = jobOf<InspectInputJob>()
  const input = task.input
  const size = task.size
  const end = <usize>min(input.unknowns, (piece + 1) * size)
  const contacts = v128.splat<u8>(CONTACT)
  const zero = f64x2.splat(0)
  let largest = 0.0
  let broken = zero
  let most = zero
  let lowest = zero
  let highest = zero
  let pairs = i64x2.splat(0)
  let lifted = 0
  for (let unknown = <usize>(piece * size); unknown < end; unknown += 8) {
    const stop = min(end, unknown + 8)
    const plain = stop == unknown + 8 && !v128.any_true(v128.eq<u8>(v128.load64_zero(input.kind + unknown), contacts))
    if (!plain)
      for (let n = unknown; n < stop; n++) {
        const b = load<f64>(input.b + (n << 3))
        if (load<u8>(input.kind + n) == CONTACT) {
          if (b > 0) lifted++
          largest = max(largest, -b)
        } else largest = max(largest, abs(b))
      }
    const last = (stop - 1) << 3
    for (let at = unknown << 3; at <= last; at += 16) {
      // The last of an odd number counts alone.
      const alone = at == last
      const b = take(input.b + at, alone)
      const east = take(input.east + at, alone)
      const north = take(input.north + at, alone)
      const up = take(input.up + at, alone)
      const diagonal = take(input.diagonal + at, alone)
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
  setSum(piece, 2, <f64>lifted)
  setSum(piece, 3, min(f64x2.extract_lane(lowest, 0), f64x2.extract_lane(lowest, 1)))
  setSum(piece, 4, max(f64x2.extract_lane(highest, 0), f64x2.extract_lane(highest, 1)))
}

@inline
function take(at: usize, alone: bool): v128 {
  return alone ? v128.load64_zero(at) : v128.load(at)
}
