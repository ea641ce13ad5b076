/** All validations, in the order of the page. */
import { InputError } from '../input-error.js'
import { show } from '../printable.js'
import type { ValidationCase } from './case.js'
import { archimedes } from './cases/archimedes.js'
import { spaceConvergence, timeConvergence } from './cases/convergence.js'
import { damBreak } from './cases/dam-break.js'
import { freeFall } from './cases/free-fall.js'
import { hydrostatics } from './cases/hydrostatics.js'
import { jetOnPlate } from './cases/jet-on-plate.js'
import { acceleratedTank, uniformTank } from './cases/moving-tanks.js'
import { rigidRotation, turningTank } from './cases/rotation.js'
import { separation } from './cases/separation.js'
import { sloshing } from './cases/sloshing.js'
import { sources } from './cases/sources.js'
import { standingWave } from './cases/standing-wave.js'
import { torricelli } from './cases/torricelli.js'

export const VALIDATION_CASES: readonly ValidationCase[] = [
  hydrostatics,
  archimedes,
  freeFall,
  sloshing,
  standingWave,
  damBreak,
  torricelli,
  jetOnPlate,
  uniformTank,
  acceleratedTank,
  turningTank,
  rigidRotation,
  separation,
  sources,
  timeConvergence,
  spaceConvergence,
]

/** The named ones in the order of the page; all if no name is given. */
export function chooseCases(names: readonly string[]): readonly ValidationCase[] {
  const all = VALIDATION_CASES.map(({ name }) => name)
  const unknown = names.find(name => !all.includes(name))
  if (unknown !== undefined) throw new InputError(`There is no validation ${show(unknown)}; there are ${all.join(', ')}.`)
  return names.length === 0 ? VALIDATION_CASES : VALIDATION_CASES.filter(({ name }) => names.includes(name))
}
