/** The set of pinned contacts: looked over after every iteration, changed in place. A change patches residual and direction around
 *  the contact, so that conjugate gradients go on as if the set had always been so. */
import { jobOf, larger, largestOf, setSum, totalOf } from '../../../../machine/kernels/job'
import { ENTRIES_END, ENTRY, entriesOf, isOff, laneOf, Level, LISTED, recordOfRow, stepOf } from '../level'
import { allocate } from '../../../../machine/kernels/memory'
import { runWide } from '../../../../machine/kernels/pool'
import { shift } from '../cycle/stencil'

@inline
function at<T>(vector: usize, row: i32): usize {
  return vector + (<usize>row << shift<T>())
}

// What is known of a contact, in one piece, because all contacts are looked over after every iteration: its row, A p + b and p at the
// last exact look (f64, of which x is what has come since), diagonal, six weights, and the rows of six neighbours.
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
/** In place of the first neighbour: look them up in the entries. */
const LISTED_ROW: u32 = 0xffffffff

/** Contacts, or changed rows, of a piece of work, at least; and pieces, at most. */
const PIECE: i32 = 1024
const PIECES: i32 = 64

/** Entries of a list in each piece, the last of which may have fewer. */
export function pieceSize(count: i32): i32 {
  return max(PIECE, (count + PIECES - 1) / PIECES)
}

export function pieceCount(count: i32): i32 {
  const size = pieceSize(count)
  return (count + size - 1) / size
}

/** To be called when nothing is off. */
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
      const weight = load<T>(lane + (<usize>d << 4), 32)
      store<T>(about + weights<T>() + <usize>d * sizeof<T>(), weight)
      store<i32>(about + neighbours<T>() + (<usize>d << 2), weight == 0 ? row : row + stepOf(record, d))
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

/** A p + b of a contact, from the last exact look and what has come since. */
@inline
function pressing<T>(level: Level, about: usize): f64 {
  const own = <f64>load<T>(at<T>(level.x, load<i32>(about)))
  return load<f64>(about, BASE) + <f64>load<T>(about, DIAGONAL) * own - sumAround<T>(level, about, level.x)
}

@inline
function pressureOf<T>(level: Level, about: usize): f64 {
  return load<f64>(about, PRESSURE) + <f64>load<T>(at<T>(level.x, load<i32>(about)))
}

/** Takes A p + b of some contacts from −r, which has been computed for all rows, on or off; leaves 0 in r where one is off. Returns the
 *  largest |r| over free ones. */
export function takeBase<T>(level: Level, first: i32, end: i32): f64 {
  let largest = 0.0
  const off = level.off
  const p = level.p
  const last = aboutAt<T>(level, end)
  for (let about = aboutAt<T>(level, first); about < last; about += size<T>()) {
    const row = load<i32>(about)
    const r = at<T>(level.r, row)
    store<f64>(about, -<f64>load<T>(r), BASE)
    store<f64>(about, load<f64>(p + (<usize>row << 3)), PRESSURE)
    if (load<u8>(off + <usize>row)) store<T>(r, 0)
    else largest = larger(largest, abs(<f64>load<T>(r)))
  }
  return largest
}

/** Where the surroundings of a contact lie, or where the last of them end. */
@inline
function aboutAt<T>(level: Level, contact: i32): usize {
  return level.surroundings + <usize>min(contact, level.contactCount) * size<T>()
}

/** The same where x is all of the pressure and f = −b. */
export function takeColdBase<T>(level: Level): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const about = level.surroundings + c * size<T>()
    store<f64>(about, -<f64>load<T>(at<T>(level.f, load<i32>(about))), BASE)
    store<f64>(about, 0, PRESSURE)
  }
}

/** Pressure of pinned contacts is exactly 0; what they have in x is its opposite up to rounding. To be called after p has absorbed x. */
export function clearPinned(level: Level, first: i32, end: i32): void {
  for (let c = <usize>first; c < <usize>end; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    if (isOff(level, row)) store<f64>(level.p + (<usize>row << 3), 0)
  }
}

let pinnedCount: i32 = 0

/** Contacts that have let go, as of the last look. */
export function lastPinned(): i32 {
  return pinnedCount
}

@unmanaged
export class LookJob {
  level: Level
  /** Contacts of a piece. */
  size: i32
}

/** Natural residual at the present point, given the largest |r|. */
export function look(wide: i32, level: Level, largest: f64): f64 {
  const task = jobOf<LookJob>()
  task.level = level
  task.size = pieceSize(level.contactCount)
  const pieces = pieceCount(level.contactCount)
  runWide(wide, lookPiece, pieces)
  pinnedCount = <i32>totalOf(pieces, 1)
  return larger(largest, largestOf(pieces, 0))
}

@piece
export function lookPiece<T>(piece: i32): void {
  const task = jobOf<LookJob>()
  const level = task.level
  let residual = 0.0
  let pinned = 0
  const first = piece * task.size
  const end = aboutAt<T>(level, first + task.size)
  let terms = level.terms + (<usize>first << 3)
  for (let about = aboutAt<T>(level, first); about < end; about += size<T>(), terms += 8) {
    const row = load<i32>(about)
    let term: f64
    if (isOff(level, row)) {
      term = pressing<T>(level, about)
      if (term > 0) pinned++
    } else {
      term = pressureOf<T>(level, about) * <f64>load<T>(about, DIAGONAL)
      if (term < -<f64>load<T>(at<T>(level.r, row))) pinned++
    }
    store<f64>(terms, term)
    residual = larger(residual, -term)
  }
  setSum(piece, 0, residual)
  setSum(piece, 1, <f64>pinned)
}

/** Natural residual over contacts from the last exact look. */
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

/** Frees pinned contacts that are pressed by more than `release`, pins free ones that pull by more than `pin`; to follow `look`. Leaves
 *  the changed rows in `changed`, pinned ones first, and returns their number. */
export function updateSet<T>(level: Level, release: f64, pin: f64, changed: usize): i32 {
  let count = 0
  for (let c = 0; c < level.contactCount; c++) {
    if (!(load<f64>(level.terms + (<usize>c << 3)) < -pin)) continue
    const row = load<i32>(level.contacts + (<usize>c << 2))
    if (isOff(level, row)) continue
    store<i32>(changed + (<usize>(count++) << 2), c)
    // Marked, not yet off: neighbours that are pinned in the same step still count it as free.
    store<u8>(level.marks + <usize>row, 1)
  }
  const caught = count
  for (let c = 0; c < level.contactCount; c++) {
    if (!(load<f64>(level.terms + (<usize>c << 3)) < -release)) continue
    if (!isOff(level, load<i32>(level.contacts + (<usize>c << 2)))) continue
    if (level.guards && mustStay(level, c, release)) continue
    store<i32>(changed + (<usize>(count++) << 2), c)
  }
  for (let n = 0; n < caught; n++) pinContact<T>(level, load<i32>(changed + (<usize>n << 2)))
  for (let n = caught; n < count; n++) freeContact<T>(level, load<i32>(changed + (<usize>n << 2)))
  for (let n: usize = 0; n < <usize>count; n++) {
    const row = load<i32>(level.contacts + (<usize>load<i32>(changed + (n << 2)) << 2))
    store<u8>(level.marks + <usize>row, 0)
    store<i32>(changed + (n << 2), row)
  }
  return count
}

/** The last pinned contact of a guarded pocket, the one that presses least, must stay if all want to leave. */
function mustStay(level: Level, contact: i32, release: f64): bool {
  const pocket = load<i32>(level.guards + (<usize>contact << 2))
  if (pocket < 0) return false
  let keeper = -1
  let most = 0.0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    if (load<i32>(level.guards + (c << 2)) != pocket) continue
    const row = load<i32>(level.contacts + (c << 2))
    const term = load<f64>(level.terms + (c << 3))
    if (isOff(level, row)) {
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
  // Together with the pressure at the last exact look this is 0; that one stays, because A p + b there is known for it.
  store<T>(at<T>(level.x, row), <T>-load<f64>(about, PRESSURE))
  store<T>(at<T>(level.d, row), 0)
  store<T>(at<T>(level.r, row), 0)
  store<T>(at<T>(level.q, row), 0)
  store<u8>(level.off + <usize>row, 1)
}

@inline
function patch<T>(level: Level, neighbour: i32, weight: f64, p: f64, d: f64): void {
  if (isOff(level, neighbour)) return
  const r = at<T>(level.r, neighbour)
  const q = at<T>(level.q, neighbour)
  store<T>(r, <T>(<f64>load<T>(r) - weight * p))
  store<T>(q, <T>(<f64>load<T>(q) + weight * d))
}

function freeContact<T>(level: Level, contact: i32): void {
  const about = level.surroundings + <usize>contact * size<T>()
  const row = load<i32>(about)
  store<u8>(level.off + <usize>row, 0)
  store<T>(at<T>(level.r, row), <T>-pressing<T>(level, about))
  store<T>(at<T>(level.q, row), <T>-sumAround<T>(level, about, level.d))
}

/** Pins the contacts that pull at the present point, and those at rest that lift. Leaves their rows in `changed`. */
export function startSet<T>(level: Level, changed: usize): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const about = level.surroundings + c * size<T>()
    const p = pressureOf<T>(level, about)
    if (p > 0 || (p == 0 && !(pressing<T>(level, about) > 0))) continue
    store<i32>(changed + (<usize>(count++) << 2), load<i32>(about))
  }
  for (let pocket = 0; pocket < level.guarded; pocket++) {
    const row = lowestOf<T>(level, pocket, changed, count)
    if (row >= 0) store<i32>(changed + (<usize>(count++) << 2), row)
  }
  for (let n: usize = 0; n < <usize>count; n++) {
    const row = load<i32>(changed + (n << 2))
    store<u8>(level.off + <usize>row, 1)
    store<T>(at<T>(level.x, row), 0)
    if (level.p) store<f64>(level.p + (<usize>row << 3), 0)
  }
  return count
}

/** The contact of a guarded pocket with the lowest pressure, −1 if one is among the `count` rows already. */
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

/** Where contacts must not fall below 0: 0 there, no bound elsewhere. */
export function fillFloor<T>(level: Level, floor: usize): void {
  const none = v128.splat<T>(sizeof<T>() == 4 ? <T>-f32.MAX_VALUE : <T>-f64.MAX_VALUE)
  for (let n = floor, end = floor + (<usize>level.rows << shift<T>()); n < end; n += 16) v128.store(n, none)
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<T>(at<T>(floor, load<i32>(level.contacts + (c << 2))), 0)
}
