/** The public interface of a simulation: it advances one frame at a time, and an aborted frame leaves no trace. Wrong use is an InputError and
 *  leaves the liquid in a consistent state. A frame is in advance.ts, a substep in step.ts. */
import { checkFunction, checkOptions, checkSignal } from '../checks.js'
import type { Grid } from '../grid/grid.js'
import { InputError } from '../input-error.js'
import type { PressureProblem } from '../pressure/problem.js'
import { checkSceneSetting, type SceneSetting } from '../scene/setting.js'
import { advanceFrame, type Observe } from './advance.js'
import { exchangeLiquid } from './boundary/exchange.js'
import type { Influence } from './boundary/interaction.js'
import { type LiquidEngine, startLiquidEngine } from './engine.js'
import { checkParts, type Frame, type FrameParts } from './frame.js'
import { type Control, captureRun, createLiquidRun, type LiquidRun, saveRun } from './liquid-run.js'
import { completeOptions, type SimulationOptions } from './options.js'
import { CallbackError, lastProblem } from './pressure-solve.js'
import type { FrameRecord } from './records.js'
import { createRewind } from './saving/rewind.js'
import { checkState, type SimulationState } from './saving/state.js'
import { createTurns } from './stopwatch.js'

export interface Simulation {
  readonly grid: Grid
  /** Engine that it runs on: portable, wasm, or threads with their number. */
  readonly engine: string
  /** Number of threads, including the calling one. */
  readonly threads: number
  /** Why engine auto has chosen plain TypeScript; absent otherwise. */
  readonly note?: string
  /** Frames done so far; the start is frame 0. */
  readonly frame: number
  /** Seconds since the start. */
  readonly time: number
  readonly particles: number
  /** Simulates until the next frame; one call at a time. Aborting rejects with the reason of the signal and restores the state before the call,
   *  bit for bit. An error thrown by `observe` or the monitor ends the call after the current substep; the next call finishes the frame. */
  advance(options?: AdvanceOptions | Observe): Promise<FrameRecord>
  /** Takes effect at the next substep, also during a frame. Without it, results depend on the scene alone. */
  influence(change: Influence): void
  /** The current state for files and pictures. Call it between frames or in `observe`, like `problem` and `save`. */
  capture(keep?: FrameParts): Frame
  /** The pressure problem of the last substep, valid until the next one. A volume correction at the end of a frame overwrites it, so then it is
   *  available in `observe` only, unless the simulation `keepsProblem`. */
  problem(): PressureProblem
  save(): SimulationState
  /** Ends its threads; no other call is allowed afterwards. A frame in progress is rejected. */
  dispose(): void
}

export interface AdvanceOptions {
  /** Called after every substep with its number in the frame, from 1. */
  readonly observe?: Observe
  /** Aborts the frame. With a signal, a copy of the liquid is kept to restore it from. */
  readonly signal?: AbortSignal
}

export async function createSimulation(
  setting: SceneSetting,
  given: SimulationOptions = {},
  state?: SimulationState,
): Promise<Simulation> {
  checkSceneSetting(setting)
  const options = completeOptions(setting.grid, given)
  if (state !== undefined) checkState(state)
  const { engine: name, threads, particles } = options
  const engine = await startLiquidEngine(setting.grid, { engine: name, threads, affine: particles.method === 'apic' })
  try {
    const run = createLiquidRun(engine, setting, options, state)
    if (!state) exchangeLiquid(run)
    return guard(engine, run)
  } catch (error) {
    const reason = await engine.failure()
    engine.dispose()
    throw reason ?? error
  }
}

/** `observed`: between two substeps, in a call of `observe`. */
type Phase = 'idle' | 'busy' | 'observed'

function guard(engine: LiquidEngine, run: LiquidRun): Simulation {
  const rewind = createRewind(run)
  const turn = createTurns()
  let phase: Phase = 'idle'
  let isDisposed = false
  /** Why the simulation cannot continue. */
  let broken: string | undefined
  let endSolve: (() => void) | undefined

  function checkAlive(what: string): void {
    if (isDisposed) throw new InputError(`${what}: the simulation was disposed of; create another one.`)
  }

  function checkUse(what: string): void {
    checkAlive(what)
    if (broken !== undefined)
      throw new InputError(`${what}: the simulation failed (${broken}); create another one, from a saved state if there is one.`)
  }

  function checkBetweenSubsteps(what: string): void {
    checkUse(what)
    if (phase === 'busy')
      throw new InputError(
        `${what}: a frame is being computed; wait for advance to finish, or call it from observe, between two substeps.`,
      )
  }

  function close(): void {
    run.solver.dispose()
    engine.dispose()
  }

  async function advance({ observe, signal }: AdvanceOptions): Promise<FrameRecord> {
    const solving = signal && new AbortController()
    const stop = () => solving?.abort()
    endSolve = stop
    signal?.addEventListener('abort', stop)
    const isAborted = () => isDisposed || signal?.aborted === true
    const control: Control = {
      signal: solving?.signal,
      checkNow() {
        if (isDisposed) throw new FrameAborted()
      },
      async check() {
        if (signal) await turn()
        if (isAborted()) throw new FrameAborted()
      },
    }
    const watched: Observe | undefined = observe && ((substep, isLast) => callObserver(observe, substep, isLast))
    let restore: (() => void) | undefined
    try {
      restore = signal && rewind.snapshot()
      return await advanceFrame(run, watched, control)
    } catch (error) {
      if (isDisposed) throw new InputError('advance: the simulation was disposed of during a frame.')
      if (error instanceof FrameAborted) {
        restore?.()
        throw signal?.reason
      }
      if (error instanceof CallbackError) throw error.cause
      const reason = (await engine.failure()) ?? error
      broken = reason instanceof Error ? reason.message : String(reason)
      if (restore && reason === error) {
        restore()
        broken = undefined
      }
      throw reason
    } finally {
      signal?.removeEventListener('abort', stop)
      endSolve = undefined
    }
  }

  function callObserver(observe: Observe, substep: number, isLast: boolean): void {
    phase = 'observed'
    try {
      observe(substep, isLast)
    } finally {
      phase = 'busy'
    }
  }

  return {
    grid: run.setting.grid,
    engine: engine.name,
    threads: engine.threads,
    note: engine.note,
    get frame() {
      checkAlive('frame')
      return run.state.frame
    },
    get time() {
      checkAlive('time')
      return run.state.time
    },
    get particles() {
      checkAlive('particles')
      return run.particles.count
    },
    async advance(given) {
      const options = readAdvance(given)
      checkUse('advance')
      if (phase !== 'idle')
        throw new InputError('advance: a frame is being computed; wait for it to finish before requesting the next.')
      if (options.signal?.aborted) throw options.signal.reason
      phase = 'busy'
      try {
        return await advance(options)
      } finally {
        phase = 'idle'
        if (isDisposed) close()
      }
    },
    influence(change) {
      checkUse('influence')
      run.interaction.change(change)
    },
    capture(keep = {}) {
      checkBetweenSubsteps('capture')
      checkParts(keep, 'capture: what to keep')
      return captureRun(run, keep)
    },
    problem() {
      checkBetweenSubsteps('problem')
      return lastProblem(run)
    },
    save() {
      checkBetweenSubsteps('save')
      return saveRun(run)
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      // Running loops need their memory and their threads, so a frame in progress ends first.
      if (phase === 'idle') close()
      else endSolve?.()
    },
  }
}

/** Thrown between stages when the caller has aborted the frame or disposed of the simulation. */
class FrameAborted extends Error {}

function readAdvance(given: AdvanceOptions | Observe | undefined): AdvanceOptions {
  if (typeof given === 'function') return { observe: given }
  checkOptions(given, 'advance: its argument')
  const { observe, signal } = given ?? {}
  if (observe !== undefined) checkFunction(observe, 'advance: observe')
  checkSignal(signal, 'advance: signal')
  return { observe, signal }
}
