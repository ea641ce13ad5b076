/** The tools of the page: look, stir, drag a ball, edit, tilt, export. */
import { createEditor } from '../editor/editor.js'
import { acceptDrops, createFileOpener } from '../editor/open-files.js'
import { createExportPanel } from '../export/export-panel.js'
import { linkTo, restoreFrom, type Tooling } from '../link/permalink.js'
import type { Page } from '../page.js'
import { createPanels } from '../panels.js'
import { DEFAULT_GRAVITY, dimsOf, SIDES } from '../settings.js'
import type { Theme } from '../theme.js'
import { followPointers, type PointerTool } from './gestures.js'
import { createGravityPad } from './gravity-pad.js'
import { createHand, type Hand } from './hand.js'

const TOOLS = {
  look: ['Look', 'Rotate, move and zoom the picture'],
  stir: ['Stir', 'Stir the liquid with the pointer'],
  ball: ['Ball', 'Drag a ball through the liquid'],
  edit: ['Edit', 'Draw liquid and solids'],
} as const
type ToolName = keyof typeof TOOLS

export interface Tools {
  readonly hand: Hand
  /** Starts with the state of the link in the address; without one, or with a broken one, plays the default scene, paused if
   *  the user prefers reduced motion. */
  start(hash: string): Promise<void>
}

export function createTools(page: Page, container: HTMLElement, theme: Theme): Tools {
  const buttons = Object.entries(TOOLS)
    .map(([name, [label, about]]) => `<button type="button" data-tool="${name}" title="${about}">${label}</button>`)
    .join('')
  container.innerHTML = `
    <div class="choices" role="group" aria-label="What the pointer does">${buttons}</div>
    <details class="tilt"><summary>Tilt</summary><div></div></details>
    <details class="export"><summary>Export</summary><div></div></details>
    <p class="note" role="status"></p>
    <section class="editor" aria-label="Editor" hidden></section>`
  const find = (selector: string) => container.querySelector<HTMLElement>(selector)!
  const hand = createHand(page)
  const editor = createEditor(page, find('.editor'))
  const pointerTools: Readonly<Record<ToolName, PointerTool | undefined>> = {
    look: undefined,
    stir: hand.stir,
    ball: hand.ball,
    edit: editor.tool,
  }
  let chosen: ToolName = 'stir'

  function note(sentence: string): void {
    find('.note').textContent = sentence
  }

  function choose(name: ToolName): void {
    if (name !== 'ball') hand.putAway()
    if (name === 'edit' && chosen !== 'edit') {
      page.playback.pause()
      if (page.recording.frame > 0) void page.startOver()
    }
    takeUp(name)
  }

  /** The liquid stays as it is. */
  function takeUp(name: ToolName): void {
    if (name === 'edit') editor.open()
    else editor.close()
    chosen = name
    find('.editor').hidden = name !== 'edit'
    page.sides.all.b.figure.parentElement!.dataset.tool = name
    for (const button of container.querySelectorAll<HTMLElement>('[data-tool]'))
      button.setAttribute('aria-pressed', String(button.dataset.tool === name))
    shareControls()
  }

  /** Pointers belong to the camera or to the tool. */
  function shareControls(): void {
    for (const name of SIDES) {
      const { drawing, stage } = page.sides.all[name]
      if (drawing) drawing.controls = chosen === 'look'
      stage.dataset.tool = chosen
    }
  }

  const tell = (error: unknown) => page.say(error instanceof Error ? error.message : String(error))

  const open = createFileOpener({
    page,
    note,
    async addMesh(bytes, name) {
      await editor.addMesh(bytes, name)
      choose('edit')
    },
  })
  const openFiles = (files: readonly File[]) => void open(files).catch(tell)

  const pad = createGravityPad(find('.tilt > div'), {
    dims: () => dimsOf(page.scene.scene),
    strength: () => page.settings.gravity || DEFAULT_GRAVITY,
    onGravity: gravity => hand.setGravity(gravity),
    onNotice: sentence => page.say(sentence),
  })
  createExportPanel(find('.export > div'), { page, link: () => linkTo(tooling), note, openFiles })
  for (const button of container.querySelectorAll<HTMLElement>('[data-tool]'))
    button.onclick = () => choose(button.dataset.tool as ToolName)
  followPointers(page.sides, () => pointerTools[chosen])
  acceptDrops(document.documentElement, openFiles)
  page.onMoment(() => {
    shareControls()
    pad.show(hand.gravity)
  })

  const tooling: Tooling = {
    page,
    theme,
    panels: createPanels(page.controls.panel, container),
    editor,
    get tool() {
      return chosen
    },
    adopt(held) {
      hand.adopt(held)
      pad.show(hand.gravity)
    },
    takeUp: name => name in TOOLS && takeUp(name as ToolName),
    note,
  }

  function play(): void {
    if (!matchMedia('(prefers-reduced-motion: reduce)').matches) page.playback.play()
  }

  async function start(hash: string): Promise<void> {
    let failure: unknown
    try {
      const restored = await restoreFrom(hash, tooling)
      if (restored?.plays) play()
      if (restored) return
    } catch (error) {
      failure = error
    }
    await page.startOver()
    if (failure !== undefined) tell(failure)
    play()
  }
  addEventListener('hashchange', () => {
    restoreFrom(location.hash, tooling).then(restored => restored?.plays && play(), tell)
  })
  choose(chosen)
  return { hand, start }
}
