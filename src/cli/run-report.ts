/** What a run says while it runs: a line of progress and a table of times for people, events as JSON for programs. */
import type { WrittenVideo } from '../io/video.js'
import { type FrameRecord, hasConverged, solvesOf } from '../liquid/records.js'
import type { Simulation } from '../liquid/simulation.js'
import { STAGES } from '../liquid/stopwatch.js'
import type { Scene } from '../scene/schema.js'
import { clearProgress } from './progress.js'
import { type RunEnding, statsOf } from './run-frames.js'
import { formatTable } from './table.js'

export interface RunStart {
  readonly path: string
  readonly scene: Scene
  readonly simulation: Simulation
  readonly resumed: boolean
}

export interface RunReporter {
  start(about: RunStart): void
  frame(record: FrameRecord): void
  end(ending: RunEnding): void
  video(written: WrittenVideo): void
}

/** Frames whose pace says how fast the run is now. */
const RECENT = 10

export function createRunReporter(json: boolean): RunReporter {
  const records: FrameRecord[] = []
  let showFrame: (record: FrameRecord) => void
  let about: RunStart
  const event = (kind: string, data: object) => {
    if (json) process.stdout.write(`${JSON.stringify({ event: kind, ...data })}\n`)
  }
  return {
    start(start) {
      about = start
      showFrame = createProgressLine(start.scene.time.frames)
      const { grid, frame, particles } = start.simulation
      event('start', {
        path: start.path,
        shape: grid.shape,
        frame,
        frames: start.scene.time.frames,
        particles,
        resumed: start.resumed,
      })
      if (json) return
      const cells = grid.shape.slice(0, grid.dims).join(' × ')
      const where = start.resumed ? `goes on after frame ${frame}` : 'starts'
      console.error(
        `${start.scene.title || 'Scene'}: ${cells} cells, ${particles} particles, ${start.scene.walls} walls; ${where}.`,
      )
    },
    frame(record) {
      records.push(record)
      event('frame', statsOf(record))
      if (!json) showFrame(record)
    },
    end(ending) {
      event('end', { ending, frames: about.simulation.frame })
      if (json) return
      clearProgress()
      if (records.length > 0) console.error(`\n${stageTable(records)}\n`)
      const failed = records.filter(record => !hasConverged(record)).length
      if (failed > 0) console.error(`In ${failed} of ${records.length} frames a solve did not converge.`)
      const words = { done: 'done', failed: 'stopped because a solve did not converge', interrupted: 'interrupted' }
      console.error(`${about.path}: ${words[ending]} after frame ${about.simulation.frame - (ending === 'failed' ? 1 : 0)}.`)
    },
    video(written) {
      event('video', written)
      if (json) return
      console.error(`${written.path}: ${written.frames} frames by ${written.encoder}.`)
      if (written.command) console.error(`There is no encoder; this joins the pictures: ${written.command}`)
    },
  }
}

/** Shows every frame in a line on standard error, over the one before where somebody watches. Time counts from this call. */
export function createProgressLine(frames: number): (record: FrameRecord) => void {
  const moments = [performance.now()]
  const noted = new Set<string>()
  return record => {
    moments.push(performance.now())
    const line = progressLine(record, frames, framesPerMinute(moments))
    if (process.stderr.isTTY) process.stderr.write(`\x1b[2K${line}\r`)
    else console.error(line)
    for (const { note } of solvesOf(record)) {
      if (note === undefined || noted.has(note)) continue
      noted.add(note)
      clearProgress()
      console.error(`frame ${record.index}: ${note}`)
    }
    if (hasConverged(record)) return
    clearProgress()
    for (const { status, message } of solvesOf(record))
      if (status !== 'converged') console.error(`frame ${record.index}: the solve ended as ${status}: ${message}`)
  }
}

function framesPerMinute(moments: readonly number[]): number {
  const recent = moments.slice(-RECENT - 1)
  return (60_000 * (recent.length - 1)) / Math.max(1e-3, recent.at(-1)! - recent[0])
}

/** One line a frame. */
export function progressLine(record: FrameRecord, frames: number, perMinute: number): string {
  const { index, substeps, volume, expectedVolume } = record
  const iterations = solvesOf(record).reduce((sum, solve) => sum + solve.iterations, 0)
  const residual = Math.max(0, ...substeps.map(({ solve }) => solve.residual))
  const pinned = substeps.at(-1)?.solve.pinned ?? 0
  const drift = expectedVolume > 0 ? 100 * (volume / expectedVolume - 1) : 0
  const left = (60 * (frames - index)) / Math.max(1e-9, perMinute)
  return [
    `frame ${index}/${frames}`,
    `${substeps.length} substeps`,
    `${iterations} iterations`,
    `residual ${residual.toExponential(1)} 1/s${hasConverged(record) ? '' : ' NOT CONVERGED'}`,
    `pinned ${pinned}`,
    `volume ${drift >= 0 ? '+' : ''}${drift.toFixed(2)} %`,
    `${perMinute.toFixed(perMinute < 10 ? 1 : 0)} frames/min`,
    `${formatDuration(left)} left`,
  ].join('  ')
}

export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** Seconds by stage, over all frames. */
export function stageTable(records: readonly FrameRecord[]): string {
  const substeps = records.flatMap(record => record.substeps)
  const total = (stage: (typeof STAGES)[number]) => substeps.reduce((sum, { seconds }) => sum + seconds[stage], 0)
  const all = STAGES.reduce((sum, stage) => sum + total(stage), 0)
  const rows = [...STAGES.map(stage => ({ stage: stage as string, seconds: total(stage) })), { stage: 'all', seconds: all }]
  return formatTable(
    [
      { title: 'stage', text: ({ stage }) => stage },
      { title: 'seconds', text: ({ seconds }) => seconds.toFixed(2), right: true },
      { title: 'ms / substep', text: ({ seconds }) => ((1000 * seconds) / Math.max(1, substeps.length)).toFixed(1), right: true },
      { title: 'share', text: ({ seconds }) => `${((100 * seconds) / Math.max(1e-12, all)).toFixed(0)} %`, right: true },
    ],
    rows,
  )
}
