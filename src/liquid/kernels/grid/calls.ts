/** Functions of the grid of a liquid that the host calls. */
import {
  AddVelocityJob,
  addVelocityPiece,
  ChangesJob,
  fillChangesPiece,
  fillVelocitiesPiece,
  keepStartPiece,
  restoreStartPiece,
  speedPiece,
} from './faces'
import { cellVolumePiece, volumePiece } from '../surface/volume'
import { addKicksPiece, FollowJob, followChangesPiece } from './beside'
import { constrainPiece, storeConstrainedPiece } from './constrain'
import { extrapolatePiece } from './extrapolate'
import { fillHolesPiece, findHolesPiece } from '../surface/holes'
import { HiddenJob, hiddenPiece } from '../deep/depth'
import { AssembleJob, kindPiece, matrixPiece } from './assemble'
import { markFilledPiece, markOccupiedPiece, SurfaceJob } from '../surface/marks'
import { PathJob, pathPiece, sharePiece } from './path'
import { keepKickPiece, PredictJob, predictPiece } from './kick'
import { ProjectJob, projectPiece } from './project'
import { surfacePiece } from '../surface/surface'
import { PROGRESS } from '../../../machine/header'
import { jobOf, largestOf, totalOf } from '../../../machine/kernels/job'
import { Liquid } from '../liquid'
import { LiquidJob } from './rows'
import { openCellsPiece, openFacesPiece, snapNodes } from './geometry'
import { run, runInOrder } from '../../../machine/kernels/pool'

export { carryDeep } from '../deep/carry'
export { liquidSealed } from './sealed'
export { liquidPicture } from '../surface/picture/calls'

@inline
function runOn(liquid: Liquid, operation: i32): void {
  jobOf<LiquidJob>().liquid = liquid
  run(operation, liquid.pieceCount)
}

/** After `solid`, `owner`, `walls` or `sides` have changed. */
export function liquidOpenGeometry(liquid: Liquid): void {
  snapNodes(liquid)
  runOn(liquid, openFacesPiece)
  runOn(liquid, openCellsPiece)
}

/** `phi` from sorted particles; about `particlesPerCell` of them fill a cell. */
export function liquidSurface(liquid: Liquid, particlesPerCell: f64): void {
  const job = jobOf<SurfaceJob>()
  job.particlesPerCell = particlesPerCell
  job.minFilled = <i32>max(1, 0.5 * particlesPerCell)
  runOn(liquid, markOccupiedPiece)
  runOn(liquid, markFilledPiece)
  runOn(liquid, surfacePiece)
  runOn(liquid, findHolesPiece)
  runOn(liquid, fillHolesPiece)
}

/** Number of particles that would fill deep liquid, in addition to those that are there. */
export function hiddenParticles(liquid: Liquid, perCell: i32): f64 {
  jobOf<HiddenJob>().perCell = perCell
  runOn(liquid, hiddenPiece)
  return totalOf(liquid.pieceCount, 0)
}

/** In cells. */
export function liquidVolume(liquid: Liquid): f64 {
  runOn(liquid, volumePiece)
  return totalOf(liquid.pieceCount, 0)
}

export function liquidCellVolume(liquid: Liquid): f64 {
  runOn(liquid, cellVolumePiece)
  return totalOf(liquid.pieceCount, 0)
}

/** `moving`: whether any wall has a velocity. `divergence`: target after projection, 1/s. */
export function liquidAssemble(liquid: Liquid, dt: f64, density: f64, moving: i32, divergence: f64): void {
  const job = jobOf<AssembleJob>()
  job.scale = dt / (density * (liquid.spacing * liquid.spacing))
  job.divergence = divergence
  job.moving = moving != 0
  runOn(liquid, kindPiece)
  runOn(liquid, matrixPiece)
}

export { liquidClearProblem } from './assemble'

export function liquidClearPressure(liquid: Liquid): void {
  memory.fill(liquid.pressure, 0, (<usize>liquid.cells) << 3)
}

/** By `kickPressure` if `isKick`, else by `pressure`. */
export function liquidProject(liquid: Liquid, dt: f64, density: f64, isKick: i32): void {
  const job = jobOf<ProjectJob>()
  job.scale = dt / (density * liquid.spacing)
  job.pressure = isKick ? liquid.kickPressure : liquid.pressure
  runOn(liquid, projectPiece)
}

/** See `predictPiece`. `allowance` in Pa, `seconds` since the last solve, `ratio` of that time to the one before, and of that
 *  to the one before it. */
export function liquidPredictKick(liquid: Liquid, allowance: f64, seconds: f64, ratio: f64, earlierRatio: f64): void {
  const job = jobOf<PredictJob>()
  job.allowance = allowance
  job.scale = seconds / liquid.spacing
  job.ratio = ratio
  job.earlierRatio = earlierRatio
  runOn(liquid, keepKickPiece)
  runOn(liquid, predictPiece)
  const last = liquid.earliestPressure
  liquid.earliestPressure = liquid.earlierPressure
  liquid.earlierPressure = liquid.lastPressure
  liquid.lastPressure = last
}

export function liquidKeepStart(liquid: Liquid): void {
  runOn(liquid, keepStartPiece)
}

export function liquidRestoreStart(liquid: Liquid): void {
  runOn(liquid, restoreStartPiece)
}

/** See `pathPiece`. `allowance` in Pa. */
export function liquidFindPath(liquid: Liquid, dt: f64, allowance: f64): void {
  const job = jobOf<PathJob>()
  job.scale = <f32>((0.5 * dt) / liquid.spacing)
  job.allowance = allowance
  runOn(liquid, sharePiece)
  runOn(liquid, pathPiece)
}

export function liquidExtrapolate(liquid: Liquid, layers: i32): void {
  memory.fill(PROGRESS, 0, (<usize>liquid.pieceCount) << 2)
  liquid.layers = min(layers, 254)
  jobOf<LiquidJob>().liquid = liquid
  runInOrder(extrapolatePiece, liquid.pieceCount)
}

export function liquidFollowChanges(liquid: Liquid, areOfParticles: i32): void {
  jobOf<FollowJob>().areOfParticles = areOfParticles
  runOn(liquid, followChangesPiece)
}

export function liquidAddKicks(liquid: Liquid): void {
  runOn(liquid, addKicksPiece)
}

export function liquidConstrain(liquid: Liquid): void {
  runOn(liquid, constrainPiece)
  if (liquid.hasSolids) runOn(liquid, storeConstrainedPiece)
}

/** In m/s. */
export function liquidAddVelocity(liquid: Liquid, x: f64, y: f64, z: f64): void {
  const job = jobOf<AddVelocityJob>()
  job.x = x
  job.y = y
  job.z = z
  runOn(liquid, addVelocityPiece)
}

/** Returns the largest component of velocity on any face; NaN if one is NaN. */
export function liquidFillVelocities(liquid: Liquid): f64 {
  runOn(liquid, fillVelocitiesPiece)
  return largestOf(liquid.pieceCount, 0)
}

export function liquidFillChanges(liquid: Liquid, ratio: f64): void {
  jobOf<ChangesJob>().ratio = ratio
  runOn(liquid, fillChangesPiece)
}

/** Largest component of velocity on known faces; NaN if one is NaN. */
export function liquidLargestSpeed(liquid: Liquid): f64 {
  runOn(liquid, speedPiece)
  return largestOf(liquid.pieceCount, 0)
}
