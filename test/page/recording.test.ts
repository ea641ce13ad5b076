/** What was done to the liquid, so that it can be done again. */
import { describe, expect, it } from 'vitest'
import { createRecorder, type Recording, withoutEvents } from '../../page/link/recording.js'
import { replay } from '../../page/link/replay.js'
import { liveOf, settingsFor } from '../../page/settings.js'
import type { Influence } from '../../src/liquid/boundary/interaction.js'

const live = liveOf(settingsFor({ version: 1, domain: { size: [1, 1], resolution: 8 } }, 'phone'))
const other = { ...live, tolerance: 1e-2 }
const stir = { place: [0.5, 0.5, 0], velocity: [1, 0, 0], radius: 0.1 } as const
const obstacle = { centre: [0.5, 0.5, 0], radius: 0.1 } as const

function advance(recorder: ReturnType<typeof createRecorder>, frames: number): void {
  for (let n = 0; n < frames; n++) recorder.advance()
}

describe('the recorder', () => {
  it('keeps what was done before which frame, as one event each', () => {
    const recorder = createRecorder(live)
    recorder.influence({ gravity: [1, -9, 0] })
    advance(recorder, 3)
    recorder.influence({ stir: null })
    recorder.change(other)
    recorder.influence({ stir, gravity: null })
    advance(recorder, 1)
    recorder.influence({ stir: null })
    advance(recorder, 2)
    expect(recorder.recordingTo(6)).toEqual({
      frame: 6,
      start: live,
      events: [
        { at: 0, influence: { gravity: [1, -9, 0] } },
        { at: 3, live: other, influence: { stir, gravity: null } },
        { at: 4, influence: { stir: null } },
      ],
    })
    expect(recorder.live).toEqual(other)
    expect(recorder.held).toEqual({ gravity: null })
  })

  it('of a frame that is shown while the next is under way, tells all that lasts and no stirring', () => {
    const recorder = createRecorder(live)
    advance(recorder, 5)
    recorder.influence({ stir })
    advance(recorder, 1)
    recorder.influence({ stir: null, obstacle })
    recorder.change(other)
    expect(recorder.recordingTo(5)).toEqual({ frame: 5, start: live, events: [{ at: 5, influence: { obstacle }, live: other }] })
  })

  it('begins anew', () => {
    const recorder = createRecorder(live)
    recorder.influence({ gravity: [1, -9, 0] })
    advance(recorder, 5)
    recorder.begin(other)
    expect(recorder.recordingTo(0)).toEqual({ frame: 0, start: other, events: [] })
    expect(recorder).toMatchObject({ frames: 0, held: {}, live: other })
  })

  it('lets nothing reach the liquid that JSON would write in another way', () => {
    const recorder = createRecorder(live)
    const given: Influence = { gravity: [-0, -9.80665123, 1 / 3], stir: { ...stir, velocity: [1e-30 / 3, -1e7 / 3, 0] } }
    const written = recorder.influence(given)
    expect(JSON.parse(JSON.stringify(written))).toStrictEqual(written)
    expect(written).toEqual({ gravity: [0, -9.8067, 0.33333], stir: { ...stir, velocity: [3.3333e-31, -3333300, 0] } })
  })

  it('without its way still has what a hand holds at its end', () => {
    const events = [
      { at: 1, influence: { gravity: [1, -9, 0], obstacle } },
      { at: 2, influence: { stir, obstacle: null } },
    ] as const
    expect(withoutEvents({ frame: 4, start: live, events }, other)).toEqual({
      frame: 4,
      start: other,
      events: [{ at: 4, influence: { gravity: [1, -9, 0], obstacle: null } }],
    })
    expect(withoutEvents({ frame: 4, start: live, events: [{ at: 1, influence: { stir } }] }, other).events).toEqual([])
  })
})

describe('a recording', () => {
  const recording: Recording = {
    frame: 3,
    start: live,
    events: [
      { at: 0, influence: { obstacle } },
      { at: 2, live: other, influence: { stir } },
      { at: 3, influence: { obstacle: null } },
    ],
  }

  async function walk(stopsAt = Infinity) {
    const log: string[] = []
    let frame = 0
    const reached = await replay(recording, {
      change: async ({ tolerance }) => void log.push(`tolerance ${tolerance}`),
      influence: change => void log.push(Object.keys(change).join()),
      advance: async () => void log.push(`frame ${++frame}`),
      isStopped: () => frame >= stopsAt,
      onFrame: at => expect(at).toBe(frame),
    })
    return { log, reached }
  }

  it('is followed event by event to its frame', async () => {
    expect(await walk()).toEqual({
      log: ['obstacle', 'frame 1', 'frame 2', 'tolerance 0.01', 'stir', 'frame 3', 'obstacle'],
      reached: 3,
    })
  })

  it('is left where the reader stops', async () => {
    expect(await walk(1)).toEqual({ log: ['obstacle', 'frame 1'], reached: 1 })
  })
})
