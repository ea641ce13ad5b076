/** Buttons and sliders of the editor. */
import type { Shape } from 'peel'
import type { NamedScene } from '../scenes.js'
import { entryOf, extentOf, lengthsOf, type Material, moveShape, type Part, partsOf, sizeShape } from './edit-scene.js'
import type { DrawTool } from './editor.js'

export interface EditorPanelOptions {
  readonly choice: { material: Material; tool: DrawTool; brush: number }
  dims(): 2 | 3
  /** m. */
  cell(): number
  scene(): NamedScene
  selected(): Part | undefined
  canUndo(): boolean
  select(part: Part | undefined): void
  add(kind: 'box' | 'ball'): void
  reshape(shape: Shape, isDone: boolean): void
  remove(): void
  undo(): void
  clear(): void
  create(size: number[]): void
  addMesh(bytes: Uint8Array, name: string): Promise<void>
}

export interface EditorPanel {
  /** After anything has changed. */
  refresh(): void
  /** The message about a mesh. */
  report(sentences: readonly string[]): void
}

const AXES = ['x', 'y', 'z'] as const
const LENGTHS = ['width', 'height', 'depth'] as const

const group = (label: string, key: string, entries: Readonly<Record<string, string>>) =>
  `<div class="choices" role="group" aria-label="${label}">${Object.entries(entries)
    .map(([value, text]) => `<button type="button" data-${key}="${value}">${text}</button>`)
    .join('')}</div>`

export function createEditorPanel(container: HTMLElement, options: EditorPanelOptions): EditorPanel {
  const { choice } = options
  container.innerHTML = `
    ${group('Material', 'material', { liquid: 'Liquid', solids: 'Solid' })}
    <div class="flat">
      ${group('Drawing tool', 'draw', { brush: 'Brush', box: 'Box', ball: 'Circle', erase: 'Erase', move: 'Move' })}
      <label>brush <input type="range" class="brush" min="0.015" max="0.2" step="0.005" aria-label="Size of the brush"></label>
    </div>
    <div class="deep">
      <div class="choices"><button type="button" class="add-box">Add box</button><button type="button" class="add-ball">Add ball</button></div>
      <select class="part" aria-label="Part of the scene"></select>
      <div class="sliders"></div>
      <button type="button" class="remove">Remove</button>
    </div>
    <div class="choices">
      <button type="button" class="undo">Undo</button>
      <button type="button" class="clear">Clear</button>
      <label class="file">Mesh file…<input type="file" class="mesh" accept=".obj,.ply,.stl" aria-label="Mesh file"></label>
      <button type="button" class="new2">New 2D</button>
      <button type="button" class="new3">New 3D</button>
    </div>
    <p class="hint"></p>
    <div class="report" role="status"></div>`
  const find = <E extends HTMLElement = HTMLButtonElement>(name: string) => container.querySelector<E>(`.${name}`)!
  const buttons = (key: string) => [...container.querySelectorAll<HTMLButtonElement>(`[data-${key}]`)]

  for (const button of buttons('material'))
    button.onclick = () => {
      choice.material = button.dataset.material as Material
      refresh()
    }
  for (const button of buttons('draw'))
    button.onclick = () => {
      choice.tool = button.dataset.draw as DrawTool
      refresh()
    }
  const brush = find<HTMLInputElement>('brush')
  brush.valueAsNumber = choice.brush
  brush.oninput = () => {
    choice.brush = brush.valueAsNumber
  }
  find('add-box').onclick = () => options.add('box')
  find('add-ball').onclick = () => options.add('ball')
  find('remove').onclick = () => options.remove()
  find('undo').onclick = () => options.undo()
  find('clear').onclick = () => options.clear()
  find('new2').onclick = () => options.create([1, 1])
  find('new3').onclick = () => options.create([1, 1, 1])
  const file = find<HTMLInputElement>('mesh')
  file.onchange = async () => {
    const [chosen] = file.files ?? []
    if (chosen) await options.addMesh(new Uint8Array(await chosen.arrayBuffer()), chosen.name)
    file.value = ''
  }
  const part = find<HTMLSelectElement>('part')
  part.onchange = () => options.select(partsOf(options.scene().scene)[Number(part.value)])
  const sliders = createSliders(find<HTMLElement>('sliders'), options)

  function refresh(): void {
    const isFlat = options.dims() === 2
    for (const button of buttons('material'))
      button.setAttribute('aria-pressed', String(button.dataset.material === choice.material))
    for (const button of buttons('draw')) button.setAttribute('aria-pressed', String(button.dataset.draw === choice.tool))
    find<HTMLElement>('flat').hidden = !isFlat
    find<HTMLElement>('deep').hidden = isFlat
    find<HTMLElement>('file').hidden = isFlat
    find('undo').disabled = !options.canUndo()
    find('remove').disabled = options.selected() === undefined
    find<HTMLElement>('hint').textContent = isFlat
      ? 'Draw on the picture; every change restarts the liquid. Play runs it.'
      : 'Add a part, then drag it on the picture or use the sliders. Look rotates the camera; Play runs the liquid.'
    listParts()
    sliders.refresh()
  }

  function listParts(): void {
    const { scene } = options.scene()
    const parts = partsOf(scene)
    const chosen = options.selected()
    const at = parts.findIndex(({ material, at }) => material === chosen?.material && at === chosen?.at)
    part.replaceChildren(
      new Option(parts.length === 0 ? 'nothing yet' : 'choose a part', '-1'),
      ...parts.map((entry, number) => new Option(nameOf(entryOf(scene, entry), entry), String(number))),
    )
    part.value = String(at)
  }

  refresh()
  return {
    refresh,
    report(sentences) {
      find<HTMLElement>('report').replaceChildren(
        ...sentences.map(sentence => Object.assign(document.createElement('p'), { textContent: sentence })),
      )
    },
  }
}

function nameOf(shape: Shape & { readonly name?: unknown }, { material, at }: Part): string {
  const kind = shape.shape === undefined ? shape.mesh : shape.shape === 'sphere' ? 'ball' : shape.shape
  return `${material === 'liquid' ? 'liquid' : 'solid'} ${at + 1}: ${shape.name ?? kind}`
}

/** Middle and lengths of the part that is selected. */
function createSliders(container: HTMLElement, options: EditorPanelOptions) {
  let shown = ''

  function slider(label: string, value: number, most: number, onValue: (value: number, isDone: boolean) => void): HTMLElement {
    const box = document.createElement('label')
    box.textContent = `${label} `
    const input = Object.assign(document.createElement('input'), { type: 'range', min: '0', max: String(most) })
    input.step = String(most / 200)
    input.valueAsNumber = value
    input.setAttribute('aria-label', label)
    input.oninput = () => onValue(input.valueAsNumber, false)
    input.onchange = () => onValue(input.valueAsNumber, true)
    box.append(input)
    return box
  }

  function refresh(): void {
    const part = options.selected()
    const { scene, meshes } = options.scene()
    const dims = options.dims()
    const shape = part && dims === 3 ? entryOf(scene, part) : undefined
    const extent = shape && extentOf(shape, dims, meshes)
    const which = part && extent ? `${part.material} ${part.at} ${shape.shape} ${scene.domain.size}` : ''
    // Sliders stay in place while they are dragged.
    if (which === shown) {
      const values = extent ? [...extent.centre, ...extent.size] : []
      container.querySelectorAll('input').forEach((input, at) => {
        if (document.activeElement !== input) input.valueAsNumber = values[at]
      })
      return
    }
    shown = which
    container.replaceChildren()
    if (!part || !extent) return
    const now = () => entryOf(options.scene().scene, part)
    const size = scene.domain.size
    AXES.forEach((name, axis) => {
      const put = (value: number, isDone: boolean) => {
        const centre = extentOf(now(), dims, options.scene().meshes)!.centre
        const way = centre.map((middle, at) => (at === axis ? value - middle : 0))
        options.reshape(moveShape(now(), way), isDone)
      }
      container.append(slider(name, extent.centre[axis], size[axis], put))
    })
    LENGTHS.slice(0, lengthsOf(shape, dims)).forEach((name, axis, all) => {
      const put = (length: number, isDone: boolean) => {
        const sizing = { dims, axis, length, least: options.cell(), meshes: options.scene().meshes }
        options.reshape(sizeShape(now(), sizing), isDone)
      }
      container.append(slider(all.length === 1 ? 'size' : name, extent.size[axis], size[axis], put))
    })
  }

  return { refresh }
}
