/** Joins simulations, pictures, controls and instruments to one page. */
import type { Influence } from 'peel'
import { createPlayback, type RendererName } from 'peel/web'
import { createComplaints } from './complaints.js'
import { createControls } from './controls.js'
import { createInstruments } from './instruments.js'
import { createMessage, writeCaptions } from './labels.js'
import { createRecorder, type Recording } from './link/recording.js'
import { createProgress, replay } from './link/replay.js'
import type { Moments, Page } from './page.js'
import { loadShippedScene, type NamedScene } from './scenes.js'
import { dimsOf, type LiveSettings, liveOf, type Preset, SIDES, sceneFor, settingsFor, timesOf } from './settings.js'
import { type Appearance, createSides, type SideScenes } from './sides.js'
import { createTransport, pauseInBackground } from './transport.js'

/** Seconds per frame above which the user is warned. */
const SLOW = 2

export interface PageOptions {
  readonly preset: Preset
  readonly drawnBy?: RendererName
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
  const recorder = createRecorder(liveOf(settings))
  /** While the page replays up to a frame. */
  let replaying: { isStopped: boolean } | undefined
  const listeners: ((moments: Moments) => void)[] = []
  const instruments = createInstruments(find('instruments'))
  const say = createMessage(find('message'))
  const sides = createSides(find('stages'), {
    drawnBy,
    onNotice: say,
    onMoment(moments) {
      const { frame } = (moments.a ?? moments.b)!
      transport.setMoment(frame.index, frame.time)
      instruments.show(moments, settings.tolerance, playback.isPlaying)
      showComplaints(moments)
      for (const listener of listeners) listener(moments)
    },
  })
  const showComplaints = createComplaints(sides, say)
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
    toggle: () => stopReplay() || (playback.isPlaying ? playback.pause() : playback.play()),
    step: () => stopReplay() || void playback.step(),
    reset: () => void startOver(),
  })
  const progress = createProgress(find('replay'), stopReplay)
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
    recorder.begin(live)
    return sides.start(scenes(live), appearance())
  }

  function advance(isSeen = true): Promise<() => void> {
    recorder.advance()
    return sides.advance(isSeen)
  }

  async function changeSides(live: LiveSettings): Promise<void> {
    await sides.change(scenes(live))
    recorder.change(live)
  }

  function influence(change: Influence): void {
    const written = recorder.influence(change)
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
    writeCaptions(find('stages'), sides, settings)
    controls.refresh(scene.name, dimsOf(scene.scene))
    await playback.startOver(async () => {
      await startSides(live())
      if (isCameraNew) sides.resetCamera()
      isCameraNew = false
      warnOfPatience()
      await goOn?.()
    })
  }

  async function replayFrom(next: NamedScene, recording: Recording, onStart: () => void): Promise<number | undefined> {
    const mine = { isStopped: false }
    let reached: number | undefined
    replaying = mine
    scene = next
    playback.pause()
    await startFrom(
      () => recording.start,
      async () => {
        onStart()
        reached = await replay(recording, {
          change: changeSides,
          influence,
          advance: async isSeen => (await advance(isSeen))(),
          isStopped: () => mine.isStopped,
          onFrame: frame => recording.frame > 0 && progress.show(frame, recording.frame),
        })
        influence({ stir: null })
        // Settings determine how it continues, wherever the user has stopped.
        const isOther = JSON.stringify(recorder.live) !== JSON.stringify(liveOf(settings))
        await (isOther ? changeSides(liveOf(settings)) : sides.setAppearance(appearance()))
      },
    )
    if (replaying !== mine) return undefined
    replaying = undefined
    progress.hide()
    return reached
  }

  function stopReplay(): boolean {
    if (replaying) replaying.isStopped = true
    return replaying !== undefined
  }

  /** Two sides run at once. */
  function warnOfPatience(): void {
    const { estimate, threads, note } = sides.all.b.session!
    const seconds = estimate.secondsPerFrame / threads
    if (note) say(note)
    else if (seconds > SLOW) say(`At this resolution a frame takes about ${Math.round(seconds)} s.`)
  }

  async function changeLive(): Promise<void> {
    writeCaptions(find('stages'), sides, settings)
    await playback.change(() => changeSides(liveOf(settings)))
  }

  async function changeAppearance(): Promise<void> {
    await playback.change(() => sides.setAppearance(appearance()))
  }

  function appearance(): Appearance {
    const { view, colours, sliceAxis: axis, slicePosition: position } = settings
    return { view, colours, slice: { axis, position }, dark: isDark, nearness: scene.nearness ?? 1 }
  }

  function tell(error: unknown): void {
    say(error instanceof Error ? error.message : String(error))
  }

  pauseInBackground(playback)
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
      if (!replaying) influence(change)
    },
    get held() {
      return recorder.held
    },
    get recording() {
      const frame = sides.all.b.session?.moment.frame.index ?? 0
      return recorder.recordingTo(Math.min(frame, recorder.frames))
    },
    replayFrom,
    get isReplaying() {
      return replaying !== undefined
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
