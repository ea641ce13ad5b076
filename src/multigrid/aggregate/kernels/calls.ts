/** Levels as the host builds and uses them. `wide`: 1 for f64, 0 for f32. */
import { coarsen } from './build/coarsen'
import { describeContacts, fillFloor, look, measureSet, startSet, takeColdBase, updateSet } from './contacts/active-set'
import { createDense, factor, solveDense } from './cycle/dense'
import { refresh } from './cycle/residual-f64'
import { packFinest } from './build/finest'
import { numberRows, numberUnknowns } from './build/finest-rows'
import { followAll, restore } from './contacts/update-coarse'
import { createInput, Input } from './problem/input'
import { larger, largestOf } from '../../../machine/kernels/job'
import { Level } from './level'
import { multiply, smooth } from './cycle/level-calls'
import { allocate, allocateVector, mark, offer, release, releaseAll } from '../../../machine/kernels/memory'
import { subtractFromRightSide } from './cycle/nested'
import { labelPockets, scan } from './problem/components'
import { narrow } from './cycle/stencil'

// ---- setting up

/** The finest level. What the problem took up is free again afterwards. */
export function createFinest(wide: i32, input: Input, valueScale: f64): Level {
  const level = createLevel()
  if (wide) numberRows<f64>(input, level)
  else numberRows<f32>(input, level)
  level.p = allocate((<usize>level.rows << 3) + 128) + 64
  level.b = allocate((<usize>level.rows << 3) + 128) + 64
  if (input.started) clearGuards(level.p, <usize>level.rows << 3)
  else memory.fill(level.p - 64, 0, (<usize>level.rows << 3) + 128)
  clearGuards(level.b, <usize>level.rows << 3)
  if (wide) packFinest<f64>(input, level, level.p, level.b, valueScale)
  else packFinest<f32>(input, level, level.p, level.b, valueScale)
  level.touched = 1
  return level
}

function clearGuards(vector: usize, bytes: usize): void {
  memory.fill(vector - 64, 0, 64)
  memory.fill(vector + bytes, 0, 64)
}

/** Row of every unknown, until `giveBack`. */
export function rowsOf(input: Input): usize {
  numberUnknowns(input)
  return input.segment
}

/** Offers the memory of the input for other use; with `keeps`, only what the yardstick does not need. */
export function giveBack(input: Input, keeps: bool): void {
  offer(keeps ? input.segment : input.kind, input.open + <usize>input.unknowns)
}

/** The next level, or 0 if there is nothing left to coarsen. */
export function createCoarser(wide: i32, fine: Level): usize {
  const level = createLevel()
  const made = wide ? coarsen<f64>(fine, level) : coarsen<f32>(fine, level)
  if (!made) return 0
  fine.next = changetype<usize>(level)
  return fine.next
}

function createLevel(): Level {
  const at = allocate(offsetof<Level>())
  memory.fill(at, 0, offsetof<Level>())
  return changetype<Level>(at)
}

/** Vectors of all levels; to be called from the finest to the coarsest, when all levels are there. */
export function createVectors(wide: i32, level: Level, finest: i32): void {
  level.x = vector(wide, level.rows, true)
  // Read, and multiplied by 0, where a row has no neighbour.
  level.z = vector(wide, level.rows, true)
  // On the finest level they are written before they are read: r and Az on all rows at once, d and q when a search starts.
  const cleared = !finest
  level.r = vector(wide, level.rows, cleared)
  level.Az = vector(wide, level.rows, cleared)
  level.d = vector(wide, level.rows, cleared)
  level.q = vector(wide, level.rows, cleared)
  // The finest level takes r in its place.
  level.f = finest ? level.r : vector(wide, level.rows, true)
  level.terms = allocate(<usize>level.contactCount << 3)
  if (wide) describeContacts<f64>(level)
  else describeContacts<f32>(level)
}

function vector(wide: i32, rows: i32, cleared: bool): usize {
  return wide ? allocateVector<f64>(rows + 2, cleared) : allocateVector<f32>(rows + 4, cleared)
}

export function createCoarsest(level: Level): void {
  createDense(level)
}

// ---- the finest level, exactly

/** p += x, x = 0, and then r = −(A p + b), 0 where a contact is pinned; the pressure of those is set to 0 first. Returns the largest
 *  |A p + b| over rows that are no contacts; `lastAtContacts` is that over free contacts. */
export function exactResidual(wide: i32, level: Level): f64 {
  refresh(wide, level)
  atContacts = largestOf(level.chunkCount, 1)
  return largestOf(level.chunkCount, 0)
}

let atContacts: f64 = 0

export function lastAtContacts(): f64 {
  return atContacts
}

/** Natural residual over contacts, as of the last `exactResidual`; with gap and number of those that have let go. */
export function measureContacts(wide: i32, level: Level): f64 {
  return wide ? measureSet<f64>(level) : measureSet<f32>(level)
}

/** How many contacts have a pressure below 0. */
export function countNegative(level: Level): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) if (!(load<f64>(pressureAt(level, c)) >= 0)) count++
  return count
}

/** Contacts have p ≥ 0 exactly from here on; what they had is kept. */
export function clampContacts(level: Level, kept: usize): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const at = pressureAt(level, c)
    const p = load<f64>(at)
    store<f64>(kept + (c << 3), p)
    if (!(p >= 0)) store<f64>(at, 0)
  }
}

export function putBackContacts(level: Level, kept: usize): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<f64>(pressureAt(level, c), load<f64>(kept + (c << 3)))
}

@inline
function pressureAt(level: Level, contact: usize): usize {
  return level.p + (<usize>load<i32>(level.contacts + (contact << 2)) << 3)
}

// ---- the problem of a level

/** f = −b in the precision of the vectors. */
export function takeRightSide(wide: i32, level: Level, f: usize): void {
  let b = level.b
  const end = b + (<usize>level.rows << 3)
  if (wide) for (; b < end; b += 16, f += 16) v128.store(f, f64x2.neg(v128.load(b)))
  else for (; b < end; b += 32, f += 16) v128.store(f, f32x4.neg(narrow(v128.load(b), v128.load(b, 16))))
}

/** Natural residual of p = 0 on a coarse level, from f = −b. */
export function residualOfZero(wide: i32, level: Level, f: usize): f64 {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<u8>(level.marks + <usize>load<i32>(level.contacts + (c << 2)), 1)
  let most = 0.0
  for (let row: usize = 0; row < <usize>level.rows; row++) {
    const value = wide ? load<f64>(f + (row << 3)) : <f64>load<f32>(f + (row << 2))
    const size = load<u8>(level.marks + row) ? value : abs(value)
    most = larger(most, size)
  }
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<u8>(level.marks + <usize>load<i32>(level.contacts + (c << 2)), 0)
  return most
}

/** r = f − A x on rows that are on; the largest of them. For coarse levels, where vector precision suffices. */
export function coarseResidual(wide: i32, level: Level): f64 {
  multiply(wide, level, level.x, level.r)
  return subtractFromRightSide(wide, level)
}

/** Sweeps of projected Gauss–Seidel, red first, with f and x of the level, and a red half to end with. z is used up. */
export function smoothProjected(wide: i32, level: Level, sweeps: i32): void {
  if (wide) fillFloor<f64>(level, level.z)
  else fillFloor<f32>(level, level.z)
  for (let half = 0; half < 2 * sweeps + 1; half++) smooth(wide, level, half & 1, level.f, level.x, level.z)
}

export function lookOver(wide: i32, level: Level, largestR: f64): f64 {
  return look(wide, level, largestR)
}

/** Frees pinned contacts that are pressed by more than `release`, pins free ones that pull by more than `pin`, and lets coarser levels
 *  follow. `rows` and `room`: for all rows of any level that can change. Returns how many contacts have changed. */
export function changeSet(wide: i32, level: Level, release_: f64, pin: f64, rows: usize, room: usize): i32 {
  const count = wide ? updateSet<f64>(level, release_, pin, rows) : updateSet<f32>(level, release_, pin, rows)
  if (count > 0) followSet(wide, level, rows, count, room)
  return count
}

/** Pins the contacts that pull at the present point, and those at rest that lift; coarser levels follow. `cold`: the pressure is x alone,
 *  and f = −b. */
export function beginSet(wide: i32, level: Level, cold: i32, rows: usize, room: usize): void {
  if (cold) {
    if (wide) takeColdBase<f64>(level)
    else takeColdBase<f32>(level)
  }
  followSet(wide, level, rows, wide ? startSet<f64>(level, rows) : startSet<f32>(level, rows), room)
}

let followed: i32 = 0

/** Rows of coarser levels that have got new values when the set was last changed. */
export function lastFollowed(): i32 {
  return followed
}

function followSet(wide: i32, level: Level, rows: usize, count: i32, room: usize): void {
  followed = wide ? followAll<f64>(level, rows, count, room) : followAll<f32>(level, rows, count, room)
}

/** `guards`: for every contact of the finest level the pocket that must keep one of its contacts pinned, or −1. */
export function setGuards(level: Level, guards: usize, pockets: i32): void {
  level.guards = guards
  level.guarded = pockets
}

/** Gives a level and all coarser ones the values they have when nothing is off. */
export function restoreLevels(wide: i32, level: Level, finest: i32): void {
  for (let at = changetype<usize>(level), first = finest != 0; at; at = changetype<Level>(at).next, first = false)
    if (wide) restore<f64>(changetype<Level>(at), first)
    else restore<f32>(changetype<Level>(at), first)
}

export function factorCoarsest(wide: i32, level: Level): void {
  if (wide) factor<f64>(level)
  else factor<f32>(level)
}

export function solveCoarsest(wide: i32, f: usize, x: usize): void {
  if (wide) solveDense<f64>(f, x)
  else solveDense<f32>(f, x)
}
