/** Scans a problem for open liquid, and for pockets that nothing holds towards p = 0. */
import { Input, lineRun, ISOLATED, RANGE_UNKNOWNS, RANGES, runFirst, runLength, runStart } from './input'
import { jobOf, setSum, sumOf, totalOf } from '../../../../machine/kernels/job'
import { allocate, mark, release, reserveScratch, scratchOf } from '../../../../machine/kernels/memory'
import { run as runLoop, threadCount, threadNumber } from '../../../../machine/kernels/pool'

@unmanaged
export class ScanInputJob {
  input: Input
}

export function scan(input: Input): void {
  const kept = mark()
  const units = input.nz > 1 ? input.nz : input.ny
  input.rangeCount = max(1, min(min(RANGES, input.unknowns / RANGE_UNKNOWNS), units))
  reserveScratch((<usize>input.nx + 4) << 4, threadCount())
  jobOf<ScanInputJob>().input = input
  runLoop(scanPiece, input.rangeCount)
  input.special = <i32>totalOf(input.rangeCount, 0)
  for (let range = 0; range < input.rangeCount; range++) {
    store<i32>(input.ranges + ((<usize>range) << 3), runFirst(input, lineRun(input, rangeLine(input, range))))
    store<i32>(input.ranges + ((<usize>range) << 3), <i32>sumOf(range, 1), 4)
  }
  for (let range = 1; range < input.rangeCount; range++) joinBelow(input, rangeLine(input, range))
  findPockets(input)
  release(kept)
}

/** First line of a range: whole planes, or lines of a flat grid. */
function rangeLine(input: Input, range: i32): i32 {
  const units = input.nz > 1 ? input.nz : input.ny
  return <i32>((<i64>units * range) / input.rangeCount) * (input.nz > 1 ? input.ny : 1)
}

/** Sums of a range: unknowns that are not open liquid, and the end of its segments, whose numbers begin at that of its first unknown. */
@piece
export function scanPiece(range: i32): void {
  const input = jobOf<ScanInputJob>().input
  const south = scratchOf(threadNumber())
  const down = south + ((<usize>input.nx + 4) << 3)
  const from = rangeLine(input, range)
  const to = rangeLine(input, range + 1)
  segmentEnd = runFirst(input, lineRun(input, from))
  let special = 0
  for (let line = from; line < to; line++) {
    const toSouth = line % input.ny > 0 ? line - 1 : -1
    const toDown = line >= input.ny ? line - input.ny : -1
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++) {
      const first = segmentEnd
      findSegments(input, run)
      loadAcross(input, run, toSouth, from, input.north, south)
      loadAcross(input, run, toDown, from, input.up, down)
      special += classify(input, run, first, south, down)
    }
  }
  setSum(range, 0, <f64>special)
  setSum(range, 1, <f64>segmentEnd)
}

/** End of the segments that this thread has found in its range. */
let segmentEnd: i32 = 0

/** Cuts a run where a face inside is closed. */
function findSegments(input: Input, run: i32): void {
  const last = runFirst(input, run) + runLength(input, run) - 1
  const zero = f64x2.splat(0)
  beginSegment(input)
  for (let unknown = runFirst(input, run); unknown <= last; ) {
    const east = input.east + ((<usize>unknown) << 3)
    if (unknown + 4 <= last && !v128.any_true(v128.or(f64x2.eq(v128.load(east), zero), f64x2.eq(v128.load(east, 16), zero)))) {
      v128.store(input.segment + ((<usize>unknown) << 2), v128.splat<i32>(segmentEnd - 1))
      unknown += 4
      continue
    }
    store<i32>(input.segment + ((<usize>unknown) << 2), segmentEnd - 1)
    if (unknown < last && load<f64>(east) == 0) beginSegment(input)
    unknown++
  }
}

function beginSegment(input: Input): void {
  const segment = segmentEnd++
  store<i32>(input.forest + ((<usize>segment) << 2), segment)
  store<u8>(input.open + <usize>segment, 0)
}

/** Links of a run to the line before it along another axis, 0 where there is no neighbour. Joins segments that they link, unless that line
 *  belongs to another range, which begins before line `own`. */
function loadAcross(input: Input, run: i32, line: i32, own: i32, links: usize, into: usize): void {
  const from = runStart(input, run)
  const first = runFirst(input, run)
  const to = from + runLength(input, run)
  let at = into
  if (line >= 0)
    for (let other = lineRun(input, line), end = lineRun(input, line + 1); other < end; other++) {
      const begin = runStart(input, other)
      if (begin >= to) break
      const low = max(from, begin)
      const high = min(to, begin + runLength(input, other))
      if (low >= high) continue
      const stop = into + ((<usize>(high - from)) << 3)
      for (const begun = into + ((<usize>(low - from)) << 3); at < begun; at += 8) store<f64>(at, 0)
      const theirs = runFirst(input, other) + low - begin
      // Up to one value too many: the next value is written later.
      for (let source = links + ((<usize>theirs) << 3); at < stop; at += 16, source += 16) v128.store(at, v128.load(source))
      at = stop
      if (line >= own) joinAlong(input, first + low - from, theirs, high - low, links)
    }
  for (const stop = into + ((<usize>(to - from)) << 3); at < stop; at += 8) store<f64>(at, 0)
}

/** Joins the segments of `count` unknowns from `ours` on with those of their lower neighbours, from `theirs` on. */
function joinAlong(input: Input, ours: i32, theirs: i32, count: i32, links: usize): void {
  const mine = input.segment + ((<usize>ours) << 2)
  const yours = input.segment + ((<usize>theirs) << 2)
  const last = <usize>(count - 1)
  const single = load<i32>(mine) == load<i32>(mine + (last << 2)) && load<i32>(yours) == load<i32>(yours + (last << 2))
  let a = -1
  let b = -1
  for (let n: usize = 0; n <= last; n++) {
    if (load<f64>(links + ((<usize>theirs + n) << 3)) == 0) continue
    const nextA = load<i32>(mine + (n << 2))
    const nextB = load<i32>(yours + (n << 2))
    // Neighbours along a run mostly meet the same segment again.
    if (nextA != a || nextB != b) unite(input.forest, nextA, nextB)
    if (single) return
    a = nextA
    b = nextB
  }
}

/** Joins the first lines of a range with those below, which are of another. */
function joinBelow(input: Input, line: i32): void {
  const lines = input.nz > 1 ? input.ny : 1
  for (let end = line + lines; line < end; line++)
    for (let run = lineRun(input, line), end = lineRun(input, line + 1); run < end; run++)
      joinRun(input, run, line - lines, input.nz > 1 ? input.up : input.north)
}

function joinRun(input: Input, run: i32, line: i32, links: usize): void {
  const from = runStart(input, run)
  const to = from + runLength(input, run)
  for (let other = lineRun(input, line), end = lineRun(input, line + 1); other < end; other++) {
    const begin = runStart(input, other)
    const low = max(from, begin)
    const high = min(to, begin + runLength(input, other))
    if (low < high) joinAlong(input, runFirst(input, run) + low - from, runFirst(input, other) + low - begin, high - low, links)
  }
}

/** Unknowns that are classified together. */
const GROUP: i32 = 8

/** Marks the segments of a run, `segment` the first of them, that are held towards p = 0, and finds open liquid and isolated cells. Returns how
 *  many unknowns are not open liquid. */
function classify(input: Input, run: i32, segment: i32, south: usize, down: usize): i32 {
  const length = runLength(input, run)
  const first = <usize>runFirst(input, run)
  const single = segment + 1 == segmentEnd
  const full = f64x2.splat(-input.scale)
  const rounding = f64x2.splat(input.rounding)
  const flat = input.nz == 1
  let held = 0
  let open = 0
  for (let at = 0; at < length; at += GROUP) {
    const count = min(GROUP, length - at)
    // The last group ends with the run and may overlap the one before.
    const begin = max(0, at + count - GROUP)
    const again = at - begin
    const many = again + count
    const unknown = first + <usize>begin
    const d = input.diagonal + (unknown << 3)
    const e = input.east + (unknown << 3)
    const n = input.north + (unknown << 3)
    const u = input.up + (unknown << 3)
    const toSouth = south + ((<usize>begin) << 3)
    const toDown = down + ((<usize>begin) << 3)
    let west = v128.load(e - 8)
    if (begin == 0) west = f64x2.replace_lane(west, 0, 0)
    let bits = classifyPair(west, d, e, n, u, toSouth, toDown, full, rounding, flat)
    if (many > 2)
      bits |= classifyPair(v128.load(e, 8), d + 16, e + 16, n + 16, u + 16, toSouth + 16, toDown + 16, full, rounding, flat) << 2
    if (many > 4)
      bits |= classifyPair(v128.load(e, 24), d + 32, e + 32, n + 32, u + 32, toSouth + 32, toDown + 32, full, rounding, flat) << 4
    if (many > 6)
      bits |= classifyPair(v128.load(e, 40), d + 48, e + 48, n + 48, u + 48, toSouth + 48, toDown + 48, full, rounding, flat) << 6
    const among = (1 << many) - 1
    const holds = bits & among
    if (single) held |= holds
    else
      for (let rest = holds; rest; rest &= rest - 1)
        store<u8>(input.open + <usize>load<i32>(input.segment + ((unknown + <usize>ctz(rest)) << 2)), 1)
    const contacts = i8x16.bitmask(i8x16.eq(v128.load64_zero(input.kind + unknown), i8x16.splat(2)))
    const plain = (bits >> GROUP) & ~contacts & among
    open += popcnt(plain >> again)
    writeBits(input.plain + unknown, plain, many)
  }
  if (held) store<u8>(input.open + <usize>segment, 1)
  if (length == 1 && isIsolated(input, first, load<f64>(south), load<f64>(down))) store<u8>(input.plain + first, ISOLATED)
  return length - open
}

/** Two bits of both unknowns of a pair: whether something holds it towards p = 0; and, GROUP higher, whether its links and diagonal are
 *  those of open liquid. Given the link to the west, and where the others and the diagonal are. */
@inline
function classifyPair(
  west: v128,
  diagonalAt: usize,
  eastAt: usize,
  northAt: usize,
  upAt: usize,
  southAt: usize,
  downAt: usize,
  full: v128,
  rounding: v128,
  flat: bool,
): i32 {
  const diagonal = v128.load(diagonalAt)
  const east = v128.load(eastAt)
  const north = v128.load(northAt)
  const south = v128.load(southAt)
  const up = v128.load(upAt)
  const down = v128.load(downAt)
  const sum = f64x2.add(f64x2.add(f64x2.add(west, east), f64x2.add(north, south)), f64x2.add(up, down))
  const rest = f64x2.abs(f64x2.add(diagonal, sum))
  let alike = v128.and(f64x2.eq(west, full), v128.and(f64x2.eq(east, full), f64x2.eq(north, full)))
  alike = v128.and(alike, v128.and(f64x2.eq(south, full), f64x2.le(rest, f64x2.mul(f64x2.splat(1e-14), diagonal))))
  if (!flat) alike = v128.and(alike, v128.and(f64x2.eq(up, full), f64x2.eq(down, full)))
  return i64x2.bitmask(f64x2.gt(rest, f64x2.mul(rounding, diagonal))) | (i64x2.bitmask(alike) << GROUP)
}

/** The lowest `count` of eight bits as bytes. */
@inline
function writeBits(at: usize, bits: i32, count: i32): void {
  if (count < GROUP) {
    for (let n = 0; n < count; n++) store<u8>(at + <usize>n, (bits >> n) & 1)
    return
  }
  const each = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)
  const found = i8x16.eq(v128.and(i8x16.splat(<i8>bits), each), each)
  v128.store_lane<u64>(at, v128.and(found, i8x16.splat(1)), 0)
}

/** Has the only cell of a run no links at all? */
function isIsolated(input: Input, unknown: usize, toSouth: f64, toDown: f64): bool {
  const place = unknown << 3
  return (
    toSouth == 0 &&
    toDown == 0 &&
    load<f64>(input.east + place) == 0 &&
    load<f64>(input.north + place) == 0 &&
    load<f64>(input.up + place) == 0
  )
}

function rootOf(forest: usize, segment: i32): i32 {
  let at = segment
  while (true) {
    const above = load<i32>(forest + ((<usize>at) << 2))
    if (above == at) return at
    const next = load<i32>(forest + ((<usize>above) << 2))
    store<i32>(forest + ((<usize>at) << 2), next)
    at = next
  }
}

function unite(forest: usize, a: i32, b: i32): void {
  const left = rootOf(forest, a)
  const right = rootOf(forest, b)
  if (left != right) store<i32>(forest + ((<usize>max(left, right)) << 2), min(left, right))
}

@inline
function segmentsFrom(input: Input, range: i32): i32 {
  return load<i32>(input.ranges + ((<usize>range) << 3))
}
@inline
function segmentsTo(input: Input, range: i32): i32 {
  return load<i32>(input.ranges + ((<usize>range) << 3), 4)
}

/** Counts components that nothing holds towards p = 0. */
function findPockets(input: Input): void {
  for (let range = 0; range < input.rangeCount; range++)
    for (let segment = segmentsFrom(input, range); segment < segmentsTo(input, range); segment++)
      if (load<u8>(input.open + <usize>segment)) store<u8>(input.open + <usize>rootOf(input.forest, segment), 1)
  input.pockets = 0
  for (let range = 0; range < input.rangeCount; range++)
    for (let segment = segmentsFrom(input, range); segment < segmentsTo(input, range); segment++)
      if (rootOf(input.forest, segment) == segment && load<u8>(input.open + <usize>segment) == 0) input.pockets++
}

/** Replaces the segment of every unknown by its pocket, numbered in the order of the grid, or −1. */
export function labelPockets(input: Input): void {
  const kept = mark()
  const label = allocate((<usize>input.unknowns) << 2)
  let count = 0
  for (let range = 0; range < input.rangeCount; range++)
    for (let segment = segmentsFrom(input, range); segment < segmentsTo(input, range); segment++) {
      const root = rootOf(input.forest, segment)
      // Roots are the smallest of their component, so they come first.
      if (root == segment) store<i32>(label + ((<usize>segment) << 2), load<u8>(input.open + <usize>root) ? -1 : count++)
      else store<i32>(label + ((<usize>segment) << 2), load<i32>(label + ((<usize>root) << 2)))
    }
  for (let unknown: usize = 0; unknown < <usize>input.unknowns; unknown++) {
    const at = input.segment + (unknown << 2)
    store<i32>(at, load<i32>(label + ((<usize>load<i32>(at)) << 2)))
  }
  release(kept)
}
