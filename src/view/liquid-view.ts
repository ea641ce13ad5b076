/** A simulation in a page of your own: its canvas fills an element, and every frame is passed to `onFrame`. */
import { checkObject, untilDisposed } from '../checks.js'
import type { LiquidColours } from '../scene/liquid-colours.js'
import { dimsOf } from '../scene/schema.js'
import { checkElement, createDrawing, type Drawing, lacks, type RendererName } from './drawing.js'
import { createPlayback } from './playback.js'
import type { Moment } from './protocol.js'
import { Interrupted, type Session, type SessionOptions, type SessionScene, startSession } from './session.js'
import type { StageView } from './stage/scenery.js'

export interface LiquidViewOptions extends SessionScene, SessionOptions {
  /** What is seen: water if absent. */
  readonly view?: StageView
  /** Colours for a dark page. */
  readonly dark?: boolean
  /** Of the liquid; those of water if absent. */
  readonly colours?: LiquidColours
  /** As in `createDrawing`. */
  readonly drawnBy?: RendererName
  /** False: frames are only passed to `onFrame`, for your own drawing. */
  readonly draws?: boolean
  /** Plays as soon as it is ready; true if absent. */
  readonly autoplay?: boolean
  /** Starts over when the scene is at its end; true if absent. */
  readonly loop?: boolean
  /** Every moment, the start included. Its arrays are the caller's. */
  readonly onFrame?: (moment: Moment) => void
  /** Playing has stopped because of it; if absent, the container shows the sentence. */
  readonly onFailure?: (error: Error) => void
}

export interface LiquidView {
  readonly session: Session
  /** Absent where it does not draw. */
  readonly drawing?: Drawing
  readonly isPlaying: boolean
  play(): void
  pause(): void
  step(): Promise<void>
  /** From the start, with this scene or another. */
  reset(scene?: SessionScene): Promise<void>
  /** Ends the worker and removes the canvas; later calls are an InputError. */
  dispose(): void
}

/** The container needs a size of its own. Rejects with a message for the user if the scene is invalid or the browser cannot
 *  run it. */
export async function createLiquidView(container: HTMLElement, options: LiquidViewOptions): Promise<LiquidView> {
  checkElement(container, 'createLiquidView: the container')
  checkObject(options, 'createLiquidView: the options', 'an object with scene and other options')
  const { draws = true, autoplay = true, loop = true, parts = {}, onFrame } = options
  const session = await startSession(options, options)
  if (getComputedStyle(container).position === 'static') container.style.position = 'relative'
  const note = createNote(container)
  const { view, dark, colours, drawnBy } = options
  const drawing = draws
    ? createDrawing(container, { dims: dimsOf(session.scene), view, dark, colours, drawnBy, onNotice: note.say })
    : undefined

  const neededParts = () => {
    const { particles, fields } = drawing?.needs() ?? {}
    return { particles: parts.particles || particles, fields: parts.fields || fields }
  }

  function show(moment: Moment): void {
    drawing?.show(moment.frame)
    onFrame?.(moment)
  }

  /** The start is captured before the drawing knows the dimension of the scene, and so what it needs. */
  async function showStart(moment: Moment): Promise<void> {
    drawing?.show(moment.frame)
    if (drawing && lacks(moment.frame, drawing.needs())) drawing.show(await session.capture(neededParts()))
    onFrame?.(moment)
  }

  async function startOver(scene?: SessionScene): Promise<void> {
    await showStart(await session.restart(scene))
  }

  let isDisposed = false
  const playback = createPlayback({
    async advance() {
      if (isDisposed) throw new Interrupted('The view was disposed of.')
      const isOver = session.moment.frame.index >= session.scene.time.frames
      if (isOver && !loop) return false
      if (isOver) {
        await startOver()
        return true
      }
      const moment = await session.advance(neededParts())
      if (!drawing?.takesCores) return () => show(moment)
      show(moment)
      return true
    },
    interrupt: () => session.interrupt(),
    pace: () => 1 / session.scene.time.fps,
    onFailure(error) {
      if (isDisposed) return
      const failure = error instanceof Error ? error : new Error(String(error))
      if (options.onFailure) options.onFailure(failure)
      else note.say(failure.message)
    },
  })
  await showStart(session.moment)
  if (autoplay) playback.play()
  const liquidView: LiquidView = {
    session,
    drawing,
    get isPlaying() {
      return playback.isPlaying
    },
    play: () => playback.play(),
    pause: () => playback.pause(),
    async step() {
      return playback.step()
    },
    async reset(scene) {
      return playback.startOver(() => startOver(scene))
    },
    dispose() {
      isDisposed = true
      playback.pause()
      session.dispose()
      drawing?.dispose()
      note.remove()
    },
  }
  return untilDisposed(liquidView, 'the view')
}

/** One sentence over everything else in the container. */
function createNote(container: HTMLElement) {
  const note = document.createElement('p')
  note.setAttribute('role', 'alert')
  note.style.cssText =
    'position: absolute; z-index: 1; inset: auto 0 0; margin: 0; padding: 0.5em; color: #fff; background: #1a2433cc'
  return {
    say(sentence: string): void {
      note.textContent = sentence
      if (sentence === '') note.remove()
      else container.append(note)
    },
    remove: () => note.remove(),
  }
}
