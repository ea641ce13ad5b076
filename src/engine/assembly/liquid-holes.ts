/** Holes that are none: cells in the midst of liquid that chance, or a wall through them, makes look like air. As air they would have no
 *  pressure, and all liquid around would rush in within a substep. Real voids hold no particles and stay. */
import { number } from './jobs'
import { Liquid } from './liquid'
import { CENTRE_SOLID } from './liquid-geometry'
import { firstOf } from './liquid-marks'
import { byteAt, CELLS, current, endRow, f32At, firstRow } from './liquid-rows'

/** Distance that centres of filled holes get. */
const SHALLOW: f32 = -0.25

/** Marks lie in `b`, which is free until the pressure problem is built. */
export function findHolesChunk(chunk: i32): void {
  const liquid = current()
  const nx = liquid.nx
  const ny = liquid.ny
  const end = endRow(liquid, CELLS, chunk)
  for (let row = firstRow(liquid, CELLS, chunk); row < end; row++) {
    const phi = liquid.phi + (<usize>(row * nx) << 2)
    const marks = liquid.b + <usize>(row * nx)
    for (let i = 0; i < nx; i++) {
      // Far from liquid there are no holes in it; far inside neither.
      const value = f32At(phi, i)
      store<u8>(marks + <usize>i, value >= 0 && value < 1 && isHole(liquid, i, row % ny, row / ny) ? 1 : 0)
    }
  }
}

export function fillHolesChunk(chunk: i32): void {
  const liquid = current()
  const nx = liquid.nx
  let cell = firstRow(liquid, CELLS, chunk) * nx
  const end = endRow(liquid, CELLS, chunk) * nx
  for (; cell < end; cell++) {
    if (byteAt(liquid.b, cell)) store<f32>(liquid.phi + (<usize>cell << 2), SHALLOW)
  }
}

/** No open face leads to air; or one at most, if the cell is half full. Cells whose centre is solid need not hold particles. */
function isHole(liquid: Liquid, i: i32, j: i32, k: i32): bool {
  const nx = liquid.nx
  const ny = liquid.ny
  const plane = nx * ny
  const cell = i + nx * (j + ny * k)
  const faceX = cell + j + ny * k
  const faceY = cell + nx * k
  let open = 0
  let air = 0
  if (i > 0 && f32At(liquid.openX, faceX) > 0) {
    open++
    air += isAir(liquid, cell - 1)
  }
  if (i < nx - 1 && f32At(liquid.openX, faceX + 1) > 0) {
    open++
    air += isAir(liquid, cell + 1)
  }
  if (j > 0 && f32At(liquid.openY, faceY) > 0) {
    open++
    air += isAir(liquid, cell - nx)
  }
  if (j < ny - 1 && f32At(liquid.openY, faceY + nx) > 0) {
    open++
    air += isAir(liquid, cell + nx)
  }
  if (k > 0 && f32At(liquid.openZ, cell) > 0) {
    open++
    air += isAir(liquid, cell - plane)
  }
  if (k < liquid.nz - 1 && f32At(liquid.openZ, cell + plane) > 0) {
    open++
    air += isAir(liquid, cell + plane)
  }
  if (open == 0 || air > 1) return false
  const count = firstOf(liquid, cell + 1) - firstOf(liquid, cell)
  if (air == 0) return count > 0 || (byteAt(liquid.touch, cell) & CENTRE_SOLID) != 0
  return open > 2 && count > 0 && <f32>count >= 0.5 * <f32>number(1) * f32At(liquid.openCell, cell)
}

@inline
function isAir(liquid: Liquid, cell: i32): i32 {
  return f32At(liquid.phi, cell) >= 0 ? 1 : 0
}
