/** Levels as the host builds and uses them. */
import { coarsen } from './build/coarsen'
import { describeContacts, fillFloor, measureSet, pinAtStart, setColdBase, updateSet } from './contacts/active-set'
import { factor } from './cycle/dense'
import { refresh } from './cycle/residual-f64'
import { packFinest } from './build/finest'
import { numberRows, numberUnknowns } from './build/finest-rows'
import { restore, updateLevels } from './contacts/update-coarse'
import { Input } from './problem/input'
import { larger, largestOf, setResult } from '../../../machine/kernels/job'
import { Level } from './level'
import { multiply, smooth } from './cycle/level-calls'
import { allocate, allocateVector, offer } from '../../../machine/kernels/memory'
import { subtractFromRightSide } from './cycle/nested'
import { narrow } from './cycle/stencil'

// Loops that exist in both precisions are run by `runLoop`. Functions below that exist in both choose by `level.wide`, in one place each.

// ---- setting up

/** The finest level, in the precision `input.wide`. The memory of the input is not needed afterwards; see `releaseInput`. */
export function createFinest(input: Input, valueScale: f64): Level {
  const level = createLevel(input.wide)
  if (level.wide) fillFinest<f64>(input, level, valueScale)
  else fillFinest<f32>(input, level, valueScale)
  return level
}

function fillFinest<T>(input: Input, level: Level, valueScale: f64): void {
  numberRows<T>(input, level)
  level.p = allocate(((<usize>level.rows) << 3) + 128) + 64
  level.b = allocate(((<usize>level.rows) << 3) + 128) + 64
  if (input.started) clearGuards(level.p, (<usize>level.rows) << 3)
  else memory.fill(level.p - 64, 0, ((<usize>level.rows) << 3) + 128)
  clearGuards(level.b, (<usize>level.rows) << 3)
  packFinest<T>(input, level, valueScale)
  level.touched = 1
}

function clearGuards(vector: usize, bytes: usize): void {
  memory.fill(vector - 64, 0, 64)
  memory.fill(vector + bytes, 0, 64)
}

/** Row of every unknown, valid until `releaseInput`. */
export function rowsOf(input: Input): usize {
  numberUnknowns(input)
  return input.segment
}

/** Offers the memory of the input for other use; with `keeps`, only what the yardstick does not need. */
export function releaseInput(input: Input, keeps: bool): void {
  offer(keeps ? input.segment : input.kind, input.open + <usize>input.unknowns)
}

/** The next level, or 0 if there is nothing left to coarsen. */
export function createCoarser(fine: Level): usize {
  const level = createLevel(fine.wide)
  const made = fine.wide ? coarsen<f64>(fine, level) : coarsen<f32>(fine, level)
  if (!made) return 0
  fine.next = changetype<usize>(level)
  return fine.next
}

function createLevel(wide: i32): Level {
  const at = allocate(offsetof<Level>())
  memory.fill(at, 0, offsetof<Level>())
  const level = changetype<Level>(at)
  level.wide = wide
  return level
}

/** Vectors of a level; to be called from the finest to the coarsest level, when all of them exist. */
export function createVectors(level: Level, finest: i32): void {
  if (level.wide) fillVectors<f64>(level, finest != 0)
  else fillVectors<f32>(level, finest != 0)
}

function fillVectors<T>(level: Level, finest: bool): void {
  level.x = vector<T>(level, true)
  // Read, and multiplied by 0, where a row has no neighbour.
  level.z = vector<T>(level, true)
  // On the finest level they are written before they are read: r and Az on all rows at once, d and q when a search starts.
  level.r = vector<T>(level, !finest)
  level.Az = vector<T>(level, !finest)
  level.d = vector<T>(level, !finest)
  level.q = vector<T>(level, !finest)
  // On the finest level f and r are never needed at the same time.
  level.f = finest ? level.r : vector<T>(level, true)
  level.terms = allocate((<usize>level.contactCount) << 3)
  describeContacts<T>(level)
}

/** With 16 bytes more than the rows need, for rows without parent. */
@inline
function vector<T>(level: Level, cleared: bool): usize {
  return allocateVector<T>(level.rows + 16 / sizeof<T>(), cleared)
}

export { createDense } from './cycle/dense'

// ---- the finest level, exactly

/** p += x, x = 0, and then r = −(A p + b), 0 where a contact is pinned; the pressure of those is set to 0 first. Returns the largest
 *  |A p + b| over rows that are not contacts. Result 1: that over free contacts. */
export function exactResidual(level: Level): f64 {
  refresh(level)
  setResult(1, largestOf(level.pieceCount, 1))
  return largestOf(level.pieceCount, 0)
}

/** Natural residual over contacts, as of the last `exactResidual`. */
export function measureContacts(level: Level): f64 {
  return level.wide ? measureSet<f64>(level) : measureSet<f32>(level)
}

/** How many contacts have a pressure below 0. */
export function countNegative(level: Level): i32 {
  let count = 0
  for (let c: usize = 0; c < <usize>level.contactCount; c++) if (!(load<f64>(pressureAt(level, c)) >= 0)) count++
  return count
}

/** Sets negative contact pressures to 0, after saving all contact pressures to `kept`. */
export function clampContacts(level: Level, kept: usize): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) {
    const at = pressureAt(level, c)
    const p = load<f64>(at)
    store<f64>(kept + (c << 3), p)
    if (!(p >= 0)) store<f64>(at, 0)
  }
}

/** Undoes `clampContacts`. */
export function restoreContacts(level: Level, kept: usize): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++) store<f64>(pressureAt(level, c), load<f64>(kept + (c << 3)))
}

@inline
function pressureAt(level: Level, contact: usize): usize {
  return level.p + ((<usize>load<i32>(level.contacts + (contact << 2))) << 3)
}

// ---- the problem of a level

/** f = −b of the finest level, in the precision of the vectors. */
export function loadRightSide(level: Level): void {
  let b = level.b
  let f = level.f
  const end = b + ((<usize>level.rows) << 3)
  if (level.wide) for (; b < end; b += 16, f += 16) v128.store(f, f64x2.neg(v128.load(b)))
  else for (; b < end; b += 32, f += 16) v128.store(f, f32x4.neg(narrow(v128.load(b), v128.load(b, 16))))
}

/** Natural residual of p = 0 on a coarse level, from f = −b. */
export function residualOfZero(level: Level): f64 {
  markContacts(level, 1)
  const most = level.wide ? largestDemand<f64>(level) : largestDemand<f32>(level)
  markContacts(level, 0)
  return most
}

/** The largest f of marked rows and |f| of the others. */
function largestDemand<T>(level: Level): f64 {
  let most = 0.0
  for (let row: usize = 0; row < <usize>level.rows; row++) {
    const value = <f64>load<T>(level.f + row * sizeof<T>())
    most = larger(most, load<u8>(level.marks + row) ? value : abs(value))
  }
  return most
}

function markContacts(level: Level, mark: u8): void {
  for (let c: usize = 0; c < <usize>level.contactCount; c++)
    store<u8>(level.marks + <usize>load<i32>(level.contacts + (c << 2)), mark)
}

/** r = f − A x on free rows; returns the largest |r|. For coarse levels, where the precision of vectors is sufficient. */
export function coarseResidual(level: Level): f64 {
  multiply(level, level.x, level.r)
  return subtractFromRightSide(level)
}

/** Sweeps of projected Gauss–Seidel with f and x of the level, red first, and one more over red at the end. Overwrites z. */
export function smoothProjected(level: Level, sweeps: i32): void {
  if (level.wide) fillFloor<f64>(level, level.z)
  else fillFloor<f32>(level, level.z)
  for (let half = 0; half < 2 * sweeps + 1; half++) smooth(level, half & 1, level.f, level.x, level.z)
}

/** Frees pinned contacts whose A p + b is below −`release`, pins free ones whose scaled pressure is below −`pin`, and updates coarser
 *  levels. `rows` and `room`: space for all rows of any level that can change. Returns how many contacts changed. Result 1: how many rows
 *  of coarser levels were updated. */
export function changeSet(level: Level, release: f64, pin: f64, rows: usize, room: usize): i32 {
  return level.wide ? change<f64>(level, release, pin, rows, room) : change<f32>(level, release, pin, rows, room)
}

function change<T>(level: Level, release: f64, pin: f64, rows: usize, room: usize): i32 {
  const count = updateSet<T>(level, release, pin, rows)
  setResult(1, count > 0 ? <f64>updateLevels<T>(level, rows, count, room) : 0)
  return count
}

/** Pins contacts with p < 0, and those with p = 0 and A p + b > 0; updates coarser levels. `cold`: the pressure is x alone, and f = −b. */
export function startSet(level: Level, cold: i32, rows: usize, room: usize): void {
  if (level.wide) start<f64>(level, cold != 0, rows, room)
  else start<f32>(level, cold != 0, rows, room)
}

function start<T>(level: Level, cold: bool, rows: usize, room: usize): void {
  if (cold) setColdBase<T>(level)
  updateLevels<T>(level, rows, pinAtStart<T>(level, rows), room)
}

/** `guards`: for every contact of the finest level the pocket that must keep one of its contacts pinned, or −1. */
export function setGuards(level: Level, guards: usize, pockets: i32): void {
  level.guards = guards
  level.guarded = pockets
}

/** Gives a level and all coarser ones the values they have when nothing is pinned. */
export function restoreLevels(level: Level, finest: i32): void {
  for (let at = changetype<usize>(level), first = finest != 0; at; at = changetype<Level>(at).next, first = false)
    if (level.wide) restore<f64>(changetype<Level>(at), first)
    else restore<f32>(changetype<Level>(at), first)
}

export function factorCoarsest(level: Level): void {
  if (level.wide) factor<f64>(level)
  else factor<f32>(level)
}
