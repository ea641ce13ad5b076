/** What of the current moment can be taken away as a file, by the same writers as `peel export`. */
import { InputError } from '../src/input-error.js'
import type { Frame, FrameParts } from '../src/liquid/frame.js'
import type { PressureProblem } from '../src/pressure/problem.js'

export interface Moment {
  /** Of the simulation as it is now. */
  capture(parts: FrameParts): Promise<Frame>
  problem(): Promise<PressureProblem>
}

export interface Export {
  readonly label: string
  /** What names of its files end with. */
  readonly ending: string
  readonly type: string
  readonly encode: (moment: Moment) => Promise<Uint8Array>
}

/** The writers come with the first export: they bring a package of their own. */
const writers = () => import('../src/io/formats.js')

async function meshOf(moment: Moment) {
  const { surfaceMesh } = await writers()
  const mesh = surfaceMesh(await moment.capture({}))
  if (mesh.indices.length === 0) throw new InputError('There is no liquid, so it has no surface to save; draw some first.')
  return mesh
}

export const EXPORTS: Readonly<Record<string, Export>> = {
  surfacePly: {
    label: 'Surface as PLY',
    ending: 'surface.ply',
    type: 'model/ply',
    encode: async moment => (await writers()).formatMeshPly(await meshOf(moment)),
  },
  surfaceGlb: {
    label: 'Surface as GLB',
    ending: 'surface.glb',
    type: 'model/gltf-binary',
    encode: async moment => (await writers()).formatGlb(await meshOf(moment)),
  },
  particlesPly: {
    label: 'Particles as PLY',
    ending: 'particles.ply',
    type: 'model/ply',
    encode: async moment => (await writers()).formatParticlesPly((await moment.capture({ particles: true })).particles!),
  },
  problemNpz: {
    label: 'Pressure problem as NPZ',
    ending: 'problem.npz',
    type: 'application/zip',
    encode: async moment => (await writers()).formatGridProblem(await moment.problem()),
  },
}

/** `scene-000012-surface.ply`, as `peel export` counts frames. */
export function fileName(scene: string, frame: number, ending: string): string {
  const plain = scene.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'liquid'
  return `${plain}-${String(frame).padStart(6, '0')}-${ending}`
}
