/** What the host calls to draw pictures. */
import { setPointer } from './jobs'
import { run } from './pool'
import { DRAW_LIGHT, DRAW_PIXELS } from './ray-pieces'
import { gatherLight } from './ray-pictures'
import { create, LIGHT, pieces, View } from './ray-view'

export function createRayView(nx: i32, ny: i32, nz: i32, width: i32, height: i32, keepSurface: i32): usize {
  return changetype<usize>(create(nx, ny, nz, width, height, keepSurface))
}

export function drawRays(at: usize): void {
  setPointer(0, at)
  run(DRAW_LIGHT, LIGHT)
  const view = changetype<View>(at)
  gatherLight(view)
  run(DRAW_PIXELS, pieces(view))
}
