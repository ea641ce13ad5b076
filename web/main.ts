/** The page: the same liquid twice, in step. */
import { createPlayback } from '../src/web/index.js'
import './style.css'
import { createControls } from './controls.js'
import { complaint, createInstruments } from './instruments.js'
import { isolate } from './isolation.js'
import { FLAGSHIP, loadShippedScene, type NamedScene } from './scenes.js'
import { dimsOf, type Preset, presetFor, SIDES, type SideName, sceneFor, settingsFor } from './settings.js'
import { createSides, type SideScenes } from './sides.js'
import { applyTheme } from './theme.js'
import { createTransport } from './transport.js'

const find = (id: string) => document.getElementById(id)!
const CAPTIONS = { sticking: 'Walls stick', separating: 'Walls let go' }

const isolation = await isolate()
let preset: Preset = presetFor({ shorterSide: Math.min(screen.width, screen.height), cores: navigator.hardwareConcurrency || 1 })
let current: NamedScene = await loadShippedScene(FLAGSHIP)
const settings = settingsFor(current.scene, preset)

const instruments = createInstruments(find('instruments'))
const sides = createSides(find('stages'), {
  onNotice: say,
  onMoment(moments) {
    const { frame } = (moments.a ?? moments.b)!
    transport.setMoment(frame.index, frame.time)
    instruments.show(moments, settings.tolerance)
    for (const name of SIDES) setBadge(name, complaint(moments[name]?.record))
  },
})
const transport = createTransport(find('transport'), {
  toggle: () => (playback.isPlaying ? playback.pause() : playback.play()),
  step: () => void playback.step(),
  reset: () => void startOver(),
})
const playback = createPlayback({
  async advance() {
    const session = (sides.all.a.session ?? sides.all.b.session)!
    if (session.moment.frame.index >= session.scene.time.frames) {
      if (!settings.loop) return false
      await sides.start(scenes())
      return true
    }
    await sides.advance()
    return true
  },
  interrupt: () => sides.interrupt(),
  pace: () => (settings.speed === 0 ? 0 : 1 / ((current.scene.time?.fps ?? 24) * settings.speed)),
  onState: isPlaying => transport.setPlaying(isPlaying),
  onFailure: error => say(error instanceof Error ? error.message : String(error)),
})
const controls = createControls(find('controls'), settings, {
  chooseScene: name => void loadShippedScene(name).then(openScene, error => say(String(error))),
  choosePreset(chosen) {
    preset = chosen
    settings.resolution = settingsFor(current.scene, preset).resolution
    void startOver()
  },
  changeLive: () => {
    describe()
    void playback.change(() => sides.change(scenes()))
  },
  changeFromStart: () => void startOver(),
})

function scenes(): SideScenes {
  const { meshes } = current
  const made: SideScenes = {}
  for (const name of SIDES)
    if (name === 'b' || settings.layout === 'both') made[name] = { scene: sceneFor(current.scene, settings, name), meshes }
  return made
}

async function openScene(scene: NamedScene): Promise<void> {
  current = scene
  const { resolution, perCell, gravity } = settingsFor(scene.scene, preset)
  Object.assign(settings, { resolution, perCell, gravity })
  await startOver()
}

async function startOver(): Promise<void> {
  say('')
  describe()
  controls.refresh(current.name, dimsOf(current.scene))
  await playback.startOver(() => sides.start(scenes()))
}

function describe(): void {
  for (const name of SIDES) {
    const { walls, solver } = settings[name]
    const { figure, canvas } = sides.all[name]
    figure.querySelector('figcaption')!.innerHTML = `<b>${CAPTIONS[walls]}</b> <span>${solver}</span>`
    canvas.setAttribute('aria-label', `Liquid, ${CAPTIONS[walls].toLowerCase()}`)
    canvas.setAttribute('role', 'img')
  }
  find('stages').classList.toggle('one', settings.layout === 'one')
}

function setBadge(name: SideName, sentence: string | undefined): void {
  const badge = sides.all[name].figure.querySelector<HTMLElement>('.badge')!
  badge.hidden = sentence === undefined
  badge.textContent = sentence === undefined ? '' : 'not converged'
  badge.title = sentence ?? ''
}

function say(sentence: string): void {
  find('message').textContent = sentence
  find('message').hidden = sentence === ''
}

const THREADS = {
  headers: 'threads allowed by the headers of this host',
  'service worker': 'threads allowed by a service worker',
  none: 'one thread: this page is not cross-origin isolated',
}
find('footer').textContent = `WebAssembly · ${THREADS[isolation]} · ${navigator.hardwareConcurrency} cores`
applyTheme(find('theme'), () => instruments.recolour())
transport.setPlaying(false)
await startOver()
if (!matchMedia('(prefers-reduced-motion: reduce)').matches) playback.play()
