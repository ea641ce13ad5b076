/** What can be done to the liquid and with the page: look, stir, drag a ball, edit, tilt, take away. */
import { createEditor } from './editor.js'
import { followPointers, type PointerTool } from './gestures.js'
import { createGravityPad } from './gravity-pad.js'
import { createHand, type Hand } from './hand.js'
import { acceptDrops, parseSceneFile } from './open-files.js'
import type { Page } from './page.js'
import { restoreFrom } from './restore.js'
import { dimsOf, SIDES } from './settings.js'
import { createTakeAway } from './take-away.js'

const TOOLS = {
  look: ['Look', 'Turn, move and zoom the picture'],
  stir: ['Stir', 'Stir the liquid with the pointer'],
  ball: ['Ball', 'Drag a ball through the liquid'],
  edit: ['Edit', 'Draw liquid and solids'],
} as const
type ToolName = keyof typeof TOOLS

export interface Tools {
  readonly hand: Hand
  /** Starts as the link in the address says; without one, or with a broken one, as usual. */
  start(hash: string): Promise<void>
}

export function createTools(page: Page, container: HTMLElement): Tools {
  const buttons = Object.entries(TOOLS)
    .map(([name, [label, about]]) => `<button type="button" data-tool="${name}" title="${about}">${label}</button>`)
    .join('')
  container.innerHTML = `
    <div class="choices" role="group" aria-label="What the pointer does">${buttons}</div>
    <details class="tilt"><summary>Tilt</summary><div></div></details>
    <details class="take-away"><summary>Take away</summary><div></div></details>
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

  async function openFile(file: File): Promise<void> {
    try {
      note('')
      if (/\.json$/i.test(file.name)) {
        const scene = parseSceneFile(await file.text(), file.name)
        await page.openScene({ name: 'own', scene })
        note(`${file.name} is open.`)
        return
      }
      await editor.addMesh(new Uint8Array(await file.arrayBuffer()), file.name)
      choose('edit')
    } catch (error) {
      tell(error)
    }
  }

  const pad = createGravityPad(find('.tilt > div'), {
    dims: () => dimsOf(page.scene.scene),
    strength: () => page.settings.gravity || 9.81,
    onGravity: gravity => hand.setGravity(gravity),
    onNotice: sentence => page.say(sentence),
  })
  createTakeAway(find('.take-away > div'), { page, hand, note, openFile: file => void openFile(file) })
  for (const button of container.querySelectorAll<HTMLElement>('[data-tool]'))
    button.onclick = () => choose(button.dataset.tool as ToolName)
  followPointers(page.sides, () => pointerTools[chosen])
  acceptDrops(document.documentElement, file => void openFile(file))
  page.onMoment(() => {
    shareControls()
    pad.show(hand.gravity)
  })

  async function start(hash: string): Promise<void> {
    try {
      if (await restoreFrom(hash, page, hand)) return
    } catch (error) {
      await page.startOver()
      tell(error)
      return
    }
    await page.startOver()
  }
  addEventListener('hashchange', () => void restoreFrom(location.hash, page, hand).catch(tell))
  choose(chosen)
  return { hand, start }
}
