/** What a picture of a liquid in space is painted from, in memory. Lengths are in cells, the origin is the lower corner of
 *  the grid, y points up. Light is linear, four f32 at a time: red, green, blue and one more. Ways along rays are measured along the axis of
 *  the camera: `eye + way · direction`, where the direction through a pixel is not of length 1. */
import * as shared from '../../rendering-constants'
import { jobOf } from '../../../machine/kernels/job'
import { allocate, countOf } from '../../../machine/kernels/memory'
import { Continuation, createContinuation } from '../continue'
import { run, threadCount, threadNumber } from '../../../machine/kernels/pool'

/** Pixels along each axis of a tile, whose rays begin together. */
export const TILE: i32 = 8
/** Pixels along each axis between those for which all liquid along their rays is measured, as a power of two. */
export const THICKNESS_BITS: i32 = 2
/** Resolution of the table of codes, in steps of light. */
export const CODES: i32 = 4096

/** Level sets are cut off here, in cells, and what is not a number becomes this. */
export const FAR: f32 = <f32>shared.MAX_LEVEL
/** A way that no ray is as long as. */
export const NO_HIT: f32 = 1e9

// Colours in the order in which the host gives them.
export const HORIZON: usize = 0
export const ZENITH: usize = 16
export const MIRRORED: usize = 32
export const LAMP: usize = 48
export const SCATTERED: usize = 64
export const GROUND: usize = 80
export const GROUND_LINE: usize = 96
export const SOLID: usize = 112
export const SOLID_RIM: usize = 128
/** As the screen is given it, 0 to 255. */
export const EDGE: usize = 144
/** Shares of red, green and blue per cell of way through liquid, as powers of e; then that of what is not scattered. */
export const ABSORPTION: usize = 160
/** What the surface of liquid lets through, and what is left of light that its far surface mirrors. */
export const PASSED_SURFACE: usize = 176
export const MIRRORED_BACK: usize = 192
const COLOURS: usize = 208

@unmanaged
export class Space {
  // ---- given by the host
  nx: i32
  ny: i32
  nz: i32
  width: i32
  height: i32
  eyeX: f32
  eyeY: f32
  eyeZ: f32
  /** To the middle of the picture, to its right border and to its upper border. */
  forwardX: f32
  forwardY: f32
  forwardZ: f32
  rightX: f32
  rightY: f32
  rightZ: f32
  upX: f32
  upY: f32
  upZ: f32
  ballX: f32
  ballY: f32
  ballZ: f32
  /** 0 if there is no ball. */
  ballRadius: f32
  /** Metres. */
  spacing: f32
  /** One over the length of `right`, and of `up`, squared. */
  perRight: f32
  perUp: f32
  /** The picture may be part of a larger one, which is what the camera sees: its left and upper border there, the size of the larger one,
   *  and one over that. */
  left: f32
  top: f32
  wholeWidth: f32
  wholeHeight: f32
  perColumn: f32
  perRow: f32
  /** Pixels, of the edges of the grid. */
  lineWidth: f32
  /** Cells of liquid that light is followed through, with its surfaces on both sides. */
  thin: f32

  // ---- given by createSpace
  /** f32 in cells, as frames have them, in metres; and solids at nodes. */
  givenLiquid: usize
  givenSolid: usize
  colours: usize
  /** Bytes for the screen by light from 0 to 1, CODES + 1 of them. */
  codes: usize
  /** Four bytes a pixel. */
  pixels: usize

  // ---- level sets, in cells
  /** f32, cells with one more on every side; continued into solids. */
  liquid: usize
  /** Four f32 a cell: the gradient of the liquid, and one to spare. Only near its surface. */
  slopes: usize
  /** Three rows of sums for slopes. */
  sums: usize
  /** A byte for each cell of `liquid`: how many cells to every side of a place, of which this is the lowest of the eight around it, have no
   *  surface; and room to find out. */
  clear: usize
  free: usize
  eroded: usize
  again: usize
  /** f32 at nodes. */
  solid: usize
  hasSolid: i32
  /** Whether solids of any frame have been read. */
  hasTaken: i32
  hasLiquid: i32
  /** Cells that liquid is in, the upper ones excluded. */
  fromX: i32
  fromY: i32
  fromZ: i32
  toX: i32
  toY: i32
  toZ: i32
  /** The continuation of liquid into solids. */
  continuation: Continuation
  /** Light on the ground relative to ground without liquid, four f32 a place; made by the host for every frame. */
  groundLight: usize
  /** Places along its sides. */
  lightWidth: i32
  lightHeight: i32
  lightPerCell: f32
  /** Cells by which the map is larger than the grid, on every side. */
  lightMargin: f32

  // ---- the picture
  /** Four f32 a pixel: backdrop or ground without shadows. */
  backdrop: usize
  /** Four words for each pixel that sees the ground where shadows can be: its number, x and z of the place, one to spare. */
  places: usize
  placeCount: i32
  /** Four f32 a pixel: light of the solids before the backdrop, and the share of the backdrop that is seen through them. */
  glass: usize
  /** A word a pixel: its first wall, twice, and 1 more if its ray enters the grid within a solid. One more pixel at the end. */
  firstWall: usize
  /** Walls of all pixels, at the end of memory. */
  walls: usize
  /** Four f32 a pixel: all but liquid, and the way to the ball or NO_HIT. */
  scene: usize
  /** The same without shadows and ball, and as pixels. */
  plainScene: usize
  plainPicture: usize
  /** f32 a pixel: the way to liquid, 0 if there is none. */
  depths: usize
  /** Two f32 a tile: ways before which and beyond which its rays meet no liquid. */
  reaches: usize
  tilesX: i32
  tilesY: i32
  /** f32 for every fourth pixel along each axis: cells of liquid along its ray. */
  thickness: usize
  /** A byte for each of these: whether liquid is deep there up to where the ray first leaves it. */
  deep: usize
  thicknessX: i32
  thicknessY: i32
  /** Four bytes a pixel, before edges are smoothed. */
  picture: usize

  /** One for each thread, with a ray of its own. */
  hands: usize

  // ---- of the ray that is being followed
  /** Where it enters and leaves the grid, and through which side: 0 to 2 for x to z, −1 if it begins inside. */
  enter: f32
  leave: f32
  side: i32
  /** Its length through liquid so far. */
  thick: f32
  /** The way to the first surface of liquid, 0 if there is none so far. */
  hit: f32
  /** What it met there: see rays.ts. */
  met: i32
  /** The way at which it left the first liquid into air, 0 if it did not or was not followed that far. */
  exit: f32
  /** How much of what is behind is seen through both surfaces of thin liquid, from 0 to 1. */
  thinness: f32
  /** Whether more liquid is behind that, and its light: four f32. */
  hasNext: i32
  next0: f32
  next1: f32
  next2: f32
  next3: f32
}

/** Bytes from the one of a thread to that of the next, which has cache lines of its own. */
const HAND: usize = (offsetof<Space>() + 127) & ~63

@unmanaged
export class PaintJob {
  space: Space
}

/** Runs the pieces of a loop on all threads. */
export function runPieces(space: Space, operation: i32, pieces: i32): void {
  jobOf<PaintJob>().space = space
  run(operation, pieces)
}

/** Within a piece: all as the caller has it, and a ray that no other thread follows. */
export function atHand(): Space {
  const space = jobOf<PaintJob>().space
  const hand = space.hands + HAND * <usize>threadNumber()
  memory.copy(hand, changetype<usize>(space), offsetof<Space>())
  return changetype<Space>(hand)
}

/** Walls: light and cover (four f32), normal out of the solid, and the way to it. */
export const WALL_BYTES: usize = 32
/** Largest number of walls on one ray. */
export const MOST_WALLS: i32 = 16

export function create(nx: i32, ny: i32, nz: i32, width: i32, height: i32, lightWidth: i32, lightHeight: i32): Space {
  const space = changetype<Space>(allocate(offsetof<Space>()))
  memory.fill(changetype<usize>(space), 0, offsetof<Space>())
  space.nx = nx
  space.ny = ny
  space.nz = nz
  space.width = width
  space.height = height
  space.lightWidth = lightWidth
  space.lightHeight = lightHeight
  const cells = countOf(nx, ny, nz)
  const nodes = countOf(nx + 1, ny + 1, nz + 1)
  space.givenLiquid = allocate(cells << 2)
  space.givenSolid = allocate(nodes << 2)
  space.colours = allocate(COLOURS)
  space.codes = allocate(<usize>CODES + 1)
  space.hands = allocate(HAND * <usize>threadCount())
  createFields(space, cells, nodes)
  createPictures(space, countOf(width, height, 1))
  return space
}

function createFields(space: Space, cells: usize, nodes: usize): void {
  const nx = space.nx
  const ny = space.ny
  const nz = space.nz
  space.liquid = allocate(countOf(nx + 2, ny + 2, nz + 2) << 2)
  space.slopes = allocate(cells << 4)
  space.sums = allocate(<usize>(nx + 8) * 12)
  space.clear = bytesFor(space)
  space.free = bytesFor(space)
  space.eroded = bytesFor(space)
  space.again = bytesFor(space)
  space.solid = allocate(nodes << 2)
  const row = (nx + 2) << 2
  const solidRow = (<usize>(nx + 1)) << 2
  space.continuation = createContinuation(nx, ny, nz, row, row * (ny + 2), solidRow, solidRow * <usize>(ny + 1))
  space.groundLight = allocate(countOf(space.lightWidth, space.lightHeight, 1) << 4)
}

function createPictures(space: Space, pixels: usize): void {
  space.backdrop = allocate(pixels << 4)
  space.glass = allocate(pixels << 4)
  space.firstWall = allocate((pixels + 1) << 2)
  space.places = allocate(pixels << 4)
  space.scene = allocate(pixels << 4)
  space.plainScene = allocate(pixels << 4)
  space.plainPicture = allocate(pixels << 2)
  space.depths = allocate(pixels << 2)
  space.tilesX = (space.width + TILE - 1) / TILE
  space.tilesY = (space.height + TILE - 1) / TILE
  space.reaches = allocate((<usize>space.tilesX * <usize>space.tilesY) << 3)
  space.thicknessX = (space.width >> THICKNESS_BITS) + 2
  space.thicknessY = (space.height >> THICKNESS_BITS) + 2
  space.thickness = allocate((<usize>space.thicknessX * <usize>space.thicknessY) << 2)
  space.deep = allocate(<usize>space.thicknessX * <usize>space.thicknessY)
  // Whole vectors are read and written.
  space.picture = allocate((pixels << 2) + 64)
  space.pixels = allocate((pixels << 2) + 64)
  space.walls = allocate(0)
}

/** For all cells and those around them, and as far before and behind them as their neighbours are. */
function bytesFor(space: Space): usize {
  const plane = <usize>(space.nx + 2) * <usize>(space.ny + 2)
  const bytes = plane * <usize>(space.nz + 4) + 128
  const at = allocate(bytes)
  memory.fill(at, 1, bytes)
  return at + ((plane + 63) & ~63)
}
