/** The state of a simulation as a checkpoint, and back. */
import { InputError } from '../input-error.js'
import type { SimulationState } from '../liquid/state.js'
import type { Checkpoint } from './checkpoint.js'

const NUMBERS = ['time', 'frame', 'substep', 'expectedVolume'] as const

export function checkpointOf({ columns, ...numbers }: SimulationState): Checkpoint {
  return { header: numbers, arrays: new Map(columns.map((column, n) => [columnName(n), column])) }
}

/** `where` names the file in messages. */
export function stateOf({ header, arrays }: Checkpoint, where: string): SimulationState {
  const numbers = Object.fromEntries(
    NUMBERS.map(name => {
      const value = header[name]
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw new InputError(`${where} is not the state of a simulation: its header has no number «${name}».`)
      return [name, value]
    }),
  ) as Record<(typeof NUMBERS)[number], number>
  const columns = Array.from({ length: arrays.size }, (_, n) => {
    const column = arrays.get(columnName(n))
    if (!(column instanceof Float32Array))
      throw new InputError(`${where} is not the state of a simulation: there is no column ${columnName(n)} of particles.`)
    return column
  })
  return { ...numbers, columns }
}

const columnName = (n: number) => `particles-${n}`
