/** What the host calls to paint liquid in space. */
import { create, Space } from './space'
import { drawEdges, smoothEdges } from './edges'
import { takeLiquid } from './liquid'
import { paintBackdrop, paintPlainScene, paintScene } from './scene'
import { takeSolids } from './solids'
import { findReaches } from './tiles'
import { findWalls } from './walls'
import { paintWater } from './water'

export function createSpace(nx: i32, ny: i32, nz: i32, width: i32, height: i32, lightWidth: i32, lightHeight: i32): usize {
  return changetype<usize>(create(nx, ny, nz, width, height, lightWidth, lightHeight))
}

/** Reads the frame from the host. Returns whether its solids have changed. */
export function takeSpaceFrame(space: Space): bool {
  const isOther = takeSolids(space)
  takeLiquid(space)
  return isOther
}

/** To be called when camera or colours have changed. */
export function paintSpaceBackdrop(space: Space): void {
  paintBackdrop(space)
}

/** To be called when camera, colours or solids have changed. */
export function findSpaceWalls(space: Space): void {
  findWalls(space)
  paintPlainScene(space)
}

export function paintSpace(space: Space): void {
  paintScene(space)
  if (space.hasLiquid) {
    findReaches(space)
    paintWater(space)
  } else memory.fill(space.depths, 0, (<usize>space.width * <usize>space.height) << 2)
  smoothEdges(space)
  drawEdges(space)
}
