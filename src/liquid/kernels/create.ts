/** Allocates the arrays of a liquid, and more room for its particles. */
import { SEPARATING } from '../../pressure/cell-kinds'
import { frontBytes } from './grid/extrapolate'
import { inWallsBytes } from './grid/in-walls'
import { createProfile } from './surface/profile'
import { SURFACE_SCRATCH } from './surface/scratch'
import { BATCH, BOUNDS, PLACES, setBounds, setStrides } from './grid/velocity'
import { allocate, bytesOf, countOf } from '../../machine/kernels/memory'
import { MOMENT_BYTES } from './particles/moments'
import { SPEED_COUNTS } from './particles/speed'
import { Liquid, MAX_GRID_PIECES, WALL, WALL_FRAME } from './liquid'

/** Particles of a piece and of the next but one never write to the same face. */
const MIN_PIECE_SLABS: i32 = 4

/** Arrays of the grid, cleared, without solids and with all sides closed. `reserveParticles` allocates those of particles. */
export function createLiquid(nx: i32, ny: i32, nz: i32, dims: i32, spacing: f64): Liquid {
  const at = allocate(offsetof<Liquid>())
  memory.fill(at, 0, offsetof<Liquid>())
  const liquid = changetype<Liquid>(at)
  const cells = <i32>countOf(nx, ny, nz)
  const nodes = <i32>countOf(nx + 1, ny + 1, nz + 1)
  liquid.nx = nx
  liquid.ny = ny
  liquid.nz = nz
  liquid.dims = dims
  liquid.cells = cells
  liquid.spacing = spacing
  liquid.slabs = dims == 3 ? nz : ny
  liquid.slabCells = dims == 3 ? nx * ny : nx
  liquid.pieceSlabs = max(MIN_PIECE_SLABS, (liquid.slabs + MAX_GRID_PIECES - 1) / MAX_GRID_PIECES)
  liquid.pieceCount = (liquid.slabs + liquid.pieceSlabs - 1) / liquid.pieceSlabs
  liquid.cellStart = cleared(cells + 1, 4)
  liquid.phi = cleared(cells, 4)
  liquid.kind = cleared(cells, 1)
  liquid.diagonal = cleared(cells, 8)
  liquid.linkX = cleared(cells, 8)
  liquid.linkY = cleared(cells, 8)
  liquid.linkZ = cleared(cells, 8)
  liquid.b = cleared(cells, 8)
  liquid.pressure = cleared(cells, 8)
  liquid.adhesion = cleared(cells, 8)
  liquid.kickPressure = cleared(cells, 8)
  liquid.lastPressure = cleared(cells, 4)
  liquid.earlierPressure = cleared(cells, 4)
  liquid.earliestPressure = cleared(cells, 4)
  liquid.solid = cleared(nodes, 4)
  liquid.owner = cleared(nodes, 1)
  for (let node = 0; node < nodes; node++) store<f32>(liquid.solid + ((<usize>node) << 2), 1e6)
  const facesX = (nx + 1) * ny * nz
  const facesY = nx * (ny + 1) * nz
  const facesZ = nx * ny * (nz + 1)
  liquid.ux = cleared(facesX, 8)
  liquid.uy = cleared(facesY, 8)
  liquid.uz = cleared(facesZ, 8)
  liquid.beforeX = cleared(facesX, 4)
  liquid.beforeY = cleared(facesY, 4)
  liquid.beforeZ = cleared(facesZ, 4)
  liquid.startX = cleared(facesX, 4)
  liquid.startY = cleared(facesY, 4)
  liquid.startZ = cleared(facesZ, 4)
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
  liquid.frames = cleared(256, <i32>WALL_FRAME)
  liquid.binStart = cleared(liquid.pieceCount + 1, 4)
  liquid.binCounts = cleared((liquid.pieceCount + 1) * MAX_GRID_PIECES, 4)
  liquid.touch = cleared(cells, 1)
  liquid.openCell = cleared(cells, 4)
  liquid.excess = cleared(cells, 4)
  liquid.doubtful = cleared(cells, 4)
  liquid.depth = cleared(cells, 1)
  liquid.carried = cleared(cells, 1)
  liquid.kept = cleared(cells, 1)
  liquid.displacementX = cleared(cells, 4)
  liquid.displacementY = cleared(cells, 4)
  liquid.displacementZ = cleared(cells, 4)
  liquid.front = cleared(frontBytes(liquid), 1)
  liquid.speeds = cleared(SPEED_COUNTS, 1)
  liquid.moments = cleared(MAX_GRID_PIECES, MOMENT_BYTES)
  liquid.cubes = cleared(256, 16)
  liquid.places = cleared(MAX_GRID_PIECES * BATCH, <i32>PLACES)
  liquid.bounds = cleared(1, BOUNDS)
  setBounds(liquid)
  setStrides(liquid)
  liquid.clearance = cleared(cells, 1)
  liquid.occupied = cleared(ny * nz, 8)
  liquid.inWalls = cleared(inWallsBytes(liquid), 1)
  liquid.hasSolids = 1
  liquid.profile = createProfile(dims)
  liquid.scratch = cleared(liquid.pieceCount, SURFACE_SCRATCH)
  return liquid
}

/** Arrays that only moving walls need. */
export function reserveMotion(liquid: Liquid): void {
  if (liquid.still != 0) return
  const nodes = <i32>countOf(liquid.nx + 1, liquid.ny + 1, liquid.nz + 1)
  liquid.still = cleared(nodes, 4)
  liquid.moving = cleared(nodes, 4)
}

/** With a guard of zeros after the end, because neighbours are loaded in pairs. */
function cleared(count: i32, size: i32): usize {
  const bytes = bytesOf(count, size) + 64
  const at = allocate(bytes)
  memory.fill(at, 0, bytes)
  return at
}

/** Makes room for `capacity` particles and keeps those in use. */
export function reserveParticles(liquid: Liquid, capacity: i32, affine: i32): void {
  if (capacity <= liquid.capacity) return
  const bytes = (<usize>liquid.count) << 2
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
    const before = (<usize>liquid.capacity) << 2
    const room = (<usize>capacity) << 2
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
