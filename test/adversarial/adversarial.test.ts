/** A few problems of every adversarial class, on all solvers. Thousands of them are in the slow tests beside this one. */
import { expect, it } from 'vitest'
import { createSolver, solvers } from '../../src/solvers/registry.js'
import { expectAllowed } from './allowed.js'
import { attack, joinOutcomes } from './attack.js'
import { chosenRanges, isSingle } from './chosen.js'
import { CONFIGURATIONS } from './configurations.js'
import { GRID_CLASS_NAMES, SPARSE_CLASS_NAMES } from './problems.js'

/** Slow convergence is for the slow tests: here iterations only have to be honest. */
const configurations = CONFIGURATIONS.map(configuration => ({
  ...configuration,
  maxIterations: isSingle() ? configuration.maxIterations : Math.min(configuration.maxIterations, 200),
}))

it('every solver of the family is under attack', () => {
  const attacked = CONFIGURATIONS.map(({ create }) => {
    const solver = create(createSolver)
    solver.dispose()
    return solver.name
  })
  expect(new Set(attacked)).toEqual(new Set(solvers.filter(({ elsewhere }) => !elsewhere).map(({ name }) => name)))
})

it('no solver claims what is not so', async () => {
  const ranges = chosenRanges([
    { from: 0, count: 2 * GRID_CLASS_NAMES.length },
    { from: 0, count: 4 * SPARSE_CLASS_NAMES.length, sparse: true },
  ])
  const outcomes = []
  for (const range of ranges) outcomes.push(await attack(range, { createSolver, configurations }))
  expectAllowed(joinOutcomes(outcomes))
})
