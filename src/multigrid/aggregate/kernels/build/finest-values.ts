/** Cells and values of the rows of the finest level, and the list of contacts. */
import { baseOf, padded } from './finest-rows'
import { Input, runFirst, runLength, runStart } from '../problem/input'
import { Level } from '../level'

/** Index at which this thread writes the next contact. */
let contactEnd: i32 = 0

export function beginContacts(first: i32): void {
  contactEnd = first
}

@inline
export function addContact(level: Level, row: i32): void {
  store<i32>(level.contacts + ((<usize>contactEnd) << 2), row)
  contactEnd++
}

/** Pressure, right-hand side and place of the cells of a run. */
export function placeValues<T>(input: Input, level: Level, run: i32, parity: i32, valueScale: f64): void {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const colour = (from + parity) & 1
  const even = baseOf(input, run, colour)
  const odd = baseOf(input, run, 1 - colour)
  placeCells<T>(level.cell, even, from, (length + 1) >> 1)
  placeCells<T>(level.cell, odd, from + 1, length >> 1)
  separate<T>(input.b, first, length, level.b, even, odd, 1 / valueScale)
  if (input.started) separate<T>(input.p, first, length, level.p, even, odd, input.scale / valueScale)
}

function placeCells<T>(cell: usize, row: i32, i: i32, count: i32): void {
  const end = cell + ((<usize>(row + padded<T>(count))) << 2)
  let at = cell + ((<usize>row) << 2)
  const filled = at + ((<usize>count) << 2)
  if (sizeof<T>() == 4)
    for (let cells = i32x4(i, i + 2, i + 4, i + 6); at < end; at += 16, cells = i32x4.add(cells, i32x4.splat(8)))
      v128.store(at, cells)
  else for (; at < end; at += 4, i += 2) store<i32>(at, i)
  for (at = filled; at < end; at += 4) store<i32>(at, -1)
}

/** Values of a run times `factor` to the rows of both colours, 0 to their padding. */
function separate<T>(values: usize, first: i32, length: i32, into: usize, even: i32, odd: i32, factor: f64): void {
  let from = values + ((<usize>first) << 3)
  let toEven = into + ((<usize>even) << 3)
  let toOdd = into + ((<usize>odd) << 3)
  const evenEnd = into + ((<usize>(even + padded<T>((length + 1) >> 1))) << 3)
  const oddEnd = into + ((<usize>(odd + padded<T>(length >> 1))) << 3)
  const factors = f64x2.splat(factor)
  for (const end = from + ((<usize>(length & ~3)) << 3); from < end; from += 32, toEven += 16, toOdd += 16) {
    const low = v128.load(from)
    const high = v128.load(from, 16)
    v128.store(toEven, f64x2.mul(factors, v128.shuffle<f64>(low, high, 0, 2)))
    v128.store(toOdd, f64x2.mul(factors, v128.shuffle<f64>(low, high, 1, 3)))
  }
  for (let rest = length & 3; rest > 0; rest -= 2, from += 16) {
    store<f64>(toEven, factor * load<f64>(from))
    toEven += 8
    if (rest == 1) break
    store<f64>(toOdd, factor * load<f64>(from, 8))
    toOdd += 8
  }
  for (; toEven < evenEnd; toEven += 8) store<f64>(toEven, 0)
  for (; toOdd < oddEnd; toOdd += 8) store<f64>(toOdd, 0)
}
