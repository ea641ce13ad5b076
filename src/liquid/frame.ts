/** The state of a liquid at one time, as it is stored, drawn and exported: plain arrays in metres and seconds, laid out as in `grid/`. Optional
 *  parts are absent if the run does not keep them. Lengths of arrays: cells, nodes (cell corners), faces per axis, particles. */
import { checkFlag, checkList, checkNumber, checkNumbers, checkObject, checkWhole } from '../checks.js'
import { AXES, checkGrid, faceShape, type Grid, nodeShape } from '../grid/grid.js'

export interface Frame {
  readonly grid: Grid
  /** 0 is the start. */
  readonly index: number
  readonly time: number
  /** Signed distance to the surface at cell centres, < 0 inside; at most three cells, and continued into solids. It is smoother than that of the
   *  pressure solve, see surface/picture-surface.ts. */
  readonly liquid: Float32Array
  /** Signed distance to the nearest solid at nodes, < 0 inside. */
  readonly solid: Float32Array
  readonly particles?: FrameParticles
  readonly fields?: FrameFields
}

/** Parts of a frame to keep besides the surface; none by default. */
export interface FrameParts {
  readonly particles?: boolean
  readonly fields?: boolean
}

export function checkParts(parts: FrameParts, what: string): void {
  checkObject(parts, what, 'an object with the flags particles and fields')
  for (const name of ['particles', 'fields'] as const) if (parts[name] !== undefined) checkFlag(parts[name], `${what}, ${name},`)
}

export interface FrameParticles {
  /** x, y, z of every particle, one after the other; z is 0 in 2D. */
  readonly position: Float32Array
  /** m/s, likewise; of the middle of the last substep, half of it before positions. */
  readonly velocity: Float32Array
}

/** Fields of the last solve, at the start of the last substep. */
export interface FrameFields {
  /** Pa at cell centres, 0 in dry cells. */
  readonly pressure: Float32Array
  /** DRY, LIQUID or CONTACT in the pressure problem. */
  readonly kind: Uint8Array
  /** m/s on faces. */
  readonly velocity: readonly [Float32Array, Float32Array, Float32Array]
}

/** Throws an InputError that names the array unless all of them fit the grid. */
export function checkFrame(value: unknown, what: string): void {
  checkObject(value, what, 'a frame from capture or readFrame')
  const { grid, index, time, liquid, solid, particles, fields } = value as Frame
  checkGrid(grid, `${what}.grid`)
  checkWhole(index, `${what}.index`, 0)
  checkNumber(time, `${what}.time`, 0)
  checkNumbers(liquid, `${what}.liquid`, Float32Array, grid.cells, 'cell')
  checkNumbers(solid, `${what}.solid`, Float32Array, product(nodeShape(grid)), 'node')
  if (particles !== undefined) checkParticles(particles, `${what}.particles`)
  if (fields === undefined) return
  checkObject(fields, `${what}.fields`)
  checkNumbers(fields.pressure, `${what}.fields.pressure`, Float32Array, grid.cells, 'cell')
  checkNumbers(fields.kind, `${what}.fields.kind`, Uint8Array, grid.cells, 'cell')
  checkList(fields.velocity, `${what}.fields.velocity`)
  for (const axis of AXES)
    checkNumbers(
      fields.velocity[axis],
      `${what}.fields.velocity[${axis}]`,
      Float32Array,
      product(faceShape(grid, axis)),
      `face normal to ${'xyz'[axis]}`,
    )
}

export function checkParticles(value: unknown, what: string): void {
  checkObject(value, what, 'an object with position and velocity')
  const { position, velocity } = value as FrameParticles
  checkNumbers(position, `${what}.position`, Float32Array)
  checkWhole(position.length / 3, `${what}.position: its length over three`, 0)
  checkNumbers(velocity, `${what}.velocity`, Float32Array, position.length, 'coordinate')
}

const product = ([x, y, z]: readonly [number, number, number]) => x * y * z
