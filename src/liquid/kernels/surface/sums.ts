/** Sums over the particles around a centre, and over their images behind a wall, four particles at a time. Rows of cells hold few particles each: all
 *  their fours are listed first, because loops that end after a few turns, nobody knows when, take longer than what they do. */
import { firstParticle, Liquid } from '../liquid'
import { REACH } from './profile'

/** In four lanes. */
@unmanaged
export class Sums {
  weight: v128
  x: v128
  y: v128
  z: v128
  spread: v128
}

export const SUMS: usize = 80

/** A point that sees particles, and a wall that mirrors them: its normal, and how far from the point it is. The lanes of a vector are equal. They
 *  lie in memory, because compilers make again in every turn of a loop what they can make from a number. */
@unmanaged
export class Sight {
  x: v128
  y: v128
  z: v128
  normalX: v128
  normalY: v128
  normalZ: v128
  away: v128
  one: v128
  /** 1 / REACH². */
  share: v128
  /** 0, 1, 2, 3. */
  lanes: v128
  /** Where in a column the fours of a row begin, from the first of them on: the first four fours, and the next. */
  begins: v128
  beginsNext: v128
  /** Particles before them. */
  passed: v128
  passedNext: v128
}

/** Fours of a row that are listed at once, and those of a list before sums are taken. */
const AT_ONCE: i32 = 8
const MOST_LISTED: i32 = 88
/** Bytes from where in a column a four begins to how many particles there are from there on. */
const RESTS: usize = 4 * 96

/** Bytes of a sight alone, and with the list behind it. */
const LIST: usize = 224
export const SIGHT: usize = LIST + 2 * RESTS

@inline
function listOf(sight: Sight): usize {
  return changetype<usize>(sight) + LIST
}

/** Once, before anything is seen. */
export function openSight(sight: Sight): void {
  sight.one = v128.splat<f32>(1)
  sight.share = v128.splat<f32>(1 / (REACH * REACH))
  sight.lanes = i32x4(0, 1, 2, 3)
  sight.begins = i32x4(0, 16, 32, 48)
  sight.beginsNext = i32x4(64, 80, 96, 112)
  sight.passed = i32x4(0, 4, 8, 12)
  sight.passedNext = i32x4(16, 20, 24, 28)
}

export function lookFrom(sight: Sight, x: f32, y: f32, z: f32): void {
  sight.x = v128.splat<f32>(x)
  sight.y = v128.splat<f32>(y)
  sight.z = v128.splat<f32>(z)
}

export function setMirror(sight: Sight, away: f32, normalX: f32, normalY: f32, normalZ: f32): void {
  sight.normalX = v128.splat<f32>(normalX)
  sight.normalY = v128.splat<f32>(normalY)
  sight.normalZ = v128.splat<f32>(normalZ)
  sight.away = v128.splat<f32>(away)
}

@inline
export function clear(sums: Sums): void {
  const zero = v128.splat<f32>(0)
  sums.weight = zero
  sums.x = zero
  sums.y = zero
  sums.z = zero
  sums.spread = zero
}

@inline
export function merge(into: Sums, from: Sums): void {
  into.weight = v128.add<f32>(into.weight, from.weight)
  into.x = v128.add<f32>(into.x, from.x)
  into.y = v128.add<f32>(into.y, from.y)
  into.z = v128.add<f32>(into.z, from.z)
  into.spread = v128.add<f32>(into.spread, from.spread)
}

/** Of a part of four `Sums` that lie one after the other, added up as `totals` and `spreadOf` do; `first`: that part of the first of them. */
@inline
export function totalsOfFour(first: usize): v128 {
  const a = v128.load(first)
  const b = v128.load(first, SUMS)
  const c = v128.load(first, 2 * SUMS)
  const d = v128.load(first, 3 * SUMS)
  const lowAB = v128.shuffle<i32>(a, b, 0, 4, 1, 5)
  const lowCD = v128.shuffle<i32>(c, d, 0, 4, 1, 5)
  const highAB = v128.shuffle<i32>(a, b, 2, 6, 3, 7)
  const highCD = v128.shuffle<i32>(c, d, 2, 6, 3, 7)
  const low = v128.add<f32>(v128.shuffle<i64>(lowAB, lowCD, 0, 2), v128.shuffle<i64>(lowAB, lowCD, 1, 3))
  const high = v128.add<f32>(v128.shuffle<i64>(highAB, highCD, 0, 2), v128.shuffle<i64>(highAB, highCD, 1, 3))
  return v128.add<f32>(low, high)
}

/** x, y, z and weight. */
@inline
export function totals(sums: Sums): v128 {
  const lowXY = v128.shuffle<i32>(sums.x, sums.y, 0, 4, 1, 5)
  const highXY = v128.shuffle<i32>(sums.x, sums.y, 2, 6, 3, 7)
  const lowZW = v128.shuffle<i32>(sums.z, sums.weight, 0, 4, 1, 5)
  const highZW = v128.shuffle<i32>(sums.z, sums.weight, 2, 6, 3, 7)
  const low = v128.add<f32>(v128.shuffle<i64>(lowXY, lowZW, 0, 2), v128.shuffle<i64>(lowXY, lowZW, 1, 3))
  const high = v128.add<f32>(v128.shuffle<i64>(highXY, highZW, 0, 2), v128.shuffle<i64>(highXY, highZW, 1, 3))
  return v128.add<f32>(low, high)
}

@inline
export function spreadOf(sums: Sums): f32 {
  const pairs = v128.add<f32>(sums.spread, v128.shuffle<i32>(sums.spread, sums.spread, 1, 0, 3, 2))
  return v128.extract_lane<f32>(pairs, 0) + v128.extract_lane<f32>(pairs, 2)
}

/** Adds the particles of the cells around (i, j, k), or their images. Returns how many fours are in the list, −1 if it does not hold all of them. */
export function addAround(liquid: Liquid, sums: Sums, sight: Sight, i: i32, j: i32, k: i32, areImages: bool): i32 {
  const count = listAround(liquid, sight, i, j, k)
  if (count < 0) addCrowd(liquid, sums, sight, i, j, k, areImages)
  else addListed(liquid, sums, sight, count, areImages)
  return count
}

/** Lists what is in the cells around; returns how many fours that are, −1 if any row has more than are listed at once. */
function listAround(liquid: Liquid, sight: Sight, i: i32, j: i32, k: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const begins = sight.begins
  const beginsNext = sight.beginsNext
  const passed = sight.passed
  const passedNext = sight.passedNext
  const list = listOf(sight)
  const lastB = min(ny - 1, j + 1)
  const lastC = min(liquid.nz - 1, k + 1)
  const first = max(0, i - 1)
  const toBehind = <usize>(min(nx, i + 2) - first) << 2
  const toRow = <usize>nx << 2
  let most = 0
  let at = list
  for (let c = max(0, k - 1); c <= lastC; c++) {
    const b = max(0, j - 1)
    let start = liquid.cellStart + (<usize>(first + nx * (b + ny * c)) << 2)
    for (const end = start + <usize>(lastB - b) * toRow; start <= end; start += toRow) {
      const n = load<i32>(start)
      const there = load<i32>(start + toBehind) - n
      const begin = v128.splat<i32>(n << 2)
      const rest = v128.splat<i32>(there)
      v128.store(at, v128.add<i32>(begin, begins))
      v128.store(at, v128.add<i32>(begin, beginsNext), 16)
      v128.store(at, v128.sub<i32>(rest, passed), RESTS)
      v128.store(at, v128.sub<i32>(rest, passedNext), RESTS + 16)
      most = max(most, there)
      at += <usize>min(AT_ONCE, (there + 3) >> 2) << 2
    }
  }
  return most > 4 * AT_ONCE ? -1 : <i32>((at - list) >> 2)
}

/** As `addAround` where rows hold many: sums are taken whenever the list is full. */
function addCrowd(liquid: Liquid, sums: Sums, sight: Sight, i: i32, j: i32, k: i32, areImages: bool): void {
  const nx = liquid.nx
  const ny = liquid.ny
  const first = max(0, i - 1)
  const behind = min(nx, i + 2)
  const lastB = min(ny - 1, j + 1)
  const lastC = min(liquid.nz - 1, k + 1)
  let count = 0
  for (let c = max(0, k - 1); c <= lastC; c++) {
    for (let b = max(0, j - 1); b <= lastB; b++) {
      const row = nx * (b + ny * c)
      const end = firstParticle(liquid, row + behind)
      for (let n = firstParticle(liquid, row + first); n < end; n += 4 * AT_ONCE) {
        count = list(sight, count, n, end)
        if (count <= MOST_LISTED) continue
        addListed(liquid, sums, sight, count, areImages)
        count = 0
      }
    }
  }
  addListed(liquid, sums, sight, count, areImages)
}

/** Lists what there is from n to end, as far as it goes at once; returns how many fours are in the list. */
@inline
function list(sight: Sight, count: i32, n: i32, end: i32): i32 {
  const at = listOf(sight) + (<usize>count << 2)
  const begin = v128.splat<i32>(n << 2)
  const rest = v128.splat<i32>(end - n)
  v128.store(at, v128.add<i32>(begin, sight.begins))
  v128.store(at, v128.add<i32>(begin, sight.beginsNext), 16)
  v128.store(at, v128.sub<i32>(rest, sight.passed), RESTS)
  v128.store(at, v128.sub<i32>(rest, sight.passedNext), RESTS + 16)
  return count + min(AT_ONCE, (end - n + 3) >> 2)
}

/** Adds the particles of one cell. */
export function addCell(liquid: Liquid, sums: Sums, sight: Sight, cell: i32): void {
  const end = firstParticle(liquid, cell + 1)
  for (let n = firstParticle(liquid, cell); n < end; n += 4 * AT_ONCE) addSeen(liquid, sums, sight, list(sight, 0, n, end))
}

@inline
export function addListed(liquid: Liquid, sums: Sums, sight: Sight, count: i32, areImages: bool): void {
  if (areImages) addMirrored(liquid, sums, sight, count)
  else addSeen(liquid, sums, sight, count)
}

/** (1 − d² / REACH²)³, 0 beyond and in lanes without a particle of the list. */
@inline
function weightOf(square: v128, one: v128, share: v128, four: usize, lanes: v128): v128 {
  const isListed = v128.gt<i32>(v128.load_splat<u32>(four, RESTS), lanes)
  const inside = v128.and(v128.pmax<f32>(v128.splat<f32>(0), v128.sub<f32>(one, v128.mul<f32>(square, share))), isListed)
  return v128.mul<f32>(v128.mul<f32>(inside, inside), inside)
}

@inline
function squareOf(dx: v128, dy: v128, dz: v128): v128 {
  return v128.add<f32>(v128.add<f32>(v128.mul<f32>(dx, dx), v128.mul<f32>(dy, dy)), v128.mul<f32>(dz, dz))
}

function addSeen(liquid: Liquid, sums: Sums, sight: Sight, count: i32): void {
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const x = sight.x
  const y = sight.y
  const z = sight.z
  const one = sight.one
  const share = sight.share
  const lanes = sight.lanes
  const end = listOf(sight) + (<usize>count << 2)
  let weight = sums.weight
  let sumX = sums.x
  let sumY = sums.y
  let sumZ = sums.z
  let spread = sums.spread
  for (let four = listOf(sight); four < end; four += 4) {
    const at = load<usize>(four)
    const dx = v128.sub<f32>(v128.load(px + at), x)
    const dy = v128.sub<f32>(v128.load(py + at), y)
    const dz = v128.sub<f32>(v128.load(pz + at), z)
    const square = squareOf(dx, dy, dz)
    const w = weightOf(square, one, share, four, lanes)
    weight = v128.add<f32>(weight, w)
    sumX = v128.add<f32>(sumX, v128.mul<f32>(w, dx))
    sumY = v128.add<f32>(sumY, v128.mul<f32>(w, dy))
    sumZ = v128.add<f32>(sumZ, v128.mul<f32>(w, dz))
    spread = v128.add<f32>(spread, v128.mul<f32>(v128.mul<f32>(w, w), square))
  }
  sums.weight = weight
  sums.x = sumX
  sums.y = sumY
  sums.z = sumZ
  sums.spread = spread
}

function addMirrored(liquid: Liquid, sums: Sums, sight: Sight, count: i32): void {
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const x = sight.x
  const y = sight.y
  const z = sight.z
  const normalX = sight.normalX
  const normalY = sight.normalY
  const normalZ = sight.normalZ
  const away = sight.away
  const one = sight.one
  const share = sight.share
  const lanes = sight.lanes
  const end = listOf(sight) + (<usize>count << 2)
  let weight = sums.weight
  let sumX = sums.x
  let sumY = sums.y
  let sumZ = sums.z
  let spread = sums.spread
  for (let four = listOf(sight); four < end; four += 4) {
    const at = load<usize>(four)
    const dx = v128.sub<f32>(v128.load(px + at), x)
    const dy = v128.sub<f32>(v128.load(py + at), y)
    const dz = v128.sub<f32>(v128.load(pz + at), z)
    // How far before the wall; the image lies as far behind it.
    const along = v128.add<f32>(v128.add<f32>(v128.mul<f32>(normalX, dx), v128.mul<f32>(normalY, dy)), v128.mul<f32>(normalZ, dz))
    const before = v128.add<f32>(away, along)
    const twice = v128.add<f32>(before, before)
    const square = v128.add<f32>(squareOf(dx, dy, dz), v128.mul<f32>(v128.add<f32>(twice, twice), away))
    const w = v128.and(weightOf(square, one, share, four, lanes), v128.gt<f32>(before, v128.splat<f32>(0)))
    weight = v128.add<f32>(weight, w)
    sumX = v128.add<f32>(sumX, v128.mul<f32>(w, v128.sub<f32>(dx, v128.mul<f32>(twice, normalX))))
    sumY = v128.add<f32>(sumY, v128.mul<f32>(w, v128.sub<f32>(dy, v128.mul<f32>(twice, normalY))))
    sumZ = v128.add<f32>(sumZ, v128.mul<f32>(w, v128.sub<f32>(dz, v128.mul<f32>(twice, normalZ))))
    spread = v128.add<f32>(spread, v128.mul<f32>(v128.mul<f32>(w, w), square))
  }
  sums.weight = weight
  sums.x = sumX
  sums.y = sumY
  sums.z = sumZ
  sums.spread = spread
}
