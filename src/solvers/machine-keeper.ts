/** Keeps the machine of a solver between solves: threads and memory end with `dispose`, overlapping calls take turns. */
import { canShare, type Machine, startMachine } from '../engine/kernels.js'
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

export function createMachineKeeper(): MachineKeeper {
  let machine: Machine | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const dispose = () => {
    machine?.dispose()
    machine = undefined
  }
  async function start<Result>(
    choice: EngineChoice,
    work: (machine: Machine | undefined) => Promise<Result>,
    bytes: number,
  ): Promise<Result> {
    if (!choice.compiled) return work(undefined)
    if (machine && (machine.threads < choice.threads || !hasRoom(machine, bytes))) dispose()
    machine ??= await startMachine(choice.threads, canShare() ? 0 : bytes)
    const mine = machine
    try {
      return await work(mine)
    } catch (error) {
      // What a broken loop has left behind is no start for the next solve.
      const failure = await mine.failure()
      if (machine === mine) dispose()
      if (failure) throw new Error(`A thread of the solver has failed: ${failure.message}`, { cause: failure })
      throw error
    }
  }
  return {
    run(choose, work, bytes = 0) {
      const result = turn.then(() => start(choose(), work, bytes))
      turn = result.catch(() => {})
      return result
    },
    dispose,
  }
}

/** Memory that is not shared must not grow while arrays are made of it; a new one is better. */
function hasRoom({ shared, memory }: Machine, bytes: number): boolean {
  return shared || memory.buffer.byteLength >= bytes
}
