/** The yardstick of pressure/residual.ts on a problem as it was given, in f64, with sums in the same order. It shares no data with the
 *  levels of a solver: coefficients are those of the caller, not scaled ones. */
import { CONTACT } from '../../../../pressure/cell-kinds'
import { Input, lineRun, runFirst, runLength, runStart } from './input'
import { jobOf, larger, largestOf, setResult, setSum, sumOf, totalOf } from '../../../../machine/kernels/job'
import { reserveScratch, scratchOf } from '../../../../machine/kernels/memory'
import { run as runLoop, threadCount, threadNumber } from '../../../../machine/kernels/pool'

const MAX_PIECES: i32 = 64

@unmanaged
export class MeasureInputJob {
  input: Input
  /** Lines of a piece. */
  size: i32
}

/** The largest natural residual of `input.p`, NaN if any row is not a number. Result 1: Σ |p (A p + b)| over contacts; result 2: the number
 *  of pinned contacts. */
export function measureInput(input: Input): f64 {
  const lines = input.ny * input.nz
  const size = (lines + MAX_PIECES - 1) / MAX_PIECES
  const pieces = (lines + size - 1) / size
  reserveScratch((<usize>input.nx) << 3, threadCount())
  const task = jobOf<MeasureInputJob>()
  task.input = input
  task.size = size
  runLoop(measurePiece, pieces)
  setResult(1, totalOf(pieces, 1))
  setResult(2, totalOf(pieces, 2))
  return largestOf(pieces, 0)
}

/** Sums of a piece: the largest residual, Σ |p (A p + b)| over contacts, pinned contacts. */
@piece
export function measurePiece(piece: i32): void {
  const task = jobOf<MeasureInputJob>()
  const input = task.input
  const size = task.size
  const w = scratchOf(threadNumber())
  const ny = input.ny
  setSum(piece, 0, 0)
  setSum(piece, 1, 0)
  setSum(piece, 2, 0)
  for (let line = piece * size, last = min(line + size, ny * input.nz); line < last; line++) {
    const j = line % ny
    const k = line / ny
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      const own = (<usize>runFirst(input, run)) << 3
      const length = runLength(input, run)
      addProducts(input.b + own, w, input.diagonal + own, input.p + own, length)
      addProducts(w + 8, w + 8, input.east + own, input.p + own, length - 1)
      addProducts(w, w, input.east + own, input.p + own + 8, length - 1)
      if (j > 0) addLine(input, run, line - 1, w, input.north, false)
      if (j < ny - 1) addLine(input, run, line + 1, w, input.north, true)
      if (k > 0) addLine(input, run, line - ny, w, input.up, false)
      if (k < input.nz - 1) addLine(input, run, line + ny, w, input.up, true)
      judgeRun(piece, input, own, length, w)
    }
  }
}

/** Adds what a neighbouring line contributes to a run; `upper`: links to it belong to the run, else to the line. */
function addLine(input: Input, run: i32, line: i32, w: usize, links: usize, upper: bool): void {
  const start = runStart(input, run)
  const end = start + runLength(input, run)
  for (let other = lineRun(input, line), last = lineRun(input, line + 1); other < last; other++) {
    const from = runStart(input, other)
    if (from >= end) return
    const low = max(start, from)
    const count = min(end, from + runLength(input, other)) - low
    if (count <= 0) continue
    const at = w + ((<usize>(low - start)) << 3)
    const mine = (<usize>(runFirst(input, run) + low - start)) << 3
    const theirs = (<usize>(runFirst(input, other) + low - from)) << 3
    addProducts(at, at, links + (upper ? mine : theirs), input.p + theirs, count)
  }
}

/** to = from + a x, entry by entry. */
@inline
function addProducts(from: usize, to: usize, a: usize, x: usize, count: i32): void {
  let n: usize = 0
  const end = (<usize>max(0, count)) << 3
  for (; n + 8 < end; n += 16) v128.store(to + n, f64x2.add(v128.load(from + n), f64x2.mul(v128.load(a + n), v128.load(x + n))))
  if (n < end) store<f64>(to + n, load<f64>(from + n) + load<f64>(a + n) * load<f64>(x + n))
}

function judgeRun(piece: i32, input: Input, own: usize, length: i32, w: usize): void {
  const kind = input.kind + (own >> 3)
  let most = f64x2.splat(0)
  let largest = 0.0
  let products = 0.0
  let pinned = 0
  for (let n = 0; n < length; ) {
    const at = (<usize>n) << 3
    if (n + 1 < length && load<u8>(kind + n) != CONTACT && load<u8>(kind + n, 1) != CONTACT) {
      most = f64x2.max(most, f64x2.abs(v128.load(w + at)))
      n += 2
      continue
    }
    let natural = load<f64>(w + at)
    if (load<u8>(kind + n) == CONTACT) {
      const p = load<f64>(input.p + own + at)
      const scaled = load<f64>(input.diagonal + own + at) * p
      products += abs(p * natural)
      if (scaled < natural && natural < Infinity) {
        natural = scaled
        pinned++
      }
    }
    largest = larger(largest, abs(natural))
    n++
  }
  largest = larger(largest, larger(f64x2.extract_lane(most, 0), f64x2.extract_lane(most, 1)))
  setSum(piece, 0, larger(sumOf(piece, 0), largest))
  setSum(piece, 1, sumOf(piece, 1) + products)
  setSum(piece, 2, sumOf(piece, 2) + <f64>pinned)
}
