/** Replay of a link: the frames up to the linked one are simulated as fast as possible and shown now and then. */
import type { Influence } from 'peel'
import type { LiveSettings } from '../settings.js'
import type { Recording } from './recording.js'

export interface ReplayTarget {
  change(live: LiveSettings): Promise<void>
  influence(change: Influence): void
  /** One frame. */
  advance(isShown: boolean): Promise<void>
  /** Called before every frame. */
  isStopped(): boolean
  onFrame(frame: number): void
}

/** Milliseconds between frames that are shown. */
const SHOW_EVERY = 500
/** Milliseconds for which a displayed number stays. */
const PROGRESS_EVERY = 100

/** From the start; returns the frame that was reached. */
export async function replay({ frame, events }: Recording, target: ReplayTarget): Promise<number> {
  let next = 0
  let shown = performance.now()
  for (let at = 0; ; at++) {
    target.onFrame(at)
    for (; events[next]?.at === at; next++) {
      const { live, influence } = events[next]
      if (live) await target.change(live)
      if (influence) target.influence(influence)
    }
    if (at === frame || target.isStopped()) return at
    const isShown = performance.now() - shown > SHOW_EVERY
    if (isShown) shown = performance.now()
    await target.advance(isShown)
  }
}

export interface Progress {
  /** Not every time: painting may be slower than a frame of a small liquid. */
  show(frame: number, goal: number): void
  hide(): void
}

export function createProgress(container: HTMLElement, stop: () => void): Progress {
  container.innerHTML = `
    <span aria-hidden="true"></span> <progress value="0"></progress>
    <button type="button" title="Space or P">Stop here</button>`
  const text = container.querySelector('span')!
  const bar = container.querySelector('progress')!
  container.querySelector('button')!.onclick = stop
  let written = 0
  return {
    show(frame, goal) {
      if (!container.hidden && performance.now() - written < PROGRESS_EVERY) return
      written = performance.now()
      text.textContent = `Simulating up to frame ${goal} … ${frame}`
      Object.assign(bar, { max: goal, value: frame })
      bar.setAttribute('aria-label', `Simulating up to frame ${goal}`)
      bar.setAttribute('aria-valuetext', `frame ${frame} of ${goal}`)
      container.hidden = false
    },
    hide() {
      container.hidden = true
    },
  }
}
