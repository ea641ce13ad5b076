/** Where the choice of the engine is left to Peel and the host gives compiled loops no memory, plain TypeScript solves instead. */
import { MemoryRefused } from '../../machine/memory-limits.js'
import type { PressureSolver } from '../contract/solver.js'
import type { SolverEntry } from '../registry.js'

export function withPortable<Entry extends SolverEntry>(entry: Entry): Entry {
  const create: SolverEntry['create'] = (options, setting = {}) => {
    const first = entry.create(options, setting)
    if ((setting.engine ?? 'auto') !== 'auto') return first
    return withFallback(first, () => entry.create(options, { engine: 'portable' }))
  }
  return { ...entry, create }
}

function withFallback(first: PressureSolver, createPortable: () => PressureSolver): PressureSolver {
  let refusal: MemoryRefused | undefined
  let portable: PressureSolver | undefined
  return {
    ...first,
    async solve(problem, pressure, options) {
      try {
        if (!refusal) return await first.solve(problem, pressure, options)
      } catch (error) {
        if (!(error instanceof MemoryRefused)) throw error
        refusal = error
      }
      portable ??= createPortable()
      const result = await portable.solve(problem, pressure, options)
      return { ...result, note: `Solved with the engine portable. ${refusal!.message}` }
    },
    dispose() {
      first.dispose()
      portable?.dispose()
    },
  }
}
