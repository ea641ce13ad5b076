/** Pieces of the loops over particles, by number. */
import { gatherChunk } from './grid-to-particle'
import { runLiquidChunk } from './liquid-pieces'
import { moveChunk } from './particle-advect'
import { countSeedsChunk, placeSeedsChunk } from './particle-band'
import { clearPairsChunk, divideChunk, findOccupiedChunk } from './particle-divide'
import { countChunksChunk, placeCellsChunk, placeChunksChunk } from './particle-sort'
import { keepVelocityChunk } from './particle-speed'
import { countCellsChunk, findExcessChunk } from './particle-spread'
import { scatterChunk } from './particle-to-grid'

export const COUNT_CHUNKS = 60
export const PLACE_CHUNKS = 61
export const PLACE_CELLS = 62
export const CLEAR_PAIRS = 63
export const SCATTER = 64
export const DIVIDE_MOMENTUM = 65
export const KEEP_VELOCITY = 66
export const GATHER = 67
export const MOVE = 68
export const FIND_EXCESS = 69
export const COUNT_SEEDS = 70
export const PLACE_SEEDS = 71
export const COUNT_CELLS = 72
export const FIND_OCCUPIED = 73

export function runParticleChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    case COUNT_CHUNKS: return countChunksChunk(chunk)
    case PLACE_CHUNKS: return placeChunksChunk(chunk)
    case PLACE_CELLS: return placeCellsChunk(chunk)
    case FIND_OCCUPIED: return findOccupiedChunk(chunk)
    case CLEAR_PAIRS: return clearPairsChunk(chunk)
    case SCATTER: return scatterChunk(chunk)
    case DIVIDE_MOMENTUM: return divideChunk(chunk)
    case KEEP_VELOCITY: return keepVelocityChunk(chunk)
    case GATHER: return gatherChunk(chunk)
    case MOVE: return moveChunk(chunk)
    case COUNT_CELLS: return countCellsChunk(chunk)
    case FIND_EXCESS: return findExcessChunk(chunk)
    case COUNT_SEEDS: return countSeedsChunk(chunk)
    case PLACE_SEEDS: return placeSeedsChunk(chunk)
    default: return runLiquidChunk(operation, chunk)
  }
}
