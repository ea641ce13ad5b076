/** Records what is done to the liquid and before which frame: the same events in the same order give the same bits. */
import type { Influence } from 'peel'
import type { LiveSettings } from '../settings.js'

export interface RecordedEvent {
  /** The frame that was the latest one when it was done. */
  readonly at: number
  /** From here on, and before the interaction. */
  readonly live?: LiveSettings
  readonly influence?: Influence
}

/** The recorded interactions from the start to a frame. */
export interface Recording {
  readonly frame: number
  readonly start: LiveSettings
  /** In the order in which they were done, one for each `at`. */
  readonly events: readonly RecordedEvent[]
}

export interface Recorder {
  /** Those that the liquid has now. */
  readonly live: LiveSettings
  /** The current interaction; brushes last at most one frame. */
  readonly held: Held
  /** Frames since the start, with the one in progress. */
  readonly frames: number
  begin(live: LiveSettings): void
  /** Interaction in a form that can be stored: exactly this must be applied to the liquid. */
  influence(change: Influence): Influence
  change(live: LiveSettings): void
  /** The next frame is running. */
  advance(): void
  /** To a frame that was reached. What was done after it is done there, but for stirring. */
  recordingTo(frame: number): Recording
}

export type Held = Pick<Influence, 'gravity' | 'obstacle'>

/** Far less than a pixel, and short to write. */
const DIGITS = 5

export function createRecorder(first: LiveSettings): Recorder {
  let start = first
  let events: RecordedEvent[] = []
  let frames = 0
  let held: Held = {}

  function note(event: Omit<RecordedEvent, 'at'>): void {
    events = withEvent(events, { at: frames, ...event })
  }

  return {
    get live() {
      return events.findLast(({ live }) => live)?.live ?? start
    },
    get held() {
      return held
    },
    get frames() {
      return frames
    },
    begin(live) {
      start = live
      events = []
      frames = 0
      held = {}
    },
    influence(change) {
      const written = rounded(change) as Influence
      const { stir: _, ...lasting } = written
      held = { ...held, ...lasting }
      note({ influence: written })
      return written
    },
    change: live => note({ live }),
    advance() {
      frames++
    },
    recordingTo(frame) {
      let recording: RecordedEvent[] = []
      for (const event of events)
        recording = withEvent(recording, event.at < frame ? event : { ...withoutStir(event), at: frame })
      return { frame, start, events: recording }
    },
  }
}

/** The same frame without interactions, if they do not fit into a link. */
export function withoutEvents({ frame, events }: Recording, live: LiveSettings): Recording {
  let held: Held = {}
  for (const event of events) held = { ...held, ...withoutStir(event).influence }
  const isHolding = Object.values(held).some(value => value !== null)
  return { frame, start: live, events: isHolding ? [{ at: frame, influence: held }] : [] }
}

function withEvent(events: readonly RecordedEvent[], event: RecordedEvent): RecordedEvent[] {
  const last = events.at(-1)
  if (last?.at !== event.at) return [...events, event]
  const influence = (last.influence || event.influence) && { ...last.influence, ...event.influence }
  return [...events.slice(0, -1), { ...last, ...event, ...(influence && { influence }) }]
}

function withoutStir({ influence, ...event }: RecordedEvent): RecordedEvent {
  if (!influence) return event
  const { stir: _, ...lasting } = influence
  return Object.keys(lasting).length > 0 ? { ...event, influence: lasting } : event
}

/** Negative zeros become zeros: JSON cannot represent them, and they would change bits. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(DIGITS))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]))
}
