/** Playing, pausing, single steps and restarting, for one simulation or several in lockstep. Requests are queued, so nothing
 *  happens in the middle of a frame. */
import { checkFunction, objectWith, optional } from '../checks.js'
import { Interrupted } from './session.js'

export interface PlaybackOptions {
  /** Simulates one frame; false if none is left. May return a function that shows it: when playing is late, it is called while
   *  the next frame is already running, so that drawing and simulation overlap. */
  readonly advance: () => Promise<boolean | (() => void)>
  /** Aborts the current work, which a restart makes useless. */
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
  /** As soon as possible: a frame in progress is aborted. Continues playing if it played. */
  startOver(action: () => Promise<void>): Promise<void>
}

const checkOptionsOf = objectWith({
  advance: checkFunction,
  interrupt: checkFunction,
  pace: checkFunction,
  onState: optional(checkFunction),
  onFailure: checkFunction,
})

export function createPlayback(options: PlaybackOptions): Playback {
  checkOptionsOf(options, 'createPlayback: its argument')
  const { advance, interrupt, pace, onState, onFailure } = options
  let isPlaying = false
  let isLooping = false
  let last: Promise<unknown> = Promise.resolve()
  /** Shows the latest frame, if it was not shown yet. */
  let show: (() => void) | undefined

  function inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = last.then(action)
    last = result.catch(() => {})
    return result
  }

  /** Failures are reported, never thrown: the handlers of buttons do not catch them. */
  async function guard(action: () => Promise<unknown>): Promise<void> {
    try {
      await action()
    } catch (error) {
      if (error instanceof Interrupted) return
      show = undefined
      setPlaying(false)
      onFailure(error)
    }
  }

  /** After the previous frame is shown. */
  function attempt(action: () => Promise<unknown>): Promise<void> {
    return guard(() =>
      inTurn(() => {
        showLatest()
        return action()
      }),
    )
  }

  function showLatest(): void {
    const latest = show
    show = undefined
    latest?.()
  }

  async function take(coming: ReturnType<typeof advance>): Promise<void> {
    const made = await coming
    if (made === false) setPlaying(false)
    else if (made !== true) show = made
  }

  function setPlaying(value: boolean): void {
    if (isPlaying === value) return
    isPlaying = value
    onState?.(value)
  }

  async function loop(): Promise<void> {
    if (isLooping) return
    isLooping = true
    let began = performance.now()
    while (isPlaying) {
      const isLate = show !== undefined
      const frame = guard(() =>
        inTurn(async () => {
          const coming = isPlaying ? advance() : undefined
          try {
            showLatest()
          } finally {
            if (coming) await take(coming)
          }
        }),
      )
      // The page's event loop runs in any case.
      await Promise.all([frame, isLate && wait(0)])
      const due = began + 1000 * pace()
      const rest = due - performance.now()
      began = rest > 0 ? due : performance.now()
      if (isPlaying && rest <= 0 && show) continue
      await guard(async () => showLatest())
      if (isPlaying) await (rest > 0 ? wait(rest) : turn())
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
      return attempt(async () => {
        await take(advance())
        showLatest()
      })
    },
    async change(action) {
      checkFunction(action, 'change: its argument')
      return attempt(action)
    },
    async startOver(action) {
      checkFunction(action, 'startOver: its argument')
      interrupt()
      return attempt(action)
    },
  }
}

/** Yields to the page's event loop; a timer would cost milliseconds. */
function turn(): Promise<unknown> {
  const { port1, port2 } = new MessageChannel()
  return new Promise(resolve => {
    port1.onmessage = resolve
    port2.postMessage(undefined)
  }).finally(() => port1.close())
}

const wait = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))
