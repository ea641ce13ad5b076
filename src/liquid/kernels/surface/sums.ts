/** Sums over the particles around a centre, and over their images behind a wall, four particles at a time. Rows of cells hold few particles
 *  each, so groups of four are listed first: short loops of unpredictable length cost more than the work they do. */
import { REACH } from '../../shared-constants'
import { firstParticle, Liquid } from '../liquid'

/** Partial sums in four lanes. */
@unmanaged
export class Sums {
  weight: v128
  x: v128
  y: v128
  z: v128
  spread: v128
}

export const SUMS_BYTES: usize = 80

/** A point around which particles are summed, and a wall that mirrors them: its normal, and its distance from the point. The lanes of a vector
 *  are equal. Stored in memory, because compilers would recompute splatted constants in every iteration of a loop. */
@unmanaged
export class Probe {
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
  /** Byte offsets in a column of the groups of a row, from the first one on: of groups 0 … 3, and of groups 4 … 7. */
  begins: v128
  beginsNext: v128
  /** Particles of the row before these groups. */
  passed: v128
  passedNext: v128
}

/** Groups of a row that are listed at once, and groups in the list at which sums are computed. */
const AT_ONCE: i32 = 8
const MAX_LISTED: i32 = 88
/** Bytes in the list from the offset of a group to the number of particles from there to the end of its row. */
const RESTS: usize = 4 * 96

/** Bytes of a `Probe` alone, and with the list that follows it. */
const LIST: usize = 224
export const PROBE: usize = LIST + 2 * RESTS

@inline
function listOf(probe: Probe): usize {
  return changetype<usize>(probe) + LIST
}

/** Sets the constants; call it once. */
export function initProbe(probe: Probe): void {
  probe.one = v128.splat<f32>(1)
  probe.share = v128.splat<f32>(1 / (<f32>REACH * <f32>REACH))
  probe.lanes = i32x4(0, 1, 2, 3)
  probe.begins = i32x4(0, 16, 32, 48)
  probe.beginsNext = i32x4(64, 80, 96, 112)
  probe.passed = i32x4(0, 4, 8, 12)
  probe.passedNext = i32x4(16, 20, 24, 28)
}

export function placeProbe(probe: Probe, x: f32, y: f32, z: f32): void {
  probe.x = v128.splat<f32>(x)
  probe.y = v128.splat<f32>(y)
  probe.z = v128.splat<f32>(z)
}

export function setMirror(probe: Probe, away: f32, normalX: f32, normalY: f32, normalZ: f32): void {
  probe.normalX = v128.splat<f32>(normalX)
  probe.normalY = v128.splat<f32>(normalY)
  probe.normalZ = v128.splat<f32>(normalZ)
  probe.away = v128.splat<f32>(away)
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

/** Totals of one field of four consecutive `Sums`, added in the order of `totals` and `spreadOf`; `first`: address of the first field. */
@inline
export function totalsOfFour(first: usize): v128 {
  const a = v128.load(first)
  const b = v128.load(first, SUMS_BYTES)
  const c = v128.load(first, 2 * SUMS_BYTES)
  const d = v128.load(first, 3 * SUMS_BYTES)
  const lowAB = v128.shuffle<i32>(a, b, 0, 4, 1, 5)
  const lowCD = v128.shuffle<i32>(c, d, 0, 4, 1, 5)
  const highAB = v128.shuffle<i32>(a, b, 2, 6, 3, 7)
  const highCD = v128.shuffle<i32>(c, d, 2, 6, 3, 7)
  const low = v128.add<f32>(v128.shuffle<i64>(lowAB, lowCD, 0, 2), v128.shuffle<i64>(lowAB, lowCD, 1, 3))
  const high = v128.add<f32>(v128.shuffle<i64>(highAB, highCD, 0, 2), v128.shuffle<i64>(highAB, highCD, 1, 3))
  return v128.add<f32>(low, high)
}

/** Totals of x, y, z and weight, a lane each. */
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

/** Adds the particles of the cells around (i, j, k), or their images. Returns the number of groups in the list, −1 if it does not hold all. */
export function addAround(liquid: Liquid, sums: Sums, probe: Probe, i: i32, j: i32, k: i32, areImages: bool): i32 {
  const count = listAround(liquid, probe, i, j, k)
  if (count < 0) addManyAround(liquid, sums, probe, i, j, k, areImages)
  else addListed(liquid, sums, probe, count, areImages)
  return count
}

/** Lists the particles of the cells around; returns the number of groups, −1 if a row has more than AT_ONCE. */
function listAround(liquid: Liquid, probe: Probe, i: i32, j: i32, k: i32): i32 {
  const nx = liquid.nx
  const ny = liquid.ny
  const begins = probe.begins
  const beginsNext = probe.beginsNext
  const passed = probe.passed
  const passedNext = probe.passedNext
  const list = listOf(probe)
  const lastB = min(ny - 1, j + 1)
  const lastC = min(liquid.nz - 1, k + 1)
  const first = max(0, i - 1)
  const toBehind = (<usize>(min(nx, i + 2) - first)) << 2
  const toRow = (<usize>nx) << 2
  let most = 0
  let at = list
  for (let c = max(0, k - 1); c <= lastC; c++) {
    const b = max(0, j - 1)
    let start = liquid.cellStart + ((<usize>(first + nx * (b + ny * c))) << 2)
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
      at += (<usize>min(AT_ONCE, (there + 3) >> 2)) << 2
    }
  }
  return most > 4 * AT_ONCE ? -1 : <i32>((at - list) >> 2)
}

/** As `addAround` where rows hold many particles: sums are computed whenever the list is full. */
function addManyAround(liquid: Liquid, sums: Sums, probe: Probe, i: i32, j: i32, k: i32, areImages: bool): void {
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
        count = list(probe, count, n, end)
        if (count <= MAX_LISTED) continue
        addListed(liquid, sums, probe, count, areImages)
        count = 0
      }
    }
  }
  addListed(liquid, sums, probe, count, areImages)
}

/** Lists particles from n to end, at most AT_ONCE groups; returns the number of groups in the list. */
@inline
function list(probe: Probe, count: i32, n: i32, end: i32): i32 {
  const at = listOf(probe) + ((<usize>count) << 2)
  const begin = v128.splat<i32>(n << 2)
  const rest = v128.splat<i32>(end - n)
  v128.store(at, v128.add<i32>(begin, probe.begins))
  v128.store(at, v128.add<i32>(begin, probe.beginsNext), 16)
  v128.store(at, v128.sub<i32>(rest, probe.passed), RESTS)
  v128.store(at, v128.sub<i32>(rest, probe.passedNext), RESTS + 16)
  return count + min(AT_ONCE, (end - n + 3) >> 2)
}

/** Adds the particles of one cell. */
export function addCell(liquid: Liquid, sums: Sums, probe: Probe, cell: i32): void {
  const end = firstParticle(liquid, cell + 1)
  for (let n = firstParticle(liquid, cell); n < end; n += 4 * AT_ONCE) addUnmirrored(liquid, sums, probe, list(probe, 0, n, end))
}

@inline
export function addListed(liquid: Liquid, sums: Sums, probe: Probe, count: i32, areImages: bool): void {
  if (areImages) addMirrored(liquid, sums, probe, count)
  else addUnmirrored(liquid, sums, probe, count)
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

function addUnmirrored(liquid: Liquid, sums: Sums, probe: Probe, count: i32): void {
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const x = probe.x
  const y = probe.y
  const z = probe.z
  const one = probe.one
  const share = probe.share
  const lanes = probe.lanes
  const end = listOf(probe) + ((<usize>count) << 2)
  let weight = sums.weight
  let sumX = sums.x
  let sumY = sums.y
  let sumZ = sums.z
  let spread = sums.spread
  for (let four = listOf(probe); four < end; four += 4) {
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

function addMirrored(liquid: Liquid, sums: Sums, probe: Probe, count: i32): void {
  const px = liquid.px
  const py = liquid.py
  const pz = liquid.pz
  const x = probe.x
  const y = probe.y
  const z = probe.z
  const normalX = probe.normalX
  const normalY = probe.normalY
  const normalZ = probe.normalZ
  const away = probe.away
  const one = probe.one
  const share = probe.share
  const lanes = probe.lanes
  const end = listOf(probe) + ((<usize>count) << 2)
  let weight = sums.weight
  let sumX = sums.x
  let sumY = sums.y
  let sumZ = sums.z
  let spread = sums.spread
  for (let four = listOf(probe); four < end; four += 4) {
    const at = load<usize>(four)
    const dx = v128.sub<f32>(v128.load(px + at), x)
    const dy = v128.sub<f32>(v128.load(py + at), y)
    const dz = v128.sub<f32>(v128.load(pz + at), z)
    // Distance in front of the wall; the image is as far behind it.
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
