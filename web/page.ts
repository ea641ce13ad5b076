/** The page as its parts see it: what is simulated and shown, and what can be done to it. */
import type { Moment, Playback } from '../src/web/index.js'
import { createPlayback } from '../src/web/index.js'
import { type Controls, createControls } from './controls.js'
import { complaint, createInstruments } from './instruments.js'
import type { NamedScene } from './scenes.js'
import { loadShippedScene } from './scenes.js'
import { dimsOf, type Preset, type Settings, SIDES, type SideName, sceneFor, settingsFor } from './settings.js'
import { type Appearance, createSides, type SideScenes, type Sides } from './sides.js'
import { createTransport } from './transport.js'

export type Moments = Partial<Record<SideName, Moment>>

export interface Page {
  readonly settings: Settings
  readonly sides: Sides
  readonly playback: Playback
  readonly controls: Controls
  /** As it was opened; sides have it with the settings of the page. */
  readonly scene: NamedScene
  /** From its start, with the size, particles and gravity that suit it; all other settings stay. */
  openScene(scene: NamedScene): Promise<void>
  /** From its start, with all settings as they are: for edits of the scene that is there. */
  replaceScene(scene: NamedScene): Promise<void>
  /** From the start, with the settings as they are. */
  startOver(): Promise<void>
  /** With the settings as they are, from here on. */
  changeLive(): Promise<void>
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

export function createPage(find: (id: string) => HTMLElement, first: NamedScene, suggested: Preset): Page {
  let preset = suggested
  let scene = first
  let isDark = false
  let isCameraNew = true
  const settings = settingsFor(first.scene, preset)
  const listeners: ((moments: Moments) => void)[] = []
  const instruments = createInstruments(find('instruments'))
  const sides = createSides(find('stages'), {
    onNotice: say,
    onMoment(moments) {
      const { frame } = (moments.a ?? moments.b)!
      transport.setMoment(frame.index, frame.time)
      instruments.show(moments, settings.tolerance)
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
      await (isOver ? sides.start(scenes(), appearance()) : sides.advance())
      return true
    },
    interrupt: () => sides.interrupt(),
    pace: () => (settings.speed === 0 ? 0 : 1 / ((scene.scene.time?.fps ?? 24) * settings.speed)),
    onState: isPlaying => transport.setPlaying(isPlaying),
    onFailure: tell,
  })
  const transport = createTransport(find('transport'), {
    toggle: () => (playback.isPlaying ? playback.pause() : playback.play()),
    step: () => void playback.step(),
    reset: () => void startOver(),
  })
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

  function scenes(): SideScenes {
    const { meshes } = scene
    const made: SideScenes = {}
    for (const name of SIDES)
      if (name === 'b' || settings.layout === 'both') made[name] = { scene: sceneFor(scene.scene, settings, name), meshes }
    return made
  }

  async function openScene(next: NamedScene): Promise<void> {
    scene = next
    isCameraNew = true
    const { resolution, perCell, gravity } = settingsFor(next.scene, preset)
    Object.assign(settings, { resolution, perCell, gravity })
    await startOver()
  }

  async function replaceScene(next: NamedScene): Promise<void> {
    scene = next
    await startOver()
  }

  async function startOver(): Promise<void> {
    say('')
    describe()
    controls.refresh(scene.name, dimsOf(scene.scene))
    await playback.startOver(async () => {
      await sides.start(scenes(), appearance())
      if (isCameraNew) sides.resetCamera()
      isCameraNew = false
      warnOfPatience()
    })
  }

  /** Two sides run at once. */
  function warnOfPatience(): void {
    const { estimate, threads } = sides.all.b.session!
    const seconds = estimate.secondsPerFrame / threads
    if (seconds > SLOW) say(`At this resolution a frame takes about ${Math.round(seconds)} s.`)
  }

  async function changeLive(): Promise<void> {
    describe()
    await playback.change(() => sides.change(scenes()))
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
