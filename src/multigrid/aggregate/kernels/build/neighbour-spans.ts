/** The stretches of a run that have liquid beside them in another line, and the steps from there to its rows. */
import { baseOf } from './finest-rows'
import { Input, lineRun, runFirst, runLength, runStart } from '../problem/input'

@unmanaged
export class Reach {
  /** First cell of the stretch, counted from the start of the run, and the one behind its last. */
  low: i32
  high: i32
  /** From an unknown to its neighbour. */
  shift: i32
  /** From a row to that of its neighbour, at an even and at an odd distance from the start of the run. */
  even: i32
  odd: i32
}

export const REACH: usize = offsetof<Reach>()

/** Bytes of a list: at most every other cell begins a run, and two stretches behind the last say that there are no more. */
@inline
export function reachBytes(input: Input): usize {
  return (<usize>(input.nx / 2) + 4) * REACH
}

/** Lists the stretches of a run along another line, −1 if there is none. `other` is a run of that line before which none reaches this one;
 *  returns the same for the next run. `colour` is that of the first cell. */
export function findReaches(input: Input, run: i32, colour: i32, line: i32, other: i32, list: usize): i32 {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const even = baseOf(input, run, colour)
  const odd = baseOf(input, run, 1 - colour)
  const end = line < 0 ? other : lineRun(input, line + 1)
  let reach = changetype<Reach>(list)
  for (; other < end; other++) {
    const ahead = from - runStart(input, other)
    const high = runLength(input, other) - ahead
    if (high <= 0) continue
    if (-ahead >= length) break
    reach.low = max(0, -ahead)
    reach.high = min(length, high)
    reach.shift = runFirst(input, other) + ahead - first
    reach.even = baseOf(input, other, 1 - colour) + (ahead >> 1) - even
    reach.odd = baseOf(input, other, colour) + ((ahead + 1) >> 1) - odd
    reach = changetype<Reach>(changetype<usize>(reach) + REACH)
    // It may go on beside the next run.
    if (high > length) break
  }
  endReaches(reach)
  return other
}

function endReaches(reach: Reach): void {
  reach.low = i32.MAX_VALUE
  reach.high = i32.MAX_VALUE
  reach.shift = 0
  store<i32>(changetype<usize>(reach) + REACH, i32.MAX_VALUE)
}

/** The stretch around a cell, or the next one behind it. */
@inline
export function reachAt(reach: Reach, n: i32): Reach {
  while (reach.high <= n) reach = changetype<Reach>(changetype<usize>(reach) + REACH)
  return reach
}

/** Does the next stretch begin before a cell, or there? */
@inline
export function isCut(reach: Reach, cell: i32): bool {
  return load<i32>(changetype<usize>(reach) + REACH) <= cell
}

/** The only stretch with any of the cells n, n + 2 … last, or one behind them if there is none; 0 if there are several. */
export function soleReach(reach: Reach, n: i32, last: i32): Reach {
  let found: usize = 0
  for (; reach.low <= last; reach = changetype<Reach>(changetype<usize>(reach) + REACH)) {
    const begin = max(reach.low, n)
    const cell = begin + ((begin - n) & 1)
    if (cell >= reach.high || cell > last) continue
    if (found) return changetype<Reach>(0)
    found = changetype<usize>(reach)
  }
  return found ? changetype<Reach>(found) : reach
}

/** All ones in the lanes whose cells have a neighbour. */
@inline
export function within(reach: Reach, cells: v128): v128 {
  return v128.and(i32x4.ge_s(cells, i32x4.splat(reach.low)), i32x4.lt_s(cells, i32x4.splat(reach.high)))
}
