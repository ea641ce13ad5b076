/** Half of the problems of the slow tests, so that two files share them. */
import { createSolver } from '../../src/solvers/registry.js'
import { expectAllowed } from './allowed.js'
import { attack, joinOutcomes } from './attack.js'
import { chosenRanges } from './chosen.js'
import { byClass, bySolver } from './tables.js'

/** Of one half. */
const GRID_PROBLEMS = 920
const SPARSE_PROBLEMS = 80

export async function attackHalf(part: 0 | 1): Promise<void> {
  const ranges = chosenRanges([
    { from: part * GRID_PROBLEMS, count: GRID_PROBLEMS },
    { from: part * SPARSE_PROBLEMS, count: SPARSE_PROBLEMS, sparse: true },
  ])
  const outcomes = []
  for (const range of ranges) outcomes.push(await attack(range, { createSolver }))
  const outcome = joinOutcomes(outcomes)
  console.log(`${outcome.problems} problems, ${outcome.solves} solves\n\n${bySolver(outcome)}\n\n${byClass(outcome)}`)
  expectAllowed(outcome)
}
