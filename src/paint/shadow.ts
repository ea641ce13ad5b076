/** How much liquid is above each place of the ground, in metres, blurred: what its soft shadow is made of. */
import type { Frame } from '../liquid/frame.js'
import { SHADOW_SOFTNESS, SHADOW_STRENGTH } from './rendering-constants.js'

export interface Shadow {
  /** Side lengths of the map in cells, margins included. */
  readonly width: number
  readonly height: number
  /** Cells by which it is larger than the grid, on every side. */
  readonly margin: number
  readonly values: Float32Array
}

/** Keeps its memory from call to call. */
export function createShadowCaster(): (frame: Frame) => Shadow {
  let values = new Float32Array(0)
  let scratch = new Float32Array(0)
  return ({ grid, liquid }) => {
    const [nx, ny, nz] = grid.shape
    const radius = Math.max(1, Math.round(SHADOW_SOFTNESS * Math.max(nx, nz)))
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

/** Mean over 2 radius + 1 values along lines; values beyond their ends are 0. */
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

/** Share of light that liquid absorbs above points of the ground; coordinates in cells. */
export function shadowOf(frame: Frame): (x: number, z: number) => number {
  const { width, height, margin, values } = createShadowCaster()(frame)
  const { shape, spacing } = frame.grid
  const strength = SHADOW_STRENGTH / (Math.max(shape[0], shape[2]) * spacing)
  return (x, z) => {
    const [px, pz] = [x + margin - 0.5, z + margin - 0.5]
    // Shadows end within the map.
    if (!(px >= 0 && pz >= 0 && px < width - 1 && pz < height - 1)) return 0
    const [i, k] = [Math.floor(px), Math.floor(pz)]
    const at = (column: number, row: number) => 1 - Math.exp(-strength * Math.max(values[column + width * row], 0))
    const row = (line: number) => at(i, line) + (px - i) * (at(i + 1, line) - at(i, line))
    return row(k) + (pz - k) * (row(k + 1) - row(k))
  }
}
