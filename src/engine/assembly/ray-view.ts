/** What a picture is drawn from, in memory. Lengths are in cells, the origin is the lower corner of the grid, y points up. Colours are linear
 *  light in [0, 1]. Every field is a word of four bytes, so that the host can fill them in by number; see src/engine/ray-kernels.ts. */
import { allocate } from './memory'

/** Rows of pixels in a piece. */
export const ROWS: i32 = 4
/** Points of the map of light on the floor, per side. */
export const LIGHT: i32 = 224

@unmanaged
export class View {
  // ---- given by the host
  nx: i32
  ny: i32
  nz: i32
  width: i32
  height: i32
  /** Rays per pixel and side. */
  samples: i32
  hasSolid: i32
  hasLiquid: i32
  keepSurface: i32
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
  /** From the floor to the sun, of length 1. */
  sunX: f32
  sunY: f32
  sunZ: f32
  /** Angle of a pixel in radians. */
  pixelAngle: f32
  /** Distance of lines on the floor. */
  gridStep: f32
  /** Absorbed per cell of way through liquid. */
  absorbR: f32
  absorbG: f32
  absorbB: f32

  // ---- given by createRayView
  /** f32, cells with one more on every side. */
  liquid: usize
  /** f32, nodes. */
  solid: usize
  /** Four bytes a pixel. */
  pixels: usize
  /** Four f32 a pixel: distance to the first liquid surface (0 if there is none) and its normal. */
  surface: usize
  /** One `Ray` for every piece. */
  rays: usize
  /** Five f32 for every ray of light: where it lands (x, z) and what is left of it. */
  landed: usize
  /** Three f32 for every point of the floor: how much light falls on it. */
  light: usize
  blurred: usize
  /** Lower corner of the map of light and distance of its points. */
  lightX: f32
  lightZ: f32
  lightStep: f32
}

/** One way of light, followed backwards. */
@unmanaged
export class Ray {
  x: f32
  y: f32
  z: f32
  dx: f32
  dy: f32
  dz: f32
  /** Light gathered so far. */
  r: f32
  g: f32
  b: f32
  /** How much of what comes later is still seen. */
  throughR: f32
  throughG: f32
  throughB: f32
  /** Normal of the surface that was met, and the level set of the liquid there before solids cut it. */
  normalX: f32
  normalY: f32
  normalZ: f32
  phi: f32
  /** Way to the first surface of liquid, 0 if none was met, and its normal. */
  first: f32
  firstX: f32
  firstY: f32
  firstZ: f32
  /** Way from the eye, and walls of solids on it. */
  travelled: f32
  walls: i32
  /** Where the ray leaves the box, and through which of its faces: axis of the normal, its sign. */
  exit: f32
  exitAxis: i32
  exitSign: f32
  entryAxis: i32
  entrySign: f32
}

const RAY: usize = offsetof<Ray>()

export function rayOf(view: View, piece: i32): Ray {
  return changetype<Ray>(view.rays + <usize>piece * RAY)
}

@inline
export function pieces(view: View): i32 {
  return (view.height + ROWS - 1) / ROWS
}

export function create(nx: i32, ny: i32, nz: i32, width: i32, height: i32, keepSurface: i32): View {
  const view = changetype<View>(allocate(offsetof<View>()))
  memory.fill(changetype<usize>(view), 0, offsetof<View>())
  view.nx = nx
  view.ny = ny
  view.nz = nz
  view.width = width
  view.height = height
  view.samples = 1
  view.keepSurface = keepSurface
  view.liquid = allocate((<usize>(nx + 2) * <usize>(ny + 2) * <usize>(nz + 2)) << 2)
  view.solid = allocate((<usize>(nx + 1) * <usize>(ny + 1) * <usize>(nz + 1)) << 2)
  const pixelCount = <usize>width * <usize>height
  view.pixels = allocate(pixelCount << 2)
  view.surface = allocate(keepSurface ? pixelCount << 4 : 0)
  view.rays = allocate(<usize>max(pieces(view), LIGHT) * RAY)
  view.landed = allocate(<usize>(LIGHT * LIGHT * 5) << 2)
  view.light = allocate(<usize>(LIGHT * LIGHT * 3) << 2)
  view.blurred = allocate(<usize>(LIGHT * LIGHT * 3) << 2)
  // The map reaches beyond the box by half its sides, which is as far as its shadow does.
  const side: f32 = <f32>max(nx, nz) + <f32>ny
  view.lightStep = side * 1.35 / <f32>(LIGHT - 1)
  view.lightX = <f32>0.5 * (<f32>nx - <f32>(LIGHT - 1) * view.lightStep)
  view.lightZ = <f32>0.5 * (<f32>nz - <f32>(LIGHT - 1) * view.lightStep)
  return view
}
