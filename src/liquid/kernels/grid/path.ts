/** The velocity of paths, bit for bit as plain/grid/path.ts, which explains it. Four faces in a row at a time. */
import { NO_VELOCITY } from '../../shared-constants'
import { DRY } from '../../../pressure/cell-kinds'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { counting } from './interpolate-four'
import { byAxis, byteAt, cellStep, endRow, f32At, f64At, firstRow, LiquidJob, planeRows, rowLength } from './rows'
import { atX, atY, atZ, locate, mixX, mixY, mixZ, Places, placesOf } from './velocity'

@unmanaged
export class PathJob extends LiquidJob {
  /** Displacement in cells at 1 m/s in half a substep. */
  scale: f32
  /** Pa. */
  allowance: f64
}

/** Reads `beforeX` …, the velocity after the kick, and writes `ux` … where it is known or extrapolated. */
@piece
export function pathPiece(piece: i32): void {
  const liquid = jobOf<PathJob>().liquid
  const places = changetype<Places>(placesOf(liquid, piece))
  for (let axis = 0; axis < liquid.dims; axis++) {
    const rows = planeRows(liquid, axis)
    const length = rowLength(liquid, axis)
    const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
    const end = endRow(liquid, axis, piece)
    for (let row = firstRow(liquid, axis, piece); row < end; row++) {
      for (let i = 0; i < length; i += 4) {
        const marks = layer + <usize>(row * length + i)
        // In the last group there may be marks of the next row.
        if (load<u32>(marks) == 0xffffffff) continue
        pathOfFour(liquid, places, axis, row * length, i, row % rows, row / rows)
      }
    }
  }
}

@inline
function pathOfFour(liquid: Liquid, places: Places, axis: i32, first: i32, i: i32, j: i32, k: i32): void {
  const x = counting(<f32>i + (axis == 0 ? 0 : 0.5))
  const y = f32x4.splat(<f32>j + (axis == 1 ? 0 : 0.5))
  const z = f32x4.splat(<f32>k + (axis == 2 ? 0 : 0.5))
  const back = f32x4.splat(-jobOf<PathJob>().scale)
  locate(places, liquid, x, y, z)
  // The velocity at the start of the way, not at its end.
  for (let turn = 0; turn < 2; turn++) {
    const u = mixX(liquid, places, liquid.beforeX, true)
    const v = mixY(liquid, places, liquid.beforeY, true)
    const w = mixZ(liquid, places, liquid.beforeZ, true)
    const fromX = f32x4.add(x, f32x4.mul(u, back))
    const fromY = f32x4.add(y, f32x4.mul(v, back))
    locate(places, liquid, fromX, fromY, f32x4.add(z, f32x4.mul(w, back)))
  }
  let there =
    axis == 0
      ? mixX(liquid, places, liquid.beforeX, true)
      : axis == 1
        ? mixY(liquid, places, liquid.beforeY, true)
        : mixZ(liquid, places, liquid.beforeZ, true)
  const count = min(4, rowLength(liquid, axis) - i)
  for (let n = 0; n < count; n++, there = v128.shuffle<i32>(there, there, 1, 2, 3, 0))
    storeOne(liquid, places, axis, first + i + n, i + n, j, k, n, f32x4.extract_lane(there, 0))
}

/** Stores the velocity of one face, of which `there` is the velocity half a substep before it on its path. */
@inline
function storeOne(liquid: Liquid, places: Places, axis: i32, face: i32, i: i32, j: i32, k: i32, lane: i32, there: f32): void {
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ)
  const mark = byteAt(layer, face)
  if (mark == NO_VELOCITY) return
  const at = byAxis(axis, liquid.ux, liquid.uy, liquid.uz) + ((<usize>face) << 3)
  if (mark != 0) {
    // Where nothing is known the face keeps its own velocity.
    if (isReached(liquid, places, axis, lane)) store<f64>(at, <f64>there)
    return
  }
  const start = <f64>f32At(byAxis(axis, liquid.startX, liquid.startY, liquid.startZ), face)
  const share = shareOfFace(liquid, axis, i, j, k)
  store<f64>(at, share == 1 ? <f64>there : start + share * (<f64>there - start))
}

/** Whether velocities are known or extrapolated at two opposite corners of where `locate` has found a lane. */
@inline
function isReached(liquid: Liquid, places: Places, axis: i32, lane: i32): bool {
  const offsets = axis == 0 ? atX(places) : axis == 1 ? atY(places) : atZ(places)
  const row = byAxis(axis, liquid.rowX, liquid.rowY, liquid.rowZ)
  const plane = byAxis(axis, liquid.planeX, liquid.planeY, liquid.planeZ)
  const layer = byAxis(axis, liquid.layerX, liquid.layerY, liquid.layerZ) + <usize>load<i32>(offsets + ((<usize>lane) << 2)) / 4
  const beside = <usize>(rowLength(liquid, axis) > 1)
  return load<u8>(layer) != NO_VELOCITY && load<u8>(layer + beside + (row + plane) / 4) != NO_VELOCITY
}

/** The smaller share of the cells on both sides. */
@inline
function shareOfFace(liquid: Liquid, axis: i32, i: i32, j: i32, k: i32): f64 {
  const position = axis == 0 ? i : axis == 1 ? j : k
  const size = axis == 0 ? liquid.nx : axis == 1 ? liquid.ny : liquid.nz
  const above = i + liquid.nx * (j + liquid.ny * k)
  const upper = position < size ? shareOfCell(liquid, above) : 1
  return position > 0 ? min(upper, shareOfCell(liquid, above - cellStep(liquid, axis))) : upper
}

@inline
function shareOfCell(liquid: Liquid, cell: i32): f64 {
  if (byteAt(liquid.kind, cell) == DRY) return 1
  const kick = abs(f64At(liquid.kickPressure, cell))
  const solved = abs(f64At(liquid.pressure, cell))
  if (kick >= solved) return 1
  const allowance = jobOf<PathJob>().allowance
  return (kick + allowance) / (solved + allowance)
}
