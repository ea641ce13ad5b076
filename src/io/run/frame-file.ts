/** Frame files: one moment of a run, its numbers bit for bit. */
import { AXES, createGrid, faceShape, type Grid, nodeShape } from '../../grid/grid.js'
import { InputError } from '../../input-error.js'
import type { Frame, FrameFields, FrameParticles } from '../../liquid/frame.js'
import { requireHonestSize } from '../bytes/bytes.js'
import { type Codec, portableCodec } from '../bytes/codec.js'
import {
  type Formatted,
  formatContainer,
  type NumberArray,
  parseContainer,
  type Section,
  type StoredSection,
} from '../bytes/container.js'
import type { JsonObject } from '../bytes/json.js'

const FRAME_FILE = { kind: 'frame', version: 1, what: 'a frame' }
const VELOCITY_SECTIONS = ['velocity-x', 'velocity-y', 'velocity-z'] as const

/** Of particles only signs and exponents are deflated: their digits are noise. */
export function formatFrame(frame: Frame, codec: Codec = portableCodec): Formatted {
  const { grid, index, time, liquid, solid, particles, fields } = frame
  const sections: Section[] = [
    { name: 'liquid', data: liquid, deflate: 'small' },
    { name: 'solid', data: solid, deflate: 'small' },
  ]
  if (particles)
    sections.push(
      { name: 'particle-position', data: particles.position, deflate: 'quick' },
      { name: 'particle-velocity', data: particles.velocity, deflate: 'quick' },
    )
  if (fields) {
    sections.push(
      { name: 'pressure', data: fields.pressure, deflate: 'small' },
      { name: 'kind', data: fields.kind, deflate: 'small' },
    )
    for (const axis of AXES) sections.push({ name: VELOCITY_SECTIONS[axis], data: fields.velocity[axis], deflate: 'small' })
  }
  const header = { shape: grid.shape.slice(0, grid.dims), spacing: grid.spacing, index, time }
  return formatContainer({ ...FRAME_FILE, header, sections }, codec)
}

/** Sections with unknown names are skipped: a later version of Peel may have added them. */
export function parseFrame(bytes: Uint8Array, where: string, codec: Codec = portableCodec): Frame {
  const { header, sections } = parseContainer(bytes, where, FRAME_FILE, codec)
  const { grid, index, time } = parseMoment(header, where)
  const floats = (name: string, length?: number) => take(sections, name, Float32Array, length, where)
  const liquid = floats('liquid', grid.cells)
  const solid = floats('solid', volume(nodeShape(grid)))
  const frame: Frame = { grid, index, time, liquid, solid }
  return { ...frame, ...readParticles(sections, floats, where), ...readFields(sections, grid, floats, where) }
}

type Sections = ReadonlyMap<string, StoredSection>
type TakeFloats = (name: string, length?: number) => Float32Array

function readParticles(sections: Sections, floats: TakeFloats, where: string): { particles?: FrameParticles } {
  if (!sections.has('particle-position')) return {}
  const position = floats('particle-position')
  if (position.length % 3 !== 0)
    throw new InputError(`${where}: section "particle-position" has ${position.length} values, not three per particle.`)
  return { particles: { position, velocity: floats('particle-velocity', position.length) } }
}

function readFields(sections: Sections, grid: Grid, floats: TakeFloats, where: string): { fields?: FrameFields } {
  if (!sections.has('pressure')) return {}
  const [x, y, z] = AXES.map(axis => floats(VELOCITY_SECTIONS[axis], volume(faceShape(grid, axis))))
  const kind = take(sections, 'kind', Uint8Array, grid.cells, where)
  return { fields: { pressure: floats('pressure', grid.cells), kind, velocity: [x, y, z] } }
}

function parseMoment({ shape, spacing, index, time }: JsonObject, where: string): Pick<Frame, 'grid' | 'index' | 'time'> {
  if (!Array.isArray(shape) || typeof spacing !== 'number' || typeof time !== 'number' || typeof index !== 'number')
    throw new InputError(`${where}: the header does not give shape, spacing, index and time.`)
  try {
    return { grid: createGrid(shape as number[], spacing), index, time }
  } catch (error) {
    throw new InputError(`${where}: ${(error as Error).message}`)
  }
}

function take<T extends NumberArray>(
  sections: Sections,
  name: string,
  ArrayType: abstract new (...args: never[]) => T,
  length: number | undefined,
  where: string,
): T {
  const section = sections.get(name)
  if (section === undefined) throw new InputError(`${where}: section "${name}" is missing.`)
  // Checked before it is unpacked. Particles, whose number no grid determines, are not packed.
  if (length !== undefined && section.length !== length)
    throw new InputError(`${where}: section "${name}" has ${section.length} values, its grid needs ${length}.`)
  if (length === undefined) requireHonestSize(section.bytes, section.storedBytes, where)
  const data = section.unpack()
  if (!(data instanceof ArrayType)) throw new InputError(`${where}: section "${name}" has the wrong element type.`)
  return data
}

const volume = ([nx, ny, nz]: readonly [number, number, number]) => nx * ny * nz
