/** Where particles are too many or too few: see plain/particles/excess.ts. */
import { CONTACT } from '../../../pressure/cell-kinds'
import { CENTRE_SOLID, LAYER } from '../../shared-constants'
import { jobOf, setResult, setSum, totalOf } from '../../../machine/kernels/job'
import { run } from '../../../machine/kernels/pool'
import { firstParticle, Liquid } from '../liquid'
import { byteAt, CELLS, endRow, f32At, f64At, firstRow, LiquidJob } from '../grid/rows'

/** Lower bound of the room of a cell and its neighbours, as a share of that without walls. */
const MIN_ROOM: f32 = 0.1
/** A correction halves or doubles what a cell holds at most. */
const MOST: f32 = 1
const LEAST: f32 = -0.5

@unmanaged
class ExcessJob extends LiquidJob {
  /** Particles of a full cell. */
  perCell: f64
  /** Share by which their weighted number deviates by chance. */
  chance: f64
}

/** For sorted particles. Returns Σ excess > 0; result 1: Σ excess < 0, 2 and 3: the same of `doubtful`, 4: Σ open fractions of liquid. */
export function findExcess(liquid: Liquid, perCell: f64, chance: f64): f64 {
  const job = jobOf<ExcessJob>()
  job.liquid = liquid
  job.perCell = perCell
  job.chance = chance
  run(countCellsPiece, liquid.pieceCount)
  run(findExcessPiece, liquid.pieceCount)
  for (let n: usize = 1; n < 5; n++) setResult(n, totalOf(liquid.pieceCount, n))
  return totalOf(liquid.pieceCount, 0)
}

/** Particles of every cell, and 1 in cells beside which liquid has a surface. Stored in displacements, which are free between substeps. */
@piece
export function countCellsPiece(piece: i32): void {
  const liquid = jobOf<ExcessJob>().liquid
  const end = endRow(liquid, CELLS, piece) * liquid.nx
  let next = firstParticle(liquid, firstRow(liquid, CELLS, piece) * liquid.nx)
  for (let cell = firstRow(liquid, CELLS, piece) * liquid.nx; cell < end; cell++) {
    const first = next
    next = firstParticle(liquid, cell + 1)
    const at = (<usize>cell) << 2
    store<f32>(liquid.displacementX + at, <f32>(next - first))
    store<f32>(liquid.displacementY + at, isBesideSurface(liquid, cell) ? 1 : 0)
  }
}

@inline
function isBesideSurface(liquid: Liquid, cell: i32): bool {
  if (f32At(liquid.phi, cell) >= 0 && !(byteAt(liquid.touch, cell) & CENTRE_SOLID)) return true
  return byteAt(liquid.kind, cell) == CONTACT && f64At(liquid.pressure, cell) == 0
}

@piece
export function findExcessPiece(piece: i32): void {
  const liquid = jobOf<ExcessJob>().liquid
  const nx = liquid.nx
  const ny = liquid.ny
  const band = liquid.band > 0 ? <f32>LAYER * (<f32>liquid.band - 1.5) : f32.MAX_VALUE
  let crowded = 0.0
  let sparse = 0.0
  let maybeCrowded = 0.0
  let maybeSparse = 0.0
  let room = 0.0
  const end = endRow(liquid, CELLS, piece)
  for (let row = firstRow(liquid, CELLS, piece); row < end; row++) {
    const cell = row * nx
    memory.fill(liquid.excess + ((<usize>cell) << 2), 0, (<usize>nx) << 2)
    memory.fill(liquid.doubtful + ((<usize>cell) << 2), 0, (<usize>nx) << 2)
    for (let i = 0; i < nx; i++) {
      if (!(f32At(liquid.phi, cell + i) < 0)) continue
      room += <f64>f32At(liquid.openCell, cell + i)
      if (<f32>byteAt(liquid.carried, cell + i) >= band) continue
      storeExcess(liquid, cell + i, i, row % ny, row / ny)
      const beyond = <f64>f32At(liquid.excess, cell + i)
      const maybe = <f64>f32At(liquid.doubtful, cell + i)
      crowded += max(0, beyond)
      sparse += min(0, beyond)
      maybeCrowded += max(0, maybe)
      maybeSparse += min(0, maybe)
    }
  }
  setSum(piece, 0, crowded)
  setSum(piece, 1, sparse)
  setSum(piece, 2, maybeCrowded)
  setSum(piece, 3, maybeSparse)
  setSum(piece, 4, room)
}

@inline
function storeExcess(liquid: Liquid, cell: i32, i: i32, j: i32, k: i32): void {
  const job = jobOf<ExcessJob>()
  const most: f32 = liquid.dims == 3 ? 64 : 32
  const room = max<f32>(sumAround(liquid, liquid.openCell, i, j, k), MIN_ROOM * most)
  const share = sumAround(liquid, liquid.displacementX, i, j, k) / (<f32>job.perCell * room) - 1
  // Only too few particles need to know.
  const isAtSurface = share < 0 && sumAround(liquid, liquid.displacementY, i, j, k) > 0
  const error = min<f32>(MOST, max<f32>(share, isAtSurface ? 0 : LEAST))
  const byChance = <f32>job.chance * sqrt<f32>(most / room)
  const beyond: f32 = error > byChance ? error - byChance : error < -byChance ? error + byChance : 0
  const open = f32At(liquid.openCell, cell)
  store<f32>(liquid.excess + ((<usize>cell) << 2), beyond * open)
  store<f32>(liquid.doubtful + ((<usize>cell) << 2), (error - beyond) * open)
}

/** Σ over a cell and its neighbours within the grid, weighted 1 2 1 along every axis. */
function sumAround(liquid: Liquid, values: usize, i: i32, j: i32, k: i32): f32 {
  const nx = liquid.nx
  const ny = liquid.ny
  let sum: f32 = 0
  for (let c = max(0, k - 1); c <= min(liquid.nz - 1, k + 1); c++) {
    for (let b = max(0, j - 1); b <= min(ny - 1, j + 1); b++) {
      const at = values + ((<usize>(i + nx * (b + ny * c))) << 2)
      const beside: f32 = (i > 0 ? load<f32>(at - 4) : 0) + (i < nx - 1 ? load<f32>(at, 4) : 0)
      const weight: f32 = (c == k ? <f32>2 : <f32>1) * (b == j ? <f32>2 : <f32>1)
      sum += weight * (beside + 2 * load<f32>(at))
    }
  }
  return sum
}
