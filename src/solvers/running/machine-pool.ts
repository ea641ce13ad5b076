/** Keeps the machine of a solver between solves: `dispose` releases threads and memory, overlapping calls are queued. */

import type { EngineChoice } from '../../machine/engine-choice.js'
import { type SolveMachine, solveModule } from '../../machine/generated/solve.js'
import { canShare } from '../../machine/host.js'
import { startMachine } from '../../machine/machine.js'

export interface MachineKeeper {
  /** When it is the turn of this call, asks for a plan and runs `work` with a machine of the engine chosen, or without one if that is
   *  portable. */
  run<Result>(plan: () => Plan, work: (machine: SolveMachine | undefined) => Promise<Result>): Promise<Result>
  dispose(): void
}

export interface Plan {
  readonly engine: EngineChoice
  /** Bytes that the work is likely to need. */
  readonly bytes?: number
}

/** `borrowed`: a machine of the caller, used if it has enough threads. */
export function createMachineKeeper(borrowed?: SolveMachine): MachineKeeper {
  let machine: SolveMachine | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let pending = 0
  let closing = false
  const close = () => {
    machine?.dispose()
    machine = undefined
    closing = false
  }
  async function start<Result>(
    { engine, bytes = 0 }: Plan,
    work: (machine: SolveMachine | undefined) => Promise<Result>,
  ): Promise<Result> {
    if (!engine.compiled) return work(undefined)
    if (borrowed && borrowed.threads >= engine.threads) return borrow(borrowed, engine.threads, work)
    if (machine && (machine.threads < engine.threads || !hasRoom(machine, bytes))) close()
    machine ??= await startMachine(solveModule, engine.threads, canShare() ? 0 : bytes)
    if (!hasRoom(machine, bytes)) {
      // The host allocated memory that is not shared, although it can share.
      close()
      machine = await startMachine(solveModule, engine.threads, bytes, false)
    }
    const mine = machine
    try {
      return await work(mine)
    } catch (error) {
      // The state left by a failed loop cannot be used by the next solve.
      const reason = await mine.failure()
      close()
      throw reason ?? error
    }
  }
  return {
    run(plan, work) {
      pending++
      const result = turn.then(() => start(plan(), work))
      const settle = () => {
        pending--
        if (closing && pending === 0) close()
      }
      turn = result.then(settle, settle)
      return result
    },
    dispose() {
      // Running solves still need the machine; the last of them closes it.
      if (pending > 0) closing = true
      else close()
    },
  }
}

/** The contents of its memory are kept; what the work allocates is released. */
async function borrow<Result>(
  borrowed: SolveMachine,
  threads: number,
  work: (machine: SolveMachine) => Promise<Result>,
): Promise<Result> {
  const { kernels } = borrowed
  kernels.keepAll()
  kernels.setThreads(threads)
  try {
    return await work({ ...borrowed, threads, present: () => Math.min(threads, borrowed.present()) })
  } finally {
    kernels.releaseAll()
    kernels.setThreads(borrowed.threads)
  }
}

/** Memory that is not shared must not grow while arrays use it; a new memory is better. */
function hasRoom({ shared, memory }: SolveMachine, bytes: number): boolean {
  return shared || memory.buffer.byteLength >= bytes
}
