/** Smoothers, residual and product on a lattice. */
import { number, pointer, setSum } from './jobs'
import { BLACK, Lattice, lanesSum, onMask, RED, recordAt, Run, RUN, sumOpen, sumPacked } from './lattice'

/** Gauss–Seidel over one list of records, all of one colour: p = (b + Σ w p) / diagonal, not below `lowest` if there is one. */
export function relaxChunk(chunk: i32): void {
  const lattice = changetype<Lattice>(pointer(0))
  const list = pointer(1)
  const p = pointer(2)
  const b = pointer(3)
  const lowest = pointer(4)
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const inverse = v128.splat<f64>(1 / lattice.diagonal)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = p + run.start
    let bAt = b + run.start
    const stop = at + (<usize>run.blocks << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, bAt += 16) {
        const sum = v128.add<f64>(v128.load(bAt), sumOpen(wx, wy, wz, at, left, south, north, down, up))
        v128.store(at, v128.mul<f64>(inverse, sum))
      }
    } else if (lowest == 0) {
      for (; at < stop; at += 16, bAt += 16, slot += 128) {
        const sum = v128.add<f64>(v128.load(bAt), sumPacked(slot, at, left, south, north, down, up))
        v128.store(at, v128.bitselect(v128.mul<f64>(v128.load(slot), sum), v128.load(at), onMask(slot)))
      }
    } else {
      // Clamped as it is written: clamping after the sweep would have another fixed point.
      let lowestAt = lowest + run.start
      for (; at < stop; at += 16, bAt += 16, slot += 128, lowestAt += 16) {
        const sum = v128.add<f64>(v128.load(bAt), sumPacked(slot, at, left, south, north, down, up))
        const value = v128.pmax<f64>(v128.mul<f64>(v128.load(slot), sum), v128.load(lowestAt))
        v128.store(at, v128.bitselect(value, v128.load(at), onMask(slot)))
      }
    }
  }
}

/** p = damping b / diagonal, or p += damping b / diagonal. */
export function jacobiChunk(chunk: i32): void {
  jacobiOf(chunk, RED)
  jacobiOf(chunk, BLACK)
}

function jacobiOf(chunk: i32, list: usize): void {
  const lattice = changetype<Lattice>(pointer(0))
  const add = pointer(1) != 0
  const p = pointer(2)
  const b = pointer(3)
  const damping = v128.splat<f64>(number(0))
  const inverse = v128.splat<f64>(number(0) / lattice.diagonal)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    let at = p + run.start
    let bAt = b + run.start
    const stop = at + (<usize>run.blocks << 4)
    let slot = run.slots
    if (slot == 0) {
      if (add) {
        for (; at < stop; at += 16, bAt += 16)
          v128.store(at, v128.add<f64>(v128.load(at), v128.mul<f64>(inverse, v128.load(bAt))))
      } else {
        for (; at < stop; at += 16, bAt += 16) v128.store(at, v128.mul<f64>(inverse, v128.load(bAt)))
      }
      continue
    }
    for (; at < stop; at += 16, bAt += 16, slot += 128) {
      const value = v128.mul<f64>(v128.mul<f64>(damping, v128.load(slot)), v128.load(bAt))
      v128.store(at, add ? v128.add<f64>(v128.load(at), value) : value)
    }
  }
}

/** r = b − A p. */
export function residualChunk(chunk: i32): void {
  residualOf(chunk, RED)
  residualOf(chunk, BLACK)
}

function residualOf(chunk: i32, list: usize): void {
  const lattice = changetype<Lattice>(pointer(0))
  const p = pointer(2)
  const b = pointer(3)
  const r = pointer(4)
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const diagonal = v128.splat<f64>(lattice.diagonal)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = p + run.start
    let bAt = b + run.start
    let rAt = r + run.start
    const stop = at + (<usize>run.blocks << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, bAt += 16, rAt += 16) {
        const own = v128.sub<f64>(v128.load(bAt), v128.mul<f64>(diagonal, v128.load(at)))
        v128.store(rAt, v128.add<f64>(own, sumOpen(wx, wy, wz, at, left, south, north, down, up)))
      }
    } else {
      for (; at < stop; at += 16, bAt += 16, rAt += 16, slot += 128) {
        const own = v128.sub<f64>(v128.load(bAt), v128.mul<f64>(v128.load(slot, 16), v128.load(at)))
        v128.store(rAt, v128.and(v128.add<f64>(own, sumPacked(slot, at, left, south, north, down, up)), onMask(slot)))
      }
    }
  }
}

/** y = A x; sums x·y. */
export function productChunk(chunk: i32): void {
  const red = productOf(chunk, RED)
  setSum(chunk, 0, red + productOf(chunk, BLACK))
}

function productOf(chunk: i32, list: usize): f64 {
  const lattice = changetype<Lattice>(pointer(0))
  const x = pointer(2)
  const y = pointer(3)
  const wx = v128.splat<f64>(lattice.wx)
  const wy = v128.splat<f64>(lattice.wy)
  const wz = v128.splat<f64>(lattice.wz)
  const diagonal = v128.splat<f64>(lattice.diagonal)
  let sum = v128.splat<f64>(0)
  const end = recordAt(lattice, list, chunk + 1)
  for (let record = recordAt(lattice, list, chunk); record < end; record += RUN) {
    const run = changetype<Run>(record)
    const left = <usize>run.left
    const south = run.south
    const north = run.north
    const down = run.down
    const up = run.up
    let at = x + run.start
    let yAt = y + run.start
    const stop = at + (<usize>run.blocks << 4)
    let slot = run.slots
    if (slot == 0) {
      for (; at < stop; at += 16, yAt += 16) {
        const own = v128.load(at)
        const value = v128.sub<f64>(v128.mul<f64>(diagonal, own), sumOpen(wx, wy, wz, at, left, south, north, down, up))
        v128.store(yAt, value)
        sum = v128.add<f64>(sum, v128.mul<f64>(own, value))
      }
    } else {
      for (; at < stop; at += 16, yAt += 16, slot += 128) {
        const own = v128.load(at)
        const whole = v128.sub<f64>(v128.mul<f64>(v128.load(slot, 16), own), sumPacked(slot, at, left, south, north, down, up))
        const value = v128.and(whole, onMask(slot))
        v128.store(yAt, value)
        sum = v128.add<f64>(sum, v128.mul<f64>(own, value))
      }
    }
  }
  return lanesSum(sum)
}
