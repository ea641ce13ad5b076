/** The experiments of Lai 2020: every method on the same substeps of the same simulations, single frames, ablations. */
import { createFrameProblems, type FrameProblems, type SceneChoice, TOLERANCE } from '../frame-problems.js'
import { measureFrame, type PaperMethod, weightOf } from '../method.js'
import type { Task } from '../reproduction.js'
import { ABLATIONS, PLAIN } from './ablations.js'

/** By the names of the paper; the last one is ours. The paper names ILU, which has many forms; its counts are those of MIC(0). */
export const LAI_METHODS: readonly PaperMethod[] = [
  { name: 'FAS-MG', solver: 'fas-mg', set: PLAIN, growth: 'cells' },
  {
    name: 'PI-PCG',
    solver: 'pi-pcg',
    set: { start: 'previous', preconditioner: 'mic0' },
    growth: 'cells × side',
    remembers: true,
  },
  { name: 'PI-MG', solver: 'pi-mg', set: { start: 'previous', ...PLAIN }, growth: 'cells', remembers: true },
  {
    name: 'PE-PCG',
    solver: 'pe-pcg',
    set: { start: 'previous', preconditioner: 'mic0' },
    growth: 'cells × side',
    remembers: true,
  },
  { name: 'PE-MG', solver: 'pe-mg', set: { start: 'previous', ...PLAIN }, growth: 'cells', remembers: true },
  { name: 'FMG', solver: 'cm-multigrid', growth: 'cells × side' },
  { name: 'Newton', solver: 'minmap-newton', set: { start: 'zero', preconditioner: 'none' }, growth: 'cells × side' },
  { name: 'No LCP', solver: 'mic-pcg', set: { preconditioner: 'mic0' }, growth: 'cells × side' },
  { name: 'NAS-MGPCG', solver: 'nas-mgpcg', growth: 'cells' },
]

/** Multigrid methods, whose curves the paper draws, and ours. */
export const LAI_CURVES = ['FAS-MG', 'PI-MG', 'PE-MG', 'FMG', 'NAS-MGPCG']

/** Averaged over a simulation. */
export const LAI_SIMULATIONS: readonly (SceneChoice & {
  readonly title: string
  readonly tables: readonly number[]
  /** Largest number of cells per side in the paper. */
  readonly largest: number
})[] = [
  { scene: 'lai-circle', dims: 2, title: 'circle', tables: [1, 3, 5], largest: 256 },
  { scene: 'lai-maze', dims: 2, title: 'maze', tables: [7, 8], largest: 128 },
  { scene: 'lai-sphere', dims: 3, title: 'sphere', tables: [2, 4, 6], largest: 256 },
]

/** One frame of each. */
export const LAI_SCENARIOS: readonly (SceneChoice & { readonly frame: number; readonly table: number })[] = [
  { scene: 'lai-sphere', dims: 3, frame: 10, table: 9 },
  { scene: 'lai-sphere-cuboid', dims: 3, frame: 70, table: 10 },
  { scene: 'lai-shells', dims: 3, frame: 10, table: 11 },
]

const ABLATED_FRAME = { ...LAI_SCENARIOS[0], table: 12 }

export interface LaiOptions {
  readonly tables: readonly number[]
  readonly sizes2d: readonly number[]
  readonly sizes3d: readonly number[]
  readonly frames: number
  /** Frames of a simulation on whose first substep all methods are measured. */
  readonly samples: number
  /** Seconds for one solve. */
  readonly limit: number
  /** Of a short solve. */
  readonly rounds: number
}

/** Cycles after which an ablation has failed; above the largest count in the paper. */
export const MAX_CYCLES = 700

export function laiTasks(options: LaiOptions): { readonly tasks: readonly Task[]; dispose(): void } {
  const frames = createFrameProblems()
  const tasks: { readonly size: number; readonly scene: string; readonly frame: number; readonly task: Task }[] = []
  const wanted = (tables: readonly number[]) => tables.some(table => options.tables.includes(table))
  for (const { dims, scene, tables, largest } of LAI_SIMULATIONS) {
    if (!wanted(tables)) continue
    for (const size of (dims === 2 ? options.sizes2d : options.sizes3d).filter(cells => cells <= largest))
      for (const frame of sampledFrames(options, dims, size))
        for (const method of LAI_METHODS) {
          const task = solveTask(frames, method, { scene, dims }, size, frame, options, { kind: 'simulation' })
          tasks.push({ size: size ** dims, scene, frame, task })
        }
  }
  for (const { dims, scene, frame, table } of LAI_SCENARIOS) {
    if (!wanted([table])) continue
    for (const size of options.sizes3d)
      for (const method of LAI_METHODS) {
        const task = solveTask(frames, method, { scene, dims }, size, frame, options, {
          kind: 'frame',
          curve: LAI_CURVES.includes(method.name),
        })
        tasks.push({ size: size ** dims, scene, frame, task })
      }
  }
  if (wanted([ABLATED_FRAME.table]))
    for (const size of options.sizes3d)
      for (const { name, set } of ABLATIONS) {
        const { scene, frame } = ABLATED_FRAME
        const method: PaperMethod = { name, solver: 'fas-mg', set: { ...PLAIN, ...set }, growth: 'cells × side' }
        const most = { kind: 'ablation', maxIterations: MAX_CYCLES }
        tasks.push({ size: size ** 3, scene, frame, task: solveTask(frames, method, ABLATED_FRAME, size, frame, options, most) })
      }
  // Small grids of all scenes first, so that a short budget shows something of everything; a simulation cannot go back.
  tasks.sort((a, b) => a.size - b.size || a.scene.localeCompare(b.scene) || a.frame - b.frame)
  return { tasks: tasks.map(({ task }) => task), dispose: frames.dispose }
}

/** 3D grids above this get fewer samples. */
const FULLY_SAMPLED = 64
const FEWER = 5

/** Evenly spread, the last frame included. */
export function sampledFrames({ frames, samples }: Pick<LaiOptions, 'frames' | 'samples'>, dims: number, size: number): number[] {
  const wished = dims === 3 && size > FULLY_SAMPLED ? samples / FEWER ** Math.ceil(Math.log2(size / FULLY_SAMPLED)) : samples
  const count = Math.min(frames, Math.max(1, Math.round(wished)))
  return Array.from({ length: count }, (_, at) => Math.round(((at + 1) * frames) / count))
}

export const laiGroup = (kind: string, scene: string, size: number, method: string) => `${kind}/${scene}/${size}/${method}`

function solveTask(
  frames: FrameProblems,
  method: PaperMethod,
  choice: SceneChoice,
  size: number,
  frame: number,
  { limit, rounds }: LaiOptions,
  { kind, curve, maxIterations }: { kind: string; curve?: boolean; maxIterations?: number },
): Task {
  return {
    group: laiGroup(kind, choice.scene, size, method.name),
    item: String(frame),
    // Predictions of ablations are no use for the method they are made of.
    family: `${kind === 'ablation' ? 'ablation ' : ''}${method.name} ${choice.scene}`,
    weight: weightOf(method, choice.dims, size),
    needs: frames.need(choice, size, frame),
    run: signal =>
      measureFrame(method, frames.current, {
        tolerance: TOLERANCE,
        limit,
        rounds,
        signal,
        curve,
        ...(maxIterations && { maxIterations }),
      }),
  }
}
