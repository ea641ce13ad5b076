/** All loops that are cut into pieces, by number: even in f32, odd in f64. */
import { chainChunk } from './chain'
import { packCoarseChunk } from './coarsen'
import { dotChunk, finishChunk, productChunk, updateChunk } from './conjugate'
import { lookChunk } from './contacts'
import { absorbChunk, exactChunk } from './exact'
import { followChunk } from './follow'
import { runLatticeChunk } from './lattice-pieces'
import { packChunk } from './finest'
import { countChunk } from './finest-rows'
import { inspectChunk } from './inspect'
import { findPartsChunk, setParentsChunk } from './parts'
import { coarseResidualChunk, sumRightSideChunk } from './nested'
import { scanChunk } from './scan'
import { smoothChunk, smoothFromZeroChunk } from './smooth'
import { carryUpChunk, prolongChunk, restrictChunk } from './transfer'

export const SMOOTH = 0
export const SMOOTH_FROM_ZERO = 2
export const RESTRICT = 4
export const PROLONG = 6
export const CARRY_UP = 8
export const PRODUCT = 10
export const FINISH = 12
export const UPDATE = 14
export const ABSORB = 16
export const EXACT = 18
export const DOT = 20
export const COUNT = 22
export const PACK_FINEST = 24
export const FIND_PARTS = 26
export const PACK_COARSE = 28
export const SET_PARENTS = 31
export const INSPECT = 32
export const SCAN = 33
export const CHAIN = 34
export const LOOK = 36
export const FOLLOW = 38
export const SUM_RIGHT_SIDE = 56
export const COARSE_RESIDUAL = 58

export function runChunk(operation: i32, chunk: i32): void {
  switch (operation) {
    case SMOOTH: return smoothChunk<f32>(chunk)
    case SMOOTH + 1: return smoothChunk<f64>(chunk)
    case SMOOTH_FROM_ZERO: return smoothFromZeroChunk<f32>(chunk)
    case SMOOTH_FROM_ZERO + 1: return smoothFromZeroChunk<f64>(chunk)
    case RESTRICT: return restrictChunk<f32>(chunk)
    case RESTRICT + 1: return restrictChunk<f64>(chunk)
    case PROLONG: return prolongChunk<f32>(chunk)
    case PROLONG + 1: return prolongChunk<f64>(chunk)
    case CARRY_UP: return carryUpChunk<f32>(chunk)
    case CARRY_UP + 1: return carryUpChunk<f64>(chunk)
    case PRODUCT: return productChunk<f32>(chunk)
    case PRODUCT + 1: return productChunk<f64>(chunk)
    case FINISH: return finishChunk<f32>(chunk)
    case FINISH + 1: return finishChunk<f64>(chunk)
    case UPDATE: return updateChunk<f32>(chunk)
    case UPDATE + 1: return updateChunk<f64>(chunk)
    case ABSORB: return absorbChunk<f32>(chunk)
    case ABSORB + 1: return absorbChunk<f64>(chunk)
    case EXACT: return exactChunk<f32>(chunk)
    case EXACT + 1: return exactChunk<f64>(chunk)
    case DOT: return dotChunk<f32>(chunk)
    case DOT + 1: return dotChunk<f64>(chunk)
    case COUNT: return countChunk<f32>(chunk)
    case COUNT + 1: return countChunk<f64>(chunk)
    case PACK_FINEST: return packChunk<f32>(chunk)
    case PACK_FINEST + 1: return packChunk<f64>(chunk)
    case FIND_PARTS: return findPartsChunk<f32>(chunk)
    case FIND_PARTS + 1: return findPartsChunk<f64>(chunk)
    case PACK_COARSE: return packCoarseChunk<f32>(chunk)
    case PACK_COARSE + 1: return packCoarseChunk<f64>(chunk)
    case SET_PARENTS: return setParentsChunk(chunk)
    case INSPECT: return inspectChunk(chunk)
    case SCAN: return scanChunk(chunk)
    case LOOK: return lookChunk<f32>(chunk)
    case LOOK + 1: return lookChunk<f64>(chunk)
    case FOLLOW: return followChunk<f32>(chunk)
    case FOLLOW + 1: return followChunk<f64>(chunk)
    case SUM_RIGHT_SIDE: return sumRightSideChunk<f32>(chunk)
    case SUM_RIGHT_SIDE + 1: return sumRightSideChunk<f64>(chunk)
    case COARSE_RESIDUAL: return coarseResidualChunk<f32>(chunk)
    case COARSE_RESIDUAL + 1: return coarseResidualChunk<f64>(chunk)
    case CHAIN: return chainChunk<f32>(chunk)
    case CHAIN + 1: return chainChunk<f64>(chunk)
    default: return runLatticeChunk(operation, chunk)
  }
}
