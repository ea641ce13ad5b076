/** Memory layout of a liquid: grid, particles and scratch. Lengths are in cells, velocities in m/s, times in seconds. Arrays are laid
 *  out as in src/grid: cells with x first, one face array per axis, nodes at cell corners. A 2D grid is one cell deep, with particles at
 *  z = ½.
 *
 *  Loops are cut into pieces of slabs: planes of constant k in 3D, rows of constant j in 2D. The cut depends on the grid alone. */

export const MAX_GRID_PIECES: i32 = 64

@unmanaged
export class Liquid {
  nx: i32
  ny: i32
  nz: i32
  dims: i32
  cells: i32
  /** Slabs of the grid, cells per slab, slabs per piece (the last may have fewer), pieces. */
  slabs: i32
  slabCells: i32
  pieceSlabs: i32
  pieceCount: i32
  /** Metres. */
  spacing: f64

  // ---- cells
  /** i32, one more than cells: number of the first particle of each cell, after `sortParticles`. */
  cellStart: usize
  /** f32: signed distance to the surface of the liquid, < 0 inside. */
  phi: usize
  /** The pressure problem: u8 kind, f64 diagonal, links to the upper neighbour per axis, b, pressure. */
  kind: usize
  diagonal: usize
  linkX: usize
  linkY: usize
  linkZ: usize
  b: usize
  pressure: usize
  /** Pa, f64: strength of the walls of contacts; 0 in other cells. */
  adhesion: usize
  /** Pa, f64: pressure of the next half kick; f32: pressure of the last three substeps. See grid/kick.ts. */
  kickPressure: usize
  lastPressure: usize
  earlierPressure: usize
  earliestPressure: usize

  // ---- nodes
  /** f32: signed distance to the nearest solid, < 0 inside. */
  solid: usize
  /** u8: number of that solid, from 1; 0 where there is none. */
  owner: usize

  // ---- faces, one array per axis
  /** f64: velocity. */
  ux: usize
  uy: usize
  uz: usize
  /** f32: velocity transferred from the particles; from `fillChanges` on, after the kick; from `carryDeep` until the next transfer, of deep
   *  liquid. */
  beforeX: usize
  beforeY: usize
  beforeZ: usize
  /** f32: velocity of known faces before the kick. */
  startX: usize
  startY: usize
  startZ: usize
  /** f32: fraction that solids leave open; 0 on closed sides. */
  openX: usize
  openY: usize
  openZ: usize
  /** u8: 0 where the velocity is known, else the layer in which it was extrapolated; 255 beyond. */
  layerX: usize
  layerY: usize
  layerZ: usize
  /** Two f32 per face: weight and momentum during the transfer from particles; when particles move, the velocities of their paths on all
   *  faces, followed by what they add to their own velocity. Scratch of other loops. */
  pairX: usize
  pairY: usize
  pairZ: usize

  // ---- walls
  /** i32 for −x, +x, −y, +y, −z, +z: NO_WALL, SEPARATING or STICKING. */
  sides: usize
  /** A `Wall` for each of 256 owners. */
  walls: usize

  // ---- particles; f32 arrays of `capacity` elements
  count: i32
  capacity: i32
  px: usize
  py: usize
  pz: usize
  vx: usize
  vy: usize
  vz: usize
  /** APIC: nine arrays one after the other, three for the gradient of each velocity component, 1/s; null with FLIP. */
  affine: usize
  // Target of the next sort.
  otherPx: usize
  otherPy: usize
  otherPz: usize
  otherVx: usize
  otherVy: usize
  otherVz: usize
  otherAffine: usize
  /** u32 per particle, while sorting: particles in the order of bins, and their cells. */
  order: usize
  cellOf: usize
  /** i32: number of the first particle of each bin, one more than bins; particles by piece and bin. See particles/sort.ts. */
  binStart: usize
  binCounts: usize

  // ---- cells, again
  /** u8: NO_WALL where no wall touches the cell, else the kind of the wall that reaches deepest into it, with the bits of grid/touch.ts. */
  touch: usize
  /** f32: fraction that solids leave open. */
  openCell: usize
  /** f32 table: distance to the surface by the distance to the mean position of particles, see surface/profile.ts. */
  profile: usize
  /** SURFACE_SCRATCH bytes per piece. */
  scratch: usize
  /** f32: excess of particles beyond chance, and what may be chance, see particles/excess.ts. */
  excess: usize
  doubtful: usize
  /** 0: no solid is within reach of any particle. */
  hasSolids: i32

  // ---- deep liquid, carried by the grid instead of particles, see deep/depth.ts
  /** Cells below the surface that hold particles; 0: all of them. */
  band: i32
  /** Number of particles at the end of the list that were seeded since the last sort, with the velocity after the substep's kick. */
  seeded: i32
  /** u8, LAYER per cell: depth of a cell now, and depth of its content before the last substep. */
  depth: usize
  carried: usize
  /** u8: 1 where particles are kept at any depth. */
  kept: usize
  /** f32, cells: displacement in a substep of the liquid that is now in a cell. Scratch of other loops. */
  displacementX: usize
  displacementY: usize
  displacementZ: usize

  /** u64: bits for all faces by layer, see grid/extrapolate.ts. */
  front: usize
  /** i32: histogram of the speeds of faces, see particles/speed.ts. */
  speeds: usize
  /** 16 u8 for each of 256 cases of corners inside: count, then the edges with the corners of triangles; written by the host. */
  cubes: usize
  /** A batch of `Places` per piece, see grid/velocity.ts. */
  places: usize
  /** `Bounds`. */
  bounds: usize
  /** u8 per cell: lower bound of the distance from any point of it to a solid, in 1/CLEARANCE cells; 0 where a solid may be in it. */
  clearance: usize
  /** u64 per row of cells along x: bits of blocks with particles, see particles/divide.ts. */
  occupied: usize
  /** u64: bits of faces in walls, see grid/in-walls.ts. */
  inWalls: usize

  // ---- bytes from a face to the next in f32 arrays of an axis; 0 along axes with one point, where the upper neighbour has weight 0
  rowX: usize
  rowY: usize
  rowZ: usize
  planeX: usize
  planeY: usize
  planeZ: usize
  /** Bytes in the pairs from the velocities of an axis to their changes. */
  toChangeX: usize
  toChangeY: usize
  toChangeZ: usize

  /** Layers of faces of the last extrapolation; 0: none was done, all velocities count as known. */
  layers: i32

  /** Motions of walls in the substep, and how many: 256 `WallFrame`, the first unused. */
  frames: usize
  frameCount: i32
  /** Largest displacement of a point of a wall in the substep, in cells. */
  farthest: f64
  /** f32, nodes: distances to solids that never move, and to those that can; 0 until there are such. */
  still: usize
  moving: usize
  /** f64: sums of every piece, see particles/moments.ts. */
  moments: usize
}

/** A solid moves as u(x) = linear + angular × x, x in metres from the corner of the grid. */
@unmanaged
export class Wall {
  kind: i32
  /** 1 if it ever moves. */
  moves: i32
  linearX: f64
  linearY: f64
  linearZ: f64
  angularX: f64
  angularY: f64
  angularZ: f64
  /** Number of its `WallFrame`, from 1; 0: it never moves. */
  frame: i32
}

export const WALL: usize = offsetof<Wall>()

/** How a wall carries its points within a substep: x becomes x + turn · x + shift, in cells from the corner of the grid. */
@unmanaged
export class WallFrame {
  /** Rotation less the identity, row by row. */
  turnXX: f64
  turnXY: f64
  turnXZ: f64
  turnYX: f64
  turnYY: f64
  turnYZ: f64
  turnZX: f64
  turnZY: f64
  turnZZ: f64
  shiftX: f64
  shiftY: f64
  shiftZ: f64
  /** An arc is off its chord by at most a quarter of this times the chord. */
  bend: f64
  /** Corners of all that its walls reach within the substep. */
  lowX: f64
  lowY: f64
  lowZ: f64
  highX: f64
  highY: f64
  highZ: f64
}

export const WALL_FRAME: usize = offsetof<WallFrame>()

/** Frames count from 1. */
@inline
export function frameOf(liquid: Liquid, frame: i32): WallFrame {
  return changetype<WallFrame>(liquid.frames + <usize>frame * WALL_FRAME)
}

@inline
export function wallOf(liquid: Liquid, owner: i32): Wall {
  return changetype<Wall>(liquid.walls + <usize>owner * WALL)
}

/** Number of the first particle of a cell; particles must be sorted. */
@inline
export function firstParticle(liquid: Liquid, cell: i32): i32 {
  return load<i32>(liquid.cellStart + ((<usize>cell) << 2))
}
