/** Vectors on a lattice: sums, steps, and what the bounds of contacts ask for. */
import { number, pointer, setSum } from './jobs'
import { BLACK, byteAt, Lattice, lanesSum, onMask, RED, recordAt, Run, RUN } from './lattice'

/** Sums x·y. Padding and gaps hold 0, so vectors are read as they lie. */
export function dotChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const x = pointer(2)
  const y = pointer(3)
  let sum = v128.splat<f64>(0)
  let other = v128.splat<f64>(0)
  const end = byteAt(lattice, chunk + 1)
  // Lines are whole blocks in both halves, so a piece is a multiple of 32 bytes.
  for (let at = byteAt(lattice, chunk); at < end; at += 32) {
    sum = v128.add<f64>(sum, v128.mul<f64>(v128.load(x + at), v128.load(y + at)))
    other = v128.add<f64>(other, v128.mul<f64>(v128.load(x + at, 16), v128.load(y + at, 16)))
  }
  setSum(chunk, 0, lanesSum(v128.add<f64>(sum, other)))
}

/** to = a x + b to; without x: to = 0, without b: to = a x. */
export function combineChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const x = pointer(2)
  const to = pointer(3)
  const a = v128.splat<f64>(number(0))
  const b = v128.splat<f64>(number(1))
  let at = byteAt(lattice, chunk)
  const end = byteAt(lattice, chunk + 1)
  if (x == 0) memory.fill(to + at, 0, end - at)
  else if (number(1) == 0) {
    if (number(0) == 1) memory.copy(to + at, x + at, end - at)
    else for (; at < end; at += 16) v128.store(to + at, v128.mul<f64>(a, v128.load(x + at)))
  } else {
    for (; at < end; at += 16)
      v128.store(to + at, v128.add<f64>(v128.mul<f64>(a, v128.load(x + at)), v128.mul<f64>(b, v128.load(to + at))))
  }
}

/** x += alpha d, r −= alpha Ad; the largest |r|. */
export function stepChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const d = pointer(2)
  const Ad = pointer(3)
  const x = pointer(4)
  const r = pointer(5)
  const alpha = v128.splat<f64>(number(0))
  let largest = v128.splat<f64>(0)
  const end = byteAt(lattice, chunk + 1)
  for (let at = byteAt(lattice, chunk); at < end; at += 16) {
    v128.store(x + at, v128.add<f64>(v128.load(x + at), v128.mul<f64>(alpha, v128.load(d + at))))
    const rest = v128.sub<f64>(v128.load(r + at), v128.mul<f64>(alpha, v128.load(Ad + at)))
    v128.store(r + at, rest)
    // Not pmax: this one keeps NaN.
    largest = v128.max<f64>(largest, v128.abs<f64>(rest))
  }
  setSum(chunk, 0, max(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1)))
}

/** to = from, but 0 where p rests on its bound and is pushed against it. */
export function maskPinnedChunk(chunk: i32): void {
  maskPinnedOf(chunk, RED)
  maskPinnedOf(chunk, BLACK)
}

function maskPinnedOf(chunk: i32, list: usize): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const lowest = pointer(3)
  const from = pointer(4)
  const to = pointer(5)
  const zero = v128.splat<f64>(0)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const stop = run.start + (<usize>run.blocks << 4)
    if (run.slots == 0) {
      // Nothing is bounded in open liquid.
      if (from != to) for (let at = run.start; at < stop; at += 16) v128.store(to + at, v128.load(from + at))
      continue
    }
    for (let at = run.start; at < stop; at += 16) {
      const value = v128.load(from + at)
      const pinned = v128.and(v128.le<f64>(v128.load(p + at), v128.load(lowest + at)), v128.lt<f64>(value, zero))
      v128.store(to + at, v128.andnot(value, pinned))
    }
  }
}

/** p = max(p, lowest). */
export function clampChunk(chunk: i32): void {
  clampOf(chunk, RED)
  clampOf(chunk, BLACK)
}

function clampOf(chunk: i32, list: usize): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const lowest = pointer(3)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    if (run.slots == 0) continue
    const stop = run.start + (<usize>run.blocks << 4)
    for (let at = run.start; at < stop; at += 16)
      v128.store(p + at, v128.pmax<f64>(v128.load(p + at), v128.load(lowest + at)))
  }
}

/** The natural residual −r, or diagonal p where a contact has let go. */
@inline
function natural(slot: usize, p: v128, r: v128, lowest: v128): v128 {
  const w = v128.neg<f64>(r)
  const scaled = v128.mul<f64>(v128.load(slot, 16), p)
  const letGo = v128.and(v128.lt<f64>(scaled, w), v128.gt<f64>(lowest, v128.splat<f64>(-Infinity)))
  return v128.bitselect(scaled, w, letGo)
}

/** Sums n² / diagonal with n the natural residual at the start, and the change of energy from there to p. */
export function energyChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const start = pointer(3)
  const r = pointer(4)
  const rStart = pointer(5)
  const lowest = pointer(6)
  const inverse = v128.splat<f64>(1 / lattice.diagonal)
  let needed = v128.splat<f64>(0)
  let change = v128.splat<f64>(0)
  for (let list = RED; list <= BLACK; list++) {
    const end = recordAt(lattice, list, chunk + 1)
    for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
      const run = changetype<Run>(record)
      const stop = run.start + (<usize>run.blocks << 4)
      let slot = run.slots
      for (let at = run.start; at < stop; at += 16) {
        const before = v128.load(start + at)
        const rBefore = v128.load(rStart + at)
        const step = v128.sub<f64>(v128.load(p + at), before)
        change = v128.sub<f64>(change, v128.mul<f64>(step, v128.add<f64>(v128.load(r + at), rBefore)))
        if (slot) {
          const n = natural(slot, before, rBefore, v128.load(lowest + at))
          needed = v128.add<f64>(needed, v128.mul<f64>(v128.mul<f64>(n, n), v128.load(slot)))
          slot += 128
        } else needed = v128.add<f64>(needed, v128.mul<f64>(v128.mul<f64>(rBefore, rBefore), inverse))
      }
    }
  }
  setSum(chunk, 0, lanesSum(needed))
  setSum(chunk, 1, 0.5 * lanesSum(change))
}

/** Sums (p − start)·w and (p − start)·(w' − w) with w = −rStart and w' = −r. */
export function slopesChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const start = pointer(3)
  const r = pointer(4)
  const rStart = pointer(5)
  let slope = v128.splat<f64>(0)
  let curvature = v128.splat<f64>(0)
  const end = byteAt(lattice, chunk + 1)
  for (let at = byteAt(lattice, chunk); at < end; at += 16) {
    const step = v128.sub<f64>(v128.load(p + at), v128.load(start + at))
    const rBefore = v128.load(rStart + at)
    slope = v128.sub<f64>(slope, v128.mul<f64>(step, rBefore))
    curvature = v128.add<f64>(curvature, v128.mul<f64>(step, v128.sub<f64>(rBefore, v128.load(r + at))))
  }
  setSum(chunk, 0, lanesSum(slope))
  setSum(chunk, 1, lanesSum(curvature))
}

/** The largest natural residual and the number of contacts that have let go. */
export function naturalChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const r = pointer(3)
  const lowest = pointer(4)
  let largest = v128.splat<f64>(0)
  let pinned = 0
  for (let list = RED; list <= BLACK; list++) {
    const end = recordAt(lattice, list, chunk + 1)
    for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
      const run = changetype<Run>(record)
      const stop = run.start + (<usize>run.blocks << 4)
      let slot = run.slots
      for (let at = run.start; at < stop; at += 16) {
        const rest = v128.load(r + at)
        if (slot == 0) {
          largest = v128.max<f64>(largest, v128.abs<f64>(rest))
          continue
        }
        const bound = v128.load(lowest + at)
        const value = v128.load(p + at)
        largest = v128.max<f64>(largest, v128.abs<f64>(natural(slot, value, rest, bound)))
        const letGo = v128.lt<f64>(v128.mul<f64>(v128.load(slot, 16), value), v128.neg<f64>(rest))
        const held = v128.and(v128.and(letGo, onMask(slot)), v128.gt<f64>(bound, v128.splat<f64>(-Infinity)))
        pinned += popcnt(v128.bitmask<i64>(held))
        slot += 128
      }
    }
  }
  setSum(chunk, 0, max(v128.extract_lane<f64>(largest, 0), v128.extract_lane<f64>(largest, 1)))
  setSum(chunk, 1, <f64>pinned)
}
