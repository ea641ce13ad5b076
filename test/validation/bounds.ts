/** Runs validations and names the checks that miss their bounds. */
import { hasPassed, type ValidationCase } from '../../src/validation/case.js'
import { runValidation } from '../../src/validation/validate.js'

export async function missedBounds(one: ValidationCase): Promise<string[]> {
  const { checks } = await runValidation(one, 'quick')
  return checks
    .filter(check => !hasPassed(check))
    .map(({ quantity, measured, theory }) => `${quantity}: ${measured}, not ${theory}`)
}
