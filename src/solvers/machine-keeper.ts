/** Keeps the machine of a solver between solves: threads and memory end with `dispose`, overlapping calls take turns. */
import { canShare } from '../engine/host.js'
import { type Machine, startMachine } from '../engine/kernels.js'
import type { EngineChoice } from '../engine/setting.js'

export interface MachineKeeper {
  /** Runs `work` with a machine of the engine chosen, or without one if that is portable. `bytes`: what it is likely to need. */
  run<Result>(
    choose: () => EngineChoice,
    work: (machine: Machine | undefined) => Promise<Result>,
    bytes?: number,
  ): Promise<Result>
  dispose(): void
}

/** `lent`: a machine of somebody else that is used as long as it has threads enough. */
export function createMachineKeeper(lent?: Machine): MachineKeeper {
  let machine: Machine | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let pending = 0
  let closing = false
  const close = () => {
    machine?.dispose()
    machine = undefined
    closing = false
  }
  async function start<Result>(
    choice: EngineChoice,
    work: (machine: Machine | undefined) => Promise<Result>,
    bytes: number,
  ): Promise<Result> {
    if (!choice.compiled) return work(undefined)
    if (lent && lent.threads >= choice.threads) return borrow(lent, choice.threads, work)
    if (machine && (machine.threads < choice.threads || !hasRoom(machine, bytes))) close()
    machine ??= await startMachine(choice.threads, canShare() ? 0 : bytes)
    const mine = machine
    try {
      return await work(mine)
    } catch (error) {
      // What a broken loop has left behind is no start for the next solve.
      const reason = await mine.failure()
      close()
      throw reason ?? error
    }
  }
  return {
    run(choose, work, bytes = 0) {
      pending++
      const result = turn.then(() => start(choose(), work, bytes))
      const settle = () => {
        pending--
        if (closing && pending === 0) close()
      }
      turn = result.then(settle, settle)
      return result
    },
    dispose() {
      // Solves under way still need the machine; the last of them closes it.
      if (pending > 0) closing = true
      else close()
    },
  }
}

/** What is in its memory stays; what the work adds is given back. */
async function borrow<Result>(lent: Machine, threads: number, work: (machine: Machine) => Promise<Result>): Promise<Result> {
  const { kernels } = lent
  kernels.keepAll()
  kernels.setThreads(threads)
  try {
    return await work({ ...lent, threads, present: () => Math.min(threads, lent.present()) })
  } finally {
    kernels.releaseAll()
    kernels.setThreads(lent.threads)
  }
}

/** Memory that is not shared must not grow while arrays are made of it; a new one is better. */
function hasRoom({ shared, memory }: Machine, bytes: number): boolean {
  return shared || memory.buffer.byteLength >= bytes
}
