/** The editor of scenes: in 2D liquid and solids are drawn with the pointer, in 3D boxes, balls and meshes are placed, moved and sized. */
import { type Shape, type Vector, validateScene } from 'peel'
import type { Page } from '../page.js'
import type { NamedScene } from '../scenes.js'
import { dimsOf, SIDES, type SideName } from '../settings.js'
import type { Pointed, PointerTool } from '../tools/gestures.js'
import { createEditHistory } from './edit-history.js'
import {
  addShape,
  ballBetween,
  boxBetween,
  clearScene,
  cutAway,
  entryOf,
  extentOf,
  type Material,
  moveShape,
  type Part,
  type Place,
  partAlong,
  partAt,
  partsOf,
  removeShape,
  replaceShape,
  strokeShape,
} from './edit-scene.js'
import { createEditorPanel } from './editor-panel.js'
import { createOverlay, type Overlay } from './overlay.js'
import { freeName, placeMesh } from './place-mesh.js'

export type DrawTool = 'brush' | 'box' | 'ball' | 'erase' | 'move'

export interface Editor {
  readonly tool: PointerTool
  open(): void
  close(): void
  /** As a solid; the panel reports its faults. */
  addMesh(bytes: Uint8Array, name: string): Promise<void>
  /** What can be undone, the nearest step last. */
  past: readonly NamedScene[]
}

/** Far less than a pixel, and short to write. */
const rounded = (metres: number) => Number(metres.toPrecision(5))

/** Share of the shortest side: the initial size of shapes added to 3D scenes. */
const FIRST_SIZE = 0.35

export function createEditor(page: Page, container: HTMLElement): Editor {
  const history = createEditHistory<NamedScene>(
    () => page.scene,
    async next => {
      await page.replaceScene(next)
      panel.refresh()
    },
  )
  const overlays: Record<SideName, Overlay> = { a: createOverlay(page.sides.all.a), b: createOverlay(page.sides.all.b) }
  const choice = { material: 'liquid' as Material, tool: 'brush' as DrawTool, brush: 0.06 }
  let selected: Part | undefined
  let isOpen = false

  const scene = () => history.current.scene
  const dims = () => dimsOf(scene())
  const cell = () => Math.max(...scene().domain.size) / page.settings.resolution
  const edited = (next: NamedScene['scene']): NamedScene => ({ ...history.current, name: 'own', scene: next })

  function commit(next: NamedScene['scene']): void {
    validateScene(next, 'The edited scene')
    if (next !== scene()) history.commit(edited(next))
    panel.refresh()
  }

  function select(part: Part | undefined): void {
    selected =
      part && partsOf(scene()).some(({ material, at }) => material === part.material && at === part.at) ? part : undefined
    panel.refresh()
  }

  /** Replaces what is selected; `isDone`: as a step of its own. */
  function reshape(shape: Shape, isDone: boolean): void {
    if (!selected) return
    const next = edited(replaceShape(scene(), selected, shape))
    if (isDone) history.commit(next)
    else history.preview(next)
    panel.refresh()
  }

  function add(kind: 'box' | 'ball'): void {
    const { size } = scene().domain
    const centre = size.map(length => 0.5 * length)
    const half = 0.5 * FIRST_SIZE * Math.min(...size)
    const shape: Shape =
      kind === 'ball'
        ? { shape: 'sphere', centre, radius: half }
        : { shape: 'box', min: centre.map(value => value - half), max: centre.map(value => value + half) }
    const at = (scene()[choice.material] ?? []).length
    commit(addShape(scene(), choice.material, shape))
    select({ material: choice.material, at })
  }

  async function addMesh(bytes: Uint8Array, name: string): Promise<void> {
    const free = freeName(name, new Set(history.current.meshes?.keys()))
    const { shape, mesh, report } = await placeMesh(bytes, free, scene(), page.settings.resolution)
    const at = (scene().solids ?? []).length
    history.commit({
      ...edited(addShape(scene(), 'solids', shape)),
      meshes: new Map([...(history.current.meshes ?? []), [free, mesh]]),
    })
    select({ material: 'solids', at })
    panel.report(report)
  }

  const panel = createEditorPanel(container, {
    choice,
    dims,
    cell,
    scene: () => history.current,
    selected: () => selected,
    canUndo: () => history.past.length > 0,
    select,
    add,
    reshape,
    remove() {
      if (selected) commit(removeShape(scene(), selected))
      select(undefined)
    },
    undo() {
      history.undo()
      select(selected)
    },
    clear() {
      commit(clearScene(scene()))
      select(undefined)
    },
    create(size) {
      selected = undefined
      const empty = { version: 1 as const, domain: { size, resolution: 32 }, liquid: [], solids: [] }
      void page.openScene({ name: 'own', scene: empty }).then(() => panel.refresh())
    },
    addMesh: (bytes, name) => addMesh(bytes, name).catch(error => page.say(error.message)),
  })

  /** The shape between the first and the last place of a gesture. */
  function shapeOf(line: readonly Place[]): Shape | undefined {
    const radius = choice.brush * Math.max(...scene().domain.size)
    const [first, last] = [line[0], line[line.length - 1]]
    if (choice.tool === 'box') return boxBetween(first, last, cell())
    if (choice.tool === 'ball') return ballBetween(first, last, cell())
    return strokeShape(line, radius)
  }

  let line: Place[] = []
  const drawing: PointerTool = {
    start(at) {
      line = []
      drawing.move(at)
    },
    move(at) {
      const [x, y] = at.drawing.toScene(at.x, at.y)
      line.push([rounded(x), rounded(y)])
      const shape = shapeOf(line)
      if (shape) overlays[at.side.name].drawShape(at.drawing, shape, choice.tool === 'erase' ? 'eraser' : choice.material)
    },
    end(at, isLost) {
      overlays[at.side.name].clear()
      const shape = isLost ? undefined : shapeOf(line)
      if (!shape) return
      commit(choice.tool === 'erase' ? cutAway(scene(), shape) : addShape(scene(), choice.material, shape))
    },
  }

  function partBehind({ origin, direction }: ReturnType<Pointed['drawing']['ray']>): Part | undefined {
    const reach = Math.hypot(...origin) + 2 * Math.hypot(...scene().domain.size)
    return partAlong(scene(), origin, direction, reach, history.current.meshes)
  }

  let grip: { readonly shape: Shape; readonly from: Vector; readonly through: Vector } | undefined
  const moving: PointerTool = {
    start({ drawing: { ray, toScene }, x, y }) {
      select(dims() === 2 ? partAt(scene(), toScene(x, y)) : partBehind(ray(x, y)))
      grip = undefined
      const shape = selected && entryOf(scene(), selected)
      const extent = shape && extentOf(shape, dims(), history.current.meshes)
      if (!shape || !extent) return
      const [u, v, w = 0] = extent.centre
      grip = { shape, from: toScene(x, y, [u, v, w]), through: [u, v, w] }
    },
    move: at => drag(at, false),
    end(at, isLost) {
      if (isLost) history.undo()
      else drag(at, true)
      grip = undefined
    },
  }

  function drag({ drawing: { toScene }, x, y }: Pointed, isDone: boolean): void {
    if (!grip) return
    const to = toScene(x, y, grip.through)
    const way = grip.from.map((value, axis) => to[axis] - value).slice(0, dims())
    // A tap selects, and changes nothing.
    if (Math.hypot(...way) < 0.25 * cell()) return
    reshape(moveShape(grip.shape, way), isDone)
  }

  /** The camera may move at any time. */
  function outline(): void {
    if (!isOpen) return
    for (const name of SIDES) {
      const { drawing: seen, session } = page.sides.all[name]
      if (!seen || !session || dims() === 2) continue
      if (selected) overlays[name].outline(seen, entryOf(scene(), selected), history.current.meshes)
      else overlays[name].clear()
    }
    requestAnimationFrame(outline)
  }

  const current = () => (dims() === 3 || choice.tool === 'move' ? moving : drawing)
  let held: PointerTool = moving
  return {
    tool: {
      start(at) {
        held = current()
        held.start(at)
      },
      move: at => held.move(at),
      end: (at, isLost) => held.end(at, isLost),
    },
    open() {
      if (isOpen) return
      isOpen = true
      select(undefined)
      outline()
    },
    close() {
      isOpen = false
      for (const overlay of Object.values(overlays)) overlay.clear()
    },
    addMesh,
    get past() {
      return history.past
    },
    set past(steps) {
      history.recall(steps)
      select(undefined)
    },
  }
}
