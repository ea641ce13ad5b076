/** The papers that can be reproduced. */

import type { PaperName } from './published.js'
import { laiTasks } from './reproduce-lai.js'
import { laiReport } from './reproduce-lai-report.js'
import type { Results, Task } from './reproduction.js'
import type { Report } from './reproduction-report.js'

/** What the command line may say; a paper takes what it understands. */
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

const upTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)

export const reproductions: Readonly<Partial<Record<PaperName, Reproduction>>> = {
  lai: {
    about: 'iterations and times over simulations, single frames, ablations (Tables 1–12)',
    plan: ({ tables = upTo(12), sizes, frames, samples, limit, quick }) =>
      laiTasks({
        tables,
        sizes2d: sizes ?? (quick ? [32, 64] : [32, 64, 128, 256]),
        sizes3d: sizes ?? (quick ? [16, 32] : [32, 64, 128, 256]),
        frames: frames ?? (quick ? 12 : 100),
        samples: samples ?? (quick ? 3 : 25),
        limit,
      }),
    report: laiReport,
  },
}
