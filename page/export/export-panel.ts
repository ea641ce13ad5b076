/** Buttons that export pictures, videos, files, the scene and a link. */
import { InputError } from 'peel'
import type { Link } from '../link/page-state.js'
import type { Page } from '../page.js'
import { SIDES, type SideName, sceneFor, timesOf } from '../settings.js'
import { EXPORTS, fileName } from './export-formats.js'
import { drawSideBySide, sizeSideBySide, startVideo, type VideoRecorder } from './video.js'

const WITHOUT_EVENTS = ' The interactions do not fit into a link; this one leads to the same frame without them.'

export interface ExportPanelOptions {
  readonly page: Page
  /** A link to the current state; throws if it does not fit. */
  readonly link: () => Link
  /** A message that is not an error. */
  readonly note: (sentence: string) => void
  readonly openFiles: (files: readonly File[]) => void
}

export function createExportPanel(container: HTMLElement, { page, link, note, openFiles }: ExportPanelOptions): void {
  const exporting = Object.entries(EXPORTS)
    .map(([key, { label }]) => `<button type="button" data-export="${key}">${label}</button>`)
    .join('')
  container.innerHTML = `
    <div class="choices">
      <button type="button" class="picture">Picture</button>
      <button type="button" class="record" aria-pressed="false">Record video</button>
    </div>
    <div class="choices">
      <select class="whose" aria-label="Which side"><option value="b">right</option><option value="a">left</option></select>
      ${exporting}
    </div>
    <div class="choices">
      <button type="button" class="link">Copy link</button>
      <button type="button" class="copy">Copy scene</button>
      <button type="button" class="save">Save scene</button>
      <label class="file">Open file…<input type="file" class="open" accept=".json,.obj,.ply,.stl" multiple aria-label="Open scene and mesh files"></label>
    </div>`
  const find = <E extends HTMLElement = HTMLButtonElement>(name: string) => container.querySelector<E>(`.${name}`)!
  const shown = () => SIDES.map(name => page.sides.all[name]).filter(({ session }) => session !== undefined)
  const chosen = () => page.sides.all[find<HTMLSelectElement>('whose').value as SideName]
  const side = () => (chosen().session ? chosen() : page.sides.all.b)
  const nameFor = (ending: string) => fileName(page.scene.name, side().session?.moment.frame.index ?? 0, ending)

  /** Errors are shown, and the page continues. */
  function on(button: HTMLButtonElement, action: () => Promise<void>): void {
    button.onclick = async () => {
      button.disabled = true
      try {
        await action()
      } catch (error) {
        page.say(error instanceof Error ? error.message : String(error))
      }
      button.disabled = false
    }
  }

  /** All sides as they are seen, in one picture. */
  function drawTogether(canvas: HTMLCanvasElement): void {
    const drawings = shown().flatMap(({ drawing }) => drawing ?? [])
    for (const drawing of drawings) drawing.renderNow()
    const ground = getComputedStyle(document.documentElement).getPropertyValue('--card') || '#fff'
    drawSideBySide(
      canvas,
      drawings.map(drawing => drawing.canvas),
      ground,
    )
  }

  function createTogether(): HTMLCanvasElement {
    const [width, height] = sizeSideBySide(shown().flatMap(({ drawing }) => drawing?.canvas ?? []))
    return Object.assign(document.createElement('canvas'), { width, height })
  }

  on(find('picture'), async () => {
    const canvas = createTogether()
    drawTogether(canvas)
    const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve, 'image/png'))
    if (!blob) throw new InputError('The browser returned no picture; make the window smaller and try again.')
    download(blob, nameFor('picture.png'))
  })

  let recording: { readonly recorder: VideoRecorder; readonly canvas: HTMLCanvasElement } | undefined
  const record = find('record')
  page.onMoment(() => {
    if (!recording) return
    drawTogether(recording.canvas)
    recording.recorder.add()
    record.textContent = `Stop (${frameCount(recording.recorder.frames)})`
  })
  on(record, async () => {
    if (!recording) {
      const canvas = createTogether()
      recording = { canvas, recorder: await startVideo(canvas, timesOf(page.scene.scene, page.settings.frameRate).fps) }
      record.textContent = 'Stop (0 frames)'
      record.setAttribute('aria-pressed', 'true')
      return
    }
    const { recorder } = recording
    recording = undefined
    record.textContent = 'Record video'
    record.setAttribute('aria-pressed', 'false')
    const { blob, ending, frames } = await recorder.finish()
    download(blob, nameFor(`video.${ending}`))
    note(`A video of ${frameCount(frames)} was saved.`)
  })

  for (const button of container.querySelectorAll<HTMLButtonElement>('[data-export]')) {
    const { encode, ending, type } = EXPORTS[button.dataset.export!]
    on(button, async () => {
      const { session } = side()
      if (!session) throw new InputError('There is no liquid yet; wait until it appears.')
      // Between two frames, so that it is one moment.
      let bytes: Uint8Array | undefined
      await page.playback.change(async () => {
        bytes = await encode(session)
      })
      if (bytes) download(new Blob([bytes as Uint8Array<ArrayBuffer>], { type }), nameFor(ending))
    })
  }

  const sceneText = () => JSON.stringify(sceneFor(page.scene.scene, page.settings, side().name), null, 2)
  on(find('copy'), async () => {
    const isCopied = await copy(sceneText())
    note(
      isCopied
        ? 'The scene is on the clipboard, for peel run.'
        : 'Access to the clipboard is not allowed; save the scene instead.',
    )
  })
  on(find('save'), async () => download(new Blob([sceneText()], { type: 'application/json' }), `${page.scene.name}.json`))
  on(find('link'), async () => {
    const { link: address, hasEvents } = link()
    history.replaceState(null, '', address)
    const isCopied = await copy(location.href)
    note(`The link is ${isCopied ? 'on the clipboard and ' : ''}in the address bar.${hasEvents ? '' : WITHOUT_EVENTS}`)
  })
  const file = find<HTMLInputElement>('open')
  file.onchange = () => {
    openFiles([...(file.files ?? [])])
    file.value = ''
  }
}

const frameCount = (count: number) => `${count} ${count === 1 ? 'frame' : 'frames'}`

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob)
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
