/** The panel: all settings of the page. */

import GUI from 'lil-gui'
import { solvers } from 'peel'
import { LIQUID_COLOURS, type StageView } from 'peel/web'
import { sceneNames, titleOf } from './scenes.js'
import { PRESETS, type Preset, type Settings } from './settings.js'

export interface ControlActions {
  chooseScene(name: string): void
  choosePreset(preset: Preset): void
  /** Continues from here. */
  changeLive(): void
  /** How it is seen. */
  changeAppearance(): void
  resetCamera(): void
  /** Needs a new start. */
  changeFromStart(): void
}

export interface Controls {
  readonly panel: GUI
  /** After settings were changed from elsewhere. */
  refresh(scene: string, dims: 2 | 3): void
}

const VIEWS: Readonly<Record<string, StageView>> = {
  water: 'water',
  particles: 'particles',
  'surface mesh': 'surface',
  pressure: 'pressure',
  speed: 'speed',
  divergence: 'divergence',
  'pinned contacts': 'pinned',
}
const FIELDS: readonly StageView[] = ['pressure', 'speed', 'divergence', 'pinned']

export function createControls(container: HTMLElement, settings: Settings, actions: ControlActions): Controls {
  const panel = new GUI({ container, title: 'Controls' })
  let dims: 2 | 3 = 3
  const chosen: { scene: string; preset: string } = { scene: '', preset: 'choose' }
  const titles: Record<string, string> = Object.fromEntries(sceneNames.map(name => [titleOf(name), name]))
  let scene = panel.add(chosen, 'scene', titles).name('scene').onChange(actions.chooseScene)
  const preset = panel.add(chosen, 'preset', ['choose', ...Object.keys(PRESETS)]).name('size for')
  preset.onChange((name: string) => {
    if (name in PRESETS) actions.choosePreset(name as Preset)
  })
  const view = panel.add(settings, 'view', VIEWS).name('view').onChange(actions.changeAppearance)
  panel
    .add(settings, 'colours', [...LIQUID_COLOURS])
    .name('colours')
    .onChange(actions.changeAppearance)
  const axes = { 'across x': 0, 'across y': 1, 'across z': 2 }
  const slice = [
    panel.add(settings, 'sliceAxis', axes).name('slice').onChange(actions.changeAppearance),
    panel.add(settings, 'slicePosition', 0, 1, 0.01).name('slice at').onChange(actions.changeAppearance),
  ]
  const showSlice = (dims: 2 | 3) => {
    for (const controller of slice) controller.show(dims === 3 && FIELDS.includes(settings.view))
  }
  view.onFinishChange(() => showSlice(dims))
  panel.add({ reset: actions.resetCamera }, 'reset').name('reset camera')
  panel.add(settings, 'layout', { 'both sides': 'both', 'one side': 'one' }).name('show').onFinishChange(actions.changeFromStart)

  const methods = solvers.map(({ name }) => name)
  const walls = { 'sticking walls': 'sticking', 'separating walls': 'separating' }
  const folders = (['a', 'b'] as const).map(side => {
    const folder = panel.addFolder(side === 'a' ? 'Left' : 'Right')
    folder.domElement.classList.add('side', side)
    folder.add(settings[side], 'walls', walls).name('walls').onFinishChange(actions.changeLive)
    folder.add(settings[side], 'solver', methods).name('solver').onFinishChange(actions.changeLive)
    return folder
  })

  const both = panel.addFolder('Liquid')
  const resolution = both.add(settings, 'resolution', 8, 128, 1).name('resolution').onFinishChange(actions.changeFromStart)
  both.add(settings, 'perCell', 1, 16, 1).name('particles per cell').onFinishChange(actions.changeFromStart)
  both.add(settings, 'flipRatio', 0, 1, 0.01).name('FLIP ratio').onFinishChange(actions.changeLive)
  both.add(settings, 'gravity', 0, 30, 0.01).name('gravity, m/s²').onFinishChange(actions.changeLive)
  both.add(settings, 'adhesion', 0, 5000, 10).name('adhesion, Pa').onFinishChange(actions.changeLive)
  both
    .add(settings, 'tolerance', [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8])
    .name('tolerance, 1/s')
    .onFinishChange(actions.changeLive)
  both
    .add(settings, 'frameRate', {
      'as in the scene': 0,
      '24 per second': 24,
      '30 per second': 30,
      '60 per second': 60,
      '120 per second': 120,
    })
    .name('frames')
    .onFinishChange(actions.changeFromStart)
  both
    .add(settings, 'speed', { 'real time': 1, 'half speed': 0.5, 'quarter speed': 0.25, 'as fast as possible': 0 })
    .name('speed')
  both.add(settings, 'loop').name('loop')

  if (matchMedia('(max-width: 900px)').matches) panel.close()

  return {
    panel,
    refresh(name, newDims) {
      dims = newDims
      showSlice(dims)
      chosen.scene = name
      chosen.preset = 'choose'
      const isShipped = sceneNames.includes(name)
      scene = scene
        .options(isShipped ? titles : { ...titles, 'your own': name })
        .name('scene')
        .onChange(actions.chooseScene)
      resolution.max(dims === 2 ? 1024 : 256)
      folders[0].show(settings.layout === 'both')
      for (const controller of panel.controllersRecursive()) controller.updateDisplay()
    },
  }
}
