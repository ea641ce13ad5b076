/** The set of pinned contacts: looked over after every iteration, changed in place. A change patches residual and direction around
 *  the contact, so that conjugate gradients go on as if the set had always been so. */
import { exactRow } from './exact'
import { larger } from './jobs'
import { ENTRIES_END, ENTRY, entriesOf, isOff, laneOf, Level, LISTED, recordOfRow, stepOf } from './level'
import { shift } from './stencil'

// @ts-ignore: decorator
@inline
function at<T>(vector: usize, row: i32): usize {
  return vector + (<usize>row << shift<T>())
}

/** Σ w v over the neighbours of a contact. */
function sumAround<T>(level: Level, row: i32, vector: usize): f64 {
  const record = recordOfRow<T>(level, row)
  let sum = 0.0
  if (record.kind == LISTED) {
    const start = entriesOf<T>(record, row)
    const end = <usize>load<u32>(start, ENTRIES_END)
    for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY)
      sum += <f64>load<T>(entry, 8) * <f64>load<T>(at<T>(vector, load<i32>(entry)))
    return sum
  }
  const lane = laneOf<T>(record, row)
  for (let d = 0; d < 6; d++)
    sum += <f64>load<T>(lane + (<usize>d << 4), 32) * <f64>load<T>(at<T>(vector, row + stepOf(record, d)))
  return sum
}

/** A p + b of a pinned contact. */
function pressing<T>(level: Level, row: i32): f64 {
  const rest = level.p ? exactRow<T>(level, row, level.p, level.b) : -<f64>load<T>(at<T>(level.f, row))
  return rest - sumAround<T>(level, row, level.x)
}

function pressureAt<T>(level: Level, row: i32): f64 {
  const latest = <f64>load<T>(at<T>(level.x, row))
  return level.p ? load<f64>(level.p + (<usize>row << 3)) + latest : latest
}

let pinnedCount: i32 = 0

/** Contacts that have let go, as of the last look. */
export function lastPinned(): i32 {
  return pinnedCount
}

/** Natural residual at the present point, given the largest |r|. */
export function look<T>(level: Level, largest: f64): f64 {
  let residual = largest
  pinnedCount = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    let term: f64
    if (isOff(level, row)) {
      term = pressing<T>(level, row)
      if (term > 0) pinnedCount++
    } else {
      term = pressureAt<T>(level, row) / <f64>load<T>(laneOf<T>(recordOfRow<T>(level, row), row))
      if (term < -<f64>load<T>(at<T>(level.r, row))) pinnedCount++
    }
    store<f64>(level.terms + (c << 3), term)
    residual = larger(residual, -term)
  }
  return residual
}

/** Frees pinned contacts that are pressed by more than `release`, pins free ones that pull by more than `pin`; to follow `look`. Leaves
 *  the changed rows in `changed`, pinned ones first, and returns their number. */
export function updateSet<T>(level: Level, release: f64, pin: f64, changed: usize): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    if (isOff(level, row) || !(load<f64>(level.terms + (c << 3)) < -pin)) continue
    store<i32>(changed + (<usize>(count++) << 2), row)
    // Marked, not yet off: neighbours that are pinned in the same step still count it as free.
    store<u8>(level.marks + <usize>row, 1)
  }
  const caught = count
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    if (!isOff(level, row) || !(load<f64>(level.terms + (c << 3)) < -release)) continue
    if (level.guards && mustStay(level, <i32>c, release)) continue
    store<i32>(changed + (<usize>(count++) << 2), row)
  }
  for (let n = 0; n < caught; n++) pinRow<T>(level, load<i32>(changed + (<usize>n << 2)))
  for (let n = 0; n < count; n++) store<u8>(level.marks + <usize>load<i32>(changed + (<usize>n << 2)), 0)
  for (let n = caught; n < count; n++) freeRow<T>(level, load<i32>(changed + (<usize>n << 2)))
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

function pinRow<T>(level: Level, row: i32): void {
  const p = pressureAt<T>(level, row)
  const d = <f64>load<T>(at<T>(level.d, row))
  const record = recordOfRow<T>(level, row)
  if (record.kind == LISTED) {
    const start = entriesOf<T>(record, row)
    const end = <usize>load<u32>(start, ENTRIES_END)
    for (let entry = <usize>load<u32>(start); entry < end; entry += ENTRY)
      patch<T>(level, load<i32>(entry), <f64>load<T>(entry, 8), p, d)
  } else {
    const lane = laneOf<T>(record, row)
    for (let direction = 0; direction < 6; direction++) {
      const weight = <f64>load<T>(lane + (<usize>direction << 4), 32)
      if (weight != 0) patch<T>(level, row + stepOf(record, direction), weight, p, d)
    }
  }
  if (level.p) store<f64>(level.p + (<usize>row << 3), 0)
  store<T>(at<T>(level.x, row), 0)
  store<T>(at<T>(level.d, row), 0)
  store<T>(at<T>(level.r, row), 0)
  store<T>(at<T>(level.q, row), 0)
  store<u8>(level.off + <usize>row, 1)
}

// @ts-ignore: decorator
@inline
function patch<T>(level: Level, neighbour: i32, weight: f64, p: f64, d: f64): void {
  if (isOff(level, neighbour)) return
  const r = at<T>(level.r, neighbour)
  const q = at<T>(level.q, neighbour)
  store<T>(r, <T>(<f64>load<T>(r) - weight * p))
  store<T>(q, <T>(<f64>load<T>(q) + weight * d))
}

function freeRow<T>(level: Level, row: i32): void {
  store<u8>(level.off + <usize>row, 0)
  store<T>(at<T>(level.r, row), <T>-pressing<T>(level, row))
  store<T>(at<T>(level.q, row), <T>-sumAround<T>(level, row, level.d))
}

/** Pins the contacts that pull at the present point, and those at rest that lift. Leaves their rows in `changed`. */
export function startSet<T>(level: Level, changed: usize): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const row = load<i32>(level.contacts + (c << 2))
    const p = pressureAt<T>(level, row)
    if (p > 0 || (p == 0 && !(pressing<T>(level, row) > 0))) continue
    store<i32>(changed + (<usize>(count++) << 2), row)
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
    const p = pressureAt<T>(level, row)
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
