/** Estimates the disk space of a run. */
import { nodeShape } from '../../grid/grid.js'
import { DEEP_CELL, MOMENT, PRESSURE_CELL, type SceneEstimate } from '../../scene/estimate.js'
import type { Scene } from '../../scene/schema.js'
import type { SceneSetting } from '../../scene/setting.js'
import { packPlanes } from '../bytes/byte-planes.js'
import { littleEndianBytes } from '../bytes/bytes.js'
import { nodeCodec } from '../bytes/node-codec.js'
import { NEWEST_CHECKPOINTS } from './writer.js'

/** Bytes in a packed frame: a particle, whose digits are noise; by dimensions, the surface of a cell, and the fields of a cell with liquid. */
const PACKED = { particle: 18.5, surface: { 2: 0.2, 3: 0.4 }, fields: { 2: 10, 3: 20 } }
/** Nodes of solids that are packed to see how small they become. */
const MAX_SAMPLES = 100_000

/** Bytes of all files. What sources add and drains remove is not included. */
export function estimateDisk(scene: Scene, setting: SceneSetting, { liquidCells, laterParticles }: SceneEstimate): number {
  const { cells, dims } = setting.grid
  const { particles, output, time } = scene
  const keeps = (part: (typeof output.keep)[number]) => (output.keep.includes(part) ? 1 : 0)
  const frame =
    packedSolids(setting) +
    cells * PACKED.surface[dims] +
    keeps('fields') * liquidCells * PACKED.fields[dims] +
    keeps('particles') * laterParticles * PACKED.particle
  const perParticle = MOMENT.particle + (particles.method === 'apic' ? MOMENT.affine : 0)
  const checkpoint = laterParticles * perParticle + cells * (PRESSURE_CELL + (particles.band > 0 ? DEEP_CELL : 0))
  const frames = time.frames + 1
  return frames * frame + Math.min(frames, NEWEST_CHECKPOINTS + time.frames / output.checkpointEvery) * checkpoint
}

/** Distances to boxes compress well, those to round shapes do not, so some planes of the scene's nodes are compressed as a
 *  sample. */
function packedSolids({ grid, solids }: SceneSetting): number {
  if (solids.length === 0) return 0
  const [nx, ny, nz] = nodeShape(grid)
  const planes = Math.max(1, Math.min(nz, Math.floor(MAX_SAMPLES / (nx * ny))))
  const phis = solids.map(({ phiAt }) => phiAt(0))
  const values = new Float32Array(nx * ny * planes)
  let at = 0
  for (let plane = 0; plane < planes; plane++) {
    const z = Math.floor(((plane + 0.5) * nz) / planes) * grid.spacing
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++)
        values[at++] = Math.min(...phis.map(phi => phi(i * grid.spacing, j * grid.spacing, grid.dims === 2 ? 0 : z)))
  }
  const packed = packPlanes(littleEndianBytes(values), 4, nodeCodec).reduce((sum, part) => sum + part.length, 0)
  return (packed * nz) / planes
}
