/** Where p = 0 holds around an unknown, bit for bit as src/pressure/surface-distances.ts. */
import { DRY, MIN_LIQUID_FRACTION, OPEN_SIDE_FRACTION, SMALLEST_RATIO } from '../../../pressure/cell-kinds'
import { Liquid } from '../liquid'
import { byteAt, f32At } from './rows'

/** Position of the surface between a liquid and an air centre, 0 … 1 from the liquid. */
@inline
export function liquidFraction(phiLiquid: f32, phiAir: f32): f64 {
  return max(SMALLEST_RATIO, <f64>phiLiquid / (<f64>phiLiquid - <f64>phiAir))
}

/** Factor by which all distances from an unknown to p = 0 are enlarged, so that the smallest is at least MIN_LIQUID_FRACTION. */
export function distanceFactor(liquid: Liquid, cell: i32): f64 {
  const nx = liquid.nx
  const ny = liquid.ny
  const plane = nx * ny
  const row = cell / nx
  const i = cell - row * nx
  const k = row / ny
  const j = row - k * ny
  let nearest = 1.0
  nearest = nearestAlong(liquid, nearest, cell, 1, liquid.openX, row * (nx + 1) + i, 1, i, nx)
  nearest = nearestAlong(liquid, nearest, cell, nx, liquid.openY, (row + k) * nx + i, nx, j, ny)
  nearest = nearestAlong(liquid, nearest, cell, plane, liquid.openZ, cell, plane, k, liquid.nz)
  return nearest < MIN_LIQUID_FRACTION ? MIN_LIQUID_FRACTION / nearest : 1
}

/** The smaller of `nearest` and the distances across the two faces of a cell along one axis; the cell is at `position` of `size` along it. */
@inline
function nearestAlong(
  liquid: Liquid,
  nearest: f64,
  cell: i32,
  stride: i32,
  open: usize,
  face: i32,
  step: i32,
  position: i32,
  size: i32,
): f64 {
  if (f32At(open, face) != 0) {
    if (position == 0) nearest = min(nearest, OPEN_SIDE_FRACTION)
    else if (byteAt(liquid.kind, cell - stride) == DRY)
      nearest = min(nearest, liquidFraction(f32At(liquid.phi, cell), f32At(liquid.phi, cell - stride)))
  }
  if (f32At(open, face + step) != 0) {
    if (position == size - 1) nearest = min(nearest, OPEN_SIDE_FRACTION)
    else if (byteAt(liquid.kind, cell + stride) == DRY)
      nearest = min(nearest, liquidFraction(f32At(liquid.phi, cell), f32At(liquid.phi, cell + stride)))
  }
  return nearest
}
