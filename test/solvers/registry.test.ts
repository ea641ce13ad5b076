/** Solvers from elsewhere join the family by name; scenes may name one that starts programs only if the host has chosen it. */
import { expect, it } from 'vitest'
import { clusterSolver } from '../../src/cluster/index.js'
import { validateScene } from '../../src/scene/validate.js'
import { addSolver, createSolver, solvers } from '../../src/solvers/registry.js'

const scene = { version: 1, domain: { size: [1, 1], resolution: 8 }, solver: { name: 'cluster', options: { patience: 3 } } }

it('knows no solver that was not added', () => {
  expect(() => createSolver('cluster')).toThrow(/Unknown solver "cluster"/)
  expect(() => validateScene(scene)).toThrow(/Unknown solver "cluster"/)
})

it('knows one that was, once', () => {
  const before = solvers.length
  addSolver(clusterSolver)
  addSolver(clusterSolver)
  expect(solvers).toHaveLength(before + 1)
  expect(createSolver('cluster', { ranks: '4' }).separating).toBe(true)
  expect(() => validateScene(scene)).toThrow(/solver\.name must not be cluster in data/)
  const host = { name: 'cluster' }
  expect(validateScene(scene, 'The scene', host).solver).toMatchObject(scene.solver)
  const misspelt = { ...scene, solver: { name: 'cluster', options: { patiense: 3 } } }
  expect(() => validateScene(misspelt, 'The scene', host)).toThrow(/did you mean "patience"/)
})
