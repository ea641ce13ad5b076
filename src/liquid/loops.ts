/** The loops of a liquid behind two interfaces: one for its grid, one for its particles. A simulation is written once against
 *  them; `plain/` is their definition in TypeScript, `compiled/` runs the same on a machine, and both must agree.
 *  Lengths are in cells, velocities in m/s, times in seconds, unless a comment gives another unit. */
import type { Grid } from '../grid/grid.js'
import type { Sides, Walls } from '../pressure/walls.js'
import type { Vector } from '../scene/setting.js'
import type { LiquidArrays } from './arrays.js'

/** A solid that moves as u(x) = linear + angular × x, x in metres from the corner of the grid. */
export interface LiquidWall {
  readonly walls: Walls
  /** Whether it ever moves. */
  readonly moves?: boolean
  /** m/s and rad/s. */
  readonly linear: readonly [number, number, number]
  readonly angular: readonly [number, number, number]
  /** Number of its frame, from 1; absent or 0: it never moves. */
  readonly frame?: number
}

/** Motion of all walls within a substep, to where they are now. */
export interface WallMotion {
  /** One for all walls that move alike. Without any, no wall can move. */
  readonly frames: readonly WallFrame[]
  /** Largest displacement of a point of a wall inside the domain, in cells. */
  readonly farthest: number
  /** Distances at nodes like `solid`, which is the smaller: to solids that never move, and to those that can. */
  readonly still: Float32Array
  readonly moving: Float32Array
}

/** How a wall carries its points within a substep: x becomes x + turn · x + shift, in cells from the corner of the grid. */
export interface WallFrame {
  /** Rotation less the identity, row by row. */
  readonly turn: readonly number[]
  readonly shift: readonly [number, number, number]
  /** 2 tan(angle / 4): an arc is off its chord by at most a quarter of this times the chord. */
  readonly bend: number
  /** Lower and upper corner, cells, of all that its walls reach within the substep; Infinity allowed. */
  readonly bounds: readonly [readonly [number, number, number], readonly [number, number, number]]
}

/** The grid of a liquid. */
export interface LiquidLoops {
  readonly grid: Grid
  /** Look arrays up where they are used and do not keep them: an array is replaced when memory grows, when particles are sorted and when
   *  they need more room. */
  readonly arrays: LiquidArrays
  particleCount: number
  /** Particles that there is room for. */
  readonly capacity: number
  /** Makes room for at least `capacity` particles, with gradients if `affine`. Particles in use stay. An InputError where memory is
   *  refused. */
  reserveParticles(capacity: number, affine: boolean): void
  /** Whether any solid is in the domain; without solids, loops skip what only solids need. */
  hasSolids: boolean
  /** Cells below the surface in which there are particles; 0: everywhere. */
  bandWidth: number

  setSides(sides: Sides): void
  /** Owners count from 1, to MAX_SOLIDS. */
  setWall(owner: number, wall: LiquidWall): void
  /** How walls came to where they are: `move` and `carryDeep` follow paths as seen from walls that move. Its arrays may change after the
   *  next `move`. */
  setMotion(motion: WallMotion): void
  /** Open fractions, touched cells and clearance, after solids, walls or sides have changed. Sets nodes that are on a surface to exactly 0. */
  openGeometry(): void
  /** `phi` from sorted particles, of which about `particlesPerCell` fill a cell. It is a distance near the surface and in front of walls, up
   *  to 1.5 cells, and continues into solids. Overwrites `pairX`. */
  surface(particlesPerCell: number): void
  /** The surface for pictures and meshes, found from `phi`: a signed distance, smooth by so many `rounds` of smoothing (see
   *  plain/surface/picture/picture.ts), at cell centres and continued into solids. Overwrites the pairs; the result is valid until the next loop. */
  pictureSurface(rounds: number): Float32Array
  /** Volume inside the surface that is exported, in m³ (m² in 2D): by `phi`, outside of solids. */
  measureVolume(): number
  /** Volume cell by cell, m³ (m² in 2D). Drops and sheets that are too thin for a surface count, and for more than they are. */
  measureCellVolume(): number
  /** The pressure problem in `kind`, `diagonal`, `linkX` …, `b`. `moving`: some wall has a velocity. `divergence`: the divergence that the
   *  liquid is to have afterwards, 1/s. */
  assemble(dt: number, density: number, moving: boolean, divergence?: number): void
  /** The pressure problem of liquid at rest that is to grow (or shrink) within a second, where `excess` and `doubtful` show too many (or too few)
   *  particles, and everywhere by a share. Liquid without air keeps its volume, and contacts hold what they touch, except those that `kind`
   *  and `pressure` show as separated. Sets velocities to 0 and overwrites the pairs. */
  assembleGrowth(density: number, growth: Growth): void
  /** 1 in cells of liquid that touches no air, directly or through other liquid; undefined if there are none. Overwrites `pairX`. */
  sealedCells(): Uint8Array | undefined
  /** Turns the problem in `kind`, `diagonal`, … into one without unknowns. Call it before anything else writes `kind`: `assemble` relies on
   *  rows of cells without unknowns being zeros. */
  clearProblem(): void
  /** Sets `pressure` to 0; much faster than filling the array, where memory is shared. */
  clearPressure(): void
  /** Subtracts the gradient of `pressure`; `layerX` … then show the faces on which velocities are known. */
  project(dt: number, density: number): void
  /** Predicts the pressure of the half step after a solve, `kickPressure`, from that of the solve and of past substeps, which move on by one.
   *  Velocities must be those after the solve. */
  predictKick(history: KickHistory): void
  /** Copies the velocities of known faces to `startX` …, before the kick. */
  keepStart(): void
  /** As `project`, by `kickPressure`. */
  projectKick(dt: number, density: number): void
  /** Turns velocities after the kick, which are those of `beforeX` …, into those of the middle of a substep, along which particles move.
   *  `allowance` as in `predictKick`. */
  findPath(dt: number, allowance: number): void
  /** Copies `startX` … back on known faces. */
  restoreStart(): void
  /** Continues known velocities over some layers of faces, into air and solids alike. */
  extrapolate(layers: number): void
  /** After the kick and `extrapolate`: velocities of faces beside known ones, without the kick, which `startX` … keep for `addKicks`. If they are
   *  of particles, they change as those beside do, from what particles have there, in `beforeX` … . */
  followChanges(areOfParticles: boolean): void
  /** Adds the kicks that `followChanges` has kept. */
  addKicks(): void
  /** Removes flow into walls from velocities in solids and on closed sides. Overwrites the first half of the pairs. */
  constrain(): void
  /** Adds the same velocity on all faces, as gravity does. */
  addVelocity(change: readonly [number, number, number]): void
  /** First half of the pairs: all velocities, along which particles move. Returns the largest component, NaN if one is NaN. */
  fillVelocities(): number
  /** Second half of the pairs: what particles add to the share `ratio` of their velocity that they keep. `beforeX` … are the velocities from
   *  then on. */
  fillChanges(ratio: number): void
  /** Advects deep liquid on the grid: `beforeX` … along the pairs, by `depth`. They are its velocity from then on, until particles are
   *  transferred to the grid. Overwrites `startX` … . */
  carryDeep(dt: number): void
  /** Particles that deep liquid would have in addition to those that are there. */
  hiddenParticles(particlesPerCell: number): number
  /** Over known faces: the largest component, NaN if one is NaN. */
  measureSpeed(): { readonly largest: number }
}

export interface KickHistory {
  /** Pa by which the pressure may grow from nothing within a substep and still is no impact. */
  readonly allowance: number
  /** Since the last solve. */
  readonly seconds: number
  /** That time over the one between the last solve and the one before, and that over the one before it; 0 where there was none. */
  readonly ratio: number
  readonly earlierRatio: number
}

/** One array per quantity, one element per particle: x y z, velocity, and with APIC nine gradients in 1/s. */
export type ParticleColumns = readonly Float32Array[]

/** The particles of a liquid. */
export interface ParticleLoops {
  readonly count: number
  /** Views of the particles in use; do not keep them. */
  columns(): ParticleColumns
  /** Adds particles from columns of equal length; missing gradients are 0. */
  append(columns: ParticleColumns): void
  /** Marks a particle as REMOVED; the next sort drops it. */
  remove(particle: number): void
  /** Drops all particles at once. */
  clear(): void
  /** Puts particles into the order of cells, and fills `cellStart`. */
  sort(): void
  /** Velocities on faces, from sorted particles and, where there are none or hardly any, from deep liquid; `layerX` … show where any are. */
  toGrid(): void
  /** Stores the velocities of the grid in `beforeX` …, 0 on faces beyond what is known or extrapolated. Returns speeds on known faces. */
  keepVelocity(how: SpeedOptions): FaceSpeeds
  /** Finds where sorted particles are too many or too few: `excess` and `doubtful`, by the surface, and `kind` and `pressure` of the last
   *  substep. Returns their sums. */
  findExcess(perCell: number): Excess
  /** Drops particles below the band (`bandWidth`) and fills what the band has come to reach, after a solve; particles must be sorted.
   *  `jitter` as at the start; `salt`, 32 bits, makes every substep seed differently. Seeds get the velocity of `beforeX` … . Returns by how
   *  many particles there will be more after the next sort. */
  keepBand(perCell: number, jitter: number, salt: number): number
  /** Updates velocities from the pairs and moves particles along them, while walls move by `setMotion`; with a dt of 0, neither moves.
   *  Returns how many left through open sides. */
  move(dt: number, how: MoveOptions): number
  /** Moves particles along the velocities of the pairs and leaves their own as they are, in no time: walls do not move. Returns how many left through open sides. */
  shift(dt: number): number
  /** Moves sorted particles apart that are nearer to each other than in a full liquid, and leaves their velocities as they are. */
  separate(perCell: number): void
  /** Sums over all liquid; particles must be sorted, and `perCell` of them fill a cell. */
  measure(perCell: number): Moments
}

/** Sums over a liquid in which a particle counts 1, and deep liquid as many as would fill it. Positions are in cells from the middle of the
 *  grid, velocities in m/s. */
export interface Moments {
  readonly count: number
  readonly position: Vector
  readonly velocity: Vector
  /** Of position × velocity. */
  readonly angular: Vector
  /** Of ½ velocity². */
  readonly energy: number
  /** Its part relative to the mean velocity of the particles of each cell. */
  readonly noise: number
  /** Particles in cells around which there is less liquid than in a sheet as thick as a cell. */
  readonly thin: number
}

/** In cells: by how much liquid where particles are too many should grow, and where they are too few shrink (< 0), beyond chance and, with
 *  `maybe`, within; the room of all liquid; and the particles of the fullest cell. */
export interface Excess {
  readonly crowded: number
  readonly sparse: number
  readonly maybeCrowded: number
  readonly maybeSparse: number
  readonly room: number
  readonly fullest: number
}

/** What a correction asks for: the share by which all liquid grows, the share of `excess` that is corrected, and shares of what may be chance
 *  in `doubtful`, of too many and of too few particles. */
export interface Growth {
  readonly share: number
  readonly beyond: number
  readonly maybeCrowded: number
  readonly maybeSparse: number
}

export interface SpeedOptions {
  /** m/s: resolution of the usual speed. Where that is more than 1023 of these steps, the largest speed is used instead. */
  readonly step: number
  /** Share of the known faces that may be faster than usual. */
  readonly share: number
}

/** m/s, of components on faces; NaN if one is NaN. */
export interface FaceSpeeds {
  readonly largest: number
  readonly usual: number
}

export interface MoveOptions {
  /** Share of its velocity that a particle keeps, as in `fillChanges`; 0 for particles with gradients. */
  readonly ratio: number
  /** Order of the time integration. */
  readonly order: 2 | 3
}

/** Coordinate x of a removed particle, in cells. */
export const REMOVED = -2e8
