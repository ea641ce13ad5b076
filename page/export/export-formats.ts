/** File formats of the current frame, written by the same writers as `peel export`. */
import { type Frame, type FrameParts, InputError, type PressureProblem } from 'peel'
import { formatGlb, formatGridProblem, formatMeshPly, formatParticlesPly, surfaceMesh } from 'peel/formats'

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

async function meshOf(moment: Moment) {
  const mesh = surfaceMesh(await moment.capture({}))
  if (mesh.indices.length === 0)
    throw new InputError('There is no liquid and therefore no surface to save; draw some liquid first.')
  return mesh
}

export const EXPORTS: Readonly<Record<string, Export>> = {
  surfacePly: {
    label: 'Surface as PLY',
    ending: 'surface.ply',
    type: 'model/ply',
    encode: async moment => formatMeshPly(await meshOf(moment)),
  },
  surfaceGlb: {
    label: 'Surface as GLB',
    ending: 'surface.glb',
    type: 'model/gltf-binary',
    encode: async moment => formatGlb(await meshOf(moment)),
  },
  particlesPly: {
    label: 'Particles as PLY',
    ending: 'particles.ply',
    type: 'model/ply',
    encode: async moment => formatParticlesPly((await moment.capture({ particles: true })).particles!),
  },
  problemNpz: {
    label: 'Pressure problem as NPZ',
    ending: 'problem.npz',
    type: 'application/zip',
    encode: async moment => formatGridProblem(await moment.problem()),
  },
}

/** `scene-000012-surface.ply`, as `peel export` counts frames. */
export function fileName(scene: string, frame: number, ending: string): string {
  const plain = scene.replace(/[^\w.-]+/g, '-').replace(/^-+|-+$/g, '') || 'liquid'
  return `${plain}-${String(frame).padStart(6, '0')}-${ending}`
}
