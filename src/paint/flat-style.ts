/** How wide the soft edges of flat pictures are, and their colours. */
import type { Grid } from '../grid/grid.js'
import { type Palette, screenColour } from './palette.js'
import type { Vector } from './vector.js'

/** Cells over which the border of liquid looks rounded. */
export const edgeWidth = ({ shape: [nx, ny] }: Grid): number => Math.max(0.012 * Math.max(nx, ny), 0.7)

/** Cells before a wall over which liquid and air get lighter. */
export const wallShade = ({ shape: [nx] }: Grid): number => Math.max(0.008 * nx, 0.5)

/** As screens are given them, 0 to 1. Pairs are below and above. */
export interface FlatColours {
  readonly air: readonly [Vector, Vector]
  readonly stone: readonly [Vector, Vector]
  readonly stoneEdge: Vector
  readonly shallow: Vector
  readonly deep: Vector
  readonly outline: Vector
  readonly gleam: Vector
  /** Along the sides of the domain. */
  readonly edge: Vector
  /** Beside the domain. */
  readonly margin: Vector
  readonly ball: Vector
}

const BALL_COLOUR: Vector = [0.98, 0.48, 0.22]

export function flatColours({ air, stone, stoneEdge, shallow, deep, outline, gleam, edge }: Palette): FlatColours {
  return {
    air: [screenColour(air[0]), screenColour(air[1])],
    stone: [screenColour(stone[0]), screenColour(stone[1])],
    stoneEdge: screenColour(stoneEdge),
    shallow: screenColour(shallow),
    deep: screenColour(deep),
    outline: screenColour(outline),
    gleam: screenColour(gleam),
    edge: screenColour(edge),
    margin: screenColour(air[0]),
    ball: BALL_COLOUR,
  }
}
