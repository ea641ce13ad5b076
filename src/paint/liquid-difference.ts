/** How much two runs of the same scene differ. */
import type { Frame } from '../liquid/frame.js'

/** Cells' worth of liquid that is in one frame and not in the other; a cell counts by the part of it that is liquid. */
export function liquidDifference(a: Frame, b: Frame): number {
  let sum = 0
  for (let cell = 0; cell < a.liquid.length; cell++) sum += Math.abs(filled(a, cell) - filled(b, cell))
  return sum
}

function filled({ grid, liquid }: Frame, cell: number): number {
  return Math.min(Math.max(0.5 - liquid[cell] / grid.spacing, 0), 1)
}
