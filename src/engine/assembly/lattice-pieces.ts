/** Pieces of the loops on lattices, by number. */
import { jacobiChunk, productChunk, relaxChunk, residualChunk } from './lattice-stencil'
import { prolongChunk, restrictChunk } from './lattice-transfer'
import {
  clampChunk,
  combineChunk,
  dotChunk,
  energyChunk,
  maskPinnedChunk,
  naturalChunk,
  slopesChunk,
  stepChunk,
} from './lattice-vectors'
import { runParticleChunk } from './particle-pieces'

export const RELAX = 40
export const JACOBI = 41
export const RESIDUAL = 42
export const APPLY = 43
export const RESTRICT_LINES = 44
export const PROLONG_LINES = 45
export const DOT = 46
export const COMBINE = 47
export const STEP = 48
export const MASK_PINNED = 49
export const CLAMP = 50
export const ENERGY = 51
export const SLOPES = 52
export const NATURAL = 53

export function runLatticeChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    case RELAX: return relaxChunk(chunk)
    case JACOBI: return jacobiChunk(chunk)
    case RESIDUAL: return residualChunk(chunk)
    case APPLY: return productChunk(chunk)
    case RESTRICT_LINES: return restrictChunk(chunk)
    case PROLONG_LINES: return prolongChunk(chunk)
    case DOT: return dotChunk(chunk)
    case COMBINE: return combineChunk(chunk)
    case STEP: return stepChunk(chunk)
    case MASK_PINNED: return maskPinnedChunk(chunk)
    case CLAMP: return clampChunk(chunk)
    case ENERGY: return energyChunk(chunk)
    case SLOPES: return slopesChunk(chunk)
    case NATURAL: return naturalChunk(chunk)
    default: return runParticleChunk(operation, chunk)
  }
}
