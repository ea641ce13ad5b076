/** The state of a simulation as a checkpoint, and back. */
import { InputError } from '../../input-error.js'
import type { DeepState, SimulationState } from '../../liquid/saving/state.js'
import { isObject } from '../bytes/json.js'
import type { Checkpoint } from './checkpoint.js'

const NUMBERS = ['time', 'frame', 'substep', 'expectedVolume'] as const

export function checkpointOf({ columns, deep, exchange, ...numbers }: SimulationState): Checkpoint {
  const arrays = new Map<string, Float32Array | Uint8Array>(columns.map((column, n) => [columnName(n), column]))
  if (deep) {
    arrays.set(CARRIED, deep.carried)
    deep.velocity.forEach((values, axis) => {
      arrays.set(DEEP_VELOCITY[axis], values)
    })
  }
  return { header: { ...numbers, ...(exchange && { exchange: { ...exchange } }) }, arrays }
}

/** `where` names the file in messages. */
export function stateOf({ header, arrays }: Checkpoint, where: string): SimulationState {
  const numbers = Object.fromEntries(
    NUMBERS.map(name => {
      const value = header[name]
      if (typeof value !== 'number' || !Number.isFinite(value))
        throw new InputError(`${where} is not the state of a simulation: its header has no number "${name}".`)
      return [name, value]
    }),
  ) as Record<(typeof NUMBERS)[number], number>
  const deep = deepOf(arrays, where)
  const columns = Array.from({ length: arrays.size - (deep ? 1 + DEEP_VELOCITY.length : 0) }, (_, n) => {
    const column = arrays.get(columnName(n))
    if (!(column instanceof Float32Array))
      throw new InputError(`${where} is not the state of a simulation: there is no column ${columnName(n)} of particles.`)
    return column
  })
  const exchange = exchangeOf(header, where)
  return { ...numbers, columns, ...(deep && { deep }), ...(exchange && { exchange }) }
}

/** Absent in checkpoints of scenes without sources and drains, and of versions that did not need it. */
function exchangeOf({ exchange }: Checkpoint['header'], where: string): SimulationState['exchange'] {
  if (exchange === undefined) return undefined
  const { time, owed } = isObject(exchange) ? exchange : {}
  const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
  if (isNumber(time) && Array.isArray(owed) && owed.every(isNumber)) return { time, owed }
  throw new InputError(`${where} is not the state of a simulation: its header has an exchange without the numbers time and owed.`)
}

function deepOf(arrays: Checkpoint['arrays'], where: string): DeepState | undefined {
  const carried = arrays.get(CARRIED)
  if (!carried) return undefined
  const [x, y, z] = DEEP_VELOCITY.map(name => arrays.get(name))
  if (carried instanceof Uint8Array && x instanceof Float32Array && y instanceof Float32Array && z instanceof Float32Array)
    return { carried, velocity: [x, y, z] }
  throw new InputError(
    `${where} is not the state of a simulation: its deep liquid has ${CARRIED} without ${DEEP_VELOCITY.join(', ')}.`,
  )
}

const CARRIED = 'deep-carried'
const DEEP_VELOCITY = ['deep-velocity-x', 'deep-velocity-y', 'deep-velocity-z']
const columnName = (n: number) => `particles-${n}`
