/** Keeps the machine of a solver between solves: threads and memory end with `dispose`, overlapping calls take turns. */
import { type Machine, startMachine } from '../engine/kernels.js'
import type { EngineChoice } from '../engine/setting.js'

export interface MachineKeeper {
  /** Runs `work` with a machine of the engine chosen, or without one if that is portable. */
  run<Result>(choose: () => EngineChoice, work: (machine: Machine | undefined) => Promise<Result>): Promise<Result>
  dispose(): void
}

export function createMachineKeeper(): MachineKeeper {
  let machine: Machine | undefined
  let turn: Promise<unknown> = Promise.resolve()
  const dispose = () => {
    machine?.dispose()
    machine = undefined
  }
  async function start<Result>(choice: EngineChoice, work: (machine: Machine | undefined) => Promise<Result>): Promise<Result> {
    if (!choice.compiled) return work(undefined)
    if (machine && machine.threads < choice.threads) dispose()
    machine ??= await startMachine(choice.threads)
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
    run(choose, work) {
      const result = turn.then(() => start(choose(), work))
      turn = result.catch(() => {})
      return result
    },
    dispose,
  }
}
