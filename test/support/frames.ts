/** Frames from functions of position, for tests of what is drawn and measured. */
import { type ScalarFunction, sampleCells, sampleNodes } from '../../src/grid/field.js'
import type { Grid } from '../../src/grid/grid.js'
import type { Frame } from '../../src/liquid/frame.js'

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
