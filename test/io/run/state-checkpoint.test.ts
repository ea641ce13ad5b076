/** The state of a simulation as a checkpoint, and back. */
import { describe, expect, it } from 'vitest'
import { formatCheckpoint, parseCheckpoint } from '../../../src/io/run/checkpoint.js'
import { checkpointOf, stateOf } from '../../../src/io/run/state-checkpoint.js'
import type { SimulationState } from '../../../src/liquid/saving/state.js'
import { random } from '../../../src/random.js'

const numbers = (length: number, seed: number) => Float32Array.from({ length }, (_, n) => random(seed, n) - 0.5)
const state: SimulationState = {
  time: 0.25,
  frame: 6,
  substep: 17,
  expectedVolume: 0.125,
  columns: [0, 1, 2, 3, 4, 5].map(seed => numbers(20, seed)),
}
const deep = {
  carried: Uint8Array.from({ length: 64 }, (_, n) => n),
  velocity: [numbers(80, 7), numbers(80, 8), numbers(80, 9)],
} as const

function again(saved: SimulationState): SimulationState {
  const { parts } = formatCheckpoint(checkpointOf(saved))
  return stateOf(parseCheckpoint(Buffer.concat(parts), 'the file'), 'the file')
}

describe('a state as a checkpoint', () => {
  it('comes back to the bit, with deep liquid and without', () => {
    expect(again(state)).toEqual(state)
    expect(again({ ...state, deep })).toEqual({ ...state, deep })
  })

  it('comes back with what sources and drains have to know', () => {
    const exchange = { time: 0.2437, owed: [0, 0.25] }
    expect(again({ ...state, exchange })).toEqual({ ...state, exchange })
  })

  it('is refused where that is no number', () => {
    const { header, arrays } = checkpointOf(state)
    for (const exchange of [{ owed: [] }, { time: 1, owed: ['x'] }, { time: 1 }, 7, null])
      expect(() => stateOf({ header: { ...header, exchange } as never, arrays }, 'the file')).toThrow(
        'the file is not the state of a simulation',
      )
  })

  it('is refused where a part of the deep liquid is missing', () => {
    const { header, arrays } = checkpointOf({ ...state, deep })
    const some = new Map([...arrays].filter(([name]) => name !== 'deep-velocity-y'))
    expect(() => stateOf({ header, arrays: some }, 'the file')).toThrow('the file is not the state of a simulation')
  })
})
