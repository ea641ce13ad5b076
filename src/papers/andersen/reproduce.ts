/** The experiments of Andersen 2017 in 2D: what minimum-map Newton costs beside PCG, how fast it converges, which inner methods and
 *  preconditioners serve it, what ξ does, and how volumes change with both kinds of walls. */
import type { SubstepRecord } from '../../liquid/records.js'
import { type PressureProblem, pressureLength, stickingProblem } from '../../pressure/problem.js'
import { createSolver } from '../../solvers/registry.js'
import { KRYLOV_METHODS } from '../../sparse/krylov/krylov.js'
import { PRECONDITIONERS } from '../../sparse/preconditioners/preconditioner.js'
import { createFrameProblems, type FrameProblems, simulate, TOLERANCE } from '../frame-problems.js'
import { measureProblem, type PaperMethod, round } from '../method.js'
import type { Task } from '../reproduction.js'

/** Their second scene, on which most of their studies are made. */
const ANDERSEN_SCENE = { scene: 'andersen-block-on-circles', dims: 2 } as const

/** Settings of their section 6: no preconditioner inside, their four tests at 1e-5. */
const NEWTON_PAPER = { start: 'zero', preconditioner: 'none', termination: 'paper' } as const
const PAPER_TOLERANCE = 1e-5

/** Newton has no compiled loops, so neither has what it is compared with. */
const setting = { engine: 'portable' } as const

/** For the slowdown: theirs as they ran them, with a better preconditioner, and ours. */
export const ANDERSEN_METHODS: readonly PaperMethod[] = [
  { name: 'Newton', solver: 'minmap-newton', set: NEWTON_PAPER, growth: 'cells × side', setting },
  { name: 'PCG', solver: 'mic-pcg', set: { preconditioner: 'ainv' }, growth: 'cells × side', setting },
  { name: 'Newton, MIC(0)', solver: 'minmap-newton', growth: 'cells × side', setting },
  { name: 'PCG, MIC(0)', solver: 'mic-pcg', growth: 'cells × side', setting },
  { name: 'NAS-MGPCG', solver: 'nas-mgpcg', growth: 'cells' },
  { name: 'NAS-MGPCG, sticking', solver: 'nas-mgpcg', set: { walls: 'sticking' }, growth: 'cells' },
]

export const VOLUME_SCENES = [
  'andersen-dam-break',
  'andersen-block-on-circles',
  'andersen-funnel',
  'andersen-stirred-tank',
  'andersen-filling',
] as const
export const VOLUME_RUNS = { sticking: 'sticking', separating: 'separating', corrected: 'separating' } as const

export const XI = [0.00001, 0.0001, 0.001, 0.01, 0.1, 0.5] as const

export interface AndersenOptions {
  readonly sizes: readonly number[]
  /** Cells per side of the studies of convergence and inner methods. */
  readonly studySize: number
  readonly xiSizes: readonly number[]
  readonly volumeSize: number
  readonly volumeFrames: number
  readonly frames: number
  readonly samples: number
  /** Seconds for one solve. */
  readonly limit: number
  /** Of a short solve. */
  readonly rounds: number
}

/** Residuals in 1/s after every Newton step, the start first. */
export interface NewtonPath {
  readonly residuals: readonly number[]
}

/** Of whole frames, per substep. */
export interface FrameSeconds {
  readonly solve: number
  readonly all: number
}

/** By frame: volume over what it should be, less 1. */
export interface VolumeStudy {
  readonly drift: readonly number[]
}

export function andersenTasks(options: AndersenOptions): { readonly tasks: readonly Task[]; dispose(): void } {
  const problems = createFrameProblems()
  const frames = Array.from({ length: options.samples }, (_, at) => Math.round(((at + 1) * options.frames) / options.samples))
  const tasks = [
    ...volumeTasks(options),
    ...studyTasks(problems, options, frames[0]),
    ...pathTasks(problems, options),
    ...options.xiSizes.flatMap(size => xiTasks(problems, size, frames, options)),
    ...[...options.sizes]
      .sort((a, b) => a - b)
      .flatMap(size => [...frameTasks(size, options), ...slowdownTasks(problems, size, frames, options)]),
  ]
  return { tasks, dispose: problems.dispose }
}

function slowdownTasks(
  problems: FrameProblems,
  size: number,
  frames: readonly number[],
  { limit, rounds }: AndersenOptions,
): Task[] {
  return frames.flatMap(frame =>
    ANDERSEN_METHODS.map(method => ({
      group: `slowdown/${size}/${method.name}`,
      item: String(frame),
      family: method.name,
      weight: size ** 3,
      needs: problems.need(ANDERSEN_SCENE, size, frame),
      run: (signal: AbortSignal) =>
        measureProblem(method, problems.current.problem, { tolerance: PAPER_TOLERANCE, limit, rounds, signal }),
    })),
  )
}

/** Separating walls by Newton, sticking walls by PCG, each in a simulation of its own. */
export const FRAME_RUNS = {
  Newton: { walls: 'separating', name: 'minmap-newton', options: NEWTON_PAPER },
  PCG: { walls: 'sticking', name: 'mic-pcg', options: { preconditioner: 'ainv' } },
} as const

function frameTasks(size: number, { frames }: AndersenOptions): Task[] {
  const count = Math.ceil(frames / 4)
  return Object.entries(FRAME_RUNS).map(([item, { walls, ...solver }]) => ({
    group: `frames/${size}`,
    item,
    family: `frames ${item}`,
    weight: count * size ** 4,
    isLong: true,
    run: async (): Promise<FrameSeconds> => {
      const simulation = await simulate(ANDERSEN_SCENE.scene, size, [
        ['walls', walls],
        ['solver', { ...solver, ...setting, tolerance: PAPER_TOLERANCE }],
      ])
      try {
        const substeps: SubstepRecord[] = []
        while (simulation.frame < count) substeps.push(...(await simulation.advance()).substeps)
        const perSubstep = (of: (record: SubstepRecord) => number) =>
          round(substeps.reduce((sum, record) => sum + of(record), 0) / substeps.length)
        const all = ({ seconds }: SubstepRecord) => Object.values(seconds).reduce((a, b) => a + b, 0)
        return { solve: perSubstep(({ seconds }) => seconds.solve), all: perSubstep(all) }
      } finally {
        simulation.dispose()
      }
    },
  }))
}

/** Every inner method with every preconditioner: for separating walls with the preconditioner built on each Newton system and with the one
 *  of the whole matrix, as the paper does; and for sticking walls, where one Newton step is the linear solve. */
function studyTasks(problems: FrameProblems, { studySize, limit, rounds }: AndersenOptions, frame: number): Task[] {
  return ['sticking', 'masked', 'unmasked'].flatMap(kind =>
    KRYLOV_METHODS.flatMap(inner =>
      PRECONDITIONERS.map(preconditioner => {
        const mask = kind === 'unmasked' ? 'unmasked' : 'masked'
        const set = { start: 'zero', inner, preconditioner, mask, innerIterations: 5000 }
        const method: PaperMethod = { name: `${inner} ${preconditioner}`, solver: 'minmap-newton', set, growth: 'cells' }
        return {
          group: `inner/${studySize}/${kind}`,
          item: method.name,
          family: `inner ${inner}`,
          weight: studySize ** 3,
          needs: problems.need(ANDERSEN_SCENE, studySize, frame),
          run: (signal: AbortSignal) => {
            const { problem } = problems.current
            const mine = kind === 'sticking' ? stickingProblem(problem) : problem
            return measureProblem(method, mine, { tolerance: TOLERANCE, maxIterations: 20_000, limit, rounds, signal })
          },
        }
      }),
    ),
  )
}

/** Residuals by Newton step, on as many frames as the study of a median needs. */
function pathTasks(problems: FrameProblems, { studySize, frames }: AndersenOptions): Task[] {
  return Array.from({ length: frames }, (_, at) => ({
    group: `path/${studySize}`,
    item: String(at + 1),
    family: 'path',
    weight: studySize ** 3,
    isLong: true,
    needs: problems.need(ANDERSEN_SCENE, studySize, at + 1),
    run: () => followNewton(problems.current.problem, { preconditioner: 'none', start: 'zero' }, TOLERANCE),
  }))
}

function xiTasks(problems: FrameProblems, size: number, frames: readonly number[], { limit, rounds }: AndersenOptions): Task[] {
  return frames.flatMap(frame =>
    XI.map(forcing => {
      const set = { ...NEWTON_PAPER, forcing }
      const method: PaperMethod = { name: `ξ = ${forcing}`, solver: 'minmap-newton', set, growth: 'cells × side' }
      return {
        group: `xi/${size}/${forcing}`,
        item: String(frame),
        family: 'xi',
        weight: size ** 3,
        needs: problems.need(ANDERSEN_SCENE, size, frame),
        run: async (signal: AbortSignal) => {
          const { problem } = problems.current
          const { residuals } = await followNewton(problem, set, PAPER_TOLERANCE)
          const solve = await measureProblem(method, problem, { tolerance: PAPER_TOLERANCE, limit, rounds, signal })
          return { ...solve, residual: residuals[residuals.length - 1] }
        },
      }
    }),
  )
}

async function followNewton(
  problem: PressureProblem,
  set: Readonly<Record<string, unknown>>,
  tolerance: number,
): Promise<NewtonPath> {
  const solver = createSolver('minmap-newton', set)
  try {
    const { history } = await solver.solve(problem, new Float64Array(pressureLength(problem)), {
      tolerance,
      maxIterations: 200_000,
    })
    const steps = new Map(history.map(({ iteration, outer, residual }) => [iteration === 0 ? 0 : outer, residual]))
    return { residuals: [...steps].sort(([a], [b]) => a - b).map(([, residual]) => round(residual)) }
  } finally {
    solver.dispose()
  }
}

function volumeTasks({ volumeSize, volumeFrames }: AndersenOptions): Task[] {
  return VOLUME_SCENES.flatMap(scene =>
    Object.entries(VOLUME_RUNS).map(([name, walls]) => ({
      group: `volume/${volumeSize}/${scene}`,
      item: name,
      family: 'volume',
      weight: volumeFrames * volumeSize ** 3,
      isLong: true,
      run: () => driftOf(scene, volumeSize, volumeFrames, walls, name === 'corrected'),
    })),
  )
}

async function driftOf(scene: string, size: number, frames: number, walls: string, corrected: boolean): Promise<VolumeStudy> {
  const simulation = await simulate(scene, size, [
    ['walls', walls],
    ['volume.correction', corrected],
  ])
  try {
    const drift: number[] = []
    while (simulation.frame < frames) {
      const { volume, expectedVolume } = await simulation.advance()
      drift.push(round(expectedVolume > 0 ? volume / expectedVolume - 1 : 0))
    }
    return { drift }
  } finally {
    simulation.dispose()
  }
}
