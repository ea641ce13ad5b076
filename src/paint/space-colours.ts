/** The light of a studio around liquid, from the colours of a palette. */
import { ABSORBED, lightOf, type Palette, screenColour } from './palette.js'
import { scale, type Vector } from './vector.js'

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
  /** Absorbed per cell, as powers of e: of red, green and blue, and of the light that hides what is behind murky liquid. */
  readonly absorbed: readonly [number, number, number, number]
}

/** Liquid scatters where it absorbs: this much of what green light loses. */
const SCATTERED = 1.3 * ABSORBED[1]

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
  const [red, green, blue] = ABSORBED
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
    absorbed: [red / across, green / across, blue / across, SCATTERED / across],
  }
}
