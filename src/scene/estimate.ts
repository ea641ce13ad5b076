/** The cost of a scene, estimated before it is run: cells, liquid and solids by sampling; memory and time from the cost of a
 *  cell, a cell with liquid and a particle. Sources and drains are not included. */
import { AXES, cellPosition } from '../grid/grid.js'
import type { Scene, SceneInput } from './schema.js'
import { checkSceneSetting, type SceneSetting, type Vector } from './setting.js'
import { validateScene } from './validate.js'

export interface SceneEstimate {
  readonly shape: readonly number[]
  readonly cells: number
  /** Metres. */
  readonly spacing: number
  /** Cells whose centres are in liquid and in no solid, at the start. */
  readonly liquidCells: number
  /** At the start, and when a band has been thinned out. */
  readonly particles: number
  readonly laterParticles: number
  /** Share of the described liquid that is inside solids and removed. */
  readonly removed: number
  /** Of memory, all of a process that runs the scene and keeps its frames; and of that what compiled loops hold. */
  readonly bytes: number
  readonly compiledBytes: number
  /** m/s, of liquid that is thrown or falls through the whole domain. */
  readonly largestSpeed: number
  readonly substeps: number
  readonly secondsPerFrame: number
}

/** Cells looked at: all of smaller grids, every nth of larger ones. */
const MAX_ESTIMATE_SAMPLES = 400_000

/** Bytes of memory. Of the process itself: Node, the compiled loops, the thread that writes. By dimensions, of a cell: all arrays of a liquid on
 *  its grid; a 2D grid has two layers of nodes. Of a cell with liquid: the pressure solve, see docs/engines.md. Of a particle: twice its place
 *  and velocity, with room to sort it; `affine` more with APIC. */
const MEMORY_COSTS = { process: 143 * 2 ** 20, cell: { 2: 245, 3: 214 }, liquidCell: 320, particle: 56, affine: 72 }
/** Moments of a run in memory at once: simulated, passed, packed and written, and what the garbage collector has not come to yet. */
const MOMENTS = 5
/** Bytes of a moment: place and velocity of a particle, with APIC its gradients; level sets of a cell; fields of a cell. */
export const MOMENT = { particle: 24, affine: 36, cell: 8, fields: 17 }
/** Bytes in a checkpoint for each cell: of past pressures, and of deep liquid. */
export const PRESSURE_CELL = 16
export const DEEP_CELL = 13
/** Seconds on one core of a server of 2026, within a factor of three: particles moved and summed up, grids cleared and cut, a solve. */
const TIME_COSTS = { cell: 0.05e-6, liquidCell: 0.6e-6, deepCell: 0.25e-6, particle: 0.15e-6 }

/** The costs as a table in Markdown, for docs/scenes.md. */
export function formatCosts(): string {
  const { cell, liquidCell, particle, affine } = MEMORY_COSTS
  const micro = (seconds: number) => Number((1e6 * seconds).toPrecision(2))
  return [
    '| | memory, bytes | time per substep on one core, µs |',
    '|---|---:|---:|',
    `| every cell | ${cell[3]} (${cell[2]} in 2D) | ${micro(TIME_COSTS.cell)} |`,
    `| every cell with liquid, in addition | ${liquidCell} | ${micro(TIME_COSTS.liquidCell)} |`,
    `| every cell below a band of particles, in addition | | ${micro(TIME_COSTS.deepCell)} |`,
    `| every particle | ${particle} (${particle + affine} with \`apic\`) | ${micro(TIME_COSTS.particle)} |`,
  ].join('\n')
}

export function estimateScene(given: Scene | SceneInput, setting: SceneSetting): SceneEstimate {
  const scene = validateScene(given, 'The scene', (given as Scene | undefined)?.solver)
  checkSceneSetting(setting)
  const { grid } = setting
  const { particles, time, output } = scene
  const { described, wet, deep, fastest } = sampleLiquid(setting, particles.band)
  const count = wet * particles.perCell
  const later = (wet - deep) * particles.perCell
  const [affine, affineMoment] = particles.method === 'apic' ? [MEMORY_COSTS.affine, MOMENT.affine] : [0, 0]
  const compiled =
    grid.cells * MEMORY_COSTS.cell[grid.dims] + wet * MEMORY_COSTS.liquidCell + count * (MEMORY_COSTS.particle + affine)
  const keeps = (part: (typeof output.keep)[number]) => (output.keep.includes(part) ? 1 : 0)
  const frame = grid.cells * (MOMENT.cell + keeps('fields') * MOMENT.fields) + keeps('particles') * later * MOMENT.particle
  const checkpoint =
    later * (MOMENT.particle + affineMoment) + grid.cells * (PRESSURE_CELL + (particles.band > 0 ? DEEP_CELL : 0))
  // What falls through the whole domain, or is thrown, is the fastest there will be.
  const speed = Math.max(fastest, fallSpeed(setting, time.frames / time.fps))
  const wished = Math.ceil(speed / time.fps / (time.cfl * grid.spacing))
  const substeps = Math.min(time.maxSubsteps, Math.max(time.minSubsteps, wished))
  return {
    shape: grid.shape.slice(0, grid.dims),
    cells: grid.cells,
    spacing: grid.spacing,
    liquidCells: wet,
    particles: count,
    laterParticles: later,
    removed: described === 0 ? 0 : 1 - wet / described,
    bytes: MEMORY_COSTS.process + compiled + MOMENTS * (frame + checkpoint),
    compiledBytes: compiled,
    largestSpeed: speed,
    substeps,
    secondsPerFrame:
      substeps *
      (grid.cells * TIME_COSTS.cell +
        wet * TIME_COSTS.liquidCell +
        deep * TIME_COSTS.deepCell +
        (wet - deep) * particles.perCell * TIME_COSTS.particle),
  }
}

/** Moments at which gravity is looked at. */
const GRAVITY_SAMPLES = 32

/** m/s, of what falls through the whole domain by the strongest gravity of the first `seconds`. */
function fallSpeed({ grid, gravity }: SceneSetting, seconds: number): number {
  let most = 0
  for (let n = 0; n < GRAVITY_SAMPLES; n++) {
    const drop = gravity((n * seconds) / (GRAVITY_SAMPLES - 1)).reduce(
      (sum, part, axis) => (axis < grid.dims ? sum + Math.abs(part) * grid.shape[axis] * grid.spacing : sum),
      0,
    )
    most = Math.max(most, drop)
  }
  return Math.sqrt(2 * most)
}

/** Cells of the described liquid, those of them that no solid covers, those of these that are below a band of particles, and the fastest
 *  velocity there or in a source, m/s. */
function sampleLiquid({ grid, liquid, solids, sources }: SceneSetting, band: number) {
  const h = grid.spacing
  const covers = solids.map(({ phiAt }) => phiAt(0))
  const stride = Math.ceil(grid.cells / MAX_ESTIMATE_SAMPLES)
  const sides = grid.shape.map(cells => cells * h)
  const isAir = (point: Vector) =>
    point.every((x, axis) => axis >= grid.dims || (x > 0 && x < sides[axis])) &&
    !liquid.some(({ phi }) => phi(...point) < 0) &&
    !covers.some(phi => phi(...point) < 0)
  /** Along an axis, as far as the band reaches. */
  const seesAir = (point: Vector) =>
    AXES.slice(0, grid.dims).some(axis =>
      [-1, 1].some(sign => isAir(point.with(axis, point[axis] + sign * band * h) as unknown as Vector)),
    )
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
    if (band > 0 && !seesAir(point)) deep += stride
    fastest = Math.max(fastest, Math.hypot(...body.velocity(...point)))
  }
  return { described, wet: Math.min(wet, grid.cells), deep: Math.min(deep, grid.cells), fastest }
}
