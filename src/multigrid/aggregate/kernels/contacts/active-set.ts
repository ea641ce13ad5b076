/** The set of pinned contacts: checked after every iteration, changed in place. A change patches residual and direction around
 *  the contact, so that conjugate gradients continue as if the set had always been the new one. */
import { jobOf, larger, largestOf, setResult, setSum, totalOf } from '../../../../machine/kernels/job'
import { ENTRIES_END, ENTRY, entriesOf, isPinned, laneOf, Level, LISTED, recordOfRow, stepOf } from '../level'
import { allocate } from '../../../../machine/kernels/memory'
import { runWide } from '../../../../machine/kernels/pool'
import { shift } from '../cycle/stencil'

@inline
function at<T>(vector: usize, row: i32): usize {
  return vector + ((<usize>row) << shift<T>())
}

// The surroundings of a contact are stored together, because all contacts are checked after every iteration: its row, A p + b and p of the
// last exact residual (f64; x is the change since then), diagonal, six weights, and the rows of six neighbours.
const BASE: usize = 8
const PRESSURE: usize = 16
const DIAGONAL: usize = 24
@inline
function weights<T>(): usize {
  return DIAGONAL + sizeof<T>()
}
@inline
function neighbours<T>(): usize {
  return DIAGONAL + 7 * sizeof<T>()
}
@inline
function size<T>(): usize {
  return (neighbours<T>() + 24 + 7) & ~7
}
/** In place of the first neighbour: neighbours are in the entries of the row. */
const LISTED_ROW: u32 = 0xffffffff

/** Minimum number of contacts, or of changed rows, in a piece; and maximum number of pieces. */
const MIN_PIECE: i32 = 1024
const MAX_PIECES: i32 = 64

/** Entries of a list in each piece, the last of which may have fewer. */
export function pieceSize(count: i32): i32 {
  return max(MIN_PIECE, (count + MAX_PIECES - 1) / MAX_PIECES)
}

export function pieceCount(count: i32): i32 {
  const size = pieceSize(count)
  return (count + size - 1) / size
}

/** To be called when nothing is pinned. */
export function describeContacts<T>(level: Level): void {
  level.surroundings = allocate(<usize>level.contactCount * size<T>())
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    const about = level.surroundings + c * size<T>()
    const record = recordOfRow<T>(level, row)
    const lane = laneOf<T>(record, row)
    store<i32>(about, row)
    store<T>(about, <T>1 / load<T>(lane), DIAGONAL)
    if (record.kind == LISTED) {
      store<u32>(about + neighbours<T>(), LISTED_ROW)
      continue
    }
    for (let d = 0; d < 6; d++) {
      const weight = load<T>(lane + ((<usize>d) << 4), 32)
      store<T>(about + weights<T>() + <usize>d * sizeof<T>(), weight)
      store<i32>(about + neighbours<T>() + ((<usize>d) << 2), weight == 0 ? row : row + stepOf(record, d))
    }
  }
}

/** Σ w v over the neighbours of a contact. */
@inline
function sumAround<T>(level: Level, about: usize, vector: usize): f64 {
  const list = about + neighbours<T>()
  if (load<u32>(list) == LISTED_ROW) return sumListed<T>(level, load<i32>(about), vector)
  const w = about + weights<T>()
  let sum = load<T>(w) * load<T>(at<T>(vector, load<i32>(list)))
  sum += load<T>(w, sizeof<T>()) * load<T>(at<T>(vector, load<i32>(list, 4)))
  sum += load<T>(w, 2 * sizeof<T>()) * load<T>(at<T>(vector, load<i32>(list, 8)))
  sum += load<T>(w, 3 * sizeof<T>()) * load<T>(at<T>(vector, load<i32>(list, 12)))
  sum += load<T>(w, 4 * sizeof<T>()) * load<T>(at<T>(vector, load<i32>(list, 16)))
  sum += load<T>(w, 5 * sizeof<T>()) * load<T>(at<T>(vector, load<i32>(list, 20)))
  return <f64>sum
}

function sumListed<T>(level: Level, row: i32, vector: usize): f64 {
  const record = recordOfRow<T>(level, row)
  let sum: T = 0
  const start = entriesOf<T>(record, row)
  const end = <usize>load<u32>(start, ENTRIES_END)
  for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY)
    sum += load<T>(entry, 8) * load<T>(at<T>(vector, load<i32>(entry)))
  return <f64>sum
}

/** A p + b of a contact, from the last exact residual and the change since then. */
@inline
function divergenceAt<T>(level: Level, about: usize): f64 {
  const own = <f64>load<T>(at<T>(level.x, load<i32>(about)))
  return load<f64>(about, BASE) + <f64>load<T>(about, DIAGONAL) * own - sumAround<T>(level, about, level.x)
}

@inline
function pressureOf<T>(level: Level, about: usize): f64 {
  return load<f64>(about, PRESSURE) + <f64>load<T>(at<T>(level.x, load<i32>(about)))
}

/** Records A p + b = −r and p of the contacts of a piece; r must be exact on all rows, pinned or free. Sets r to 0 where a contact is pinned.
 *  Returns the largest |r| over free ones. */
export function setBase<T>(level: Level, first: i32, end: i32): f64 {
  let largest = 0.0
  const pinned = level.pinned
  const p = level.p
  const last = aboutAt<T>(level, end)
  for (let about = aboutAt<T>(level, first); about < last; about += size<T>()) {
    const row = load<i32>(about)
    const r = at<T>(level.r, row)
    store<f64>(about, -(<f64>load<T>(r)), BASE)
    store<f64>(about, load<f64>(p + ((<usize>row) << 3)), PRESSURE)
    if (load<u8>(pinned + <usize>row)) store<T>(r, 0)
    else largest = larger(largest, abs(<f64>load<T>(r)))
  }
  return largest
}

/** Address of the surroundings of a contact, or the end of the last. */
@inline
function aboutAt<T>(level: Level, contact: i32): usize {
  return level.surroundings + <usize>min(contact, level.contactCount) * size<T>()
}

/** The same if x is the whole pressure and f = −b. */
export function setColdBase<T>(level: Level): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const about = level.surroundings + c * size<T>()
    store<f64>(about, -(<f64>load<T>(at<T>(level.f, load<i32>(about)))), BASE)
    store<f64>(about, 0, PRESSURE)
  }
}

/** Sets the pressure of pinned contacts to exactly 0, which it is up to rounding. To be called when x has been added to p. */
export function clearPinned(level: Level, first: i32, end: i32): void {
  for (let c = <usize>first; c < <usize>end; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    if (isPinned(level, row)) store<f64>(level.p + ((<usize>row) << 3), 0)
  }
}

@unmanaged
export class NaturalJob {
  level: Level
  /** Contacts of a piece. */
  size: i32
}

/** Natural residual at the present point, given the largest |r|. Result 1: the number of pinned contacts. */
export function naturalResidual(level: Level, largest: f64): f64 {
  const task = jobOf<NaturalJob>()
  task.level = level
  task.size = pieceSize(level.contactCount)
  const pieces = pieceCount(level.contactCount)
  runWide(level.wide, naturalPiece, pieces)
  setResult(1, totalOf(pieces, 1))
  return larger(largest, largestOf(pieces, 0))
}

@piece
export function naturalPiece<T>(piece: i32): void {
  const task = jobOf<NaturalJob>()
  const level = task.level
  let residual = 0.0
  let pinned = 0
  const first = piece * task.size
  const end = aboutAt<T>(level, first + task.size)
  let terms = level.terms + ((<usize>first) << 3)
  for (let about = aboutAt<T>(level, first); about < end; about += size<T>(), terms += 8) {
    const row = load<i32>(about)
    let term: f64
    if (isPinned(level, row)) {
      term = divergenceAt<T>(level, about)
      if (term > 0) pinned++
    } else {
      term = pressureOf<T>(level, about) * <f64>load<T>(about, DIAGONAL)
      if (term < -(<f64>load<T>(at<T>(level.r, row)))) pinned++
    }
    store<f64>(terms, term)
    residual = larger(residual, -term)
  }
  setSum(piece, 0, residual)
  setSum(piece, 1, <f64>pinned)
}

/** Natural residual over contacts, as of the last exact residual. */
export function measureSet<T>(level: Level): f64 {
  let most = 0.0
  const end = level.surroundings + <usize>level.contactCount * size<T>()
  for (let about = level.surroundings; about < end; about += size<T>()) {
    const w = load<f64>(about, BASE)
    const scaled = <f64>load<T>(about, DIAGONAL) * load<f64>(about, PRESSURE)
    most = larger(most, abs(scaled < w && w < Infinity ? scaled : w))
  }
  return most
}

/** Frees pinned contacts whose A p + b is below −`release`, pins free ones whose scaled pressure is below −`pin`; both are those of the last
 *  `naturalResidual`. Writes the changed rows to `changed`, pinned ones first, and returns their number. */
export function updateSet<T>(level: Level, release: f64, pin: f64, changed: usize): i32 {
  let count = 0
  for (let c = 0; c < level.contactCount; c++) {
    if (!(load<f64>(level.terms + ((<usize>c) << 3)) < -pin)) continue
    const row = load<i32>(level.contacts + ((<usize>c) << 2))
    if (isPinned(level, row)) continue
    store<i32>(changed + ((<usize>count) << 2), c)
    count++
    // Marked, not yet pinned: neighbours that are pinned in the same step still count it as free.
    store<u8>(level.marks + <usize>row, 1)
  }
  const pinned = count
  for (let c = 0; c < level.contactCount; c++) {
    if (!(load<f64>(level.terms + ((<usize>c) << 3)) < -release)) continue
    if (!isPinned(level, load<i32>(level.contacts + ((<usize>c) << 2)))) continue
    if (level.guards && mustStay(level, c, release)) continue
    store<i32>(changed + ((<usize>count) << 2), c)
    count++
  }
  for (let n = 0; n < pinned; n++) pinContact<T>(level, load<i32>(changed + ((<usize>n) << 2)))
  for (let n = pinned; n < count; n++) freeContact<T>(level, load<i32>(changed + ((<usize>n) << 2)))
  for (let n: usize = 0; n < <usize>count; n++) {
    const row = load<i32>(level.contacts + ((<usize>load<i32>(changed + (n << 2))) << 2))
    store<u8>(level.marks + <usize>row, 0)
    store<i32>(changed + (n << 2), row)
  }
  return count
}

/** If all pinned contacts of a guarded pocket are to be freed, the one with the largest A p + b stays pinned. */
function mustStay(level: Level, contact: i32, release: f64): bool {
  const pocket = load<i32>(level.guards + ((<usize>contact) << 2))
  if (pocket < 0) return false
  let keeper = -1
  let most = 0.0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    if (load<i32>(level.guards + (c << 2)) != pocket) continue
    const row = load<i32>(level.contacts + (c << 2))
    const term = load<f64>(level.terms + (c << 3))
    if (isPinned(level, row)) {
      if (!(term < -release)) return false
      if (keeper < 0 || term > most) {
        keeper = <i32>c
        most = term
      }
    } else if (load<u8>(level.marks + <usize>row)) return false
  }
  return keeper == contact
}

function pinContact<T>(level: Level, contact: i32): void {
  const about = level.surroundings + <usize>contact * size<T>()
  const row = load<i32>(about)
  const p = pressureOf<T>(level, about)
  const d = <f64>load<T>(at<T>(level.d, row))
  const list = about + neighbours<T>()
  if (load<u32>(list) == LISTED_ROW) {
    const start = entriesOf<T>(recordOfRow<T>(level, row), row)
    const end = <usize>load<u32>(start, ENTRIES_END)
    for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY)
      patch<T>(level, load<i32>(entry), <f64>load<T>(entry, 8), p, d)
  } else
    for (let direction: usize = 0; direction < 6; direction++) {
      const weight = <f64>load<T>(about + weights<T>() + direction * sizeof<T>())
      if (weight != 0) patch<T>(level, load<i32>(list + (direction << 2)), weight, p, d)
    }
  // Together with the pressure of the last exact residual this is 0; that pressure is kept, because A p + b belongs to it.
  store<T>(at<T>(level.x, row), <T>-load<f64>(about, PRESSURE))
  store<T>(at<T>(level.d, row), 0)
  store<T>(at<T>(level.r, row), 0)
  store<T>(at<T>(level.q, row), 0)
  store<u8>(level.pinned + <usize>row, 1)
}

@inline
function patch<T>(level: Level, neighbour: i32, weight: f64, p: f64, d: f64): void {
  if (isPinned(level, neighbour)) return
  const r = at<T>(level.r, neighbour)
  const q = at<T>(level.q, neighbour)
  store<T>(r, <T>(<f64>load<T>(r) - weight * p))
  store<T>(q, <T>(<f64>load<T>(q) + weight * d))
}

function freeContact<T>(level: Level, contact: i32): void {
  const about = level.surroundings + <usize>contact * size<T>()
  const row = load<i32>(about)
  store<u8>(level.pinned + <usize>row, 0)
  store<T>(at<T>(level.r, row), <T>-divergenceAt<T>(level, about))
  store<T>(at<T>(level.q, row), <T>-sumAround<T>(level, about, level.d))
}

/** Pins contacts with p < 0, and those with p = 0 and A p + b > 0. Writes their rows to `changed` and returns their number. */
export function pinAtStart<T>(level: Level, changed: usize): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const about = level.surroundings + c * size<T>()
    const p = pressureOf<T>(level, about)
    if (p > 0 || (p == 0 && !(divergenceAt<T>(level, about) > 0))) continue
    store<i32>(changed + ((<usize>count) << 2), load<i32>(about))
    count++
  }
  for (let pocket = 0; pocket < level.guarded; pocket++) {
    const row = lowestOf<T>(level, pocket, changed, count)
    if (row >= 0) {
      store<i32>(changed + ((<usize>count) << 2), row)
      count++
    }
  }
  for (let n: usize = 0; n < <usize>count; n++) {
    const row = load<i32>(changed + (n << 2))
    store<u8>(level.pinned + <usize>row, 1)
    store<T>(at<T>(level.x, row), 0)
    if (level.p) store<f64>(level.p + ((<usize>row) << 3), 0)
  }
  return count
}

/** The contact of a guarded pocket with the lowest pressure, −1 if one of its contacts is already among the `count` rows. */
function lowestOf<T>(level: Level, pocket: i32, rows: usize, count: i32): i32 {
  for (let n: usize = 0; n < <usize>count; n++) store<u8>(level.marks + <usize>load<i32>(rows + (n << 2)), 1)
  let lowest = -1
  let pressure = 0.0
  let guarded = false
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    if (load<i32>(level.guards + (c << 2)) != pocket) continue
    const row = load<i32>(level.contacts + (c << 2))
    if (load<u8>(level.marks + <usize>row)) guarded = true
    const p = pressureOf<T>(level, level.surroundings + c * size<T>())
    if (lowest >= 0 && !(p < pressure)) continue
    lowest = row
    pressure = p
  }
  for (let n: usize = 0; n < <usize>count; n++) store<u8>(level.marks + <usize>load<i32>(rows + (n << 2)), 0)
  return guarded ? -1 : lowest
}

/** Lower bounds of projected sweeps: 0 at contacts, none elsewhere. */
export function fillFloor<T>(level: Level, floor: usize): void {
  const none = v128.splat<T>(sizeof<T>() == 4 ? <T>-f32.MAX_VALUE : <T>-f64.MAX_VALUE)
  for (let n = floor, end = floor + ((<usize>level.rows) << shift<T>()); n < end; n += 16) v128.store(n, none)
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<T>(at<T>(floor, load<i32>(level.contacts + (c << 2))), 0)
}
