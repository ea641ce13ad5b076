/** One scene twice, in step: with sticking and with separating walls. */

import type { LoadedScene } from '../io/index.js'
import type { Frame } from '../liquid/frame.js'
import { simulateScene } from '../liquid/from-scene.js'
import type { FrameRecord } from '../liquid/records.js'
import type { Simulation } from '../liquid/simulation.js'
import { wettedCeiling } from '../liquid/surface/wetting.js'
import { liquidDifference } from '../paint/liquid-difference.js'
import type { ReportFrame } from '../report/report-data.js'

export type Both<T> = Readonly<Record<'sticking' | 'separating', T>>

export async function forBoth<T>(make: (walls: keyof Both<T>) => T | Promise<T>): Promise<Both<T>> {
  return { sticking: await make('sticking'), separating: await make('separating') }
}

export interface ComparedMoment {
  readonly frames: Both<Frame>
  /** Of the simulations: why they run in plain TypeScript. */
  readonly note?: string
  /** Absent at the start. */
  readonly records?: Both<FrameRecord>
}

/** The start, and every frame after it. */
export async function* compareWalls(scenes: Both<LoadedScene>): AsyncGenerator<ComparedMoment> {
  const running: Simulation[] = []
  try {
    const simulations = await forBoth(async walls => {
      const simulation = await simulateScene(scenes[walls])
      running.push(simulation)
      return simulation
    })
    const capture = () => forBoth(walls => simulations[walls].capture())
    yield { frames: await capture(), note: simulations.separating.note }
    while (simulations.separating.frame < scenes.separating.scene.time.frames) {
      const records = await forBoth(walls => simulations[walls].advance())
      yield { frames: await capture(), records }
    }
  } finally {
    for (const simulation of running) simulation.dispose()
  }
}

/** Both runs as one record, for the progress line: pinned contacts are those of the separating one. */
export function together({ sticking, separating }: Both<FrameRecord>): FrameRecord {
  return {
    ...separating,
    substeps: [...sticking.substeps, ...separating.substeps],
    correction: sticking.correction && sticking.correction.status !== 'converged' ? sticking.correction : separating.correction,
    limitedSubsteps: sticking.limitedSubsteps + separating.limitedSubsteps,
    travel: {
      liquid: Math.max(sticking.travel.liquid, separating.travel.liquid),
      walls: Math.max(sticking.travel.walls, separating.travel.walls),
    },
    volume: sticking.volume + separating.volume,
    expectedVolume: sticking.expectedVolume + separating.expectedVolume,
  }
}

/** Keeps of both runs what a report needs; of the frames only the pair that differs most. */
export function createComparison(isTopClosed: boolean) {
  const kept: Record<keyof Both<unknown>, ReportFrame[]> = { sticking: [], separating: [] }
  const records: Both<FrameRecord>[] = []
  let largest = -1
  let pair: Both<Frame>
  return {
    add({ frames, records: both }: ComparedMoment): void {
      const difference = liquidDifference(frames.sticking, frames.separating)
      if (difference > largest) {
        largest = difference
        pair = frames
      }
      if (!both) return
      records.push(both)
      for (const walls of ['sticking', 'separating'] as const)
        kept[walls].push(reportFrame(both[walls], wettedCeiling(frames[walls], isTopClosed)))
    },
    frames: kept,
    records,
    pair: () => pair,
  }
}

function reportFrame({ time, volume, energy, substeps, forces }: FrameRecord, wetted: number): ReportFrame {
  const seconds: Record<string, number> = {}
  for (const substep of substeps)
    for (const [stage, spent] of Object.entries(substep.seconds)) seconds[stage] = (seconds[stage] ?? 0) + spent
  return {
    time,
    volume,
    energy: { kinetic: energy.kinetic, potential: energy.potential },
    wettedCeiling: wetted,
    substeps: substeps.length,
    iterations: substeps.reduce((sum, { solve }) => sum + solve.iterations, 0),
    residual: Math.max(0, ...substeps.map(({ solve }) => solve.residual)),
    pinned: substeps.at(-1)?.solve.pinned ?? 0,
    seconds,
    forces,
  }
}
