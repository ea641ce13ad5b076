/** The loop of a run: frame after frame is simulated and kept, until all are done, a solve fails or somebody interrupts. */
import type { RunWriter } from '../io/index.js'
import type { JsonObject } from '../io/json.js'
import { checkpointOf } from '../io/state-checkpoint.js'
import type { Frame } from '../liquid/frame.js'
import { type FrameRecord, hasConverged, hasFailed } from '../liquid/records.js'
import type { Simulation } from '../liquid/simulation.js'

export interface RunPlan {
  /** The last one to simulate. */
  readonly frames: number
  /** Nothing is kept without. */
  readonly writer?: RunWriter
  readonly keep: readonly string[]
  readonly stopOnFail: boolean
  /** After a frame is kept. */
  readonly onFrame: (record: FrameRecord, frame: Frame) => void | Promise<void>
}

export type RunEnding = 'done' | 'failed' | 'interrupted'

/** While one frame is kept the next one is simulated. */
export async function runFrames(simulation: Simulation, plan: RunPlan): Promise<RunEnding> {
  const { writer, keep } = plan
  const parts = { particles: keep.includes('particles'), fields: keep.includes('fields') }
  const interruption = watchInterruption()
  let pending: { readonly kept: Promise<void>; readonly record: FrameRecord; readonly frame: Frame } | undefined
  const keepMoment = async (frame: Frame, stats: JsonObject) => {
    await writer?.keep({ frame, stats, checkpoint: checkpointOf(simulation.save()) })
  }
  const finishPending = async () => {
    if (!pending) return
    const { kept, record, frame } = pending
    pending = undefined
    await kept
    await plan.onFrame(record, frame)
  }
  try {
    if (simulation.frame === 0) await keepMoment(simulation.capture(parts), {})
    while (simulation.frame < plan.frames && !interruption.happened()) {
      const record = await simulation.advance()
      await finishPending()
      if (hasFailed(record) || (plan.stopOnFail && !hasConverged(record))) {
        await plan.onFrame(record, simulation.capture())
        return 'failed'
      }
      const frame = simulation.capture(parts)
      const kept = keepMoment(frame, statsOf(record))
      // Whoever waits for it later hears of its failure.
      kept.catch(() => {})
      pending = { kept, record, frame }
    }
    await finishPending()
    return interruption.happened() ? 'interrupted' : 'done'
  } catch (error) {
    // What was simulated before is kept nevertheless.
    await finishPending().catch(() => {})
    throw error
  } finally {
    interruption.end()
  }
}

/** A line of statistics: everything but the histories of the solves. */
export function statsOf(record: FrameRecord): JsonObject {
  return JSON.parse(JSON.stringify(record, (key, value) => (key === 'history' ? undefined : value)))
}

/** The first Ctrl-C is noted and answered with a sentence, so that the frame under way can be finished; the second ends the process. */
export function watchInterruption(sentence = 'the frame under way is finished and kept; once more to end at once') {
  let happened = false
  const onSignal = () => {
    if (happened) process.exit(130)
    happened = true
    process.stderr.write(`\nInterrupted: ${sentence}.\n`)
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    happened: () => happened,
    end: () => {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}
