/** The loop of a run: frame after frame is simulated and kept, until all are done, a solve fails or the run is interrupted. */
import type { Frame } from '../../liquid/frame.js'
import { type FrameRecord, hasConverged, hasFailed } from '../../liquid/records.js'
import type { Simulation } from '../../liquid/simulation.js'
import type { JsonObject } from '../bytes/json.js'
import { checkpointOf } from './state-checkpoint.js'
import type { RunWriter } from './writer.js'

export interface RunPlan {
  /** The last one to simulate. */
  readonly frames: number
  /** Nothing is kept without. */
  readonly writer?: RunWriter
  readonly keep: readonly string[]
  /** Whether a solve that does not converge ends the run; one that fails always does. */
  readonly stopOnFail: boolean
  /** Ends the run after the frame under way, which is kept. */
  readonly signal?: AbortSignal
  /** After a frame is kept. */
  readonly onFrame: (record: FrameRecord, frame: Frame) => void | Promise<void>
}

export type RunEnding = 'done' | 'failed' | 'interrupted'

/** While one frame is kept the next one is simulated. */
export async function runFrames(simulation: Simulation, plan: RunPlan): Promise<RunEnding> {
  const { writer, keep } = plan
  const parts = { particles: keep.includes('particles'), fields: keep.includes('fields') }
  const isInterrupted = () => plan.signal?.aborted ?? false
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
    const newest = writer?.manifest().frames.at(-1)?.frame ?? -1
    if (simulation.frame > newest) await keepMoment(simulation.capture(parts), {})
    while (simulation.frame < plan.frames && !isInterrupted()) {
      const record = await simulation.advance()
      await finishPending()
      if (hasFailed(record) || (plan.stopOnFail && !hasConverged(record))) {
        await plan.onFrame(record, simulation.capture())
        return 'failed'
      }
      const frame = simulation.capture(parts)
      const kept = keepMoment(frame, statsOf(record))
      // Its failure is reported to the code that waits for it later.
      kept.catch(() => {})
      pending = { kept, record, frame }
    }
    await finishPending()
    return isInterrupted() ? 'interrupted' : 'done'
  } catch (error) {
    // What was simulated before is kept nevertheless.
    await finishPending().catch(() => {})
    throw error
  }
}

/** A line of statistics: everything but the histories of the solves. */
export function statsOf(record: FrameRecord): JsonObject {
  return JSON.parse(JSON.stringify(record, (key, value) => (key === 'history' ? undefined : value)))
}
