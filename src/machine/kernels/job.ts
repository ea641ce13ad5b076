/** Arguments of the loop that runs, the sums of its pieces, and results for the host, in memory that all threads share. */

import { ARGUMENTS, RESULTS, SUMS } from '../header'

/** The arguments of the loop that runs, as a record of its type. The function that launches a loop fills it in, its pieces read it. */
@inline
export function jobOf<T>(): T {
  return changetype<T>(ARGUMENTS)
}

/** The results of a kernel that has several, as a record of f64 fields; the host reads them by index from `machine.results`. */
@inline
export function resultsOf<T>(): T {
  return changetype<T>(RESULTS)
}

/** One of them, for kernels that need no record. */
@inline
export function setResult(index: usize, value: f64): void {
  store<f64>(RESULTS + (index << 3), value)
}

/** Up to eight sums a piece. */
@inline
export function setSum(piece: i32, index: usize, value: f64): void {
  store<f64>(SUMS + ((<usize>piece) << 6) + (index << 3), value)
}

@inline
export function sumOf(piece: i32, index: usize): f64 {
  return load<f64>(SUMS + ((<usize>piece) << 6) + (index << 3))
}

export function totalOf(pieces: i32, index: usize): f64 {
  let total = 0.0
  for (let piece = 0; piece < pieces; piece++) total += load<f64>(SUMS + ((<usize>piece) << 6) + (index << 3))
  return total
}

export function largestOf(pieces: i32, index: usize): f64 {
  let largest = 0.0
  for (let piece = 0; piece < pieces; piece++) {
    const value = load<f64>(SUMS + ((<usize>piece) << 6) + (index << 3))
    largest = larger(largest, value)
  }
  return largest
}

/** The larger of two, NaN if either is. */
@inline
export function larger(a: f64, b: f64): f64 {
  return max<f64>(a, b)
}
