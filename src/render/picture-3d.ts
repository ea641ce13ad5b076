/** Pictures of 3D frames: rays through the level sets, followed by compiled loops (src/engine/assembly/ray-*). Same frame and options, same
 *  pixels, whatever the number of threads. */
import { type Kernels, type Machine, startMachine } from '../engine/kernels.js'
import { RAY_FIELD, type RayField } from '../engine/ray-kernels.js'
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { type Camera, type CameraOptions, frameBox } from './camera.js'
import { addFrameCaption, type CaptionOptions } from './caption.js'
import { continuedLiquid } from './continued-liquid.js'

export interface Picture3DOptions extends CameraOptions, CaptionOptions {
  /** Pixels. */
  readonly width?: number
  readonly height?: number
  /** Rays per pixel and side: 2 gives smooth edges at four times the time. */
  readonly samples?: number
  /** How murky the liquid is: 1 is a tank of the size of the domain in a room. */
  readonly depth?: number
  /** Keep where rays first meet liquid. */
  readonly keepSurface?: boolean
}

export interface Picture3D extends Picture {
  readonly camera: Camera
  /** Four numbers a pixel: cells from the eye to the first surface of liquid (0: none is met), and its normal; if it was asked for. */
  readonly surface?: Float32Array
}

export interface Painter {
  draw(frame: Frame, options?: Picture3DOptions): Picture3D
  dispose(): void
}

const MOST_PIXELS = 2 ** 26
/** Level sets are cut off here, in cells: rays take no longer steps anyway, and what is not a number becomes one. */
const FAR = 64

/** Direction to the sun: from the left, high, a little to the front. */
const SUN = normalise([-0.42, 1, 0.3])
/** What is absorbed of red, green and blue light on its way across the longest side of the domain, as a power of e. */
const ABSORBED = [3.4, 1.0, 0.5]
const FLOOR_LINES = 8

/** Keeps one machine for many pictures. */
export async function createPainter(threads = 1): Promise<Painter> {
  const machine = await startMachine(threads)
  return { draw: (frame, options) => draw(machine, frame, options), dispose: () => machine.dispose() }
}

function draw(machine: Machine, frame: Frame, options: Picture3DOptions = {}): Picture3D {
  const { width = 640, height = 480, samples = 1, depth = 1, keepSurface = false } = options
  const { grid } = frame
  if (grid.dims !== 3) throw new InputError('A 2D frame cannot be drawn by rays; draw it with drawFrame2D.')
  if (!(isCount(width) && isCount(height) && width * height <= MOST_PIXELS))
    throw new InputError(`A picture of ${width} × ${height} pixels cannot be drawn; take whole numbers from 1.`)
  if (!(isCount(samples) && samples <= 8)) throw new InputError(`Rays per pixel and side are 1 to 8, not ${samples}.`)
  const kernels: Kernels = machine.kernels
  kernels.releaseAll()
  const [nx, ny, nz] = grid.shape
  const view = kernels.createRayView(nx, ny, nz, width, height, keepSurface ? 1 : 0)
  const { buffer } = machine.memory
  const whole = new Int32Array(buffer, view)
  const real = new Float32Array(buffer, view)
  const word = (field: RayField) => whole[RAY_FIELD[field]]
  const set = (field: RayField, value: number) => {
    real[RAY_FIELD[field]] = value
  }
  const camera = frameBox([nx, ny, nz], width, height, options)
  setVector(set, ['eyeX', 'eyeY', 'eyeZ'], camera.eye)
  setVector(set, ['forwardX', 'forwardY', 'forwardZ'], camera.forward)
  setVector(set, ['rightX', 'rightY', 'rightZ'], camera.right)
  setVector(set, ['upX', 'upY', 'upZ'], camera.up)
  setVector(set, ['sunX', 'sunY', 'sunZ'], SUN)
  const longest = Math.max(nx, ny, nz)
  setVector(
    set,
    ['absorbR', 'absorbG', 'absorbB'],
    ABSORBED.map(share => (share * depth) / longest),
  )
  set('pixelAngle', camera.pixelAngle)
  set('gridStep', longest / FLOOR_LINES)
  whole[RAY_FIELD.samples] = samples
  const room = (nx + 2) * (ny + 2) * (nz + 2)
  whole[RAY_FIELD.hasLiquid] = fillLiquid(frame, new Float32Array(buffer, word('liquid'), room)) ? 1 : 0
  whole[RAY_FIELD.hasSolid] = fillSolid(frame, new Float32Array(buffer, word('solid'), frame.solid.length)) ? 1 : 0
  kernels.drawRays(view)
  const picture: Picture3D = {
    width,
    height,
    camera,
    pixels: new Uint8ClampedArray(buffer, word('pixels'), 4 * width * height).slice(),
    surface: keepSurface ? new Float32Array(buffer, word('surface'), 4 * width * height).slice() : undefined,
  }
  addFrameCaption(picture, frame, options, 'top-left')
  return picture
}

/** Copies the level set in cells, repeated once beyond every side. Returns whether there is any liquid. */
function fillLiquid(frame: Frame, to: Float32Array): boolean {
  const { shape, spacing } = frame.grid
  const [nx, ny, nz] = shape
  const liquid = continuedLiquid(frame)
  let smallest = Infinity
  let at = 0
  for (let k = -1; k <= nz; k++) {
    const plane = nx * ny * Math.min(Math.max(k, 0), nz - 1)
    for (let j = -1; j <= ny; j++) {
      const row = plane + nx * Math.min(Math.max(j, 0), ny - 1)
      for (let i = -1; i <= nx; i++) {
        const phi = inCells(liquid[row + Math.min(Math.max(i, 0), nx - 1)], spacing)
        smallest = Math.min(smallest, phi)
        to[at++] = phi
      }
    }
  }
  return smallest < 0
}

/** Returns whether there is any solid. */
function fillSolid({ grid, solid }: Frame, to: Float32Array): boolean {
  let smallest = Infinity
  for (let node = 0; node < solid.length; node++) {
    const phi = inCells(solid[node], grid.spacing)
    smallest = Math.min(smallest, phi)
    to[node] = phi
  }
  return smallest < 0
}

function inCells(phi: number, spacing: number): number {
  const cells = phi / spacing
  return cells < FAR ? Math.max(cells, -FAR) : FAR
}

function setVector(set: (field: RayField, value: number) => void, fields: readonly RayField[], vector: readonly number[]): void {
  fields.forEach((field, axis) => {
    set(field, vector[axis])
  })
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

function normalise(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  return vector.map(part => part / length)
}
