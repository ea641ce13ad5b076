/** Predicts the pressure of the half step after a solve, bit for bit as plain/grid/kick.ts, which explains it. */
import { MAX_GROWTH, RINGING_FILTER } from '../../shared-constants'
import { DRY } from '../../../pressure/cell-kinds'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { byteAt, CELLS, endRow, f32At, f64At, firstRow, LiquidJob } from './rows'
import { mix } from './velocity'

@unmanaged
export class PredictJob extends LiquidJob {
  /** Pa. */
  allowance: f64
  /** Displacement in cells at 1 m/s since the last solve. */
  scale: f64
  /** Time since the last solve, over the time between that and the one before. */
  ratio: f64
}

/** Writes `kickPressure`, and the pressure to `earlierPressure`, which is `lastPressure` from then on. */
@piece
export function predictPiece(piece: i32): void {
  const liquid = jobOf<PredictJob>().liquid
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const first = row * nx
    for (let i = 0; i < nx; ) {
      if (i + 16 <= nx && !v128.any_true(v128.load(liquid.kind + <usize>(first + i)))) {
        clearCells(liquid, first + i, 16)
        i += 16
        continue
      }
      const cell = first + i
      if (byteAt(liquid.kind, cell) == DRY) clearCells(liquid, cell, 1)
      else predictCell(liquid, cell, i, row)
      i++
    }
  }
}

@inline
function clearCells(liquid: Liquid, cell: i32, count: usize): void {
  memory.fill(liquid.kickPressure + ((<usize>cell) << 3), 0, count << 3)
  memory.fill(liquid.earlierPressure + ((<usize>cell) << 2), 0, count << 2)
}

function predictCell(liquid: Liquid, cell: i32, i: i32, row: i32): void {
  const job = jobOf<PredictJob>()
  const pressure = f64At(liquid.pressure, cell)
  const last = <f64>f32At(liquid.lastPressure, cell)
  const earlier = <f64>f32At(liquid.earlierPressure, cell)
  let kick = pressure
  if (last != 0 && earlier != 0) {
    const filtered = pressure - RINGING_FILTER * (pressure - last - job.ratio * (last - earlier))
    kick = filtered * pressure > 0 ? filtered : 0
  }
  let most = MAX_GROWTH * max(abs(last), abs(f64At(liquid.kickPressure, cell))) + job.allowance
  if (abs(kick) > most) {
    most = max(most, MAX_GROWTH * abs(<f64>carriedPressure(liquid, cell, i, row)) + job.allowance)
    if (abs(kick) > most) kick = kick > 0 ? most : -most
  }
  store<f64>(liquid.kickPressure + ((<usize>cell) << 3), <f64>(<f32>kick))
  store<f32>(liquid.earlierPressure + ((<usize>cell) << 2), <f32>pressure)
}

/** `lastPressure` where the content of the cell was then. */
function carriedPressure(liquid: Liquid, cell: i32, i: i32, row: i32): f32 {
  const scale = jobOf<PredictJob>().scale
  const nx = liquid.nx
  const ny = liquid.ny
  const j = row % ny
  const k = row / ny
  const x = cell + row
  const y = cell + nx * k
  const u = 0.5 * (f64At(liquid.ux, x) + f64At(liquid.ux, x + 1))
  const v = 0.5 * (f64At(liquid.uy, y) + f64At(liquid.uy, y + nx))
  const w = liquid.dims == 2 ? 0 : 0.5 * (f64At(liquid.uz, cell) + f64At(liquid.uz, cell + nx * ny))
  const px = placeOf(<f32>(<f64>i - scale * u), nx)
  const py = placeOf(<f32>(<f64>j - scale * v), ny)
  const pz = placeOf(<f32>(<f64>k - scale * w), liquid.nz)
  const lowerX = lowerOf(px, nx)
  const lowerY = lowerOf(py, ny)
  const lowerZ = lowerOf(pz, liquid.nz)
  const at = <i32>lowerX + nx * (<i32>lowerY + ny * <i32>lowerZ)
  const stride = ny > 1 ? (<usize>nx) << 2 : 0
  const plane = liquid.nz > 1 ? (<usize>(nx * ny)) << 2 : 0
  return mix(liquid.lastPressure + ((<usize>at) << 2), stride, plane, px - lowerX, py - lowerY, pz - lowerZ)
}

/** From the centre of the first cell to that of the last; 0 for NaN, which is no place in memory. */
@inline
function placeOf(coordinate: f32, cells: i32): f32 {
  return coordinate > 0 ? min<f32>(coordinate, <f32>(cells - 1)) : 0
}

@inline
function lowerOf(coordinate: f32, cells: i32): f32 {
  return floor(min<f32>(coordinate, <f32>max(0, cells - 2)))
}
