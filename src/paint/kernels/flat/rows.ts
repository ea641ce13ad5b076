/** Rows of pixels. Interpolates vertically first, once for all pixels of a row, then along the row. */
import { MARK_AIR, MARK_SOLID } from '../../flat-marks'
import {
  AIR_ABOVE,
  AIR_BELOW,
  beginOf,
  DEEP_WATER,
  DUSK,
  Flat,
  MARGIN,
  RIM,
  ROW_AIR,
  ROW_STONE,
  ROW_WATER,
  Runs,
  SHALLOW_WATER,
  STONE_ABOVE,
  STONE_BELOW,
  WATER_SPAN,
} from './flat'
import { cellOf, GROUP, groupsOf, RIM_PIXELS, setColumns, setKinds, slopeAt, toggleBall, weightAt, within } from './columns'
import { paintGroup } from './pixels'

export function paintRows(flat: Flat): void {
  setColumns(flat)
  setFactors(flat)
  for (let channel = 0; channel < 3; channel++) setColour(flat, DUSK, channel, <f32>0.72 * colourOf(flat, DEEP_WATER, channel))
  const rim = RIM_PIXELS * flat.pixel
  const margin = packed(flat, MARGIN)
  let cells = -1
  for (let row = 0; row < flat.height; row++) {
    const y = flat.originY + (<f32>(flat.height - 1 - row) + <f32>0.5) * flat.pixel
    const beyond = max<f32>(-y, y - <f32>flat.ny)
    const to = flat.pixels + ((<usize>(flat.width * row)) << 2)
    if (!(beyond < rim)) {
      fill(to, groupsOf(flat), margin)
      continue
    }
    const now = cellOf(y, flat.ny)
    if (now != cells) setKinds(flat, now)
    cells = now
    setRowColours(flat, within(y / <f32>flat.ny, 1))
    interpolate(flat, flat.liquid, flat.rowLiquid, y - <f32>0.5, flat.ny - 1, flat.liquidRuns)
    interpolate(flat, flat.depth, flat.rowDepth, y - <f32>0.5, flat.ny - 1, flat.depthRuns)
    interpolate(flat, flat.solid, flat.rowSolid, y, flat.ny, flat.solidRuns)
    const hasBall = flat.ballRadius > 0 && abs<f32>(y - flat.ballY) < flat.ballRadius + flat.pixel
    if (hasBall) toggleBall(flat)
    paintGroups(flat, to, y, beyond, beyond > -rim ? RIM : 0, margin)
    if (hasBall) toggleBall(flat)
  }
}

function paintGroups(flat: Flat, to: usize, y: f32, beyond: f32, rim: i32, margin: i32): void {
  const plain = i32x4.splat(margin)
  const air = i32x4.splat(packed(flat, ROW_AIR))
  const stone = i32x4.splat(packed(flat, ROW_STONE))
  const end = flat.kinds + <usize>groupsOf(flat)
  let group = flat.groups
  for (let at = flat.kinds; at < end; at++, group += GROUP, to += 16) {
    let kind = <i32>load<u8>(at)
    if (kind == 0) {
      v128.store(to, plain)
      continue
    }
    kind |= rim
    if (kind == MARK_AIR) v128.store(to, air)
    else if (kind == MARK_SOLID) v128.store(to, stone)
    else paintGroup(flat, group, kind, to, y, beyond)
  }
}

function fill(to: usize, count: i32, pixel: i32): void {
  const four = i32x4.splat(pixel)
  for (let n = 0; n < count; n++, to += 16) v128.store(to, four)
}

function setFactors(flat: Flat): void {
  flat.perPixel = 1 / flat.pixel
  flat.perEdge = 1 / flat.edgeWidth
  flat.perShade = -1 / flat.wallShade
  flat.perDepth = -1 / (<f32>0.17 * <f32>max(flat.nx, flat.ny))
  flat.perStone = -1 / max<f32>(0.12, 2 * flat.pixel * flat.pixel)
}

// ---- colours

@inline
function colourOf(flat: Flat, which: i32, channel: i32): f32 {
  return load<f32>(flat.colours + ((<usize>(3 * which + channel)) << 2))
}

@inline
function setColour(flat: Flat, which: i32, channel: i32, value: f32): void {
  store<f32>(flat.colours + ((<usize>(3 * which + channel)) << 2), value)
}

/** As a pixel. */
function packed(flat: Flat, which: i32): i32 {
  let pixel: i32 = 255 << 24
  for (let channel = 0; channel < 3; channel++) {
    const part = within(colourOf(flat, which, channel), 1)
    pixel |= (<i32>(part * 255 + <f32>0.5)) << (8 * channel)
  }
  return pixel
}

/** `height` is a share of the domain. */
function setRowColours(flat: Flat, height: f32): void {
  const tone: f32 = <f32>0.96 + <f32>0.08 * height
  for (let channel = 0; channel < 3; channel++) {
    setColour(flat, ROW_AIR, channel, mixed(flat, AIR_BELOW, AIR_ABOVE, channel, height))
    setColour(flat, ROW_STONE, channel, mixed(flat, STONE_BELOW, STONE_ABOVE, channel, height))
    const deep = colourOf(flat, DEEP_WATER, channel)
    setColour(flat, ROW_WATER, channel, tone * deep)
    setColour(flat, WATER_SPAN, channel, tone * (colourOf(flat, SHALLOW_WATER, channel) - deep))
  }
}

@inline
function mixed(flat: Flat, from: i32, to: i32, channel: i32, share: f32): f32 {
  const start = colourOf(flat, from, channel)
  return start + share * (colourOf(flat, to, channel) - start)
}

// ---- values

/** Values and slopes of a lattice at a height, in the parts of the row that are needed. */
function interpolate(flat: Flat, lattice: usize, into: usize, place: f32, lastRow: i32, runs: Runs): void {
  const p = within(place, <f32>lastRow)
  const base = <i32>p
  const t = p - <f32>base
  const row = flat.rowBytes
  const a = f32x4.splat(weightAt(0, t))
  const b = f32x4.splat(weightAt(1, t))
  const c = f32x4.splat(weightAt(2, t))
  const d = f32x4.splat(weightAt(3, t))
  const da = f32x4.splat(slopeAt(0, t))
  const db = f32x4.splat(slopeAt(1, t))
  const dc = f32x4.splat(slopeAt(2, t))
  const dd = f32x4.splat(slopeAt(3, t))
  const source = beginOf(flat, lattice, 2) + row * <usize>base
  for (let n = 1; n <= runs.count; n++) {
    const run = changetype<usize>(runs) + ((<usize>n) << 3)
    const end = <usize>load<u32>(run, 4)
    for (let at = <usize>load<u32>(run); at < end; at += 16) {
      const from = source + at
      const w = v128.load(from)
      const x = v128.load(from + row)
      const y = v128.load(from + 2 * row)
      const z = v128.load(from + 3 * row)
      const low = f32x4.add(f32x4.mul(a, w), f32x4.mul(b, x))
      v128.store(into + at, f32x4.add(low, f32x4.add(f32x4.mul(c, y), f32x4.mul(d, z))))
      const slope = f32x4.add(f32x4.mul(da, w), f32x4.mul(db, x))
      v128.store(into + row + at, f32x4.add(slope, f32x4.add(f32x4.mul(dc, y), f32x4.mul(dd, z))))
    }
  }
}
