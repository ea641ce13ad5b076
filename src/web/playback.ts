/** Playing, pausing, single steps and starting over, for one simulation or several in step: whatever is to be done is done one thing after
 *  the other, so nothing ever happens in the middle of a frame. */
import { Interrupted } from './session.js'

export interface PlaybackOptions {
  /** Simulates and shows one frame; false: there was none left. */
  readonly advance: () => Promise<boolean>
  /** Gives up what is under way, where starting over makes it worthless. */
  readonly interrupt: () => void
  /** Seconds from frame to frame at least. */
  readonly pace: () => number
  readonly onState?: (isPlaying: boolean) => void
  /** Playing has stopped because of it. */
  readonly onFailure: (error: unknown) => void
}

export interface Playback {
  readonly isPlaying: boolean
  play(): void
  pause(): void
  /** One frame, after pausing. */
  step(): Promise<void>
  /** Between two frames. */
  change(action: () => Promise<void>): Promise<void>
  /** As soon as possible: a frame under way is given up. Goes on playing if it played. */
  startOver(action: () => Promise<void>): Promise<void>
}

export function createPlayback({ advance, interrupt, pace, onState, onFailure }: PlaybackOptions): Playback {
  let isPlaying = false
  let isLooping = false
  let last: Promise<unknown> = Promise.resolve()

  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = last.then(action)
    last = result.catch(() => {})
    return result
  }

  /** Failures are told, never thrown: buttons have nobody to catch them. */
  async function attempt(action: () => Promise<unknown>): Promise<void> {
    try {
      await inTurn(action)
    } catch (error) {
      if (error instanceof Interrupted) return
      setPlaying(false)
      onFailure(error)
    }
  }

  function setPlaying(value: boolean): void {
    if (isPlaying === value) return
    isPlaying = value
    onState?.(value)
  }

  async function loop(): Promise<void> {
    if (isLooping) return
    isLooping = true
    while (isPlaying) {
      const began = performance.now()
      await attempt(async () => {
        if (isPlaying && !(await advance())) setPlaying(false)
      })
      const rest = 1000 * pace() - (performance.now() - began)
      if (isPlaying) await new Promise(resolve => setTimeout(resolve, Math.max(0, rest)))
    }
    isLooping = false
  }

  return {
    get isPlaying() {
      return isPlaying
    },
    play() {
      setPlaying(true)
      void loop()
    },
    pause: () => setPlaying(false),
    step() {
      setPlaying(false)
      return attempt(advance)
    },
    change: action => attempt(action),
    startOver(action) {
      interrupt()
      return attempt(action)
    },
  }
}
