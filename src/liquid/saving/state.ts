/** The complete state of a simulation between two frames. */
import { checkList, checkNumber, checkNumbers, checkObject, checkWhole } from '../../checks.js'

export interface SimulationState {
  readonly time: number
  readonly frame: number
  /** Substeps since the start; part of the seeds of random numbers. */
  readonly substep: number
  /** m³, or m² in 2D. */
  readonly expectedVolume: number
  /** Particles in the order of cells, one array per quantity: x y z in cells, velocity in m/s, and nine gradients in 1/s with APIC. */
  readonly columns: readonly Float32Array[]
  /** What the next substep has to know of the last ones; absent before the first one, and in states of versions that were of first order in
   *  time: the next substep then begins as the first one does. */
  readonly steps?: StepsState
  /** Liquid below the band of particles; absent if particles are everywhere. */
  readonly deep?: DeepState
  /** Absent without sources and drains, and in states of versions that did not need it. */
  readonly exchange?: ExchangeState
}

/** What sources and drains have to know of the past. */
export interface ExchangeState {
  /** Time of their last exchange, s; absent: there was none. */
  readonly time?: number
  /** One number per drain: the share of a particle that its flow rate has not removed yet. */
  readonly owed: readonly number[]
}

export interface StepsState {
  /** Length of the last three substeps, the last one first, s; 0 if there was none. */
  readonly lengths: readonly [number, number, number]
  /** Pressure of the last kick, and of the last three solves, Pa, in all cells. */
  readonly pressures: readonly [Float32Array, Float32Array, Float32Array, Float32Array]
}

export interface DeepState {
  /** Depth of each cell's content before the last substep, in sixteenths of a cell. */
  readonly carried: Uint8Array
  /** m/s on faces to which deep liquid contributes, 0 on others. */
  readonly velocity: readonly [Float32Array, Float32Array, Float32Array]
}

/** Checks types only; whether a state fits the simulation is checked when it is restored. */
export function checkState(state: unknown, what = 'The saved state'): void {
  checkObject(state, what, 'a state returned by save')
  const { time, frame, substep, expectedVolume, columns, steps, deep, exchange } = state as SimulationState
  checkNumber(time, `${what}: time`, 0)
  checkWhole(frame, `${what}: frame`, 0)
  checkWhole(substep, `${what}: substep`, 0)
  checkNumber(expectedVolume, `${what}: expectedVolume`)
  checkList(columns, `${what}: columns`)
  for (const column of columns) checkNumbers(column, `${what}: a column`, Float32Array)
  if (steps !== undefined) checkSteps(steps, `${what}: steps`)
  if (exchange !== undefined) checkExchange(exchange, `${what}: exchange`)
  if (deep === undefined) return
  checkObject(deep, `${what}: deep`)
  checkNumbers(deep.carried, `${what}: deep.carried`, Uint8Array)
  checkList(deep.velocity, `${what}: deep.velocity`)
  for (const part of deep.velocity) checkNumbers(part, `${what}: deep.velocity`, Float32Array)
}

function checkSteps(steps: StepsState, what: string): void {
  checkObject(steps, what)
  checkList(steps.lengths, `${what}.lengths`)
  for (const length of steps.lengths) checkNumber(length, `${what}.lengths`, 0)
  checkList(steps.pressures, `${what}.pressures`)
  for (const part of steps.pressures) checkNumbers(part, `${what}.pressures`, Float32Array)
}

function checkExchange(exchange: ExchangeState, what: string): void {
  checkObject(exchange, what)
  if (exchange.time !== undefined) checkNumber(exchange.time, `${what}.time`, 0)
  checkList(exchange.owed, `${what}.owed`)
  for (const owed of exchange.owed) checkNumber(owed, `${what}.owed`, 0, 1)
}
