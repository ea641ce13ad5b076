/** The light of a studio around liquid, from the colours of a palette. */
import { lightOf, type Palette, screenColour } from './palette.js'
import { MIRRORED_WAY, SURFACE_WAY, TO_LAMP_X, TO_LAMP_Y, TO_LAMP_Z } from './rendering-constants.js'
import { scale, type Vector } from './vector.js'

/** To the middle of the large lamp; of length 1. */
export const TO_SUN: Vector = [TO_LAMP_X, TO_LAMP_Y, TO_LAMP_Z]

/** Linear light, except `edge`. */
export interface SpaceColours {
  readonly horizon: Vector
  readonly zenith: Vector
  readonly mirrored: Vector
  readonly lamp: Vector
  readonly scattered: Vector
  readonly ground: Vector
  readonly groundLine: Vector
  readonly solid: Vector
  readonly solidRim: Vector
  /** As screens are given it, 0 to 255. */
  readonly edge: Vector
  /** What the surface of liquid lets through, and what is left of light that its far surface mirrors. */
  readonly surface: Vector
  readonly mirroredBack: Vector
  /** Absorbed per cell, as powers of e: of red, green and blue, and of the light that hides what is behind murky liquid. */
  readonly absorbed: readonly [number, number, number, number]
}

/** Share of the domain that liquid may be thick and still look thin: light is followed through both of its surfaces then. */
const THIN_SHARE = 0.16
/** Drops of a few cells are thin in any grid. */
const MIN_THIN = 2.5

/** Cells across the domain, were it as wide as high. */
const cellsAcross = ([nx, ny, nz]: Vector) => Math.cbrt(nx * ny * nz)

export function thinCells(shape: Vector): number {
  return Math.max(THIN_SHARE * cellsAcross(shape), MIN_THIN)
}

export function spaceColours(palette: Palette, shape: Vector): SpaceColours {
  const across = cellsAcross(shape)
  const [red, green, blue] = palette.absorbed
  return {
    horizon: lightOf(palette.horizon),
    zenith: lightOf(palette.zenith),
    mirrored: lightOf(palette.mirrored),
    lamp: [palette.lamp, palette.lamp, palette.lamp],
    scattered: lightOf(palette.scattered),
    ground: lightOf(palette.ground),
    groundLine: lightOf(palette.groundLine),
    solid: lightOf(palette.solid),
    solidRim: lightOf(palette.solidRim),
    edge: scale(screenColour(palette.edge), 255),
    surface: leftAfter(palette.absorbed, SURFACE_WAY),
    mirroredBack: leftAfter(palette.absorbed, MIRRORED_WAY),
    absorbed: [red / across, green / across, blue / across, palette.murk / across],
  }
}

const leftAfter = ([red, green, blue]: Vector, way: number): Vector => [
  Math.exp(-red * way),
  Math.exp(-green * way),
  Math.exp(-blue * way),
]
