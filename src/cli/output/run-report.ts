/** Output of a run: a progress line and a table of times for people, events as JSON for programs. */
import { counted } from '../../counted.js'
import type { OpenedRun } from '../../io/index.js'
import { type RunEnding, statsOf } from '../../io/run/frames.js'
import type { WrittenVideo } from '../../io/video/video.js'
import { type FrameRecord, hasConverged, solvesOf } from '../../liquid/records.js'
import type { Simulation } from '../../liquid/simulation.js'
import { STAGES } from '../../liquid/stopwatch.js'
import { runWarnings } from '../../liquid/warnings/run-warnings.js'
import { printableLine } from '../../printable.js'
import type { Scene } from '../../scene/schema.js'
import { describeFrameList } from '../arguments/frame-range.js'
import { printData, printMessage, printOver } from '../terminal.js'
import { clearProgress } from './progress.js'
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

/** Number of last frames from which the current speed is computed. */
const RECENT = 10

export function createRunReporter(json: boolean): RunReporter {
  const records: FrameRecord[] = []
  let showFrame: (record: FrameRecord) => void
  let about: RunStart
  const event = (kind: string, data: object) => {
    if (json) printData(JSON.stringify({ event: kind, ...data }))
  }
  return {
    start(start) {
      about = start
      showFrame = createProgressLine(start.scene.time)
      const { grid, frame, particles, engine, note } = start.simulation
      event('start', {
        path: start.path,
        shape: grid.shape,
        frame,
        frames: start.scene.time.frames,
        particles,
        engine,
        resumed: start.resumed,
        ...(note !== undefined && { note }),
      })
      if (json) return
      const cells = grid.shape.slice(0, grid.dims).join(' × ')
      const where = start.resumed ? `continues after frame ${frame}` : 'starts'
      printMessage(
        `${printableLine(start.scene.title) || 'Scene'}: ${cells} cells, ${counted(particles, 'particle')}, ${start.scene.walls} walls; ${where}.`,
      )
      if (note !== undefined) printMessage(note)
    },
    frame(record) {
      records.push(record)
      event('frame', statsOf(record))
      if (!json) showFrame(record)
    },
    end(ending) {
      const warnings = runWarnings(records, about.scene.time).map(({ text }) => text)
      event('end', { ending, frames: about.simulation.frame, warnings })
      if (json) return
      clearProgress()
      if (records.length > 0) printMessage(`\n${stageTable(records)}\n`)
      const failed = records.filter(record => !hasConverged(record)).length
      if (failed > 0) printMessage(`In ${failed} of ${counted(records.length, 'frame')} a solve did not converge.`)
      for (const warning of warnings) printMessage(`Warning: ${warning}`)
      const words = { done: 'done', failed: 'stopped because a solve did not converge', interrupted: 'interrupted' }
      printMessage(`${about.path}: ${words[ending]} after frame ${about.simulation.frame - (ending === 'failed' ? 1 : 0)}.`)
    },
    video(written) {
      event('video', written)
      if (json) return
      printMessage(`${written.path}: ${counted(written.frames, 'frame')} by ${written.encoder}.`)
      if (written.command) printMessage(`No video encoder was found; this command joins the pictures: ${written.command}`)
    },
  }
}

/** Messages about a resumed run before it continues: what was found damaged, and the consequences. */
export function describeOpened(
  { run, resume, passedOver, dropped, missing }: OpenedRun,
  fromFrame: number | undefined,
): string[] {
  const { path } = run
  const lines = passedOver.map(reason => `${reason}; ${path} continues from frame ${resume!.frame}.`)
  if (dropped.length > 0) lines.push(`${describeFrameList(dropped)} of ${path} will be computed again.`)
  if (missing.length > 0) {
    const back = Math.max(0, missing[0] - 1)
    const hasCheckpoint = run.manifest().checkpoints.some(({ frame }) => frame > 0 && frame <= back)
    const advice = `to compute ${missing.length === 1 ? 'it' : 'them'} again, resume with --from-frame ${hasCheckpoint ? back : 0}`
    const verb = missing.length === 1 ? 'is' : 'are'
    lines.push(`${describeFrameList(missing)} of ${path} ${verb} missing or damaged; ${advice}.`)
  }
  if (fromFrame !== undefined && resume && resume.frame < fromFrame && passedOver.length === 0)
    lines.push(
      `There is no checkpoint of frame ${fromFrame} in ${path}; continuing from the checkpoint of frame ${resume.frame}.`,
    )
  return lines
}

/** Shows every frame in a line on standard error, on a terminal over the one before, and each kind of warning once. Time counts from this
 *  call. */
export function createProgressLine(time: Scene['time']): (record: FrameRecord) => void {
  const moments = [performance.now()]
  const noted = new Set<string>()
  return record => {
    moments.push(performance.now())
    const line = progressLine(record, time.frames, framesPerMinute(moments))
    printOver(line)
    for (const { note } of solvesOf(record)) {
      if (note === undefined || noted.has(note)) continue
      noted.add(note)
      clearProgress()
      printMessage(`frame ${record.index}: ${note}`)
    }
    for (const { kind, text } of runWarnings([record], time)) {
      if (noted.has(kind)) continue
      noted.add(kind)
      clearProgress()
      printMessage(`Warning: ${text}`)
    }
    if (hasConverged(record)) return
    clearProgress()
    for (const { status, message } of solvesOf(record))
      if (status !== 'converged') printMessage(`frame ${record.index}: the solve ended with status ${status}: ${message}`)
  }
}

function framesPerMinute(moments: readonly number[]): number {
  const recent = moments.slice(-RECENT - 1)
  return (60_000 * (recent.length - 1)) / Math.max(1e-3, recent.at(-1)! - recent[0])
}

/** One line a frame. */
export function progressLine(record: FrameRecord, frames: number, perMinute: number): string {
  const { index, substeps, limitedSubsteps, volume, expectedVolume } = record
  const iterations = solvesOf(record).reduce((sum, solve) => sum + solve.iterations, 0)
  const residual = Math.max(0, ...substeps.map(({ solve }) => solve.residual))
  const pinned = substeps.at(-1)?.solve.pinned ?? 0
  const drift = expectedVolume > 0 ? 100 * (volume / expectedVolume - 1) : 0
  const left = (60 * (frames - index)) / Math.max(1e-9, perMinute)
  return [
    `frame ${index}/${frames}`,
    `${counted(substeps.length, 'substep')}${limitedSubsteps > 0 ? ' TOO LONG' : ''}`,
    counted(iterations, 'iteration'),
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
