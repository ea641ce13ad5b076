/** Runs validations. */
import { simulateScene } from '../liquid/from-scene.js'
import type { SimulationOptions } from '../liquid/options.js'
import { hasConverged } from '../liquid/records.js'
import { absoluteCheck, type Bench, type CaseFindings, type Fidelity, hasPassed, type ValidationCase } from './case.js'

export interface ValidationResult extends CaseFindings {
  readonly name: string
  readonly title: string
  readonly about: string
}

/** Any number of threads gives the same result. */
export interface ValidationOptions extends Pick<SimulationOptions, 'engine' | 'threads'> {
  /** Awaited after every frame; what it throws ends the validation. */
  readonly betweenFrames?: () => Promise<void>
}

export async function runValidation(
  { name, title, about, run }: ValidationCase,
  fidelity: Fidelity,
  { betweenFrames, ...options }: ValidationOptions = {},
): Promise<ValidationResult> {
  let failed = 0
  const bench: Bench = {
    choose: (quick, full) => (fidelity === 'quick' ? quick : full),
    async simulate(scene, visit) {
      const simulation = await simulateScene({ scene }, options)
      const parts = { particles: true, fields: true }
      try {
        visit(simulation.capture(parts))
        while (simulation.frame < (scene.time?.frames ?? 0)) {
          const record = await simulation.advance()
          if (!hasConverged(record)) failed++
          visit(simulation.capture(parts), record)
          await betweenFrames?.()
        }
      } finally {
        simulation.dispose()
      }
    },
  }
  const { checks, figures } = await run(bench)
  // Nothing can be said of frames whose pressure is not that of the scene.
  const solves = failed === 0 ? [] : [absoluteCheck('frames with a solve that did not converge', '', failed, 0, 0)]
  return { name, title, about, figures, checks: [...checks, ...solves] }
}

/** The number of checks beyond their bounds. */
export function countMissed(results: readonly ValidationResult[]): number {
  return results.reduce((sum, { checks }) => sum + checks.filter(check => !hasPassed(check)).length, 0)
}
