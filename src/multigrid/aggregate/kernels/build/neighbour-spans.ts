/** The spans of a run that have liquid beside them in another line, and the steps from there to its rows. */
import { baseOf } from './finest-rows'
import { Input, lineRun, runFirst, runLength, runStart } from '../problem/input'

@unmanaged
export class Span {
  /** First cell of the span, counted from the start of the run, and the one behind its last. */
  low: i32
  high: i32
  /** From an unknown to its neighbour. */
  shift: i32
  /** From a row to that of its neighbour, at an even and at an odd distance from the start of the run. */
  even: i32
  odd: i32
}

export const SPAN: usize = offsetof<Span>()

/** Bytes of a list: at most every other cell begins a run, and two spans behind the last mark the end. */
@inline
export function spanBytes(input: Input): usize {
  return (<usize>(input.nx / 2) + 4) * SPAN
}

/** Lists the spans of a run along another line, −1 if there is none. `other` is the first run of that line that may be beside this one; returns
 *  the same for the next run. `colour` is that of the first cell. */
export function findSpans(input: Input, run: i32, colour: i32, line: i32, other: i32, list: usize): i32 {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const even = baseOf(input, run, colour)
  const odd = baseOf(input, run, 1 - colour)
  const end = line < 0 ? other : lineRun(input, line + 1)
  let span = changetype<Span>(list)
  for (; other < end; other++) {
    const ahead = from - runStart(input, other)
    const high = runLength(input, other) - ahead
    if (high <= 0) continue
    if (-ahead >= length) break
    span.low = max(0, -ahead)
    span.high = min(length, high)
    span.shift = runFirst(input, other) + ahead - first
    span.even = baseOf(input, other, 1 - colour) + (ahead >> 1) - even
    span.odd = baseOf(input, other, colour) + ((ahead + 1) >> 1) - odd
    span = changetype<Span>(changetype<usize>(span) + SPAN)
    // It may continue beside the next run.
    if (high > length) break
  }
  endSpans(span)
  return other
}

function endSpans(span: Span): void {
  span.low = i32.MAX_VALUE
  span.high = i32.MAX_VALUE
  span.shift = 0
  store<i32>(changetype<usize>(span) + SPAN, i32.MAX_VALUE)
}

/** The span around a cell, or the next one behind it. */
@inline
export function spanAt(span: Span, n: i32): Span {
  while (span.high <= n) span = changetype<Span>(changetype<usize>(span) + SPAN)
  return span
}

/** Does the next span begin at a cell, or before it? */
@inline
export function isCut(span: Span, cell: i32): bool {
  return load<i32>(changetype<usize>(span) + SPAN) <= cell
}

/** The only span with any of the cells n, n + 2 … last, or one behind them if there is none; 0 if there are several. */
export function soleSpan(span: Span, n: i32, last: i32): Span {
  let found: usize = 0
  for (; span.low <= last; span = changetype<Span>(changetype<usize>(span) + SPAN)) {
    const begin = max(span.low, n)
    const cell = begin + ((begin - n) & 1)
    if (cell >= span.high || cell > last) continue
    if (found) return changetype<Span>(0)
    found = changetype<usize>(span)
  }
  return found ? changetype<Span>(found) : span
}

/** All ones in the lanes whose cells have a neighbour. */
@inline
export function within(span: Span, cells: v128): v128 {
  return v128.and(i32x4.ge_s(cells, i32x4.splat(span.low)), i32x4.lt_s(cells, i32x4.splat(span.high)))
}
