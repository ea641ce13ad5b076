/** What was done to the liquid since its start, and before which frame: the same done again gives the same bits. */
import type { Influence } from '../src/liquid/influence.js'
import type { LiveSettings } from './settings.js'

export interface Deed {
  /** The frame that was the latest one when it was done. */
  readonly at: number
  /** From here on, and before the influence. */
  readonly live?: LiveSettings
  readonly influence?: Influence
}

/** The way from the start to a frame. */
export interface Course {
  readonly frame: number
  readonly start: LiveSettings
  /** In the order in which they were done, one for each `at`. */
  readonly deeds: readonly Deed[]
}

export interface Journal {
  /** Those that the liquid has now. */
  readonly live: LiveSettings
  /** What a hand does now; brushes are never held for longer than a frame. */
  readonly held: Held
  /** Frames since the start, with the one under way. */
  readonly frames: number
  begin(live: LiveSettings): void
  /** What is to be done by hand, as it can be written down: exactly this must reach the liquid. */
  influence(change: Influence): Influence
  change(live: LiveSettings): void
  /** The next frame is under way. */
  advance(): void
  /** To a frame that was reached. What was done after it is done there, but for stirring. */
  courseTo(frame: number): Course
}

export type Held = Pick<Influence, 'gravity' | 'obstacle'>

/** Far less than a pixel, and short to write. */
const DIGITS = 5

export function createJournal(first: LiveSettings): Journal {
  let start = first
  let deeds: Deed[] = []
  let frames = 0
  let held: Held = {}

  function note(deed: Omit<Deed, 'at'>): void {
    deeds = withDeed(deeds, { at: frames, ...deed })
  }

  return {
    get live() {
      return deeds.findLast(({ live }) => live)?.live ?? start
    },
    get held() {
      return held
    },
    get frames() {
      return frames
    },
    begin(live) {
      start = live
      deeds = []
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
    courseTo(frame) {
      let course: Deed[] = []
      for (const deed of deeds) course = withDeed(course, deed.at < frame ? deed : { ...withoutStir(deed), at: frame })
      return { frame, start, deeds: course }
    },
  }
}

/** The same frame of a liquid that was left alone, for where the way does not fit into a link. */
export function withoutWay({ frame, deeds }: Course, live: LiveSettings): Course {
  let held: Held = {}
  for (const deed of deeds) held = { ...held, ...withoutStir(deed).influence }
  const isHolding = Object.values(held).some(value => value !== null)
  return { frame, start: live, deeds: isHolding ? [{ at: frame, influence: held }] : [] }
}

function withDeed(deeds: readonly Deed[], deed: Deed): Deed[] {
  const last = deeds.at(-1)
  if (last?.at !== deed.at) return [...deeds, deed]
  const influence = (last.influence || deed.influence) && { ...last.influence, ...deed.influence }
  return [...deeds.slice(0, -1), { ...last, ...deed, ...(influence && { influence }) }]
}

function withoutStir({ influence, ...deed }: Deed): Deed {
  if (!influence) return deed
  const { stir: _, ...lasting } = influence
  return Object.keys(lasting).length > 0 ? { ...deed, influence: lasting } : deed
}

/** Negative zeros become zeros: JSON does not know them, and they would change bits. */
function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toPrecision(DIGITS))
  if (Array.isArray(value)) return value.map(rounded)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, rounded(part)]))
}
