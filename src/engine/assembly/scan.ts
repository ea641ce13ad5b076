/** A first look at the problem: its scale, and pockets of liquid that nothing holds towards p = 0. */
import { findAcross, Input, lineRun, runFirst, runLength, runStart } from './input'
import { allocate, mark, release } from './memory'

/** Before anything is made of it: the largest natural residual of p = 0, NaN if anything is not finite; non-zeros of the matrix, contacts
 *  that lift off at p = 0, and whether any pressure is given. */
export function inspect(input: Input): f64 {
  let largest = 0.0
  let broken = 0.0
  let pairs = 0
  input.lifted = 0
  input.started = 0
  for (let unknown: usize = 0; unknown < <usize>input.unknowns; unknown++) {
    const place = unknown << 3
    const b = load<f64>(input.b + place)
    const east = load<f64>(input.east + place)
    const north = load<f64>(input.north + place)
    const up = load<f64>(input.up + place)
    // 0 · NaN and 0 · ∞ are NaN.
    broken += 0.0 * (load<f64>(input.diagonal + place) + east + (north + up) + b)
    pairs += <i32>(east != 0) + <i32>(north != 0) + <i32>(up != 0)
    if (load<f64>(input.p + place) != 0) input.started = 1
    if (load<u8>(input.kind + unknown) == 2) {
      if (b > 0) input.lifted++
      largest = max(largest, -b)
    } else largest = max(largest, abs(b))
  }
  input.nonZeros = input.unknowns + 2 * pairs
  return largest + broken
}

export function scan(input: Input): void {
  const kept = mark()
  const south = allocate(<usize>input.nx << 2)
  const down = allocate(<usize>input.nx << 2)
  findScale(input)
  input.segments = 0
  input.special = 0
  for (let k = 0, line = 0; k < input.nz; k++) {
    for (let j = 0; j < input.ny; j++, line++) {
      for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
        findAcross(input, run, j > 0 ? line - 1 : -1, south)
        findAcross(input, run, k > 0 ? line - input.ny : -1, down)
        scanRun(input, run, south, down)
      }
    }
  }
  findPockets(input)
  release(kept)
}

function findScale(input: Input): void {
  let largest = 0.0
  let diagonal = 0.0
  for (let at: usize = 0, end = <usize>input.unknowns << 3; at < end; at += 8) {
    largest = min(largest, min(load<f64>(input.east + at), min(load<f64>(input.north + at), load<f64>(input.up + at))))
    diagonal = max(diagonal, load<f64>(input.diagonal + at))
  }
  input.scale = largest < 0 ? -largest : diagonal > 0 ? diagonal : 1
}

/** Joins the segments of a run with those below it, sees what holds them towards p = 0, and finds open liquid. */
function scanRun(input: Input, run: i32, south: usize, down: usize): void {
  const length = runLength(input, run)
  const first = runFirst(input, run)
  const full = -input.scale
  const flat = input.nz == 1
  const rounding = input.rounding
  let acrossAt = <usize>runStart(input, run) << 2
  let segment = -1
  let lastSouth = -1
  let lastDown = -1
  let west = 0.0
  for (let at = 0; at < length; at++, acrossAt += 4) {
    const unknown = <usize>(first + at)
    const place = unknown << 3
    const diagonal = load<f64>(input.diagonal + place)
    if (west == 0) {
      segment = input.segments++
      store<u32>(input.forest + (<usize>segment << 2), segment)
      store<u8>(input.open + <usize>segment, 0)
      lastSouth = -1
      lastDown = -1
    }
    store<u32>(input.segment + (unknown << 2), segment)
    const east = load<f64>(input.east + place)
    const north = load<f64>(input.north + place)
    const up = load<f64>(input.up + place)
    const other = load<i32>(south + acrossAt)
    const below = load<i32>(down + acrossAt)
    const toSouth = other < 0 ? 0.0 : load<f64>(input.north + (<usize>other << 3))
    const toDown = below < 0 ? 0.0 : load<f64>(input.up + (<usize>below << 3))
    if (toSouth != 0) lastSouth = join(input, segment, other, lastSouth)
    if (toDown != 0) lastDown = join(input, segment, below, lastDown)
    const rest = abs(diagonal + (west + east + (north + toSouth) + (up + toDown)))
    if (rest > rounding * diagonal) store<u8>(input.open + <usize>segment, 1)
    const plain = west == full && east == full && north == full && toSouth == full && (flat || (up == full && toDown == full)) &&
      rest <= 1e-14 * diagonal && load<u8>(input.kind + unknown) != 2
    store<u8>(input.plain + unknown, plain ? 1 : 0)
    if (!plain) input.special++
    west = east
  }
}

@inline
function join(input: Input, segment: i32, other: i32, last: i32): i32 {
  const theirs = load<i32>(input.segment + (<usize>other << 2))
  // Neighbours along a run mostly meet the same segment again.
  if (theirs != last) unite(input.forest, segment, theirs)
  return theirs
}

function rootOf(forest: usize, segment: i32): i32 {
  let at = segment
  while (true) {
    const above = load<i32>(forest + (<usize>at << 2))
    if (above == at) return at
    const next = load<i32>(forest + (<usize>above << 2))
    store<i32>(forest + (<usize>at << 2), next)
    at = next
  }
}

function unite(forest: usize, a: i32, b: i32): void {
  const left = rootOf(forest, a)
  const right = rootOf(forest, b)
  if (left != right) store<i32>(forest + (<usize>max(left, right) << 2), min(left, right))
}

/** Components that nothing holds. */
function findPockets(input: Input): void {
  for (let segment = 0; segment < input.segments; segment++)
    if (load<u8>(input.open + <usize>segment)) store<u8>(input.open + <usize>rootOf(input.forest, segment), 1)
  input.pockets = 0
  for (let segment = 0; segment < input.segments; segment++)
    if (rootOf(input.forest, segment) == segment && load<u8>(input.open + <usize>segment) == 0) input.pockets++
}

/** Replaces the segment of every unknown by its pocket, numbered in the order of the grid, or −1. */
export function labelPockets(input: Input): void {
  const kept = mark()
  const label = allocate(<usize>input.segments << 2)
  let count = 0
  for (let segment = 0; segment < input.segments; segment++) {
    const root = rootOf(input.forest, segment)
    // Roots are the smallest of their component, so they come first.
    if (root == segment) store<i32>(label + (<usize>segment << 2), load<u8>(input.open + <usize>root) ? -1 : count++)
    else store<i32>(label + (<usize>segment << 2), load<i32>(label + (<usize>root << 2)))
  }
  for (let unknown: usize = 0; unknown < <usize>input.unknowns; unknown++) {
    const at = input.segment + (unknown << 2)
    store<i32>(at, load<i32>(label + (<usize>load<i32>(at) << 2)))
  }
  release(kept)
}
