/** The state of a simulation as a checkpoint, and back. */
import { InputError } from '../../input-error.js'
import type { DeepState, SimulationState, StepsState } from '../../liquid/saving/state.js'
import { isObject } from '../bytes/json.js'
import type { Checkpoint } from './checkpoint.js'

const NUMBERS = ['time', 'frame', 'substep', 'expectedVolume'] as const

export function checkpointOf({ columns, deep, steps, exchange, ...numbers }: SimulationState): Checkpoint {
  const arrays = new Map<string, Float32Array | Uint8Array>(columns.map((column, n) => [columnName(n), column]))
  if (deep) {
    arrays.set(CARRIED, deep.carried)
    deep.velocity.forEach((values, axis) => {
      arrays.set(DEEP_VELOCITY[axis], values)
    })
  }
  steps?.pressures.forEach((values, n) => {
    arrays.set(PRESSURES[n], values)
  })
  return {
    header: { ...numbers, ...(steps && { stepLengths: [...steps.lengths] }), ...(exchange && { exchange: { ...exchange } }) },
    arrays,
  }
}

/** `where` names the file in messages. */
export function stateOf({ header, arrays }: Checkpoint, where: string): SimulationState {
  const numbers = Object.fromEntries(NUMBERS.map(name => [name, numberOf(header, name, where)])) as Record<
    (typeof NUMBERS)[number],
    number
  >
  const deep = deepOf(arrays, where)
  const steps = stepsOf(header, arrays, where)
  const others = (deep ? 1 + DEEP_VELOCITY.length : 0) + (steps ? PRESSURES.length : 0)
  const columns = Array.from({ length: arrays.size - others }, (_, n) => {
    const column = arrays.get(columnName(n))
    if (!(column instanceof Float32Array))
      throw new InputError(`${where} is not the state of a simulation: there is no column ${columnName(n)} of particles.`)
    return column
  })
  const exchange = exchangeOf(header, where)
  return { ...numbers, columns, ...(steps && { steps }), ...(deep && { deep }), ...(exchange && { exchange }) }
}

function numberOf(header: Checkpoint['header'], name: string, where: string): number {
  const value = header[name]
  if (typeof value === 'number' && Number.isFinite(value)) return value
  throw new InputError(`${where} is not the state of a simulation: its header has no number "${name}".`)
}

/** Undefined at the start of a simulation, and in files of versions that were of first order in time. */
function stepsOf(header: Checkpoint['header'], arrays: Checkpoint['arrays'], where: string): StepsState | undefined {
  const [kick, last, earlier, earliest] = PRESSURES.map(name => arrays.get(name))
  if (!(kick || last || earlier || earliest)) return undefined
  const { stepLengths: lengths } = header
  const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value)
  if (
    kick instanceof Float32Array &&
    last instanceof Float32Array &&
    earlier instanceof Float32Array &&
    earliest instanceof Float32Array &&
    Array.isArray(lengths) &&
    lengths.length === 3 &&
    lengths.every(isNumber)
  )
    return { lengths: [lengths[0], lengths[1], lengths[2]], pressures: [kick, last, earlier, earliest] }
  throw new InputError(
    `${where} is not the state of a simulation: it has some of ${PRESSURES.join(', ')} and stepLengths, not all.`,
  )
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

const PRESSURES = ['pressure-kick', 'pressure-last', 'pressure-earlier', 'pressure-earliest']
const CARRIED = 'deep-carried'
const DEEP_VELOCITY = ['deep-velocity-x', 'deep-velocity-y', 'deep-velocity-z']
const columnName = (n: number) => `particles-${n}`
