/** Light on the ground around liquid, as one map for the processor and for graphics cards. Light of the lamp is followed down through the
 *  liquid, which absorbs it and bends it at every surface: where its ways meet, the ground is brighter than without liquid (a caustic),
 *  beside that it is darker. Light of the whole studio fades softly below liquid. Lengths are in cells. */
import type { Frame } from '../../liquid/frame.js'
import { LAMP_SHARE, SHADOW_SOFTNESS, SHADOW_STRENGTH } from '../rendering-constants.js'
import type { Vector } from '../vector.js'
import { followLamp, type GroundMap, smoothOnce, takeBody } from './lamp-light.js'

export interface GroundLight extends GroundMap {
  /** Four numbers a place: what there is of red, green and blue light, relative to ground without liquid, and one to spare. */
  readonly values: Float32Array
}

interface SoftMap extends GroundMap {
  /** Cells over which light of the studio is smoothed. */
  readonly softness: number
}

/** Finer maps of larger grids show nothing more in a picture. */
const FINE_CELLS = 160

export function groundMapOf([nx, , nz]: Vector): SoftMap {
  const softness = Math.max(1, Math.round(SHADOW_SOFTNESS * Math.max(nx, nz)))
  const margin = 3 * softness + Math.ceil(LAMP_MARGIN * Math.max(nx, nz))
  const perCell = Math.max(nx, nz) <= FINE_CELLS ? 2 : 1
  return { width: perCell * (nx + 2 * margin), height: perCell * (nz + 2 * margin), perCell, margin, softness }
}

/** Share of the longer side of the ground that light is followed beyond the grid. */
const LAMP_MARGIN = 0.35

/** Keeps its memory from call to call. `absorbed`: by a cell of liquid, of red, green and blue, as powers of e. */
export function createGroundLight(): (frame: Frame, absorbed: Vector) => GroundLight {
  let values = new Float32Array(0)
  let flux = new Float32Array(0)
  let scratch = new Float32Array(0)
  let body = new Float32Array(0)
  return (frame, absorbed) => {
    const { shape } = frame.grid
    const size = groundMapOf(shape)
    const places = size.width * size.height
    if (values.length !== 4 * places) {
      values = new Float32Array(4 * places)
      flux = new Float32Array(3 * places)
      scratch = new Float32Array(3 * places)
    }
    if (body.length !== frame.liquid.length) body = new Float32Array(frame.liquid.length)
    const wet = takeBody(frame, body)
    if (!wet) {
      values.fill(1)
      return { ...size, values }
    }
    followLamp(body, shape, wet, absorbed, size, flux)
    for (let colour = 0; colour < 3; colour++) {
      const plane = flux.subarray(colour * places, (colour + 1) * places)
      smoothOnce(plane, scratch, size.width, size.height)
      smoothOnce(plane, scratch, size.width, size.height)
    }
    const shade = studioShade(body, shape, size)
    const strength = SHADOW_STRENGTH / Math.max(shape[0], shape[2])
    const across = Math.cbrt(shape[0] * shape[1] * shape[2])
    // Deep shade keeps some light of the studio, and more of the colours that the liquid lets through.
    const tint = absorbed.map(share => 0.1 + 0.6 * (1 - Math.exp(-0.27 * across * share)))
    for (let place = 0; place < places; place++) {
      const column = place % size.width
      const row = Math.floor(place / size.width)
      const dark = 1 - Math.exp(-strength * shadeAt(shade, size, column, row))
      const near = shareWithin(size, column, row)
      for (let colour = 0; colour < 3; colour++) {
        const light = LAMP_SHARE * flux[colour * places + place] + (1 - LAMP_SHARE) * (1 - tint[colour] * dark)
        values[4 * place + colour] = 1 + near * (light - 1)
      }
      values[4 * place + 3] = 1
    }
    return { ...size, values }
  }
}

/** From 0 on the border of the map to 1 in the middle of its margin and farther: light ends without an edge. */
function shareWithin({ width, height, perCell, margin }: SoftMap, column: number, row: number): number {
  const off = Math.min(column, row, width - 1 - column, height - 1 - row)
  const share = Math.min(off / (0.5 * margin * perCell), 1)
  return share * share * (3 - 2 * share)
}

const lineAt = (values: Float32Array, at: number, share: number) => values[at] + share * (values[at + 1] - values[at])

/** Cells of liquid above each cell of the map, blurred. */
function studioShade(body: Float32Array, [nx, ny, nz]: Vector, { margin, softness }: SoftMap): Float32Array {
  const width = nx + 2 * margin
  const height = nz + 2 * margin
  const shade = new Float32Array(width * height)
  const scratch = new Float32Array(width * height)
  for (let k = 0, cell = 0; k < nz; k++) {
    for (let j = 0; j < ny; j++) {
      const row = margin + width * (k + margin)
      for (let i = 0; i < nx; i++, cell++) if (body[cell] < 0) shade[row + i]++
    }
  }
  // Three means over a window are close to a Gaussian.
  for (let pass = 0; pass < 3; pass++) {
    meanAlong(shade, scratch, height, width, width, 1, softness)
    meanAlong(scratch, shade, width, height, 1, width, softness)
  }
  return shade
}

/** Over 2 radius + 1 values along lines; values beyond their ends are 0. */
function meanAlong(
  from: Float32Array,
  to: Float32Array,
  lines: number,
  length: number,
  lineStep: number,
  step: number,
  radius: number,
): void {
  const share = 1 / (2 * radius + 1)
  for (let line = 0; line < lines; line++) {
    const start = line * lineStep
    let sum = 0
    for (let at = 0; at < Math.min(radius, length); at++) sum += from[start + at * step]
    for (let at = 0; at < length; at++) {
      if (at + radius < length) sum += from[start + (at + radius) * step]
      if (at > radius) sum -= from[start + (at - radius - 1) * step]
      to[start + at * step] = sum * share
    }
  }
}

/** At a place of the finer map. */
function shadeAt(shade: Float32Array, { width, height, perCell }: SoftMap, column: number, row: number): number {
  if (perCell === 1) return shade[column + width * row]
  const cells = width / perCell
  const lastRow = height / perCell - 1
  const x = Math.min(Math.max((column + 0.5) / perCell - 0.5, 0), cells - 1)
  const z = Math.min(Math.max((row + 0.5) / perCell - 0.5, 0), lastRow)
  const i = Math.min(Math.floor(x), cells - 2)
  const k = Math.min(Math.floor(z), lastRow - 1)
  const near = lineAt(shade, i + cells * k, x - i)
  return near + (z - k) * (lineAt(shade, i + cells * (k + 1), x - i) - near)
}

/** What there is of red, green and blue light at points of the ground; coordinates in cells. */
export function groundLightOf(frame: Frame, absorbed: Vector): (x: number, z: number) => Vector {
  const { width, height, perCell, margin, values } = createGroundLight()(frame, absorbed)
  return (x, z) => {
    const [px, pz] = [(x + margin) * perCell - 0.5, (z + margin) * perCell - 0.5]
    // Beyond the map light is as without liquid.
    if (!(px >= 0 && pz >= 0 && px < width - 1 && pz < height - 1)) return [1, 1, 1]
    const [column, row] = [Math.floor(px), Math.floor(pz)]
    const [fx, fz] = [px - column, pz - row]
    const at = (colour: number) => {
      const near = 4 * (column + width * row) + colour
      const far = near + 4 * width
      const [below, above] = [near, far].map(from => values[from] + fx * (values[from + 4] - values[from]))
      return below + fz * (above - below)
    }
    return [at(0), at(1), at(2)]
  }
}
