/** Arguments of the loop that is running and the sums its pieces hand back, in words that all threads see. */

/** Below the static data of the module, which begins at 32768. */
const ARGUMENTS: usize = 1024
const SUMS: usize = 4096

/** Pieces a loop may be cut into; the cut depends on the level alone, so sums have the same bits for any number of threads. */
export const MAX_CHUNKS: i32 = 256

@inline
export function setPointer(index: usize, value: usize): void {
  store<usize>(ARGUMENTS + (index << 3), value)
}

@inline
export function pointer(index: usize): usize {
  return load<usize>(ARGUMENTS + (index << 3))
}

@inline
export function setNumber(index: usize, value: f64): void {
  store<f64>(ARGUMENTS + 128 + (index << 3), value)
}

@inline
export function number(index: usize): f64 {
  return load<f64>(ARGUMENTS + 128 + (index << 3))
}

/** Up to eight sums a piece. */
@inline
export function setSum(chunk: i32, index: usize, value: f64): void {
  store<f64>(SUMS + (<usize>chunk << 6) + (index << 3), value)
}

@inline
export function sumOf(chunk: i32, index: usize): f64 {
  return load<f64>(SUMS + (<usize>chunk << 6) + (index << 3))
}

export function totalOf(chunks: i32, index: usize): f64 {
  let total = 0.0
  for (let chunk = 0; chunk < chunks; chunk++) total += load<f64>(SUMS + (<usize>chunk << 6) + (index << 3))
  return total
}

export function largestOf(chunks: i32, index: usize): f64 {
  let largest = 0.0
  for (let chunk = 0; chunk < chunks; chunk++) {
    const value = load<f64>(SUMS + (<usize>chunk << 6) + (index << 3))
    largest = larger(largest, value)
  }
  return largest
}

/** The larger of two, NaN if either is. */
@inline
export function larger(a: f64, b: f64): f64 {
  return max<f64>(a, b)
}
