/** What the host calls on the grid of a liquid. */
import { PROGRESS } from './chain'
import { largestOf, setNumber, setPointer, totalOf } from './jobs'
import { Liquid } from './liquid'
import { snapNodes } from './liquid-geometry'
import {
  ADD_GRAVITY,
  CELL_VOLUME,
  CONSTRAIN,
  EXTRAPOLATE,
  FILL_HOLES,
  FIND_HOLES,
  FILL_PAIRS,
  HIDDEN,
  KIND,
  MARK_FILLED,
  MARK_OCCUPIED,
  MATRIX,
  OPEN_CELLS,
  OPEN_FACES,
  PROJECT,
  SPEED,
  SURFACE,
  TAKE_CONSTRAINED,
  VOLUME,
} from './liquid-pieces'
import { run, runInOrder } from './pool'

export { carryDeep } from './liquid-carry'
export { liquidAssembleGrowth } from './liquid-mend'
export { liquidSealed } from './liquid-sealed'

/** First word of the fields of a liquid, in the order of the class; for the host, which knows their names. */
export function liquidFields(liquid: Liquid): usize {
  return changetype<usize>(liquid)
}

@inline
function runOn(liquid: Liquid, operation: i32): void {
  setPointer(0, changetype<usize>(liquid))
  run(operation, liquid.chunkCount)
}

/** After `solid`, `owner`, `walls` or `sides` have changed. */
export function liquidOpenGeometry(liquid: Liquid): void {
  snapNodes(liquid)
  runOn(liquid, OPEN_FACES)
  runOn(liquid, OPEN_CELLS)
}

/** The level set of sorted particles; about `particlesPerCell` of them fill a cell. */
export function liquidSurface(liquid: Liquid, particlesPerCell: f64): void {
  setNumber(0, max(1, 0.5 * particlesPerCell))
  setNumber(1, particlesPerCell)
  runOn(liquid, MARK_OCCUPIED)
  runOn(liquid, MARK_FILLED)
  runOn(liquid, SURFACE)
  runOn(liquid, FIND_HOLES)
  runOn(liquid, FILL_HOLES)
}

/** Particles that would be in deep liquid besides those that are. */
export function hiddenParticles(liquid: Liquid, perCell: i32): f64 {
  setPointer(1, <usize>perCell)
  runOn(liquid, HIDDEN)
  return totalOf(liquid.chunkCount, 0)
}

/** In cells. */
export function liquidVolume(liquid: Liquid): f64 {
  runOn(liquid, VOLUME)
  return totalOf(liquid.chunkCount, 0)
}

export function liquidCellVolume(liquid: Liquid): f64 {
  runOn(liquid, CELL_VOLUME)
  return totalOf(liquid.chunkCount, 0)
}

/** `moving`: whether any wall has a velocity; `divergence` is the one that the liquid shall have, 1/s. */
export function liquidAssemble(liquid: Liquid, dt: f64, density: f64, moving: i32, divergence: f64): void {
  setPointer(1, <usize>moving)
  setNumber(0, dt / (density * (liquid.spacing * liquid.spacing)))
  setNumber(1, divergence)
  runOn(liquid, KIND)
  runOn(liquid, MATRIX)
}

export function liquidClearPressure(liquid: Liquid): void {
  memory.fill(liquid.pressure, 0, <usize>liquid.cells << 3)
}

export function liquidProject(liquid: Liquid, dt: f64, density: f64): void {
  setNumber(0, dt / (density * liquid.spacing))
  runOn(liquid, PROJECT)
}

export function liquidExtrapolate(liquid: Liquid, layers: i32): void {
  memory.fill(PROGRESS, 0, <usize>liquid.chunkCount << 2)
  liquid.layers = min(layers, 254)
  setPointer(1, liquid.layers)
  setPointer(0, changetype<usize>(liquid))
  runInOrder(EXTRAPOLATE, liquid.chunkCount)
}

export function liquidConstrain(liquid: Liquid): void {
  runOn(liquid, CONSTRAIN)
  if (liquid.hasSolids) runOn(liquid, TAKE_CONSTRAINED)
}

/** In m/s. */
export function liquidAddVelocity(liquid: Liquid, x: f64, y: f64, z: f64): void {
  setNumber(0, x)
  setNumber(1, y)
  setNumber(2, z)
  runOn(liquid, ADD_GRAVITY)
}

export function liquidFillPairs(liquid: Liquid): void {
  runOn(liquid, FILL_PAIRS)
}

/** Largest component of velocity on known faces; NaN if any is. */
export function liquidLargestSpeed(liquid: Liquid): f64 {
  runOn(liquid, SPEED)
  return largestOf(liquid.chunkCount, 0)
}

/** Σ ½ open u² over known faces, as `liquidLargestSpeed` has found it. */
export function liquidEnergy(liquid: Liquid): f64 {
  return totalOf(liquid.chunkCount, 1)
}
