/** The way to a frame that a link names: simulated again, as fast as possible, and seen now and then. */
import type { Influence } from '../src/liquid/influence.js'
import type { Course } from './journal.js'
import type { LiveSettings } from './settings.js'

export interface Way {
  change(live: LiveSettings): Promise<void>
  influence(change: Influence): void
  /** One frame. */
  advance(isSeen: boolean): Promise<void>
  /** Asked before every frame. */
  isStopped(): boolean
  onFrame(frame: number): void
}

/** Milliseconds from one frame that is seen to the next. */
const SEEN = 500
/** Milliseconds for which a number stays. */
const TOLD = 100

/** From the start; the frame it came to. */
export async function follow({ frame, deeds }: Course, way: Way): Promise<number> {
  let next = 0
  let seen = performance.now()
  for (let at = 0; ; at++) {
    way.onFrame(at)
    for (; deeds[next]?.at === at; next++) {
      const { live, influence } = deeds[next]
      if (live) await way.change(live)
      if (influence) way.influence(influence)
    }
    if (at === frame || way.isStopped()) return at
    const isSeen = performance.now() - seen > SEEN
    if (isSeen) seen = performance.now()
    await way.advance(isSeen)
  }
}

export interface Progress {
  /** Not every time: painting may take longer than a frame of a small liquid. */
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
  let told = 0
  return {
    show(frame, goal) {
      if (!container.hidden && performance.now() - told < TOLD) return
      told = performance.now()
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
