/** Sums over the entries of a compressed row. */

@inline
export function double(array: usize, index: i32): f64 {
  return load<f64>(array + ((<usize>index) << 3))
}

@inline
export function whole(array: usize, index: i32): i32 {
  return load<i32>(array + ((<usize>index) << 2))
}

/** x of the column that is stored at `column` + `offset`. */
@inline
export function factorOf(x: usize, column: usize, offset: usize): f64 {
  return load<f64>(x + ((<usize>load<i32>(column + offset)) << 3))
}

/** `sum` plus values · x over entries `at` to `end`, one after the other. */
@inline
export function plusRow(sum: f64, columns: usize, values: usize, at: i32, end: i32, x: usize): f64 {
  let column = columns + ((<usize>at) << 2)
  let value = values + ((<usize>at) << 3)
  const last = columns + ((<usize>end) << 2)
  // Seven entries are what most rows of a grid have; a loop would spend as much on itself.
  if (end - at == 7) {
    sum += load<f64>(value) * factorOf(x, column, 0)
    sum += load<f64>(value, 8) * factorOf(x, column, 4)
    sum += load<f64>(value, 16) * factorOf(x, column, 8)
    sum += load<f64>(value, 24) * factorOf(x, column, 12)
    sum += load<f64>(value, 32) * factorOf(x, column, 16)
    sum += load<f64>(value, 40) * factorOf(x, column, 20)
    sum += load<f64>(value, 48) * factorOf(x, column, 24)
    return sum
  }
  for (; column < last; column += 4, value += 8) sum += load<f64>(value) * factorOf(x, column, 0)
  return sum
}

/** The same with minus. */
@inline
export function minusRow(sum: f64, columns: usize, values: usize, at: i32, end: i32, x: usize): f64 {
  let column = columns + ((<usize>at) << 2)
  let value = values + ((<usize>at) << 3)
  const last = columns + ((<usize>end) << 2)
  if (end - at == 7) {
    sum -= load<f64>(value) * factorOf(x, column, 0)
    sum -= load<f64>(value, 8) * factorOf(x, column, 4)
    sum -= load<f64>(value, 16) * factorOf(x, column, 8)
    sum -= load<f64>(value, 24) * factorOf(x, column, 12)
    sum -= load<f64>(value, 32) * factorOf(x, column, 16)
    sum -= load<f64>(value, 40) * factorOf(x, column, 20)
    sum -= load<f64>(value, 48) * factorOf(x, column, 24)
    return sum
  }
  for (; column < last; column += 4, value += 8) sum -= load<f64>(value) * factorOf(x, column, 0)
  return sum
}
