/** One or two simulations and their canvases, always at the same frame. */
import {
  createDrawing,
  type Drawing,
  type LiquidColours,
  lacks,
  type Moment,
  type RendererName,
  type Session,
  type SessionScene,
  type Stage,
  type StageView,
  startSession,
} from 'peel/web'
import { SIDES, type SideName } from './settings.js'

export interface Side {
  readonly name: SideName
  readonly figure: HTMLElement
  /** Where the drawing is. */
  readonly stage: HTMLElement
  /** Absent while it is not shown. */
  session?: Session
  drawing?: Drawing
}

export type SideScenes = Partial<Record<SideName, SessionScene>>

export interface SidesOptions {
  readonly drawnBy?: RendererName
  /** After both sides have it. */
  readonly onMoment: (moments: Partial<Record<SideName, Moment>>) => void
  /** A problem that does not stop the simulation; empty when it is over. */
  readonly onNotice: (sentence: string) => void
}

/** How both sides are seen. */
export interface Appearance {
  readonly view: StageView
  readonly colours: LiquidColours
  readonly slice: Stage['slice']
  readonly dark: boolean
  /** How much nearer the camera begins than where it sees the whole box. */
  readonly nearness: number
}

export interface Sides {
  readonly all: Readonly<Record<SideName, Side>>
  /** From the start. Sides without a scene are closed. */
  start(scenes: SideScenes, appearance: Appearance): Promise<void>
  /** Continues from where it is. */
  change(scenes: SideScenes): Promise<void>
  /** Returns a function that shows the frame. `isSeen`: drawn and reported; otherwise cheaper. */
  advance(isSeen?: boolean): Promise<() => void>
  /** Fetches the parts of the current frame that this needs. */
  setAppearance(appearance: Appearance): Promise<void>
  /** Whether any drawing keeps all cores busy for a while. */
  readonly takeCores: boolean
  resetCamera(): void
  interrupt(): void
}

export function createSides(container: HTMLElement, { drawnBy, onMoment, onNotice }: SidesOptions): Sides {
  const all = { a: createSide('a', container), b: createSide('b', container) }
  const shown = () => SIDES.map(name => all[name]).filter(({ session }) => session !== undefined)
  let appearance: Appearance

  function show(moments: Partial<Record<SideName, Moment>>): void {
    for (const { name, drawing } of shown()) if (moments[name]) drawing?.show(moments[name].frame)
    onMoment(moments)
  }

  async function forAll(action: (side: Side) => Promise<Moment | undefined>): Promise<void> {
    show(await gather(action))
  }

  async function gather(action: (side: Side) => Promise<Moment | undefined>): Promise<Partial<Record<SideName, Moment>>> {
    const moments: Partial<Record<SideName, Moment>> = {}
    const done = await Promise.allSettled(
      SIDES.map(async name => {
        moments[name] = await action(all[name])
      }),
    )
    const failed = done.find(result => result.status === 'rejected')
    if (failed) {
      if (!isInStep()) for (const side of shown()) putAway(side)
      throw failed.reason
    }
    return moments
  }

  /** Where one side failed and the other did not, they must not continue together. */
  function isInStep(): boolean {
    const visible = SIDES.map(name => all[name]).filter(({ figure }) => !figure.hidden)
    return new Set(visible.map(({ session }) => session?.moment.frame.index)).size === 1
  }

  function putAway(side: Side): void {
    side.session?.dispose()
    side.session = undefined
  }

  async function start(side: Side, given: SessionScene | undefined, threads: number | undefined): Promise<Moment | undefined> {
    side.figure.hidden = given === undefined
    if (!given) {
      putAway(side)
      return undefined
    }
    side.drawing ??= draw(side, given.scene.domain.size.length === 2 ? 2 : 3)
    if (side.session) await side.session.restart(given, threads)
    else side.session = await startSession(given, { threads })
    return complete(side)
  }

  function draw(side: Side, dims: 2 | 3): Drawing {
    const drawing = createDrawing(side.stage, { dims, drawnBy, onNotice, onCamera: () => follow(side) })
    dress(drawing)
    return drawing
  }

  function dress({ stage }: Drawing): void {
    stage.dark = appearance.dark
    stage.colours = appearance.colours
    stage.slice = appearance.slice
    stage.view = appearance.view
  }

  function wear(next: Appearance): void {
    appearance = next
    for (const { drawing } of Object.values(all)) if (drawing) dress(drawing)
  }

  /** One camera for both: what is compared must be seen from the same place. */
  function follow({ drawing }: Side): void {
    const { camera } = drawing!.stage
    for (const { drawing: other } of shown())
      if (other && other !== drawing && JSON.stringify(other.stage.camera) !== JSON.stringify(camera)) {
        other.stage.camera = camera
        other.render()
      }
  }

  function approach({ stage }: Drawing): void {
    stage.resetCamera()
    const { eye, target, zoom } = stage.camera
    const near = (at: number) => target[at] + (eye[at] - target[at]) / appearance.nearness
    if (appearance.nearness !== 1) stage.camera = { eye: [near(0), near(1), near(2)], target, zoom }
  }

  /** The moment of a side, with all that its drawing needs. The drawing is shown the frame first, because it needs its
   *  dimension. */
  async function complete({ session, drawing }: Side): Promise<Moment | undefined> {
    if (!session || !drawing) return session?.moment
    const { moment } = session
    drawing.show(moment.frame)
    if (!lacks(moment.frame, drawing.needs())) return moment
    return { ...moment, frame: await session.capture(drawing.needs()) }
  }

  const threadsFor = (scenes: SideScenes) => threadsPerSide(Object.values(scenes).filter(Boolean).length)
  return {
    all,
    start(scenes, next) {
      wear(next)
      return forAll(side => start(side, scenes[side.name], threadsFor(scenes)))
    },
    change: scenes =>
      forAll(async side => {
        const scene = scenes[side.name]
        if (!scene || !side.session) return undefined
        const { record } = side.session.moment
        await side.session.change(scene, threadsFor(scenes))
        const moment = await complete(side)
        return moment && { ...moment, record }
      }),
    async advance(isSeen = true) {
      const moments = await gather(async side => side.session?.advance(isSeen ? side.drawing?.needs() : {}))
      return () => isSeen && show(moments)
    },
    async setAppearance(next) {
      wear(next)
      if (shown().length > 0) await forAll(complete)
      for (const { drawing } of shown()) drawing?.render()
    },
    get takeCores() {
      return shown().some(({ drawing }) => drawing?.takesCores)
    },
    resetCamera() {
      for (const { drawing } of shown()) {
        if (drawing) approach(drawing)
        drawing?.render()
      }
    },
    interrupt: () => {
      for (const { session } of shown()) session?.interrupt()
    },
  }
}

/** Two sides share the cores; one has them all. */
function threadsPerSide(sides: number): number | undefined {
  if (sides < 2) return undefined
  return Math.max(1, Math.min(8, Math.floor((navigator.hardwareConcurrency || 1) / sides)))
}

function createSide(name: SideName, container: HTMLElement): Side {
  const figure = document.createElement('figure')
  figure.className = `side ${name}`
  figure.innerHTML = `<div class="stage"><span class="badge" hidden></span></div><figcaption></figcaption>`
  container.append(figure)
  return { name, figure, stage: figure.querySelector<HTMLElement>('.stage')! }
}
