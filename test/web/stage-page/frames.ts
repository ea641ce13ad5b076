/** Frames whose every number is known: a ball of liquid beside a solid one, in a domain of 1 m. */
import { cellPosition, createGrid, type Grid } from '../../../src/grid/grid.js'
import { sphere } from '../../../src/grid/shapes.js'
import { sampleFaces } from '../../../src/grid/staggered.js'
import type { Frame, FrameFields } from '../../../src/liquid/frame.js'
import { CONTACT, DRY, LIQUID } from '../../../src/pressure/problem.js'
import { frameOf, NOWHERE } from '../../support/frames.js'

export const SIZE = 16
export const BALL = { centre: [0.4, 0.55, 0.5], radius: 0.27 } as const
const SOLID = { centre: [0.8, 0.25, 0.5], radius: 0.15 } as const

export interface KnownFrameOptions {
  readonly dims: 2 | 3
  readonly solid?: boolean
  readonly particles?: boolean | 'none'
  readonly fields?: boolean
  /** Of all cells instead of those of the ball: every one is wet. */
  readonly everywhere?: boolean
  /** Of the solid along x, m. */
  readonly shift?: number
}

export function knownFrame({
  dims,
  solid = false,
  particles = true,
  fields = true,
  everywhere,
  shift = 0,
}: KnownFrameOptions): Frame {
  const grid = createGrid(dims === 2 ? [SIZE, SIZE] : [SIZE, SIZE, SIZE], 1 / SIZE)
  const ball = ([x, y, z]: readonly number[], radius: number) => sphere(dims === 2 ? [x, y] : [x, y, z], radius)
  const liquid = everywhere ? () => -1 : ball(BALL.centre, BALL.radius)
  const [x, y, z] = SOLID.centre
  const frame = frameOf(grid, liquid, solid ? ball([x + shift, y, z], SOLID.radius) : NOWHERE)
  return {
    ...frame,
    ...(particles && { particles: particlesIn(grid, particles === 'none' ? () => 1 : liquid) }),
    ...(fields && { fields: knownFields(grid, frame.liquid) }),
  }
}

/** On a lattice of half the spacing, all moving at 2 m/s. */
function particlesIn({ dims, spacing, shape: [nx, ny, nz] }: Grid, liquid: (x: number, y: number, z: number) => number) {
  const position: number[] = []
  for (let k = 0; k < (dims === 2 ? 1 : 2 * nz); k++)
    for (let j = 0; j < 2 * ny; j++)
      for (let i = 0; i < 2 * nx; i++) {
        const place = [i, j, k].map(at => (at + 0.5) * (spacing / 2)) as [number, number, number]
        if (dims === 2) place[2] = 0
        if (liquid(...place) < -0.3 * spacing) position.push(...place)
      }
  return {
    position: Float32Array.from(position),
    velocity: Float32Array.from(position, (_, at) => (at % 3 === 0 ? 2 : 0)),
  }
}

/** Velocity (x², 0, 0) in m/s, whose divergence is 2x; pressure 5000 y in Pa; in the middle layer of 3D, and in all of 2D, walls are touched
 *  on the left and let go of on the right. */
function knownFields(grid: Grid, liquid: Float32Array): FrameFields {
  const [nx] = grid.shape
  const middle = grid.dims === 2 ? 0 : SIZE / 2
  const kind = Uint8Array.from(liquid, (phi, cell) => {
    const [i, , k] = cellPosition(grid, cell)
    return phi >= 0 ? DRY : k === middle && (i < 6 || i > 8) ? CONTACT : LIQUID
  })
  const pressure = Float32Array.from(liquid, (_, cell) => {
    const j = Math.floor(cell / nx) % grid.shape[1]
    return kind[cell] === DRY || cell % nx > 8 ? 0 : 5000 * (j + 0.5) * grid.spacing
  })
  const faces = sampleFaces(grid, [x => x * x, () => 0, () => 0])
  return { kind, pressure, velocity: faces.map(face => Float32Array.from(face)) as unknown as FrameFields['velocity'] }
}
