/** The papers that can be reproduced. */

import { andersenReport } from './andersen/report.js'
import { andersenTasks } from './andersen/reproduce.js'
import { chentanezMuellerReport } from './chentanez-mueller/report.js'
import { chentanezMuellerTasks } from './chentanez-mueller/reproduce.js'
import { laiReport } from './lai/report.js'
import { laiTasks } from './lai/reproduce.js'
import { mcadamsReport } from './mcadams/report.js'
import { mcadamsTasks } from './mcadams/reproduce.js'
import type { PaperName } from './published.js'
import type { Results, Task } from './reproduction.js'
import type { Report } from './reproduction-report.js'

/** Tables of Lai et al., the only paper whose tables can be requested one by one. */
export const LAI_TABLES = 12

/** Options of the command line; each paper uses those that apply to it. */
export interface ReproduceOptions {
  readonly tables?: readonly number[]
  /** Cells per side, in 2D and 3D alike. */
  readonly sizes?: readonly number[]
  readonly frames?: number
  readonly samples?: number
  /** Seconds for one solve. */
  readonly limit: number
  /** Small enough for a test. */
  readonly quick: boolean
}

export interface Reproduction {
  readonly about: string
  plan(options: ReproduceOptions): { readonly tasks: readonly Task[]; dispose(): void }
  report(results: Results): Report
}

/** Of short solves, whose times are disturbed most. */
const TIMING_ROUNDS = 5

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

export const reproductions: Readonly<Record<PaperName, Reproduction>> = {
  lai: {
    about: 'iterations and times over simulations, single frames, ablations (Tables 1–12)',
    plan: ({ tables = upTo(LAI_TABLES), sizes, frames, samples, limit, quick }) =>
      laiTasks({
        tables,
        sizes2d: sizes ?? (quick ? [32, 64] : [32, 64, 128, 256]),
        sizes3d: sizes ?? (quick ? [16, 32] : [32, 64, 128, 256]),
        frames: frames ?? (quick ? 12 : 100),
        samples: samples ?? (quick ? 12 : 25),
        limit,
        rounds: quick ? 1 : TIMING_ROUNDS,
      }),
    report: laiReport,
  },
  mcadams: {
    about: 'linear solvers on smoke past a sphere, one iteration by stage, threads, memory (Tables 1–2)',
    plan: ({ sizes, limit, quick }) =>
      mcadamsTasks({ sizes: sizes ?? (quick ? [16, 32, 48] : [64, 96, 128, 192, 256]), threads: [1, 2], limit }),
    report: mcadamsReport,
  },
  'chentanez-mueller': {
    about: 'time and residual of a fixed budget with and without the inequality; nodes against edges (Table 1)',
    plan: ({ sizes, frames, samples, quick }) =>
      chentanezMuellerTasks({
        sizes: sizes ?? (quick ? [24] : [64, 128]),
        frames: frames ?? (quick ? 8 : 48),
        samples: samples ?? (quick ? 2 : 6),
        contactSizes: quick ? [32, 64] : [64, 128, 256],
      }),
    report: chentanezMuellerReport,
  },
  andersen: {
    about: 'Newton against PCG, convergence by quartiles, inner methods, ξ, volumes (Table 1)',
    plan: ({ sizes, frames, samples, limit, quick }) =>
      andersenTasks({
        sizes: sizes ?? (quick ? [32, 64] : [64, 128, 256, 512, 1024]),
        studySize: quick ? 48 : 200,
        xiSizes: quick ? [32] : [64, 128, 256],
        volumeSize: quick ? 32 : 100,
        volumeFrames: quick ? 12 : 120,
        frames: frames ?? (quick ? 12 : 40),
        samples: samples ?? (quick ? 2 : 4),
        limit,
        rounds: quick ? 1 : TIMING_ROUNDS,
      }),
    report: andersenReport,
  },
}
