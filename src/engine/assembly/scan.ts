/** A first look at the problem: its scale, and pockets of liquid that nothing holds towards p = 0. */
import { findAcross, Input, lineRun, runFirst, runLength, runStart } from './input'
import { allocate, mark, release } from './memory'

export function scan(input: Input): void {
  const kept = mark()
  const south = allocate(<usize>input.nx << 2)
  const down = allocate(<usize>input.nx << 2)
  findScale(input)
  input.segments = 0
  input.special = 0
  const sums = allocate(<usize>input.unknowns << 3)
  memory.fill(sums, 0, <usize>input.unknowns << 3)
  for (let k = 0, line = 0; k < input.nz; k++) {
    for (let j = 0; j < input.ny; j++, line++) {
      for (let run = lineRun(input, line); run < lineRun(input, line + 1); run++) {
        findAcross(input, run, j > 0 ? line - 1 : -1, south)
        findAcross(input, run, k > 0 ? line - input.ny : -1, down)
        joinRun(input, run, south, down, sums)
      }
    }
  }
  findOpen(input, sums)
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

/** Joins the segments of a run with those below it, and sums the links of every unknown. */
function joinRun(input: Input, run: i32, south: usize, down: usize, sums: usize): void {
  const from = runStart(input, run)
  const length = runLength(input, run)
  const first = runFirst(input, run)
  let segment = -1
  let lastSouth = -1
  let lastDown = -1
  for (let at = 0; at < length; at++) {
    const unknown = <usize>(first + at)
    const i = <usize>(from + at)
    const link = at > 0 ? load<f64>(input.east + (unknown << 3) - 8) : 0
    if (link == 0) {
      segment = input.segments++
      store<u32>(input.forest + (<usize>segment << 2), segment)
      lastSouth = -1
      lastDown = -1
    } else addPair(sums, unknown - 1, unknown, link)
    store<u32>(input.segment + (unknown << 2), segment)
    lastSouth = joinAcross(input, unknown, load<i32>(south + (i << 2)), input.north, sums, segment, lastSouth)
    lastDown = joinAcross(input, unknown, load<i32>(down + (i << 2)), input.up, sums, segment, lastDown)
  }
}

// @ts-ignore: decorator
@inline
function joinAcross(input: Input, unknown: usize, other: i32, links: usize, sums: usize, segment: i32, last: i32): i32 {
  if (other < 0) return last
  const link = load<f64>(links + (<usize>other << 3))
  if (link == 0) return last
  addPair(sums, other, unknown, link)
  const theirs = load<i32>(input.segment + (<usize>other << 2))
  // Neighbours along a run mostly meet the same segment again.
  if (theirs != last) unite(input.forest, segment, theirs)
  return theirs
}

// @ts-ignore: decorator
@inline
function addPair(sums: usize, a: usize, b: usize, link: f64): void {
  store<f64>(sums + (a << 3), load<f64>(sums + (a << 3)) + link)
  store<f64>(sums + (b << 3), load<f64>(sums + (b << 3)) + link)
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

/** Which components something holds, and how many unknowns cannot be packed as open liquid. */
function findOpen(input: Input, sums: usize): void {
  memory.fill(input.open, 0, input.segments)
  // All links equal the largest one, but for the rounding of their sum.
  const plain = -(1 - 1e-12) * (input.nz > 1 ? 6.0 : 4.0) * input.scale
  for (let unknown: usize = 0; unknown < <usize>input.unknowns; unknown++) {
    const diagonal = load<f64>(input.diagonal + (unknown << 3))
    const rest = diagonal + load<f64>(sums + (unknown << 3))
    if (rest < -1e-14 * diagonal || load<f64>(sums + (unknown << 3)) > plain || load<u8>(input.kind + unknown) == 2) input.special++
    if (abs(rest) > input.rounding * diagonal)
      store<u8>(input.open + <usize>rootOf(input.forest, load<i32>(input.segment + (unknown << 2))), 1)
  }
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
