/** Pieces of the loops over the grid of a liquid, by number: 80 and above. */
import { kindChunk, matrixChunk } from './liquid-assemble'
import { carryChunk } from './liquid-carry'
import { constrainChunk, takeConstrainedChunk } from './liquid-constrain'
import { depthStartChunk, deepenChunk, hiddenChunk } from './liquid-depth'
import { extrapolateChunk } from './liquid-extrapolate'
import { addGravityChunk, fillPairsChunk, speedChunk } from './liquid-faces'
import { openCellsChunk, openFacesChunk } from './liquid-geometry'
import { fillHolesChunk, findHolesChunk } from './liquid-holes'
import { markFilledChunk, markOccupiedChunk } from './liquid-marks'
import { projectChunk } from './liquid-project'
import { surfaceChunk } from './liquid-surface'
import { traceChunk } from './liquid-trace'
import { cellVolumeChunk, volumeChunk } from './liquid-volume'
import { runRayChunk } from './ray-pieces'

export const OPEN_FACES = 80
export const OPEN_CELLS = 81
export const KIND = 82
export const MATRIX = 83
export const PROJECT = 84
export const EXTRAPOLATE = 85
export const CONSTRAIN = 86
export const TAKE_CONSTRAINED = 87
export const ADD_GRAVITY = 88
export const FILL_PAIRS = 89
export const SPEED = 90
export const MARK_OCCUPIED = 91
export const MARK_FILLED = 92
export const SURFACE = 93
export const VOLUME = 94
export const CELL_VOLUME = 95

export const FIND_HOLES = 97
export const FILL_HOLES = 98
export const DEPTH_START = 99
export const DEEPEN = 100
export const HIDDEN = 101
export const TRACE = 102
export const CARRY = 103

export function runLiquidChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    case OPEN_FACES: return openFacesChunk(chunk)
    case OPEN_CELLS: return openCellsChunk(chunk)
    case KIND: return kindChunk(chunk)
    case MATRIX: return matrixChunk(chunk)
    case PROJECT: return projectChunk(chunk)
    case EXTRAPOLATE: return extrapolateChunk(chunk)
    case CONSTRAIN: return constrainChunk(chunk)
    case TAKE_CONSTRAINED: return takeConstrainedChunk(chunk)
    case ADD_GRAVITY: return addGravityChunk(chunk)
    case FILL_PAIRS: return fillPairsChunk(chunk)
    case SPEED: return speedChunk(chunk)
    case MARK_OCCUPIED: return markOccupiedChunk(chunk)
    case MARK_FILLED: return markFilledChunk(chunk)
    case SURFACE: return surfaceChunk(chunk)
    case VOLUME: return volumeChunk(chunk)
    case CELL_VOLUME: return cellVolumeChunk(chunk)
    case FIND_HOLES: return findHolesChunk(chunk)
    case FILL_HOLES: return fillHolesChunk(chunk)
    case DEPTH_START: return depthStartChunk(chunk)
    case DEEPEN: return deepenChunk(chunk)
    case HIDDEN: return hiddenChunk(chunk)
    case TRACE: return traceChunk(chunk)
    case CARRY: return carryChunk(chunk)
    default: return runRayChunk(operation, chunk)
  }
}
