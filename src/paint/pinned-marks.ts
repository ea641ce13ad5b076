/** Marks on pictures of 2D frames: contacts at pressure 0, where liquid touches a wall and is free to leave it. */
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { CONTACT } from '../pressure/problem.js'
import { blend, type Colour } from './colour.js'
import type { FlatCamera } from './view.js'

const PINNED: Colour = [255, 122, 24]
export const PINNED_INK: Colour = [196, 78, 0]
const OPACITY = 0.9
/** Cells, and pixels at least. */
const RADIUS = 0.38
const MIN_RADIUS = 1.5

export function drawPinned(picture: Picture, frame: Frame, { origin, pixel }: FlatCamera): void {
  const { grid, fields, index } = frame
  if (!fields)
    throw new InputError(
      `Frame ${index} does not hold which contacts are pinned; keep fields in the run (output.keep) to mark them.`,
    )
  const radius = Math.max((RADIUS * grid.spacing) / pixel, MIN_RADIUS)
  for (let cell = 0; cell < grid.cells; cell++) {
    if (fields.kind[cell] !== CONTACT || fields.pressure[cell] !== 0) continue
    const x = ((cell % grid.shape[0]) + 0.5) * grid.spacing
    const y = (Math.floor(cell / grid.shape[0]) + 0.5) * grid.spacing
    drawDisc(picture, (x - origin[0]) / pixel, picture.height - (y - origin[1]) / pixel, radius)
  }
}

function drawDisc({ width, height, pixels }: Picture, x: number, y: number, radius: number): void {
  for (let row = Math.max(0, Math.floor(y - radius - 1)); row < Math.min(height, y + radius + 1); row++) {
    for (let column = Math.max(0, Math.floor(x - radius - 1)); column < Math.min(width, x + radius + 1); column++) {
      const covered = Math.min(Math.max(radius - Math.hypot(column + 0.5 - x, row + 0.5 - y) + 0.5, 0), 1)
      if (covered > 0) blend(pixels, 4 * (column + width * row), PINNED, OPACITY * covered)
    }
  }
}
