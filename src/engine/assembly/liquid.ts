/** A liquid in memory: grid, particles, and what lies between them. Lengths are in cells, velocities in m/s, times in seconds. Arrays are
 *  as in src/grid: cells x first, one face array per axis, nodes at cell corners. A 2D grid is one cell deep, with particles at z = ½.
 *
 *  Loops are cut into chunks of slabs: planes of constant k in 3D, rows of constant j in 2D. The cut depends on the grid alone. */
import { frontBytes } from './liquid-extrapolate'
import { inWallsBytes } from './liquid-in-walls'
import { createProfile } from './liquid-profile'
import { SURFACE_SCRATCH } from './liquid-surface'
import { BATCH, BOUNDS, PLACES, setBounds, setStrides } from './liquid-velocity'
import { allocate } from './memory'
import { SPEED_COUNTS } from './particle-speed'

/** Slabs of a chunk at least: what particles of one chunk write never meets what those of the next but one write. */
const MIN_CHUNK_SLABS: i32 = 4
export const MOST_CHUNKS: i32 = 64

@unmanaged
export class Liquid {
  nx: i32
  ny: i32
  nz: i32
  dims: i32
  cells: i32
  /** Slabs of the grid, cells of a slab, slabs of a chunk (the last may have fewer). */
  slabs: i32
  slabCells: i32
  chunkSlabs: i32
  chunkCount: i32
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
  /** f32: velocity as it came from the particles; then, until they give it again, that of deep liquid, see liquid-carry. */
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
  /** u32 a particle each, while sorting: the list of particles in the order of chunks, and their cells. */
  order: usize
  cellOf: usize
  /** i32: where the particles of each chunk begin, one more than chunks; and how many each piece of the list has for each chunk. */
  chunkStart: usize
  chunkCounts: usize

  // ---- cells, again
  /** u8: OPEN where nobody touches the cell, else the kind of the wall that reaches deepest into it; CENTRE_SOLID beside it. */
  touch: usize
  /** f32: fraction that solids leave open. */
  openCell: usize
  /** f32: distances to the surface by the mean position of particles, see liquid-profile. */
  profile: usize
  /** SURFACE_SCRATCH bytes a chunk. */
  scratch: usize
  /** f32: by how much particles are too many, see particle-spread. */
  excess: usize
  /** 0: no node is nearer to a solid than any particle goes. */
  hasSolids: i32

  // ---- deep liquid, which the grid carries instead of particles, see liquid-depth
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

  /** u64: bits for all faces by layer, see liquid-extrapolate. */
  front: usize
  /** i32: how many faces are how fast, see particle-speed. */
  speeds: usize
  /** 16 u8 for each of 256 cases of corners inside: how many, and the edges where triangles have their corners; from the host. */
  cubes: usize
  /** A batch of `Places` for every piece, see liquid-velocity. */
  places: usize
  /** `Bounds`. */
  bounds: usize
  /** u8, a cell each: no place in it is nearer to a solid, in parts of CLEARANCE; 0 where one might be there. */
  clearance: usize
  /** u64, one for every row of cells along x, see particle-divide. */
  occupied: usize
  /** u64: a bit for every face in a wall, see liquid-in-walls. */
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

export const WALL: usize = 64

@inline
export function wallOf(liquid: Liquid, owner: i32): Wall {
  return changetype<Wall>(liquid.walls + <usize>owner * WALL)
}

/** All arrays of the grid, cleared, solids far away and all sides closed. Particles come with `reserveParticles`. */
export function createLiquid(nx: i32, ny: i32, nz: i32, dims: i32, spacing: f64): Liquid {
  const at = allocate(offsetof<Liquid>())
  memory.fill(at, 0, offsetof<Liquid>())
  const liquid = changetype<Liquid>(at)
  const cells = nx * ny * nz
  const nodes = (nx + 1) * (ny + 1) * (nz + 1)
  liquid.nx = nx
  liquid.ny = ny
  liquid.nz = nz
  liquid.dims = dims
  liquid.cells = cells
  liquid.spacing = spacing
  liquid.slabs = dims == 3 ? nz : ny
  liquid.slabCells = dims == 3 ? nx * ny : nx
  liquid.chunkSlabs = max(MIN_CHUNK_SLABS, (liquid.slabs + MOST_CHUNKS - 1) / MOST_CHUNKS)
  liquid.chunkCount = (liquid.slabs + liquid.chunkSlabs - 1) / liquid.chunkSlabs
  liquid.cellStart = cleared(cells + 1, 4)
  liquid.phi = cleared(cells, 4)
  liquid.kind = cleared(cells, 1)
  liquid.diagonal = cleared(cells, 8)
  liquid.linkX = cleared(cells, 8)
  liquid.linkY = cleared(cells, 8)
  liquid.linkZ = cleared(cells, 8)
  liquid.b = cleared(cells, 8)
  liquid.pressure = cleared(cells, 8)
  liquid.solid = cleared(nodes, 4)
  liquid.owner = cleared(nodes, 1)
  for (let node = 0; node < nodes; node++) store<f32>(liquid.solid + (<usize>node << 2), 1e6)
  const facesX = (nx + 1) * ny * nz
  const facesY = nx * (ny + 1) * nz
  const facesZ = nx * ny * (nz + 1)
  liquid.ux = cleared(facesX, 8)
  liquid.uy = cleared(facesY, 8)
  liquid.uz = cleared(facesZ, 8)
  liquid.beforeX = cleared(facesX, 4)
  liquid.beforeY = cleared(facesY, 4)
  liquid.beforeZ = cleared(facesZ, 4)
  liquid.openX = cleared(facesX, 4)
  liquid.openY = cleared(facesY, 4)
  liquid.openZ = cleared(facesZ, 4)
  liquid.layerX = cleared(facesX, 1)
  liquid.layerY = cleared(facesY, 1)
  liquid.layerZ = cleared(facesZ, 1)
  // Nothing moves through the z-faces of a 2D grid.
  if (dims == 2) memory.fill(liquid.layerZ, 255, facesZ)
  liquid.pairX = cleared(facesX, 8)
  liquid.pairY = cleared(facesY, 8)
  liquid.pairZ = cleared(facesZ, 8)
  liquid.sides = cleared(6, 4)
  for (let side: usize = 0; side < 6; side++) store<i32>(liquid.sides + (side << 2), SEPARATING)
  liquid.walls = cleared(256, <i32>WALL)
  liquid.chunkStart = cleared(liquid.chunkCount + 1, 4)
  liquid.chunkCounts = cleared((liquid.chunkCount + 1) * MOST_CHUNKS, 4)
  liquid.touch = cleared(cells, 1)
  liquid.openCell = cleared(cells, 4)
  liquid.excess = cleared(cells, 4)
  liquid.depth = cleared(cells, 1)
  liquid.carried = cleared(cells, 1)
  liquid.kept = cleared(cells, 1)
  liquid.wayX = cleared(cells, 4)
  liquid.wayY = cleared(cells, 4)
  liquid.wayZ = cleared(cells, 4)
  liquid.front = cleared(frontBytes(liquid), 1)
  liquid.speeds = cleared(SPEED_COUNTS, 1)
  liquid.cubes = cleared(256, 16)
  liquid.places = cleared(MOST_CHUNKS * BATCH, <i32>PLACES)
  liquid.bounds = cleared(1, BOUNDS)
  setBounds(liquid)
  setStrides(liquid)
  liquid.clearance = cleared(cells, 1)
  liquid.occupied = cleared(ny * nz, 8)
  liquid.inWalls = cleared(inWallsBytes(liquid), 1)
  liquid.hasSolids = 1
  liquid.profile = createProfile(dims)
  liquid.scratch = cleared(liquid.chunkCount, SURFACE_SCRATCH)
  return liquid
}

/** With a guard of zeros behind, because neighbours are loaded in pairs. */
function cleared(count: i32, size: i32): usize {
  const bytes = <usize>count * <usize>size + 64
  const at = allocate(bytes)
  memory.fill(at, 0, bytes)
  return at
}

/** Room for `capacity` particles; those there are stay. */
export function reserveParticles(liquid: Liquid, capacity: i32, affine: i32): void {
  if (capacity <= liquid.capacity) return
  const bytes = <usize>liquid.count << 2
  liquid.px = moved(liquid.px, bytes, capacity)
  liquid.py = moved(liquid.py, bytes, capacity)
  liquid.pz = moved(liquid.pz, bytes, capacity)
  liquid.vx = moved(liquid.vx, bytes, capacity)
  liquid.vy = moved(liquid.vy, bytes, capacity)
  liquid.vz = moved(liquid.vz, bytes, capacity)
  liquid.otherPx = cleared(capacity, 4)
  liquid.otherPy = cleared(capacity, 4)
  liquid.otherPz = cleared(capacity, 4)
  liquid.otherVx = cleared(capacity, 4)
  liquid.otherVy = cleared(capacity, 4)
  liquid.otherVz = cleared(capacity, 4)
  liquid.order = cleared(capacity, 4)
  liquid.cellOf = cleared(capacity, 4)
  if (affine) {
    const from = liquid.affine
    const before = <usize>liquid.capacity << 2
    const room = <usize>capacity << 2
    liquid.affine = cleared(9 * capacity, 4)
    for (let part: usize = 0; part < 9; part++) {
      if (from) memory.copy(liquid.affine + part * room, from + part * before, bytes)
    }
    liquid.otherAffine = cleared(9 * capacity, 4)
  }
  liquid.capacity = capacity
}

function moved(from: usize, bytes: usize, capacity: i32): usize {
  const at = cleared(capacity, 4)
  if (bytes) memory.copy(at, from, bytes)
  return at
}
