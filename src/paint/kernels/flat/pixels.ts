/** Four pixels of a row, in whose cells a surface, liquid or a wall may be seen. As src/view/stage/flat/shaders.ts has it. */
import * as shared from '../../rendering-constants'
import { MARK_AIR, MARK_DEEP, MARK_SHALLOW, MARK_SOLID } from '../../flat-marks'
import {
  BALL,
  BALL_COLOUR,
  CELL_MARKS,
  DOMAIN_EDGE,
  DUSK,
  Flat,
  GLEAM,
  MARGIN,
  OUTLINE,
  RIM,
  ROW_AIR,
  ROW_STONE,
  ROW_WATER,
  STONE_EDGE,
  WATER_SPAN,
} from './flat'
import { COLUMN_BEYOND, CELL_POINTS, CELL_WEIGHTS, NODE_POINTS, NODE_WEIGHTS, PLACE, RIM_PIXELS } from './columns'

const LIQUID: i32 = MARK_DEEP | MARK_SHALLOW
/** Pixels to both sides of the surface in which the line along it is seen, or a share of liquid. */
const LINE: f32 = <f32>shared.LINE_PIXELS
/** After so many of them less than a step of a colour is left of the rounded border. */
const EDGE_WIDTHS: f32 = 3.6
/** To the light, from above to the left: (−0.45, 0.9) of length 1, and (−0.5, 0.85) for the ball. */
const LIGHT_X: f32 = -0.4472136
const LIGHT_Y: f32 = 0.8944272
const BALL_LIGHT_X: f32 = -0.5070201
const BALL_LIGHT_Y: f32 = 0.8619342

@inline
function splat(value: f32): v128 {
  return f32x4.splat(value)
}

@inline
function colour(flat: Flat, which: i32, channel: i32): v128 {
  return v128.load_splat<f32>(flat.colours + ((<usize>(3 * which + channel)) << 2))
}

@inline
function mix(from: v128, to: v128, share: v128): v128 {
  return f32x4.add(from, f32x4.mul(f32x4.sub(to, from), share))
}

@inline
function clamp(value: v128): v128 {
  return f32x4.pmin(f32x4.pmax(splat(0), value), splat(1))
}

/** From 0 to 1 as its argument does, without corners. */
@inline
function smooth(value: v128): v128 {
  const t = clamp(value)
  return f32x4.mul(f32x4.mul(t, t), f32x4.sub(splat(3), f32x4.add(t, t)))
}

/** e to the power of what is not above 0; good to 1e-4 of the result. */
@inline
function power(exponent: v128): v128 {
  const t = f32x4.pmax(f32x4.mul(exponent, splat(1.442695)), splat(-120))
  // Adding this rounds to a whole number, which is in the lowest bits of the sum then.
  const rounded = f32x4.add(t, splat(12582912))
  const f = f32x4.sub(t, f32x4.sub(rounded, splat(12582912)))
  const cubic = f32x4.add(f32x4.mul(f, splat(0.05517167)), splat(0.2426111))
  const share = f32x4.add(f32x4.mul(f32x4.add(f32x4.mul(cubic, f), splat(0.693261)), f), splat(0.9999281))
  return i32x4.add(share, i32x4.shl(rounded, 23))
}

/** Loads four points around each of four pixels from a row: into `four`, the first ones of all four together, and so on. */
@inline
function gather(four: usize, row: usize, points: usize): void {
  const a = v128.load(row + <usize>load<u32>(points))
  const b = v128.load(row + <usize>load<u32>(points, 4))
  const c = v128.load(row + <usize>load<u32>(points, 8))
  const d = v128.load(row + <usize>load<u32>(points, 12))
  const lowAB = v128.shuffle<f32>(a, b, 0, 4, 1, 5)
  const lowCD = v128.shuffle<f32>(c, d, 0, 4, 1, 5)
  const highAB = v128.shuffle<f32>(a, b, 2, 6, 3, 7)
  const highCD = v128.shuffle<f32>(c, d, 2, 6, 3, 7)
  v128.store(four, v128.shuffle<f32>(lowAB, lowCD, 0, 1, 4, 5))
  v128.store(four, v128.shuffle<f32>(lowAB, lowCD, 2, 3, 6, 7), 16)
  v128.store(four, v128.shuffle<f32>(highAB, highCD, 0, 1, 4, 5), 32)
  v128.store(four, v128.shuffle<f32>(highAB, highCD, 2, 3, 6, 7), 48)
}

@inline
function weighted(four: usize, weights: usize): v128 {
  const low = f32x4.add(f32x4.mul(v128.load(four), v128.load(weights)), f32x4.mul(v128.load(four, 16), v128.load(weights, 16)))
  const high = f32x4.add(
    f32x4.mul(v128.load(four, 32), v128.load(weights, 32)),
    f32x4.mul(v128.load(four, 48), v128.load(weights, 48)),
  )
  return f32x4.add(low, high)
}

/** Pixels to where a level set is 0: its slope counts, because it is not quite a distance. */
@inline
function inPixels(value: v128, slopeX: v128, slopeY: v128, pixel: f32): v128 {
  const slope = f32x4.sqrt(f32x4.add(f32x4.mul(slopeX, slopeX), f32x4.mul(slopeY, slopeY)))
  return f32x4.div(value, f32x4.pmax(f32x4.mul(slope, splat(pixel)), splat(1e-6)))
}

/** Of the four pixels, what they have become so far: behind what is being interpolated. */
const RED: usize = 64
const GREEN: usize = 80
const BLUE: usize = 96

@inline
function start(flat: Flat, which: i32): void {
  v128.store(flat.four, colour(flat, which, 0), RED)
  v128.store(flat.four, colour(flat, which, 1), GREEN)
  v128.store(flat.four, colour(flat, which, 2), BLUE)
}

/** Towards a colour, by a share. */
@inline
function blend(flat: Flat, which: i32, share: v128): void {
  blendTo(flat.four, colour(flat, which, 0), colour(flat, which, 1), colour(flat, which, 2), share)
}

@inline
function blendTo(four: usize, red: v128, green: v128, blue: v128, share: v128): void {
  v128.store(four, mix(v128.load(four, RED), red, share), RED)
  v128.store(four, mix(v128.load(four, GREEN), green, share), GREEN)
  v128.store(four, mix(v128.load(four, BLUE), blue, share), BLUE)
}

@inline
function multiply(four: usize, factor: v128): void {
  v128.store(four, f32x4.mul(v128.load(four, RED), factor), RED)
  v128.store(four, f32x4.mul(v128.load(four, GREEN), factor), GREEN)
  v128.store(four, f32x4.mul(v128.load(four, BLUE), factor), BLUE)
}

/** `y` is the height of the row, `beyond` how far outside of the domain it is, both in cells. */
export function paintGroup(flat: Flat, group: usize, kind: i32, to: usize, y: f32, beyond: f32): void {
  const marks = kind & CELL_MARKS
  if (marks == MARK_SOLID) start(flat, ROW_STONE)
  else if (marks & MARK_SOLID) paintAtWall(flat, group, marks)
  else paintLiquid(flat, group, marks)
  if (kind & BALL) paintBall(flat, group, y)
  if (kind & RIM) paintRim(flat, group, beyond)
  const four = flat.four
  v128.store(to, packed(v128.load(four, RED), v128.load(four, GREEN), v128.load(four, BLUE)))
}

/** What is before a wall gets darker, and stone has a lighter edge. */
function paintAtWall(flat: Flat, group: usize, marks: i32): void {
  const four = flat.four
  gather(four, flat.rowSolid, group + NODE_POINTS)
  const wall = weighted(four, group + NODE_WEIGHTS)
  const slopeX = weighted(four, group + NODE_WEIGHTS + 64)
  gather(four, flat.rowSolid + flat.rowBytes, group + NODE_POINTS)
  const stone = clamp(f32x4.sub(splat(0.5), inPixels(wall, slopeX, weighted(four, group + NODE_WEIGHTS), flat.pixel)))
  if (v128.all_true<i32>(f32x4.ge(stone, splat(1)))) start(flat, ROW_STONE)
  else {
    paintLiquid(flat, group, marks)
    const shade = power(f32x4.mul(f32x4.pmax(splat(0), wall), splat(flat.perShade)))
    multiply(four, f32x4.sub(splat(1), f32x4.mul(splat(0.26), shade)))
    if (!v128.any_true(f32x4.gt(stone, splat(0)))) return
  }
  const edgeward = f32x4.mul(splat(0.85), power(f32x4.mul(f32x4.mul(wall, wall), splat(flat.perStone))))
  const red = mix(colour(flat, ROW_STONE, 0), colour(flat, STONE_EDGE, 0), edgeward)
  const green = mix(colour(flat, ROW_STONE, 1), colour(flat, STONE_EDGE, 1), edgeward)
  blendTo(four, red, green, mix(colour(flat, ROW_STONE, 2), colour(flat, STONE_EDGE, 2), edgeward), stone)
}

/** Air, liquid, and the surface between them. */
@inline
function paintLiquid(flat: Flat, group: usize, marks: i32): void {
  if (!(marks & LIQUID)) return start(flat, ROW_AIR)
  if (!(marks & MARK_AIR)) return paintWater(flat, group, marks)
  const four = flat.four
  gather(four, flat.rowLiquid, group + CELL_POINTS)
  const phi = weighted(four, group + CELL_WEIGHTS)
  const slopeX = weighted(four, group + CELL_WEIGHTS + 64)
  gather(four, flat.rowLiquid + flat.rowBytes, group + CELL_POINTS)
  const surface = inPixels(phi, slopeX, weighted(four, group + CELL_WEIGHTS), flat.pixel)
  if (!v128.any_true(f32x4.lt(surface, splat(LINE)))) return start(flat, ROW_AIR)
  paintWater(flat, group, marks)
  if (!v128.any_true(f32x4.gt(surface, splat(-LINE)))) return
  blend(flat, ROW_AIR, clamp(f32x4.add(splat(0.5), surface)))
  blend(flat, OUTLINE, f32x4.mul(splat(0.7), clamp(f32x4.sub(splat(LINE), f32x4.abs(surface)))))
}

/** The deeper the darker, and near the surface rounded. */
function paintWater(flat: Flat, group: usize, marks: i32): void {
  const four = flat.four
  gather(four, flat.rowDepth, group + CELL_POINTS)
  const inside = f32x4.pmax(splat(0), f32x4.neg(weighted(four, group + CELL_WEIGHTS)))
  const light = power(f32x4.mul(inside, splat(flat.perDepth)))
  v128.store(four, f32x4.add(colour(flat, ROW_WATER, 0), f32x4.mul(colour(flat, WATER_SPAN, 0), light)), RED)
  v128.store(four, f32x4.add(colour(flat, ROW_WATER, 1), f32x4.mul(colour(flat, WATER_SPAN, 1), light)), GREEN)
  v128.store(four, f32x4.add(colour(flat, ROW_WATER, 2), f32x4.mul(colour(flat, WATER_SPAN, 2), light)), BLUE)
  if (!(marks & (MARK_AIR | MARK_SHALLOW))) return
  const widths = f32x4.mul(inside, splat(flat.perEdge))
  if (!v128.any_true(f32x4.lt(widths, splat(EDGE_WIDTHS)))) return
  // The border as a rounded edge that is lit from above to the left.
  const slopeX = weighted(four, group + CELL_WEIGHTS + 64)
  gather(four, flat.rowDepth + flat.rowBytes, group + CELL_POINTS)
  const slopeY = weighted(four, group + CELL_WEIGHTS)
  const steep = f32x4.sqrt(f32x4.add(f32x4.mul(slopeX, slopeX), f32x4.mul(slopeY, slopeY)))
  const lightward = f32x4.add(f32x4.mul(slopeX, splat(LIGHT_X)), f32x4.mul(slopeY, splat(LIGHT_Y)))
  const lit = f32x4.div(lightward, f32x4.pmax(steep, splat(0.5)))
  const edgeward = power(f32x4.neg(f32x4.mul(widths, widths)))
  blend(flat, GLEAM, f32x4.mul(f32x4.mul(splat(0.62), edgeward), smooth(lit)))
  blend(flat, DUSK, f32x4.mul(f32x4.mul(splat(0.4), edgeward), smooth(f32x4.neg(lit))))
  const aside = f32x4.sub(widths, splat(2.1))
  const streak = f32x4.mul(splat(0.16), power(f32x4.mul(splat(-4), f32x4.mul(aside, aside))))
  blend(flat, GLEAM, f32x4.mul(streak, smooth(f32x4.mul(f32x4.sub(lit, splat(0.35)), splat(1 / 0.65)))))
}

function paintBall(flat: Flat, group: usize, y: f32): void {
  const fromX = f32x4.sub(v128.load(group, PLACE), splat(flat.ballX))
  const fromY = splat(y - flat.ballY)
  const away = f32x4.sub(f32x4.sqrt(f32x4.add(f32x4.mul(fromX, fromX), f32x4.mul(fromY, fromY))), splat(flat.ballRadius))
  const share = clamp(f32x4.sub(splat(0.5), f32x4.mul(away, splat(flat.perPixel))))
  const lightward = f32x4.add(f32x4.mul(fromX, splat(BALL_LIGHT_X)), f32x4.mul(fromY, splat(BALL_LIGHT_Y)))
  const shade = f32x4.add(splat(0.75), f32x4.mul(lightward, splat(<f32>0.35 / flat.ballRadius)))
  const lit = f32x4.pmin(f32x4.pmax(splat(0), shade), splat(1.1))
  const red = f32x4.mul(colour(flat, BALL_COLOUR, 0), lit)
  const green = f32x4.mul(colour(flat, BALL_COLOUR, 1), lit)
  blendTo(flat.four, red, green, f32x4.mul(colour(flat, BALL_COLOUR, 2), lit), share)
}

/** Along the sides of the domain, and what is beside it. */
function paintRim(flat: Flat, group: usize, beyond: f32): void {
  const outside = f32x4.mul(f32x4.pmax(v128.load(group, COLUMN_BEYOND), splat(beyond)), splat(flat.perPixel))
  blend(flat, MARGIN, clamp(f32x4.add(outside, splat(0.5))))
  blend(flat, DOMAIN_EDGE, f32x4.mul(splat(0.8), clamp(f32x4.sub(splat(RIM_PIXELS), f32x4.abs(outside)))))
}

/** Adding 2²³ rounds to a whole number, which is in the lowest bits of the sum then. */
@inline
function byteOf(part: v128): v128 {
  return v128.and(f32x4.add(f32x4.mul(clamp(part), splat(255)), splat(8388608)), i32x4.splat(255))
}

@inline
function packed(red: v128, green: v128, blue: v128): v128 {
  const low = v128.or(byteOf(red), i32x4.shl(byteOf(green), 8))
  return v128.or(v128.or(low, i32x4.splat(255 << 24)), i32x4.shl(byteOf(blue), 16))
}
