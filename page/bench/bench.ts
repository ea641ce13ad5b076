/** Frames per second of this machine and browser, with and without drawing: a table on a page of its own. */
import { createDrawing, type Drawing, type Moment, type RendererName, startSession } from 'peel/web'
import '../style.css'
import { isolate } from '../isolation.js'
import { drawnBy } from '../renderer-name.js'
import { loadShippedScene } from '../scenes.js'
import { SCREEN_RATE } from '../settings.js'

interface Trial {
  readonly scene: string
  readonly resolution: number
  /** Frames in a second of simulated time: 60, which a screen would show in real time, or as many as the scene has. */
  readonly fps: number
  readonly frames: number
  /** Frames per second, drawing included, on two cores. */
  readonly goal: number
}

export interface BenchRow extends Trial {
  readonly cells: number
  readonly substepsPerFrame: number
  readonly solveShare: number
  readonly engine: string
  readonly converged: boolean
  /** Frames per second. */
  readonly alone: number
  readonly drawnBy: RendererName
  /** With a picture of every one, drawn as the page does it; never more than the screen shows. */
  readonly drawn: number
}

declare global {
  interface Window {
    /** Set when all is measured. */
    benchRows?: readonly BenchRow[]
  }
}

const TRIALS: readonly Trial[] = [
  { scene: 'andersen-dam-break', resolution: 128, fps: 60, frames: 60, goal: 60 },
  { scene: 'lai-circle', resolution: 128, fps: 60, frames: 60, goal: 60 },
  { scene: 'splash', resolution: 48, fps: 60, frames: 30, goal: 20 },
  { scene: 'cm-dam-break-box', resolution: 48, fps: 60, frames: 30, goal: 20 },
  { scene: 'splash', resolution: 48, fps: 48, frames: 30, goal: 20 },
  { scene: 'cm-dam-break-box', resolution: 48, fps: 24, frames: 30, goal: 20 },
]
/** Frames before the clock is read: code must be compiled first. */
const WARM_UP = 3
/** Without drawing; the fastest counts, because others may use the machine, too. */
const ROUNDS = 3

const HEADINGS = ['scene', 'cells', 'frame', 'substeps', 'solve', 'engine', 'frames/s', 'drawn by', 'drawn', 'goal']

const isolation = await isolate('../')
const asked = new URLSearchParams(location.search)
const scale = Number(asked.get('scale') ?? 1)
const only = asked.get('scene')
document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.body.innerHTML = `
  <header class="bench"><h1>Frames per second</h1></header>
  <main class="bench"><p>One simulation with all threads, isolation by ${isolation}, ${navigator.hardwareConcurrency} cores.
  <output aria-live="polite"></output></p><div class="figures"><table><thead><tr>${HEADINGS.map(name => `<th scope="col">${name}</th>`).join('')}</tr></thead><tbody></tbody></table></div>
  <div class="stage"></div></main>`
const body = document.querySelector('tbody')!
const stage = document.querySelector<HTMLElement>('.stage')!
const progress = document.querySelector('output')!

const rows: BenchRow[] = []
for (const trial of TRIALS.filter(({ scene }) => !only || scene === only)) {
  progress.textContent = `Measuring ${trial.scene} …`
  const row = await measure(trial)
  rows.push(row)
  const cells = [
    `${row.scene}, ${row.resolution}`,
    row.cells.toLocaleString('en'),
    `1/${row.fps} s`,
    row.substepsPerFrame.toFixed(1),
    `${Math.round(100 * row.solveShare)} %`,
    row.engine + (row.converged ? '' : ', not converged'),
    row.alone.toFixed(1),
    row.drawnBy,
    row.drawn.toFixed(1),
    String(row.goal),
  ]
  body.insertRow().innerHTML = cells.map((text, at) => (at === 0 ? `<th scope="row">${text}</th>` : `<td>${text}</td>`)).join('')
}
progress.textContent = 'Done.'
window.benchRows = rows

async function measure(trial: Trial): Promise<BenchRow> {
  const { scene, meshes } = await loadShippedScene(trial.scene)
  const resolution = Math.max(8, Math.round(trial.resolution * scale))
  const session = await startSession({
    scene: { ...scene, domain: { ...scene.domain, resolution }, time: { ...scene.time, fps: trial.fps } },
    meshes,
  })
  let [substeps, solve, whole, converged, engine] = [0, 0, 0, true, '']

  async function run(frames: number, drawing?: Drawing): Promise<number> {
    const began = performance.now()
    let last = began
    // The simulation runs up to two frames ahead of the screen, so that short frames make up for a long one.
    const moments: Promise<Moment>[] = []
    const begin = () => {
      const before = moments.at(-1)
      if (moments.length < frames) moments.push((before ?? Promise.resolve()).then(() => session.advance(drawing?.needs() ?? {})))
    }
    begin()
    if (!drawing?.takesCores) begin()
    for (let frame = 0; frame < frames; frame++) {
      const { frame: shown, record } = await moments[frame]
      // As on the page: drawing that uses all cores happens between two frames.
      if (drawing?.takesCores) drawing.show(shown)
      begin()
      for (const substep of record!.substeps) {
        substeps++
        solve += substep.seconds.solve
        whole += Object.values(substep.seconds).reduce((sum, seconds) => sum + seconds, 0)
        converged &&= substep.solve.status === 'converged'
        engine = substep.solve.engine
      }
      if (drawing && !drawing.takesCores) drawing.show(shown)
      // Nor more pictures than the screen shows.
      if (drawing && (!drawing.takesCores || performance.now() - last < 1000 / SCREEN_RATE))
        await new Promise(requestAnimationFrame)
      last = performance.now()
    }
    return (performance.now() - began) / 1000
  }

  let alone = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (round > 0) await session.restart()
    await run(WARM_UP)
    alone = Math.max(alone, trial.frames / (await run(trial.frames)))
  }
  // Only now: pictures still being drawn would slow the measurement without drawing.
  const drawing = createDrawing(stage, { dims: scene.domain.size.length === 2 ? 2 : 3, drawnBy: drawnBy(asked) })
  await session.restart()
  await run(WARM_UP, drawing)
  const drawn = trial.frames / (await run(trial.frames, drawing))
  const counted = (ROUNDS + 1) * (trial.frames + WARM_UP)
  const { cells } = session.estimate
  const { drawnBy: painter } = drawing
  session.dispose()
  drawing.dispose()
  return {
    ...trial,
    resolution,
    cells,
    substepsPerFrame: substeps / counted,
    solveShare: solve / whole,
    engine,
    converged,
    alone,
    drawnBy: painter,
    drawn,
  }
}
