/** What was done to the liquid, so that it can be done again. */
import { describe, expect, it } from 'vitest'
import type { Influence } from '../../src/liquid/influence.js'
import { type Course, createJournal, withoutWay } from '../../web/journal.js'
import { liveOf, settingsFor } from '../../web/settings.js'
import { follow } from '../../web/travel.js'

const live = liveOf(settingsFor({ version: 1, domain: { size: [1, 1], resolution: 8 } }, 'phone'))
const other = { ...live, tolerance: 1e-2 }
const stir = { place: [0.5, 0.5, 0], velocity: [1, 0, 0], radius: 0.1 } as const
const obstacle = { centre: [0.5, 0.5, 0], radius: 0.1 } as const

function advance(journal: ReturnType<typeof createJournal>, frames: number): void {
  for (let n = 0; n < frames; n++) journal.advance()
}

describe('the journal', () => {
  it('keeps what was done before which frame, as one deed each', () => {
    const journal = createJournal(live)
    journal.influence({ gravity: [1, -9, 0] })
    advance(journal, 3)
    journal.influence({ stir: null })
    journal.change(other)
    journal.influence({ stir, gravity: null })
    advance(journal, 1)
    journal.influence({ stir: null })
    advance(journal, 2)
    expect(journal.courseTo(6)).toEqual({
      frame: 6,
      start: live,
      deeds: [
        { at: 0, influence: { gravity: [1, -9, 0] } },
        { at: 3, live: other, influence: { stir, gravity: null } },
        { at: 4, influence: { stir: null } },
      ],
    })
    expect(journal.live).toEqual(other)
    expect(journal.held).toEqual({ gravity: null })
  })

  it('of a frame that is shown while the next is under way, tells all that lasts and no stirring', () => {
    const journal = createJournal(live)
    advance(journal, 5)
    journal.influence({ stir })
    advance(journal, 1)
    journal.influence({ stir: null, obstacle })
    journal.change(other)
    expect(journal.courseTo(5)).toEqual({ frame: 5, start: live, deeds: [{ at: 5, influence: { obstacle }, live: other }] })
  })

  it('begins anew', () => {
    const journal = createJournal(live)
    journal.influence({ gravity: [1, -9, 0] })
    advance(journal, 5)
    journal.begin(other)
    expect(journal.courseTo(0)).toEqual({ frame: 0, start: other, deeds: [] })
    expect(journal).toMatchObject({ frames: 0, held: {}, live: other })
  })

  it('lets nothing reach the liquid that JSON would write in another way', () => {
    const journal = createJournal(live)
    const given: Influence = { gravity: [-0, -9.80665123, 1 / 3], stir: { ...stir, velocity: [1e-30 / 3, -1e7 / 3, 0] } }
    const written = journal.influence(given)
    expect(JSON.parse(JSON.stringify(written))).toStrictEqual(written)
    expect(written).toEqual({ gravity: [0, -9.8067, 0.33333], stir: { ...stir, velocity: [3.3333e-31, -3333300, 0] } })
  })

  it('without its way still has what a hand holds at its end', () => {
    const deeds = [
      { at: 1, influence: { gravity: [1, -9, 0], obstacle } },
      { at: 2, influence: { stir, obstacle: null } },
    ] as const
    expect(withoutWay({ frame: 4, start: live, deeds }, other)).toEqual({
      frame: 4,
      start: other,
      deeds: [{ at: 4, influence: { gravity: [1, -9, 0], obstacle: null } }],
    })
    expect(withoutWay({ frame: 4, start: live, deeds: [{ at: 1, influence: { stir } }] }, other).deeds).toEqual([])
  })
})

describe('a course', () => {
  const course: Course = {
    frame: 3,
    start: live,
    deeds: [
      { at: 0, influence: { obstacle } },
      { at: 2, live: other, influence: { stir } },
      { at: 3, influence: { obstacle: null } },
    ],
  }

  async function walk(stopsAt = Infinity) {
    const log: string[] = []
    let frame = 0
    const reached = await follow(course, {
      change: async ({ tolerance }) => void log.push(`tolerance ${tolerance}`),
      influence: change => void log.push(Object.keys(change).join()),
      advance: async () => void log.push(`frame ${++frame}`),
      isStopped: () => frame >= stopsAt,
      onFrame: at => expect(at).toBe(frame),
    })
    return { log, reached }
  }

  it('is followed deed by deed to its frame', async () => {
    expect(await walk()).toEqual({
      log: ['obstacle', 'frame 1', 'frame 2', 'tolerance 0.01', 'stir', 'frame 3', 'obstacle'],
      reached: 3,
    })
  })

  it('is left where the reader stops', async () => {
    expect(await walk(1)).toEqual({ log: ['obstacle', 'frame 1'], reached: 1 })
  })
})
