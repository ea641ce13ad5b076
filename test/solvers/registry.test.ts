/** Solvers from elsewhere join the family by name, for scenes too. */
import { expect, it } from 'vitest'
import { clusterSolver } from '../../src/cluster/index.js'
import { validateScene } from '../../src/scene/validate.js'
import { addSolver, createSolver, solvers } from '../../src/solvers/registry.js'

const scene = { version: 1, domain: { size: [1, 1], resolution: 8 }, solver: { name: 'cluster', options: { ranks: 3 } } }

it('knows no solver that was not added', () => {
  expect(() => createSolver('cluster')).toThrow(/no solver «cluster»/)
  expect(() => validateScene(scene)).toThrow(/no solver «cluster»/)
})

it('knows one that was, once', () => {
  const before = solvers.length
  addSolver(clusterSolver)
  addSolver(clusterSolver)
  expect(solvers).toHaveLength(before + 1)
  expect(createSolver('cluster', { ranks: '4' }).separating).toBe(true)
  expect(validateScene(scene).solver).toMatchObject(scene.solver)
  expect(() => validateScene({ ...scene, solver: { name: 'cluster', options: { rank: 3 } } })).toThrow(/did you mean «ranks»/)
})
