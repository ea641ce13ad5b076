/** Sums over the neighbours of one block, all its rows at once. */
import { ENTRY, Record, SLOT } from '../level'

@inline
export function shift<T>(): usize {
  return sizeof<T>() == 4 ? 2 : 3
}

/** Four values of f64 in f32. */
@inline
export function narrow(low: v128, high: v128): v128 {
  return v128.shuffle<f32>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 1, 4, 5)
}

/** Σ x over the neighbours. `at` is the address of the block's values in x, the steps are in bytes. */
@inline
export function sumUniform<T>(at: usize, d0: usize, d1: usize, d2: usize, d3: usize, d4: usize, d5: usize): v128 {
  const along = v128.add<T>(v128.load(at + d0), v128.load(at + d1))
  const across = v128.add<T>(v128.load(at + d2), v128.load(at + d3))
  return v128.add<T>(v128.add<T>(along, across), v128.add<T>(v128.load(at + d4), v128.load(at + d5)))
}

@inline
export function sumFlat<T>(at: usize, d0: usize, d1: usize, d2: usize, d3: usize): v128 {
  const along = v128.add<T>(v128.load(at + d0), v128.load(at + d1))
  return v128.add<T>(along, v128.add<T>(v128.load(at + d2), v128.load(at + d3)))
}

// Loops over packed blocks exclude listed ones: a call inside the loop would spill all local variables to the stack.

/** Σ w x over the neighbours of a packed block; `at` is the address of its values in x. */
@inline
export function sumWeighted<T>(slot: usize, at: usize, d0: usize, d1: usize, d2: usize, d3: usize, d4: usize, d5: usize): v128 {
  let sum = v128.mul<T>(v128.load(slot, 32), v128.load(at + d0))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 48), v128.load(at + d1)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 64), v128.load(at + d2)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 80), v128.load(at + d3)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 96), v128.load(at + d4)))
  return v128.add<T>(sum, v128.mul<T>(v128.load(slot, 112), v128.load(at + d5)))
}

/** The same for a listed block; `base` is the start of x. */
export function sumListed<T>(slot: usize, base: usize): v128 {
  let sum = v128.splat<T>(<T>0)
  sum = v128.replace_lane<T>(sum, 0, sumEntries<T>(slot, 0, base))
  sum = v128.replace_lane<T>(sum, 1, sumEntries<T>(slot, 1, base))
  if (sizeof<T>() == 4) {
    sum = v128.replace_lane<T>(sum, 2, sumEntries<T>(slot, 2, base))
    sum = v128.replace_lane<T>(sum, 3, sumEntries<T>(slot, 3, base))
  }
  return sum
}

function sumEntries<T>(slot: usize, lane: usize, base: usize): T {
  let sum: T = 0
  const end = <usize>load<u32>(slot + (lane << 2), 48)
  for (let entry = <usize>load<u32>(slot + (lane << 2), 32); entry < end; entry += ENTRY)
    sum += load<T>(entry, 8) * load<T>(base + ((<usize>load<u32>(entry)) << shift<T>()))
  return sum
}

/** −A x of a packed block: Σ w (x of the neighbour − x) − D x. Differences first: of smooth values they are exact, and in f32 the
 *  difference of two large sums would not be. */
@inline
export function flowWeighted<T>(slot: usize, at: usize, d0: usize, d1: usize, d2: usize, d3: usize, d4: usize, d5: usize): v128 {
  const own = v128.load(at)
  const held = v128.mul<T>(v128.load(slot, 16), own)
  let sum = v128.mul<T>(v128.load(slot, 32), v128.sub<T>(v128.load(at + d0), own))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 48), v128.sub<T>(v128.load(at + d1), own)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 64), v128.sub<T>(v128.load(at + d2), own)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 80), v128.sub<T>(v128.load(at + d3), own)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 96), v128.sub<T>(v128.load(at + d4), own)))
  sum = v128.add<T>(sum, v128.mul<T>(v128.load(slot, 112), v128.sub<T>(v128.load(at + d5), own)))
  return v128.sub<T>(sum, held)
}

/** Σ (x of the neighbour − x). */
@inline
export function flowUniform<T>(at: usize, d0: usize, d1: usize, d2: usize, d3: usize, d4: usize, d5: usize): v128 {
  const own = v128.load(at)
  const along = v128.add<T>(v128.sub<T>(v128.load(at + d0), own), v128.sub<T>(v128.load(at + d1), own))
  const across = v128.add<T>(v128.sub<T>(v128.load(at + d2), own), v128.sub<T>(v128.load(at + d3), own))
  const up = v128.add<T>(v128.sub<T>(v128.load(at + d4), own), v128.sub<T>(v128.load(at + d5), own))
  return v128.add<T>(v128.add<T>(along, across), up)
}

@inline
export function flowFlat<T>(at: usize, d0: usize, d1: usize, d2: usize, d3: usize): v128 {
  const own = v128.load(at)
  const along = v128.add<T>(v128.sub<T>(v128.load(at + d0), own), v128.sub<T>(v128.load(at + d1), own))
  const across = v128.add<T>(v128.sub<T>(v128.load(at + d2), own), v128.sub<T>(v128.load(at + d3), own))
  return v128.add<T>(along, across)
}

/** The same for a listed block; `base` is the start of x. */
export function flowListed<T>(slot: usize, base: usize, at: usize): v128 {
  let sum = v128.splat<T>(<T>0)
  sum = v128.replace_lane<T>(sum, 0, flowEntries<T>(slot, 0, base, load<T>(at)))
  sum = v128.replace_lane<T>(sum, 1, flowEntries<T>(slot, 1, base, load<T>(at, sizeof<T>())))
  if (sizeof<T>() == 4) {
    sum = v128.replace_lane<T>(sum, 2, flowEntries<T>(slot, 2, base, load<T>(at, 8)))
    sum = v128.replace_lane<T>(sum, 3, flowEntries<T>(slot, 3, base, load<T>(at, 12)))
  }
  return v128.sub<T>(sum, v128.mul<T>(v128.load(slot, 16), v128.load(at)))
}

function flowEntries<T>(slot: usize, lane: usize, base: usize, own: T): T {
  let sum: T = 0
  const end = <usize>load<u32>(slot + (lane << 2), 48)
  for (let entry = <usize>load<u32>(slot + (lane << 2), 32); entry < end; entry += ENTRY)
    sum += load<T>(entry, 8) * (load<T>(base + ((<usize>load<u32>(entry)) << shift<T>())) - own)
  return sum
}

/** Steps of a record in bytes. */
@inline
export function bytes<T>(step: i32): usize {
  return <usize>((<isize>step) << (<isize>shift<T>()))
}

/** All ones in the lanes whose rows are free: their inverse, at the start of the slot, is not 0. */
@inline
export function onMask<T>(slot: usize): v128 {
  return v128.ne<T>(v128.load(slot), v128.splat<T>(<T>0))
}

@inline
export function slotAt(record: Record, block: usize): usize {
  return record.slots + block * SLOT
}
