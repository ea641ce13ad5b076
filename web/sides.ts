/** One or two simulations and their canvases, always at the same frame. */
import type { FrameParts } from '../src/liquid/frame.js'
import { createDrawing, type Drawing, type Moment, type Session, type SessionScene, startSession } from '../src/web/index.js'
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
  /** After both sides have it. */
  readonly onMoment: (moments: Partial<Record<SideName, Moment>>) => void
}

export interface Sides {
  readonly all: Readonly<Record<SideName, Side>>
  /** From the start. Sides without a scene are put away. */
  start(scenes: SideScenes): Promise<void>
  /** Goes on from where it is. */
  change(scenes: SideScenes): Promise<void>
  advance(): Promise<void>
  /** The moments shown, once more with what the drawings need now. */
  refresh(): Promise<void>
  interrupt(): void
}

export function createSides(container: HTMLElement, { onMoment }: SidesOptions): Sides {
  const all = { a: createSide('a', container), b: createSide('b', container) }
  const shown = () => SIDES.map(name => all[name]).filter(({ session }) => session !== undefined)

  function show(moments: Partial<Record<SideName, Moment>>): void {
    for (const { name, drawing } of shown()) if (moments[name]) drawing?.show(moments[name].frame)
    onMoment(moments)
  }

  async function forAll(action: (side: Side) => Promise<Moment | undefined>): Promise<void> {
    const moments: Partial<Record<SideName, Moment>> = {}
    const done = await Promise.allSettled(
      SIDES.map(async name => {
        moments[name] = await action(all[name])
      }),
    )
    for (const result of done) if (result.status === 'rejected') throw result.reason
    show(moments)
  }

  async function start(side: Side, given: SessionScene | undefined, threads: number | undefined): Promise<Moment | undefined> {
    side.figure.hidden = given === undefined
    if (!given) {
      side.session?.dispose()
      side.session = undefined
      return undefined
    }
    const dims = given.scene.domain.size.length === 2 ? 2 : 3
    if (side.drawing?.dims !== dims) {
      side.drawing?.dispose()
      side.drawing = createDrawing(side.stage, dims)
    }
    const parts: FrameParts = side.drawing.needs()
    if (side.session) return side.session.restart(given, threads)
    side.session = await startSession(given, { parts, threads })
    return side.session.moment
  }

  const threadsFor = (scenes: SideScenes) => threadsPerSide(Object.values(scenes).filter(Boolean).length)
  return {
    all,
    start: scenes => forAll(side => start(side, scenes[side.name], threadsFor(scenes))),
    change: scenes => forAll(async side => scenes[side.name] && side.session?.change(scenes[side.name]!, threadsFor(scenes))),
    advance: () => forAll(async side => side.session?.advance(side.drawing?.needs())),
    refresh: () =>
      forAll(
        async ({ session, drawing }) => session && { ...session.moment, frame: await session.capture(drawing?.needs() ?? {}) },
      ),
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
