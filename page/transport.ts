/** Buttons and keys: play, step, start over. */
import type { Playback } from 'peel/web'

export interface TransportActions {
  toggle(): void
  step(): void
  reset(): void
}

export interface Transport {
  setPlaying(isPlaying: boolean): void
  setMoment(frame: number, seconds: number): void
}

const KEYS: Readonly<Record<string, keyof TransportActions>> = {
  ' ': 'toggle',
  p: 'toggle',
  s: 'step',
  arrowright: 'step',
  r: 'reset',
}

export function createTransport(container: HTMLElement, actions: TransportActions): Transport {
  container.innerHTML = `
    <button type="button" class="primary" id="play" title="Space or P"></button>
    <button type="button" id="step" title="S or →">Step <kbd>S</kbd></button>
    <button type="button" id="reset" title="R">Reset <kbd>R</kbd></button>
    <output id="moment" aria-label="Frame and time"></output>`
  const find = (id: string) => container.querySelector<HTMLElement>(`#${id}`)!
  find('play').onclick = () => actions.toggle()
  find('step').onclick = () => actions.step()
  find('reset').onclick = () => actions.reset()
  addEventListener('keydown', event => {
    const action = KEYS[event.key.toLowerCase()]
    if (!action || event.ctrlKey || event.metaKey || event.altKey || isOperated(event.target)) return
    event.preventDefault()
    actions[action]()
  })
  return {
    setPlaying(isPlaying) {
      find('play').innerHTML = `${isPlaying ? 'Pause' : 'Play'} <kbd>Space</kbd>`
    },
    setMoment(frame, seconds) {
      find('moment').textContent = `frame ${frame} · ${seconds.toFixed(2)} s`
    },
  }
}

/** Keys that the focused element uses are left to it. */
function isOperated(target: EventTarget | null): boolean {
  return (
    target instanceof Element && target.closest('input, select, textarea, button, summary, a, [contenteditable], dialog') !== null
  )
}

/** A page in the background is paused. */
export function pauseInBackground(playback: Playback): void {
  let resumes = false
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) {
      resumes = playback.isPlaying
      playback.pause()
    } else if (resumes) playback.play()
  })
}
