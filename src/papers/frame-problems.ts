/** The pressure problems of scenes, frame by frame: simulated once with the default solver, so that every method sees the same systems. */
import { loadScene } from '../io/index.js'
import { simulateScene } from '../liquid/from-scene.js'
import type { Simulation } from '../liquid/simulation.js'
import { copyProblem, type PressureProblem, pressureLength } from '../pressure/problem.js'
import type { Override } from '../scene/overrides.js'
import { createSolver } from '../solvers/registry.js'
import type { Need } from './reproduction.js'

/** A scene that comes with Peel. */
export interface SceneChoice {
  readonly scene: string
  readonly dims: 2 | 3
}

export interface FrameProblem {
  /** Of the first substep of the frame. */
  readonly problem: PressureProblem
  /** Of the substep before it, with its pressure, from which methods derive their first pinned set; absent at the start. */
  readonly before?: { readonly problem: PressureProblem; pressure(): Promise<Float64Array> }
}

export interface FrameProblems {
  /** Frames count from 1. Going back begins the scene again. */
  need(scene: SceneChoice, size: number, frame: number): Need
  /** The frame that was last prepared. */
  readonly current: FrameProblem
  dispose(): void
}

/** 1/s. */
export const TOLERANCE = 1e-6

/** One simulation at a time; another scene or size replaces it. */
export function createFrameProblems(): FrameProblems {
  let open: { readonly key: string; readonly simulation: Simulation } | undefined
  let current: FrameProblem | undefined
  const dispose = () => {
    open?.simulation.dispose()
    open = undefined
    current = undefined
  }
  return {
    need({ scene, dims }, size, frame) {
      const key = `${scene} ${size}`
      const isReached = () => open?.key === key && open.simulation.frame === frame && current !== undefined
      return {
        family: `simulate ${scene}`,
        weight() {
          if (isReached()) return 0
          const done = open?.key === key && open.simulation.frame < frame ? open.simulation.frame : 0
          // Substeps grow in number with the resolution.
          return (frame - done) * size ** (dims + 1)
        },
        async prepare() {
          if (isReached()) return
          if (open?.key !== key || open.simulation.frame >= frame) {
            dispose()
            open = { key, simulation: await simulate(scene, size) }
          }
          current = await advanceTo(open.simulation, frame)
        },
      }
    },
    get current() {
      if (!current) throw new RangeError('No frame has been prepared.')
      return current
    },
    dispose,
  }
}

/** No paper corrects volumes, so neither do we. */
export async function simulate(scene: string, size: number, set: readonly Override[] = []): Promise<Simulation> {
  const loaded = await loadScene(scene, [
    ['domain.resolution', size],
    ['solver.tolerance', TOLERANCE],
    ['volume.correction', false],
    ...set,
  ])
  return simulateScene(loaded)
}

async function advanceTo(simulation: Simulation, frame: number): Promise<FrameProblem> {
  while (simulation.frame < frame - 1) await simulation.advance()
  const last = simulation.frame > 0 ? copyProblem(simulation.problem()) : undefined
  let problem: PressureProblem | undefined
  await simulation.advance(substep => {
    if (substep === 1) problem = copyProblem(simulation.problem())
  })
  if (!problem) throw new RangeError(`frame ${frame} has no substep`)
  return { problem, ...(last && { before: { problem: last, pressure: once(() => pressureOf(last)) } }) }
}

async function pressureOf(problem: PressureProblem): Promise<Float64Array> {
  const solver = createSolver('nas-mgpcg')
  const pressure = new Float64Array(pressureLength(problem))
  try {
    await solver.solve(problem, pressure, { tolerance: TOLERANCE })
    return pressure
  } finally {
    solver.dispose()
  }
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => {
    result ??= work()
    return result
  }
}
