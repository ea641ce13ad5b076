/** How much liquid is above each place of the ground, in metres, blurred: what its soft shadow is made of. */
import type { Frame } from '../../liquid/frame.js'

export interface Shadow {
  /** Side lengths of the map in cells, margins included. */
  readonly width: number
  readonly height: number
  /** Cells by which it is larger than the grid, on every side. */
  readonly margin: number
  readonly values: Float32Array
}

/** Share of the longer side over which shadows fade. */
const SOFTNESS = 0.07

/** Keeps its memory from call to call. */
export function createShadowCaster(): (frame: Frame) => Shadow {
  let values = new Float32Array(0)
  let scratch = new Float32Array(0)
  return ({ grid, liquid }) => {
    const [nx, ny, nz] = grid.shape
    const radius = Math.max(1, Math.round(SOFTNESS * Math.max(nx, nz)))
    const margin = 3 * radius
    const width = nx + 2 * margin
    const height = nz + 2 * margin
    if (values.length !== width * height) {
      values = new Float32Array(width * height)
      scratch = new Float32Array(width * height)
    }
    values.fill(0)
    for (let k = 0, cell = 0; k < nz; k++) {
      for (let j = 0; j < ny; j++) {
        const row = margin + width * (k + margin)
        for (let i = 0; i < nx; i++, cell++) if (liquid[cell] < 0) values[row + i] += grid.spacing
      }
    }
    // Three means over a window are close to a Gaussian.
    for (let pass = 0; pass < 3; pass++) {
      smooth(values, scratch, height, width, width, 1, radius)
      smooth(scratch, values, width, height, 1, width, radius)
    }
    return { width, height, margin, values }
  }
}

/** Mean over 2 radius + 1 values along lines; beyond their ends lies 0. */
function smooth(
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
