/** A liquid in memory: grid, particles, and what lies between them. Lengths are in cells, velocities in m/s, times in seconds. Arrays are
 *  as in src/grid: cells x first, one face array per axis, nodes at cell corners. A 2D grid is one cell deep, with particles at z = ½.
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
  /** Slabs of the grid, cells of a slab, slabs of a piece (the last may have fewer), pieces. */
  slabs: i32
  slabCells: i32
  pieceSlabs: i32
  pieceCount: i32
  /** Metres. */
  spacing: f64

  // ---- cells
  /** i32, one more than cells: where the particles of each cell begin, after `sortParticles`. */
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
  /** f32: velocity as it came from the particles; then, until they give it again, that of deep liquid, see deep/carry.ts. */
  beforeX: usize
  beforeY: usize
  beforeZ: usize
  /** f32: fraction that solids leave open; 0 on closed sides. */
  openX: usize
  openY: usize
  openZ: usize
  /** u8: 0 where the velocity is known, else the layer in which it was extrapolated; 255 beyond. */
  layerX: usize
  layerY: usize
  layerZ: usize
  /** Two f32 a face: weight and momentum while particles are summed up; when they are moved on, the velocities of all faces, and behind
   *  them how they have changed since then. */
  pairX: usize
  pairY: usize
  pairZ: usize

  // ---- walls
  /** i32 for −x, +x, −y, +y, −z, +z: OPEN, SEPARATING or STICKING. */
  sides: usize
  /** `Wall` for every owner, 256 of them. */
  walls: usize

  // ---- particles; f32 arrays as long as the capacity
  count: i32
  capacity: i32
  px: usize
  py: usize
  pz: usize
  vx: usize
  vy: usize
  vz: usize
  /** APIC: nine arrays one after the other, row a holds the gradient of velocity component a in 1/s; 0 with FLIP. */
  affine: usize
  // Where the next sort puts them.
  otherPx: usize
  otherPy: usize
  otherPz: usize
  otherVx: usize
  otherVy: usize
  otherVz: usize
  otherAffine: usize
  /** u32 a particle each, while sorting: the list of particles in the order of bins, and their cells. */
  order: usize
  cellOf: usize
  /** i32: where the particles of each bin begin, one more than bins; and how many each piece of the list has for each bin. See sort.ts. */
  binStart: usize
  binCounts: usize

  // ---- cells, again
  /** u8: OPEN where nobody touches the cell, else the kind of the wall that reaches deepest into it; CENTRE_SOLID beside it. */
  touch: usize
  /** f32: fraction that solids leave open. */
  openCell: usize
  /** f32: distances to the surface by the mean position of particles, see surface/profile.ts. */
  profile: usize
  /** SURFACE_SCRATCH bytes a piece. */
  scratch: usize
  /** f32: by how much particles are too many, see particles/spread.ts. */
  excess: usize
  /** 0: no node is nearer to a solid than any particle goes. */
  hasSolids: i32

  // ---- deep liquid, which the grid carries instead of particles, see deep/depth.ts
  /** Cells below the surface in which there are particles; 0: everywhere. */
  band: i32
  /** Particles at the end of the list that were seeded since the last sort and have no velocity yet. */
  seeded: i32
  /** u8, in LAYERs: how deep a cell lies now, and how deep what is there by now has lain. */
  depth: usize
  carried: usize
  /** u8: 1 where particles are kept however deep. */
  kept: usize
  /** f32: the way that what is in a cell comes by in a substep, in cells. */
  wayX: usize
  wayY: usize
  wayZ: usize

  /** u64: bits for all faces by layer, see grid/extrapolate.ts. */
  front: usize
  /** i32: how many faces are how fast, see particles/speed.ts. */
  speeds: usize
  /** 16 u8 for each of 256 cases of corners inside: how many, and the edges where triangles have their corners; from the host. */
  cubes: usize
  /** A batch of `Places` for every piece, see grid/velocity.ts. */
  places: usize
  /** `Bounds`. */
  bounds: usize
  /** u8, a cell each: no place in it is nearer to a solid, in parts of CLEARANCE; 0 where one might be there. */
  clearance: usize
  /** u64, one for every row of cells along x, see particles/divide.ts. */
  occupied: usize
  /** u64: a bit for every face in a wall, see grid/in-walls.ts. */
  inWalls: usize

  // ---- bytes between faces in f32 arrays of an axis, 0 on axes with one point only, where the upper neighbour has weight 0
  rowX: usize
  rowY: usize
  rowZ: usize
  planeX: usize
  planeY: usize
  planeZ: usize
  /** From the velocities of an axis in the pairs to how they have changed. */
  toChangeX: usize
  toChangeY: usize
  toChangeZ: usize

  /** Layers of faces over which velocities were continued last; 0: never, all that there are count. */
  layers: i32
}

/** Parts of a cell in which `clearance` counts. */
export const CLEARANCE: i32 = 16

/** One cell, in the numbers of `depth` and `carried`. */
export const LAYER: i32 = 16

/** From this depth on there is liquid, whatever particles say: the surface is further away than they reach. */
export const LEAST_DEEP: i32 = (5 * LAYER) / 2

export const OPEN: i32 = 0
export const SEPARATING: i32 = 1
export const STICKING: i32 = 2

/** A solid moves as u(x) = linear + angular × x, x in metres from the corner of the grid. */
@unmanaged
export class Wall {
  kind: i32
  /** 1 if it ever moves. */
  moves: i32
  /** Share of the tangential velocity that touching takes away in a second step, 0 … 1. */
  friction: f64
  linearX: f64
  linearY: f64
  linearZ: f64
  angularX: f64
  angularY: f64
  angularZ: f64
}

export const WALL: usize = offsetof<Wall>()

@inline
export function wallOf(liquid: Liquid, owner: i32): Wall {
  return changetype<Wall>(liquid.walls + <usize>owner * WALL)
}

/** Number of the first particle of a cell; particles must be sorted. */
@inline
export function firstParticle(liquid: Liquid, cell: i32): i32 {
  return load<i32>(liquid.cellStart + (<usize>cell << 2))
}
