/** What `peel export` can write: one entry per format and content, for a file per frame or a table of all frames. A new format is one entry. */
import { InputError, suggestion } from '../input-error.js'
import {
  type ForceRecord,
  formatFieldsNpz,
  formatForcesCsv,
  formatGlb,
  formatGridProblem,
  formatMeshPly,
  formatObj,
  formatParticlesNpz,
  formatParticlesPly,
  formatPng,
  formatPvd,
  formatSparseProblem,
  formatVti,
  formatVtp,
  type StoredRun,
} from '../io/index.js'
import type { Frame, FrameParticles } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { surfaceMesh } from '../liquid/surface/surface-mesh.js'
import type { PressureProblem } from '../pressure/problem.js'
import { createBuffers } from '../sparse/buffers.js'
import { compact } from '../sparse/matrix.js'

type Encoded = Uint8Array | readonly Uint8Array[]

export interface Exporter {
  readonly format: string
  readonly what: string
  readonly about: string
  /** Endings of the files of one frame; by default one file with the name of the format as its ending. */
  readonly endings?: readonly string[]
  /** The files of one frame, in the order of their endings. Refuses frames that lack what it needs. */
  readonly encode: (frame: Frame, run: StoredRun) => Encoded | Promise<Encoded>
  /** One more file that lists the others, with its ending. */
  readonly series?: readonly [ending: string, encode: typeof formatPvd]
}

/** One file about all chosen frames, from what the run recorded of them. */
export interface TableExporter extends Pick<Exporter, 'format' | 'what' | 'about'> {
  /** Refuses runs that lack what it needs. */
  readonly table: (run: StoredRun, frames: readonly number[]) => Uint8Array
}

export const TABLES: readonly TableExporter[] = [
  { format: 'csv', what: 'forces', about: 'forces and torques on solids and sides, in one file', table: forcesTable },
]

function forcesTable({ path, stats }: StoredRun, frames: readonly number[]): Uint8Array {
  const chosen = new Set(frames)
  const records = stats.filter(({ frame, forces }) => chosen.has(frame as number) && forces !== undefined)
  if (records.length === 0) throw new InputError(`${path} has no forces of these frames; run it again, from the first frame on.`)
  return formatForcesCsv(records as unknown as ForceRecord[])
}

/** As `peel solve` expects them. */
const MATRIX_ENDINGS = ['.A.mtx', '.b.mtx', '.separating.mtx']

/** What a frame alone does not contain; entries that need it exist only if it is given. */
export interface ExportProviders {
  /** The pressure problem of the step that led to a frame. */
  readonly problem?: (run: StoredRun, frame: Frame) => Promise<PressureProblem>
  readonly picture?: (run: StoredRun, frame: Frame) => Promise<Picture>
  /** Of the meshes. */
  readonly refine?: number
}

export function createExporters({ problem, picture, refine }: ExportProviders = {}): readonly Exporter[] {
  const meshOf = (frame: Frame) => surfaceMesh(frame, { refine })
  const pvd = ['pvd', formatPvd] as const
  const surface = { what: 'surface', about: 'closed mesh with normals' }
  const particles = { what: 'particles', about: 'positions and velocities' }
  const fields = { what: 'fields', about: 'level sets; pressure, kind and velocity if the run kept them' }
  const exporters: Exporter[] = [
    { format: 'ply', ...surface, encode: frame => formatMeshPly(meshOf(frame)) },
    { format: 'ply', ...particles, encode: (frame, run) => formatParticlesPly(particlesOf(frame, run)) },
    { format: 'obj', ...surface, encode: frame => formatObj(meshOf(frame)) },
    { format: 'glb', ...surface, encode: frame => formatGlb(meshOf(frame)) },
    {
      format: 'vtp',
      ...particles,
      encode: (frame, run) => formatVtp({ ...frame, particles: particlesOf(frame, run) }),
      series: pvd,
    },
    { format: 'vti', ...fields, encode: frame => formatVti(frame), series: pvd },
    { format: 'npz', ...fields, encode: frame => formatFieldsNpz(frame) },
    { format: 'npz', ...particles, encode: (frame, run) => formatParticlesNpz(frame, particlesOf(frame, run)) },
  ]
  if (problem) {
    const encode = async (frame: Frame, run: StoredRun) => formatGridProblem(await problem(run, frame))
    const about = 'pressure problem of a substep, for peel solve'
    exporters.push({ format: 'npz', what: 'problem', about, encode })
    const asMatrix = async (frame: Frame, run: StoredRun) => {
      const texts = formatSparseProblem(compact(await problem(run, frame), createBuffers()).problem)
      return [texts.A, texts.b, texts.separating].map(text => new TextEncoder().encode(text))
    }
    exporters.push({ format: 'mtx', what: 'problem', about, endings: MATRIX_ENDINGS, encode: asMatrix })
  }
  if (picture) {
    const encode = async (frame: Frame, run: StoredRun) => formatPng(await picture(run, frame))
    exporters.push({ format: 'png', what: 'surface', about: 'picture', encode })
  }
  return exporters
}

/** Without `what`, the first content that the format has. */
export function findExporter<Entry extends Pick<Exporter, 'format' | 'what'>>(
  exporters: readonly Entry[],
  format: string,
  what: string | undefined,
): Entry {
  const formats = [...new Set(exporters.map(exporter => exporter.format))]
  const inFormat = exporters.filter(exporter => exporter.format === format)
  if (inFormat.length === 0)
    throw new InputError(`--format: "${format}" is unknown${suggestion(format, formats)}; use one of ${formats.join(', ')}.`)
  const found = what === undefined ? inFormat[0] : inFormat.find(exporter => exporter.what === what)
  if (found) return found
  const others = exporters.filter(exporter => exporter.what === what).map(exporter => exporter.format)
  const contents = inFormat.map(exporter => exporter.what)
  if (others.length === 0) {
    const known = [...new Set(exporters.map(exporter => exporter.what))]
    throw new InputError(
      `--what: "${what}" is unknown${suggestion(what!, known)}; ${format} files contain ${contents.join(' or ')}.`,
    )
  }
  throw new InputError(
    `--what: ${format} files contain ${contents.join(' or ')}, not ${what}; use --format ${others.join(' or ')}.`,
  )
}

function particlesOf({ particles, index }: Frame, { path }: StoredRun): FrameParticles {
  if (particles) return particles
  throw new InputError(
    `${path} has no particles of frame ${index}; run it again with particles in output.keep, or export the surface.`,
  )
}
