/** The problem as it was given: unknowns in the order of the grid, in runs of neighbouring cells along x. */
import { allocate } from '../../../../machine/kernels/memory'

@unmanaged
export class Input {
  nx: i32
  ny: i32
  nz: i32
  unknowns: i32
  runCount: i32
  /** Precision of the levels that are built from it, as in Level. */
  wide: i32
  /** Relative size below which a row sum is rounding. */
  rounding: f64
  /** What coefficients are divided by: the largest link, or diagonal where nothing is linked. */
  scale: f64
  /** For every line of the grid (j + ny k) its first run; one more at the end. u32. */
  lineRuns: usize
  /** Runs: first i, first unknown; one more at the end. u32 each. */
  runs: usize
  kind: usize
  diagonal: usize
  /** Links to the upper neighbour per axis, ≤ 0. */
  east: usize
  north: usize
  up: usize
  b: usize
  p: usize
  /** Per run: first row of its red and of its black cells. */
  bases: usize
  /** Per unknown: segment, a run without a closed face inside. u32; later the pocket, or −1. */
  segment: usize
  /** Ranges that the grid was scanned in. */
  rangeCount: i32
  /** Per unknown: 1 where it is open liquid, with six links like all others and nothing else; ISOLATED. u8. */
  plain: usize
  /** Per segment: parent in the forest of connected segments; and 1 where something holds it towards p = 0. */
  forest: usize
  open: usize
  /** Maximum number of unknowns that need coefficients of their own. */
  special: i32
  /** Components that nothing holds towards p = 0. */
  pockets: i32
  nonZeros: i32
  /** Contacts with A p + b > 0 at p = 0. */
  pinnedAtZero: i32
  /** 1 if a pressure was given; else `p` is undefined. */
  started: i32
  /** Of every range: its first segment, and the one behind its last. i32 each. */
  ranges: usize
  /** Cells that are ISOLATED. */
  isolated: i32
}

/** The only cell of its run, and without links. */
export const ISOLATED: u8 = 2
/** Maximum number of ranges that a grid is scanned in, and minimum number of unknowns in each, on average. */
export const RANGES: i32 = 64
export const RANGE_UNKNOWNS: i32 = 2048

/** First i of a run, its length, and its first unknown. */
@inline
export function runStart(input: Input, run: i32): i32 {
  return load<i32>(input.runs + ((<usize>run) << 3))
}
@inline
export function runFirst(input: Input, run: i32): i32 {
  return load<i32>(input.runs + ((<usize>run) << 3), 4)
}
@inline
export function runLength(input: Input, run: i32): i32 {
  return load<i32>(input.runs + ((<usize>run) << 3), 12) - runFirst(input, run)
}
@inline
export function lineRun(input: Input, line: i32): i32 {
  return load<i32>(input.lineRuns + ((<usize>line) << 2))
}

/** Lists the runs of unknowns in lines of a grid, given the kinds of its cells: first cell and length, i32 each. Returns how many. */
export function listRuns(kind: usize, nx: i32, lines: i32, into: usize): i32 {
  let end = into
  for (let line = 0; line < lines; line++) {
    let start = -1
    for (let i = 0; i < nx; i += 16) {
      const dry = i8x16.bitmask(i8x16.eq(v128.load(kind + <usize>i), i8x16.splat(0)))
      const inside = (1 << min(16, nx - i)) - 1
      // A bit wherever a run begins, or has ended.
      let edges = (~dry ^ ((~dry << 1) | <i32>(start >= 0))) & inside
      for (; edges; edges &= edges - 1) {
        const at = i + ctz(edges)
        if (start < 0) start = at
        else {
          addRun(end, line * nx + start, at - start)
          end += 8
          start = -1
        }
      }
    }
    if (start >= 0) {
      addRun(end, line * nx + start, nx - start)
      end += 8
    }
    kind += <usize>nx
  }
  return <i32>((end - into) >> 3)
}

@inline
function addRun(at: usize, cell: i32, length: i32): void {
  store<i32>(at, cell)
  store<i32>(at, length, 4)
}

/** Memory for a problem; the caller fills it. */
export function createInput(nx: i32, ny: i32, nz: i32, unknowns: i32, runs: i32): Input {
  const input = changetype<Input>(allocate(offsetof<Input>()))
  const many = <usize>unknowns
  input.nx = nx
  input.ny = ny
  input.nz = nz
  input.unknowns = unknowns
  input.runCount = runs
  input.lineRuns = allocate((<usize>ny * nz + 1) << 2)
  input.runs = allocate((<usize>runs + 1) << 3)
  input.bases = allocate((<usize>runs) << 3)
  input.ranges = allocate((<usize>RANGES) << 3)
  // From here on it is released when the finest level is packed.
  input.kind = allocate(many)
  input.diagonal = allocate(many << 3)
  input.east = allocate(many << 3)
  input.north = allocate(many << 3)
  input.up = allocate(many << 3)
  input.b = allocate(many << 3)
  input.p = allocate(many << 3)
  input.segment = allocate(many << 2)
  input.forest = allocate(many << 2)
  input.plain = allocate(many)
  input.open = allocate(many)
  return input
}

/** Fills it from arrays over the cells of the grid in the same memory; runs must be listed. */
export function copyProblem(input: Input, kind: usize, diagonal: usize, east: usize, north: usize, up: usize, b: usize): void {
  const nx = input.nx
  for (let line = 0, lines = input.ny * input.nz; line < lines; line++) {
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      const cell = <usize>(line * nx + runStart(input, run))
      const unknown = <usize>runFirst(input, run)
      const length = <usize>runLength(input, run)
      let n: usize = 0
      for (; n + 8 <= length; n += 8) store<u64>(input.kind + unknown + n, load<u64>(kind + cell + n))
      for (; n < length; n++) store<u8>(input.kind + unknown + n, load<u8>(kind + cell + n))
      copy(input.diagonal + (unknown << 3), diagonal + (cell << 3), length)
      copy(input.east + (unknown << 3), east + (cell << 3), length)
      copy(input.north + (unknown << 3), north + (cell << 3), length)
      copy(input.up + (unknown << 3), up + (cell << 3), length)
      copy(input.b + (unknown << 3), b + (cell << 3), length)
    }
  }
}

/** Copies some f64; for so few, the memory.copy instruction is slow. */
@inline
function copy(to: usize, from: usize, count: usize): void {
  for (const end = from + ((count & ~1) << 3); from < end; from += 16, to += 16) v128.store(to, v128.load(from))
  if (count & 1) store<f64>(to, load<f64>(from))
}

/** The same for a pressure, if any of it is not 0; returns whether it is. */
export function copyPressure(input: Input, pressure: usize): bool {
  if (!isStarted(input, pressure)) return false
  const nx = input.nx
  for (let line = 0, lines = input.ny * input.nz; line < lines; line++)
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++)
      copy(
        input.p + ((<usize>runFirst(input, run)) << 3),
        pressure + ((<usize>(line * nx + runStart(input, run))) << 3),
        <usize>runLength(input, run),
      )
  return true
}

function isStarted(input: Input, pressure: usize): bool {
  const nx = input.nx
  for (let line = 0, lines = input.ny * input.nz; line < lines; line++)
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      let at = pressure + ((<usize>(line * nx + runStart(input, run))) << 3)
      const length = <usize>runLength(input, run)
      let any = i64x2.splat(0)
      for (const stop = at + ((length & ~1) << 3); at < stop; at += 16)
        any = v128.or(any, f64x2.ne(v128.load(at), f64x2.splat(0)))
      if (v128.any_true(any) || (length & 1 && load<f64>(at) != 0)) return true
    }
  return false
}

/** Writes values in the order of the finest rows to their cells, times `factor`, and 0 to all others. */
export function scatterPressure(input: Input, values: usize, factor: f64, into: usize): void {
  const nx = input.nx
  memory.fill(into, 0, (<usize>(nx * input.ny * input.nz)) << 3)
  for (let line = 0, lines = input.ny * input.nz; line < lines; line++)
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++)
      scatterRun(input, line, run, values, factor, into + ((<usize>(line * nx + runStart(input, run))) << 3))
}

/** Writes them to the pressure of the input. */
export function gatherPressure(input: Input, values: usize, factor: f64): void {
  for (let line = 0, lines = input.ny * input.nz; line < lines; line++)
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++)
      scatterRun(input, line, run, values, factor, input.p + ((<usize>runFirst(input, run)) << 3))
}

@inline
function scatterRun(input: Input, line: i32, run: i32, values: usize, factor: f64, to: usize): void {
  const parity = (runStart(input, run) + (line % input.ny) + line / input.ny) & 1
  const bases = input.bases + ((<usize>run) << 3)
  let first = values + ((<usize>load<u32>(bases + ((<usize>parity) << 2))) << 3)
  let second = values + ((<usize>load<u32>(bases + ((<usize>(1 - parity)) << 2))) << 3)
  for (let n = 0, length = runLength(input, run); n < length; n += 2) {
    store<f64>(to, factor * load<f64>(first))
    if (n + 1 < length) store<f64>(to, factor * load<f64>(second), 8)
    first += 8
    second += 8
    to += 16
  }
}
