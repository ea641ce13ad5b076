/** What a scene will cost, before it is run: cells, liquid and solids by sampling, memory and time by rules of thumb. */
import { cellPosition } from '../grid/grid.js'
import type { Scene } from './schema.js'
import type { SceneSetting, Vector } from './setting.js'

export interface SceneEstimate {
  readonly shape: readonly number[]
  readonly cells: number
  /** Metres. */
  readonly spacing: number
  /** Cells whose centres are in liquid and in no solid, at the start. */
  readonly liquidCells: number
  /** At the start; a band is thinned out later. */
  readonly particles: number
  /** Share of the liquid as described that lies in solids and is taken away. */
  readonly removed: number
  readonly bytes: number
  readonly substeps: number
  readonly secondsPerFrame: number
}

/** Cells looked at: all of smaller grids, every nth of larger ones. */
const MOST_SAMPLES = 400_000

/** Bytes: the arrays of a liquid, those of the pressure solve, and a particle with its place in the next sorting. */
const BYTES = { cell: 165, liquidCell: 200, particle: 56, affine: 72 }
/** Seconds on one core of a server of 2026, within a factor of three: particles moved and summed up, grids cleared and cut, a solve. */
const SECONDS = { cell: 0.05e-6, liquidCell: 0.6e-6, deepCell: 0.25e-6, particle: 0.15e-6 }

export function estimateScene(scene: Scene, setting: SceneSetting): SceneEstimate {
  const { grid } = setting
  const { particles, time } = scene
  const { described, wet, deep, fastest } = sampleLiquid(setting, particles.band)
  const count = wet * particles.perCell
  const affine = particles.method === 'apic' ? BYTES.affine : 0
  // What falls through the whole domain, or is thrown, is the fastest there will be.
  const drop = Math.hypot(...setting.gravity(0)) * grid.shape[1] * grid.spacing
  const speed = Math.max(fastest, Math.sqrt(2 * drop))
  const wished = Math.ceil(speed / time.fps / (time.cfl * grid.spacing))
  const substeps = Math.min(time.maxSubsteps, Math.max(time.minSubsteps, wished))
  return {
    shape: grid.shape.slice(0, grid.dims),
    cells: grid.cells,
    spacing: grid.spacing,
    liquidCells: wet,
    particles: count,
    removed: described === 0 ? 0 : 1 - wet / described,
    bytes: grid.cells * BYTES.cell + wet * BYTES.liquidCell + count * (BYTES.particle + affine),
    substeps,
    secondsPerFrame:
      substeps *
      (grid.cells * SECONDS.cell +
        wet * SECONDS.liquidCell +
        deep * SECONDS.deepCell +
        (wet - deep) * particles.perCell * SECONDS.particle),
  }
}

/** Cells of the described liquid, those of them that no solid covers, those of these that lie below a band of particles, and the fastest
 *  velocity there or in a source, m/s. */
function sampleLiquid({ grid, liquid, solids, sources }: SceneSetting, band: number) {
  const h = grid.spacing
  const covers = solids.map(({ phiAt }) => phiAt(0))
  const stride = Math.ceil(grid.cells / MOST_SAMPLES)
  let [described, wet, deep, fastest] = [0, 0, 0, 0]
  for (let cell = 0; cell < grid.cells; cell += stride) {
    const [i, j, k] = cellPosition(grid, cell)
    const point: Vector = [(i + 0.5) * h, (j + 0.5) * h, grid.dims === 2 ? 0 : (k + 0.5) * h]
    for (const source of sources)
      if (source.phi(...point) < 0) fastest = Math.max(fastest, Math.hypot(...source.velocity(...point)))
    const body = liquid.find(({ phi }) => phi(...point) < 0)
    if (!body) continue
    described += stride
    if (covers.some(phi => phi(...point) < 0)) continue
    wet += stride
    if (band > 0 && body.phi(...point) < -band * h) deep += stride
    fastest = Math.max(fastest, Math.hypot(...body.velocity(...point)))
  }
  return { described, wet: Math.min(wet, grid.cells), deep: Math.min(deep, grid.cells), fastest }
}
