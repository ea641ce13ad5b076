/** Subtracts the pressure gradient, bit for bit as src/pressure/project.ts, and marks the faces whose velocity is known afterwards. */
import { NO_VELOCITY, SLIVER } from '../../shared-constants'
import { DRY, OPEN_SIDE_FRACTION } from '../../../pressure/cell-kinds'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { distanceFactor, liquidFraction } from './liquid-fraction'
import { areOpen, areWide } from './face-marks'
import { byAxis, byteAt, cellStep, current, endRow, f32At, f64At, firstRow, LiquidJob, planeRows, rowLength } from './rows'

@unmanaged
export class ProjectJob extends LiquidJob {
  /** Change of velocity per pascal of difference between neighbouring cells, m/s. */
  scale: f64
  /** f64 per cell. */
  pressure: usize
}

@piece
export function projectPiece(piece: i32): void {
  const liquid = current()
  for (let axis = 0; axis < 3; axis++) {
    const rows = planeRows(liquid, axis)
    const size = axis == 1 ? liquid.ny : liquid.nz
    const stride = cellStep(liquid, axis)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      const j = row % rows
      const k = row / rows
      const face = row * rowLength(liquid, axis)
      // The cell above the first face of the row.
      const cell = liquid.nx * (j + liquid.ny * k)
      if (axis == 0) {
        projectBorder(liquid, 0, face, cell, 1, false)
        projectRow(liquid, 0, face + 1, cell + 1, 1, liquid.nx - 1)
        projectBorder(liquid, 0, face + liquid.nx, cell + liquid.nx - 1, 1, true)
        continue
      }
      const position = axis == 1 ? j : k
      if (position == 0) projectBorder(liquid, axis, face, cell, liquid.nx, false)
      else if (position == size) projectBorder(liquid, axis, face, cell - stride, liquid.nx, true)
      else projectRow(liquid, axis, face, cell, stride, liquid.nx)
    }
  }
}

/** Faces on a side of the grid; `cell` is the first cell inside, which is below the face if `upper`. */
function projectBorder(liquid: Liquid, axis: i32, face: i32, cell: i32, count: i32, upper: bool): void {
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz)
  const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const scale = jobOf<ProjectJob>().scale
  for (let n = 0; n < count; n++) {
    const isFlow = f32At(open, face + n) > 0 && byteAt(liquid.kind, cell + n) != DRY
    store<u8>(layer + <usize>(face + n), isFlow && f32At(open, face + n) > <f32>SLIVER ? 0 : NO_VELOCITY)
    if (!isFlow) continue
    const p = load<f64>(jobOf<ProjectJob>().pressure + ((<usize>(cell + n)) << 3))
    const at = u + ((<usize>(face + n)) << 3)
    store<f64>(at, load<f64>(at) - (scale * (upper ? 0 - p : p)) / (OPEN_SIDE_FRACTION * distanceFactor(liquid, cell + n)))
  }
}

/** Faces between the cells of a row and the cells `stride` below them. */
function projectRow(liquid: Liquid, axis: i32, face: i32, cell: i32, stride: i32, count: i32): void {
  const u = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>face) << 3)
  const open = byAxis(axis, liquid.openX, liquid.openY, liquid.openZ) + ((<usize>face) << 2)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>face
  const kind = liquid.kind + <usize>cell
  const kindBelow = kind - <usize>stride
  const p = jobOf<ProjectJob>().pressure + ((<usize>cell) << 3)
  const pBelow = p - ((<usize>stride) << 3)
  const scale = jobOf<ProjectJob>().scale
  let n = 0
  while (n < count) {
    const stop = min(count, n + 16)
    if (stop == n + 16) {
      const above = v128.ne<u8>(v128.load(kind + <usize>n), v128.splat<u8>(<u8>DRY))
      const below = v128.ne<u8>(v128.load(kindBelow + <usize>n), v128.splat<u8>(<u8>DRY))
      const either = v128.or(above, below)
      if (!v128.any_true(either)) {
        v128.store(layer + <usize>n, v128.splat<u8>(<u8>NO_VELOCITY))
        n = stop
        continue
      }
      const isFlow = v128.and(either, areOpen(open + ((<usize>n) << 2)))
      v128.store(layer + <usize>n, v128.not(v128.and(isFlow, areWide(open + ((<usize>n) << 2)))))
      const between = v128.bitmask<i8>(v128.and(isFlow, v128.and(above, below)))
      if (between == 0xffff) subtractDifferences(u + ((<usize>n) << 3), p + ((<usize>n) << 3), pBelow + ((<usize>n) << 3), scale)
      else {
        for (let lanes = between; lanes != 0; lanes &= lanes - 1) {
          const at = (<usize>(n + ctz(lanes))) << 3
          store<f64>(u + at, load<f64>(u + at) - scale * (load<f64>(p + at) - load<f64>(pBelow + at)))
        }
        const isAbove = v128.bitmask<i8>(above)
        for (let lanes = v128.bitmask<i8>(isFlow) & ~between; lanes != 0; lanes &= lanes - 1) {
          const lane = ctz(lanes)
          projectSurface(liquid, u + ((<usize>(n + lane)) << 3), cell + n + lane, stride, ((isAbove >> lane) & 1) != 0)
        }
      }
      n = stop
      continue
    }
    for (; n < stop; n++) {
      const above = byteAt(kind, n) != DRY
      const below = byteAt(kindBelow, n) != DRY
      const isFlow = f32At(open, n) > 0 && (above || below)
      store<u8>(layer + <usize>n, isFlow && f32At(open, n) > <f32>SLIVER ? 0 : NO_VELOCITY)
      if (!isFlow) continue
      const at = (<usize>n) << 3
      if (above && below) store<f64>(u + at, load<f64>(u + at) - scale * (load<f64>(p + at) - load<f64>(pBelow + at)))
      else projectSurface(liquid, u + at, cell + n, stride, above)
    }
  }
}

/** A face at `u` between the cells `cell` and `stride` below it, one of which is air: the lower one if `above`. */
function projectSurface(liquid: Liquid, u: usize, cell: i32, stride: i32, above: bool): void {
  const wet = above ? cell : cell - stride
  const dry = above ? cell - stride : cell
  const fraction = liquidFraction(f32At(liquid.phi, wet), f32At(liquid.phi, dry)) * distanceFactor(liquid, wet)
  const p = f64At(jobOf<ProjectJob>().pressure, wet)
  store<f64>(u, load<f64>(u) - (jobOf<ProjectJob>().scale * (above ? p : 0 - p)) / fraction)
}

/** Sixteen faces between unknowns. */
@inline
function subtractDifferences(u: usize, p: usize, pBelow: usize, scale: f64): void {
  const factor = v128.splat<f64>(scale)
  for (let at: usize = 0; at < 128; at += 16) {
    const change = v128.mul<f64>(factor, v128.sub<f64>(v128.load(p + at), v128.load(pBelow + at)))
    v128.store(u + at, v128.sub<f64>(v128.load(u + at), change))
  }
}
