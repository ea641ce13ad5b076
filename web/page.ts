/** The page as its parts see it: what is simulated and shown, and what can be done to it. */
import type { Influence } from '../src/liquid/influence.js'
import type { Draughtsman, Moment, Playback } from '../src/web/index.js'
import { createPlayback } from '../src/web/index.js'
import { type Controls, createControls } from './controls.js'
import { complaint, createInstruments } from './instruments.js'
import { type Course, createJournal, type Held } from './journal.js'
import type { NamedScene } from './scenes.js'
import { loadShippedScene } from './scenes.js'
import {
  dimsOf,
  type LiveSettings,
  liveOf,
  type Preset,
  type Settings,
  SIDES,
  type SideName,
  sceneFor,
  settingsFor,
  timesOf,
} from './settings.js'
import { type Appearance, createSides, type SideScenes, type Sides } from './sides.js'
import { createTransport } from './transport.js'
import { createProgress, follow } from './travel.js'

export type Moments = Partial<Record<SideName, Moment>>

export interface Page {
  readonly settings: Settings
  readonly sides: Sides
  readonly playback: Playback
  readonly controls: Controls
  /** As it was opened; sides have it with the settings of the page. */
  readonly scene: NamedScene
  /** From its start, with the size, particles, gravity and frames that suit it; all other settings stay. */
  openScene(scene: NamedScene): Promise<void>
  /** From its start, with all settings as they are: for edits of the scene that is there. */
  replaceScene(scene: NamedScene): Promise<void>
  /** From the start, with the settings as they are. */
  startOver(): Promise<void>
  /** With the settings as they are, from here on. */
  changeLive(): Promise<void>
  /** What a hand does from the next frame on, to both sides; nothing on the way to a frame. */
  influence(change: Influence): void
  /** What a hand does now. */
  readonly held: Held
  /** How the liquid has come to where it is. */
  readonly course: Course
  /** From the start of a scene to a frame, and stands there; all settings as they are from there on. `onStart` is called before the first
   *  frame. The frame that was reached, which is another one if the reader stops there; undefined if something else was begun meanwhile. */
  travel(scene: NamedScene, course: Course, onStart: () => void): Promise<number | undefined>
  readonly isTravelling: boolean
  /** Colours of pictures and plots. */
  setDark(isDark: boolean): void
  /** A sentence for the reader, until the next one; an empty one for none. */
  say(sentence: string): void
  /** Called with every moment that is shown. */
  onMoment(listener: (moments: Moments) => void): void
}

/** Seconds a frame from which on the reader is told. */
const SLOW = 2
const CAPTIONS = { sticking: 'Walls stick', separating: 'Walls let go' }

export interface PageOptions {
  readonly preset: Preset
  readonly drawnBy?: Draughtsman
}

export function createPage(
  find: (id: string) => HTMLElement,
  first: NamedScene,
  { preset: suggested, drawnBy }: PageOptions,
): Page {
  let preset = suggested
  let scene = first
  let isDark = false
  let isCameraNew = true
  const settings = settingsFor(first.scene, preset)
  const journal = createJournal(liveOf(settings))
  /** While the page is on the way to a frame. */
  let journey: { isStopped: boolean } | undefined
  const listeners: ((moments: Moments) => void)[] = []
  const instruments = createInstruments(find('instruments'))
  const sides = createSides(find('stages'), {
    drawnBy,
    onNotice: say,
    onMoment(moments) {
      const { frame } = (moments.a ?? moments.b)!
      transport.setMoment(frame.index, frame.time)
      instruments.show(moments, settings.tolerance, playback.isPlaying)
      for (const name of SIDES) setBadge(sides.all[name].figure, complaint(moments[name]?.record))
      for (const listener of listeners) listener(moments)
    },
  })
  const playback = createPlayback({
    async advance() {
      const session = sides.all.b.session
      if (!session) return false
      const isOver = session.moment.frame.index >= session.scene.time.frames
      if (isOver && !settings.loop) return false
      if (isOver) await startSides()
      else {
        const show = await advance()
        if (!sides.takeCores) return show
        show()
      }
      return true
    },
    interrupt: () => sides.interrupt(),
    pace: () => (settings.speed === 0 ? 0 : 1 / (timesOf(scene.scene, settings.frameRate).fps * settings.speed)),
    onState: isPlaying => transport.setPlaying(isPlaying),
    onFailure: tell,
  })
  const transport = createTransport(find('transport'), {
    toggle: () => stopTravel() || (playback.isPlaying ? playback.pause() : playback.play()),
    step: () => stopTravel() || void playback.step(),
    reset: () => void startOver(),
  })
  const progress = createProgress(find('travel'), stopTravel)
  const controls = createControls(find('controls'), settings, {
    chooseScene: name => void loadShippedScene(name).then(openScene, tell),
    choosePreset(chosen) {
      preset = chosen
      settings.resolution = settingsFor(scene.scene, preset).resolution
      void startOver()
    },
    changeLive: () => void changeLive(),
    changeAppearance: () => void changeAppearance(),
    resetCamera: () => sides.resetCamera(),
    changeFromStart: () => void startOver(),
  })

  function scenes(live = liveOf(settings)): SideScenes {
    const { meshes } = scene
    const made: SideScenes = {}
    for (const name of SIDES)
      if (name === 'b' || settings.layout === 'both')
        made[name] = { scene: sceneFor(scene.scene, { ...settings, ...live }, name), meshes }
    return made
  }

  function startSides(live = liveOf(settings)): Promise<void> {
    journal.begin(live)
    return sides.start(scenes(live), appearance())
  }

  function advance(isSeen = true): Promise<() => void> {
    journal.advance()
    return sides.advance(isSeen)
  }

  async function changeSides(live: LiveSettings): Promise<void> {
    await sides.change(scenes(live))
    journal.change(live)
  }

  function influence(change: Influence): void {
    const written = journal.influence(change)
    for (const name of SIDES) sides.all[name].session?.influence(written)
  }

  async function openScene(next: NamedScene): Promise<void> {
    scene = next
    isCameraNew = true
    const { resolution, perCell, gravity, frameRate } = settingsFor(next.scene, preset)
    Object.assign(settings, { resolution, perCell, gravity, frameRate })
    await startOver()
  }

  async function replaceScene(next: NamedScene): Promise<void> {
    scene = next
    await startOver()
  }

  function startOver(): Promise<void> {
    return startFrom(() => liveOf(settings))
  }

  async function startFrom(live: () => LiveSettings, goOn?: () => Promise<void>): Promise<void> {
    say('')
    describe()
    controls.refresh(scene.name, dimsOf(scene.scene))
    await playback.startOver(async () => {
      await startSides(live())
      if (isCameraNew) sides.resetCamera()
      isCameraNew = false
      warnOfPatience()
      await goOn?.()
    })
  }

  async function travel(next: NamedScene, course: Course, onStart: () => void): Promise<number | undefined> {
    const mine = { isStopped: false }
    let reached: number | undefined
    journey = mine
    scene = next
    playback.pause()
    await startFrom(
      () => course.start,
      async () => {
        onStart()
        reached = await follow(course, {
          change: changeSides,
          influence,
          advance: async isSeen => (await advance(isSeen))(),
          isStopped: () => mine.isStopped,
          onFrame: frame => course.frame > 0 && progress.show(frame, course.frame),
        })
        influence({ stir: null })
        // Settings say how it goes on, wherever the reader has stopped.
        const isOther = JSON.stringify(journal.live) !== JSON.stringify(liveOf(settings))
        await (isOther ? changeSides(liveOf(settings)) : sides.setAppearance(appearance()))
      },
    )
    if (journey !== mine) return undefined
    journey = undefined
    progress.hide()
    return reached
  }

  function stopTravel(): boolean {
    if (journey) journey.isStopped = true
    return journey !== undefined
  }

  /** Two sides run at once. */
  function warnOfPatience(): void {
    const { estimate, threads } = sides.all.b.session!
    const seconds = estimate.secondsPerFrame / threads
    if (seconds > SLOW) say(`At this resolution a frame takes about ${Math.round(seconds)} s.`)
  }

  async function changeLive(): Promise<void> {
    describe()
    await playback.change(() => changeSides(liveOf(settings)))
  }

  async function changeAppearance(): Promise<void> {
    await playback.change(() => sides.setAppearance(appearance()))
  }

  function appearance(): Appearance {
    const { view, sliceAxis: axis, slicePosition: position } = settings
    return { view, slice: { axis, position }, dark: isDark, nearness: scene.nearness ?? 1 }
  }

  function describe(): void {
    for (const name of SIDES) {
      const { walls, solver } = settings[name]
      const { figure, stage } = sides.all[name]
      figure.querySelector('figcaption')!.innerHTML = `<b>${CAPTIONS[walls]}</b> <span>${solver}</span>`
      stage.setAttribute('role', 'img')
      stage.setAttribute('aria-label', `Liquid, ${CAPTIONS[walls].toLowerCase()}`)
    }
    find('stages').classList.toggle('one', settings.layout === 'one')
  }

  function say(sentence: string): void {
    find('message').textContent = sentence
    find('message').hidden = sentence === ''
  }

  function tell(error: unknown): void {
    say(error instanceof Error ? error.message : String(error))
  }

  /** Nobody looks at a page in the background. */
  let resumes = false
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      resumes = playback.isPlaying
      playback.pause()
    } else if (resumes) playback.play()
  })

  transport.setPlaying(false)
  return {
    settings,
    sides,
    playback,
    controls,
    get scene() {
      return scene
    },
    openScene,
    replaceScene,
    startOver,
    changeLive,
    influence(change) {
      if (!journey) influence(change)
    },
    get held() {
      return journal.held
    },
    get course() {
      const frame = sides.all.b.session?.moment.frame.index ?? 0
      return journal.courseTo(Math.min(frame, journal.frames))
    },
    travel,
    get isTravelling() {
      return journey !== undefined
    },
    setDark(value) {
      isDark = value
      instruments.recolour()
      void changeAppearance()
    },
    say,
    onMoment: listener => void listeners.push(listener),
  }
}

function setBadge(figure: HTMLElement, sentence: string | undefined): void {
  const badge = figure.querySelector<HTMLElement>('.badge')!
  badge.hidden = sentence === undefined
  badge.textContent = sentence === undefined ? '' : 'not converged'
  badge.title = sentence ?? ''
}
