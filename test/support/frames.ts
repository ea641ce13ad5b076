/** Frames made by hand: from functions of position, or a ball of liquid over a floor with random particles and fields. */
import { type ScalarFunction, sampleCells, sampleNodes } from '../../src/grid/field.js'
import { AXES, createGrid, faceShape, type Grid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'
import { random } from '../../src/random.js'

export const NOWHERE: ScalarFunction = () => 1e3
export const EVERYWHERE: ScalarFunction = () => -1e3

export function frameOf(grid: Grid, liquid: ScalarFunction, solid: ScalarFunction = NOWHERE): Frame {
  return {
    grid,
    index: 0,
    time: 0,
    liquid: Float32Array.from(sampleCells(grid, liquid)),
    solid: Float32Array.from(sampleNodes(grid, solid)),
  }
}

export interface FrameOptions {
  readonly shape?: readonly number[]
  readonly spacing?: number
  readonly index?: number
  readonly particles?: number
  readonly fields?: boolean
}

export function createFrame({
  shape = [6, 5, 4],
  spacing = 0.1,
  index = 1,
  particles = 17,
  fields = true,
}: FrameOptions = {}): Frame {
  const grid = createGrid(shape, spacing)
  const [cx, cy, cz] = grid.shape.map((side, axis) => (axis < grid.dims ? (side * spacing) / 2 : 0))
  const radius = (Math.min(...shape) * spacing) / 3
  const values = (length: number, what: number) => Float32Array.from({ length }, (_, at) => 2 * random(what, index, at) - 1)
  return {
    grid,
    index,
    time: index / 24,
    liquid: Float32Array.from(sampleCells(grid, (x, y, z) => Math.hypot(x - cx, y - cy, z - cz) - radius)),
    solid: Float32Array.from(sampleNodes(grid, (_, y) => y - spacing / 3)),
    ...(particles > 0 && { particles: { position: values(3 * particles, 1), velocity: values(3 * particles, 2) } }),
    ...(fields && {
      fields: {
        pressure: values(grid.cells, 3),
        kind: Uint8Array.from({ length: grid.cells }, (_, cell) => cell % 3),
        velocity: [0, 1, 2].map(axis =>
          values(
            faceShape(grid, AXES[axis]).reduce((a, b) => a * b),
            4 + axis,
          ),
        ) as unknown as [Float32Array, Float32Array, Float32Array],
      },
    }),
  }
}
