/** Keeps particles in the band below the surface (Ferstl et al. 2016): deeper ones are dropped, and cells that the band has come to reach are
 *  filled with one in every empty part of a cell, at random places in them. Only liquid that the grid has carried there is filled up, so
 *  none is invented. Random numbers are hashes of cell and counter, so they do not depend on the order of cells. */
import { scramble } from '../../../random.js'
import { type ParticleColumns, REMOVED } from '../../loops.js'
import { LAYER } from '../../shared-constants.js'
import { f32, roundToEven } from '../arithmetic.js'
import { findDepth } from '../deep/depth.js'
import { createDistance } from '../distance.js'
import { byAxis } from '../grid/walk.js'
import { createFaceSampler } from '../interpolate.js'
import type { PlainState } from '../state.js'
import { WALL_GAP } from './sides.js'

export interface BandOptions {
  /** Particles of a full cell. */
  readonly perCell: number
  /** 0: seeds in the middle of their parts, 1: anywhere in them. */
  readonly jitter: number
  /** 32 bits that make every substep seed differently. */
  readonly salt: number
}

/** For sorted particles, after a solve. Seeds are handed to `append`, with the velocity after the kick, `beforeX` … . Returns by how many particles
 *  there will be more after the next sort. */
export function keepBand(state: PlainState, options: BandOptions, append: (columns: ParticleColumns) => void): number {
  findDepth(state)
  const { grid, arrays, bandWidth } = state
  const seedCell = createSeeder(state, options)
  const seeds: Seeds = [[], [], [], [], [], []]
  let dropped = 0
  for (let cell = 0; cell < grid.cells; cell++) {
    if (arrays.depth[cell] > LAYER * bandWidth) dropped += dropParticles(state, cell)
    // Liquid that comes, at least in part, from where there were no particles.
    else if (arrays.carried[cell] >= LAYER * (bandWidth - 0.5)) seedCell(cell, seeds)
  }
  append(seeds.map(column => Float32Array.from(column)))
  state.seedCount = seeds[0].length
  return state.seedCount - dropped
}

/** Coordinates x, y, z in cells, and velocities. */
type Seeds = readonly [number[], number[], number[], number[], number[], number[]]

function dropParticles({ arrays: { px, cellStart } }: PlainState, cell: number): number {
  px.fill(REMOVED, cellStart[cell], cellStart[cell + 1])
  return cellStart[cell + 1] - cellStart[cell]
}

function createSeeder(state: PlainState, { perCell, jitter, salt }: BandOptions) {
  const { grid, hasSolids } = state
  const { dims } = grid
  const [nx, ny] = grid.shape
  const parts = Math.ceil(perCell ** (1 / dims) - 1e-9)
  const total = parts ** dims
  const distance = createDistance(state)
  const isTaken = new Uint8Array(total)
  const position = new Float32Array(3)
  const velocity = new Float32Array(3)
  const sample = createFaceSampler(grid)
  const { before } = byAxis(state)
  return (cell: number, seeds: Seeds) => {
    const index = [cell % nx, Math.floor(cell / nx) % ny, Math.floor(cell / (nx * ny))]
    const seed = scramble(scramble(salt) + cell)
    let missing = missingIn(state, cell, perCell, seed)
    markTaken(state, cell, index, parts, isTaken)
    const first = bitsOf(seed, 1) % total
    for (let n = 0; n < total && missing > 0; n++) {
      const part = (first + n) % total
      if (isTaken[part]) continue
      const along = [part % parts, Math.floor(part / parts) % parts, Math.floor(part / parts ** 2)]
      for (let axis = 0; axis < 3; axis++) {
        const shaken = f32(f32(jitter) * f32(uniform(seed, 3 * part + 2 + axis) - 0.5))
        const inCell = axis < dims ? f32(f32(along[axis] + 0.5 + shaken) / parts) : 0.5
        position[axis] = index[axis] + inCell
      }
      if (hasSolids && distance.at(position) < 2 * WALL_GAP) continue
      sample(before, position, velocity)
      for (let axis = 0; axis < 3; axis++) {
        seeds[axis].push(position[axis])
        seeds[3 + axis].push(velocity[axis])
      }
      missing--
    }
  }
}

/** Liquid from below the band comes without particles. Its share of the cell is filled up, to a full cell at most, so that the band neither
 *  gains nor loses by the placement of particles; more only where they become rare. */
function missingIn({ arrays, bandWidth }: PlainState, cell: number, perCell: number, seed: number): number {
  const full = f32(perCell * arrays.openCell[cell])
  const there = arrays.cellStart[cell + 1] - arrays.cellStart[cell]
  const below = Math.min(Math.max((arrays.carried[cell] - LAYER * bandWidth) / LAYER, 0), 1)
  // A fraction of a particle becomes one by chance.
  const share = Math.trunc(f32(f32(full * below) + uniform(seed, 0)))
  const rare = Math.trunc(f32(0.25 * full)) - there
  return Math.max(Math.min(share, roundToEven(full) - there), rare)
}

/** Marks the parts of a cell that hold particles. */
function markTaken(
  { grid, arrays }: PlainState,
  cell: number,
  index: readonly number[],
  parts: number,
  isTaken: Uint8Array,
): void {
  const columns = [arrays.px, arrays.py, arrays.pz]
  isTaken.fill(0)
  for (let n = arrays.cellStart[cell]; n < arrays.cellStart[cell + 1]; n++) {
    let part = 0
    for (let axis = grid.dims - 1; axis >= 0; axis--) {
      const along = Math.trunc(f32(f32(columns[axis][n] - index[axis]) * parts))
      part = parts * part + Math.min(Math.max(along, 0), parts - 1)
    }
    isTaken[part] = 1
  }
}

/** 0 … 1, with 24 random bits. */
function uniform(seed: number, counter: number): number {
  return (bitsOf(seed, counter) >>> 8) / 2 ** 24
}

/** 32 random bits for a counter. */
function bitsOf(seed: number, counter: number): number {
  return scramble(seed + counter) >>> 0
}
