/** The surface of a liquid for pictures and meshes, bit for bit as plain/surface/picture/picture.ts, which explains it. */
import { DEPTH_ROUNDS, DISTANCE_PASSES, LEAST_STEP, MAX_SHIFT, PICTURE_LAYERS } from '../../../shared-constants'
import { totalOf } from '../../../../machine/kernels/job'
import { run } from '../../../../machine/kernels/pool'
import { Liquid } from '../../liquid'
import { arrayOf, picture } from './arrays'
import { continuePiece } from './continue'
import { arrivalPiece, markRowsPiece, measureAway, startPiece, widenPiece } from './distances'
import { linksPiece } from './links'
import { AREA_THICK, AREA_THIN, GAINED_THICK, GAINED_THIN, largestPiece, limitPiece, shiftPiece, smoothPiece } from './smooth'

/** Returns f32 of cells, in the pairs. `rounds` of (1, 2, 1)/4 along each axis are one Gaussian. */
export function liquidPicture(liquid: Liquid, rounds: i32): usize {
  const job = picture()
  job.liquid = liquid
  job.links = arrayOf(liquid, 5)
  job.layers = job.links + <usize>liquid.cells
  job.away = job.layers + <usize>liquid.cells
  job.wide = arrayOf(liquid, 0)
  job.weight = arrayOf(liquid, 1)
  const pieces = liquid.pieceCount
  run(linksPiece, pieces)
  findWide(liquid)
  // Array 1 or 2 holds the weights.
  const second = job.weight == arrayOf(liquid, 1) ? arrayOf(liquid, 2) : arrayOf(liquid, 1)
  job.once = smooth(liquid, job.wide, second, arrayOf(liquid, 3), rounds, 2 * rounds)
  const free = job.once == second ? arrayOf(liquid, 3) : second
  job.twice = smooth(liquid, job.once, arrayOf(liquid, 4), free, rounds, rounds)
  job.surface = job.twice == free ? arrayOf(liquid, 4) : free
  run(limitPiece, pieces)
  keepVolume(liquid)
  for (let layer = 1; layer <= PICTURE_LAYERS; layer++) {
    job.layer = layer
    run(continuePiece, pieces)
  }
  return job.surface
}

/** One loop over all cells, along an axis. */
function pass(liquid: Liquid, operation: i32, axis: i32, from: usize, to: usize): void {
  const job = picture()
  job.from = from
  job.to = to
  job.axis = axis
  run(operation, liquid.pieceCount)
}

/** `wide`, and the depth of its liquid in `weight`. */
function findWide(liquid: Liquid): void {
  const job = picture()
  let from = arrayOf(liquid, 2)
  let to = arrayOf(liquid, 3)
  pass(liquid, startPiece, 0, liquid.phi, from)
  for (let n = 0; n < DISTANCE_PASSES; n++) {
    job.settled = <f32>n * <f32>LEAST_STEP
    pass(liquid, arrivalPiece, 0, from, to)
    const last = from
    from = to
    to = last
  }
  pass(liquid, widenPiece, 0, from, to)
  run(markRowsPiece, liquid.pieceCount)
  measureAway(liquid)
  from = to
  to = job.weight
  for (let round = 0; round < DEPTH_ROUNDS; round++) {
    job.farthest = DEPTH_ROUNDS - round
    for (let axis = 0; axis < liquid.dims; axis++) {
      pass(liquid, largestPiece, axis, from, to)
      from = to
      to = from == job.weight ? arrayOf(liquid, 2) : job.weight
    }
  }
  job.weight = from
}

/** Returns `a` or `b`, whichever holds the result. `left`: rounds from the first of these to the last of all. A round reads one row around those
 *  that it makes. */
function smooth(liquid: Liquid, values: usize, a: usize, b: usize, rounds: i32, left: i32): usize {
  let from = values
  let to = a
  for (let round = 0; round < rounds; round++) {
    picture().farthest = left - round
    for (let axis = 0; axis < liquid.dims; axis++) {
      pass(liquid, smoothPiece, axis, from, to)
      from = to
      to = from == a ? b : a
    }
  }
  return from
}

function keepVolume(liquid: Liquid): void {
  const job = picture()
  job.thickShift = shiftFor(liquid, GAINED_THICK, AREA_THICK)
  job.thinShift = shiftFor(liquid, GAINED_THIN, AREA_THIN)
  run(shiftPiece, liquid.pieceCount)
}

function shiftFor(liquid: Liquid, gained: usize, area: usize): f32 {
  const whole = totalOf(liquid.pieceCount, area)
  if (!(whole > 0)) return 0
  return <f32>Math.max(-MAX_SHIFT, Math.min(MAX_SHIFT, totalOf(liquid.pieceCount, gained) / whole))
}
