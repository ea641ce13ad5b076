/** What the host calls to paint 2D frames. */
import { createLayout, Flat } from './flat'
import { GROUP } from './columns'
import { findDepth } from './depth'
import { takeLevels } from './levels'
import { markCells } from './marks'
import { paintRows } from './rows'

/** Cells around liquid that its rounded border is seen from: a cell to its surface, two for cubics and two for smoothing. */
const BORDER: i32 = 5

export function createFlat(nx: i32, ny: i32, width: i32, height: i32): usize {
  return changetype<usize>(createLayout(nx, ny, width, height, GROUP))
}

/** The host has filled in the level sets of a frame. */
export function takeFlat(at: usize): void {
  takeLevels(changetype<Flat>(at))
}

export function paintFlat(at: usize): void {
  const flat = changetype<Flat>(at)
  // Larger pixels have more to do with their neighbours.
  const most = max(flat.nx, flat.ny)
  const pixel = flat.pixel < <f32>most ? flat.pixel : <f32>most
  const reach = BORDER + <i32>ceil<f32>(2 * pixel)
  if (reach != flat.reach) {
    flat.reach = reach
    findDepth(flat, reach)
  }
  if (pixel != flat.sight) {
    flat.sight = pixel
    markCells(flat, pixel)
  }
  paintRows(flat)
}
