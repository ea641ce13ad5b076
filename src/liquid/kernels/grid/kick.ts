/** Predicts the pressure of the half step after a solve, bit for bit as plain/grid/kick.ts, which explains it. */
import { MAX_GROWTH, RINGING_DEPTH, RINGING_FILTER } from '../../shared-constants'
import { DRY } from '../../../pressure/cell-kinds'
import { jobOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { byteAt, CELLS, current, endRow, f32At, f64At, firstRow, LiquidJob } from './rows'

@unmanaged
export class PredictJob extends LiquidJob {
  /** Pa. */
  allowance: f64
  /** Displacement in cells at 1 m/s since the last solve. */
  scale: f64
  /** Time since the last solve, over the time between that and the one before. */
  ratio: f64
  /** The same of the time before. */
  earlierRatio: f64
}

/** Writes `kickPressure`, and the pressure to `earliestPressure`, which is `lastPressure` from then on. */
@piece
export function predictPiece(piece: i32): void {
  const liquid = jobOf<PredictJob>().liquid
  const nx = liquid.nx
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const first = row * nx
    for (let i = 0; i < nx; ) {
      if (i + 4 <= nx && load<u32>(liquid.kind + <usize>(first + i)) == 0) {
        clearFour(liquid, first + i)
        i += 4
        continue
      }
      const cell = first + i
      if (byteAt(liquid.kind, cell) == DRY) {
        store<f64>(liquid.kickPressure + ((<usize>cell) << 3), 0)
        store<f32>(liquid.earliestPressure + ((<usize>cell) << 2), 0)
      } else predictCell(liquid, cell, i, row)
      i++
    }
  }
}

@inline
function clearFour(liquid: Liquid, cell: i32): void {
  const zero = v128.splat<i32>(0)
  v128.store(liquid.kickPressure + ((<usize>cell) << 3), zero)
  v128.store(liquid.kickPressure + ((<usize>cell) << 3), zero, 16)
  v128.store(liquid.earliestPressure + ((<usize>cell) << 2), zero)
}

function predictCell(liquid: Liquid, cell: i32, i: i32, row: i32): void {
  const job = jobOf<PredictJob>()
  const pressure = f64At(liquid.pressure, cell)
  const last = <f64>f32At(liquid.lastPressure, cell)
  const earlier = <f64>f32At(liquid.earlierPressure, cell)
  const earliest = <f64>f32At(liquid.earliestPressure, cell)
  const before = f64At(liquid.kickPressure, cell)
  let kick = pressure
  if (last != 0 && earlier != 0 && earliest != 0) {
    const changeBefore = job.ratio * (last - earlier)
    const changeEarlier = job.ratio * job.earlierRatio * (earlier - earliest)
    const ringing = RINGING_FILTER * (2 * (pressure - last) - 3 * changeBefore + changeEarlier)
    const deep = abs(pressure) / (RINGING_DEPTH * job.allowance)
    const most = abs(pressure) / MAX_GROWTH
    kick = pressure - max(-most, min(most, deep < 1 ? deep * ringing : ringing))
  }
  if (abs(kick) > MAX_GROWTH * abs(before) + job.allowance) {
    const usual = MAX_GROWTH * <f64>largestBefore(liquid, cell, i, row) + job.allowance
    if (abs(kick) > usual) {
      const mean = 0.5 * (pressure + before)
      const lasting = job.earlierRatio == 0 ? abs(last) : min(abs(last), min(abs(earlier), abs(earliest)))
      const most = max(usual, lasting / MAX_GROWTH)
      kick = abs(mean) > most ? (mean > 0 ? most : -most) : mean
    }
  }
  const adhesion = f64At(liquid.adhesion, cell)
  if (adhesion > 0 && kick < -adhesion) kick = -adhesion
  store<f64>(liquid.kickPressure + ((<usize>cell) << 3), <f64>(<f32>kick))
  store<f32>(liquid.earliestPressure + ((<usize>cell) << 2), <f32>pressure)
}

/** In a box from where the content of a cell was at the last kick to the cells around this one. */
function largestBefore(liquid: Liquid, cell: i32, i: i32, row: i32): f32 {
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
  const fromX = floor(<f64>i - scale * u)
  const fromY = floor(<f64>j - scale * v)
  const fromZ = floor(<f64>k - scale * w)
  const lastX = lastOf(i, fromX, nx)
  const lastY = lastOf(j, fromY, ny)
  const lastZ = lastOf(k, fromZ, liquid.nz)
  let largest: f32 = 0
  for (let c = firstOf(k, fromZ); c <= lastZ; c++)
    for (let b = firstOf(j, fromY); b <= lastY; b++)
      for (let a = firstOf(i, fromX); a <= lastX; a++)
        largest = max<f32>(largest, f32At(liquid.displacementX, a + nx * (b + ny * c)))
  return largest
}

/** NaN, which is no place in memory, counts as this cell. */
@inline
function firstOf(index: i32, from: f64): i32 {
  const first = <f64>(index - 1)
  return <i32>max<f64>(0, from < first ? from : first)
}

@inline
function lastOf(index: i32, from: f64, size: i32): i32 {
  const last = <f64>(index + 1)
  return <i32>min<f64>(<f64>(size - 1), from + 1 > last ? from + 1 : last)
}

/** Copies pressures of the last kick, without their signs, to `displacementX`, because `predictPiece` overwrites them. */
@piece
export function keepKickPiece(piece: i32): void {
  const liquid = current()
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  let cell = firstRow(liquid, CELLS, piece) * liquid.nx
  for (; cell + 2 <= end; cell += 2) {
    const two = f32x4.demote_f64x2_zero(v128.load(liquid.kickPressure + ((<usize>cell) << 3)))
    v128.store64_lane(liquid.displacementX + ((<usize>cell) << 2), f32x4.abs(two), 0)
  }
  if (cell < end) store<f32>(liquid.displacementX + ((<usize>cell) << 2), abs(<f32>f64At(liquid.kickPressure, cell)))
}
