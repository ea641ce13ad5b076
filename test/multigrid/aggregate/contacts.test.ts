/** After any change of the set, residual and direction are what they would be had the set always been so. */
import { expect, it } from 'vitest'
import { createPinnedSet, divergenceAt, levelProblem } from '../../../src/multigrid/aggregate/contacts.js'
import { createCoarseUpdate } from '../../../src/multigrid/aggregate/values.js'
import { createBuffers } from '../../../src/sparse/buffers.js'
import { galleryHierarchy, randomVector } from '../../support/levels.js'

it('patches r = −(A p + b) and q = A d on free rows and keeps pinned rows at 0', () => {
  const { coloured, levels } = galleryHierarchy('half-ball', 16, 3)
  const [level] = levels
  const buffers = createBuffers()
  const coarse = createCoarseUpdate(levels, buffers)
  coarse.updateAll(0)
  const problem = levelProblem(level, coloured.contact, coloured.b, randomVector(level.rows, 1), buffers, 'problem')
  const d = randomVector(level.rows, 2)
  const still = levelProblem(level, coloured.contact, new Float64Array(level.rows), d, buffers, 'still')
  const r = new Float64Array(level.rows).map((_, row) => -divergenceAt(problem, row))
  const q = new Float64Array(level.rows).map((_, row) => divergenceAt(still, row))
  const set = createPinnedSet(problem, { d, q, r }, [], buffers, 'problem')
  const seen = { pinned: 0, freed: 0 }
  for (let round = 0; round < 6; round++) {
    // Disturbed anew in every round, so that contacts go both ways.
    const push = randomVector(level.rows, 10 + round)
    for (let row = 0; row < level.rows; row++) if (!level.pinned[row]) problem.p[row] += push[row]
    for (let row = 0; row < level.rows; row++) r[row] = level.pinned[row] ? 0 : -divergenceAt(problem, row)
    set.natural(1)
    const before = level.pinned.slice()
    const changed = set.change(0, 0)
    coarse.update(0, changed)
    for (const row of changed) seen[before[row] ? 'freed' : 'pinned']++
    for (let row = 0; row < level.rows; row++) {
      const scale = 1e-10 * level.diagonal[row] * Math.max(...problem.p)
      if (level.pinned[row]) expect([problem.p[row], d[row], r[row], q[row]]).toEqual([0, 0, 0, 0])
      else {
        expect(Math.abs(r[row] + divergenceAt(problem, row))).toBeLessThan(scale + 1e-10)
        expect(Math.abs(q[row] - divergenceAt(still, row))).toBeLessThan(1e-10 * level.diagonal[row])
      }
    }
  }
  expect(seen.pinned).toBeGreaterThan(10)
  expect(seen.freed).toBeGreaterThan(10)
})

it('keeps the contact pinned that presses least where all contacts of an expanding pocket would be freed', () => {
  const { coloured, levels } = galleryHierarchy('half-ball', 12, 3)
  const [level] = levels
  const buffers = createBuffers()
  const contacts = [...coloured.contact.keys()].filter(row => coloured.contact[row])
  const pocket = Int32Array.from(contacts.slice(0, 5))
  // Nothing flows but at the contacts of the pocket, which press the harder the later they come.
  const b = new Float64Array(level.rows)
  pocket.forEach((row, at) => {
    b[row] = -1 - at
    level.pinned[row] = 1
  })
  const problem = levelProblem(level, coloured.contact, b, new Float64Array(level.rows), buffers, 'problem')
  const zeros = () => new Float64Array(level.rows)
  const set = createPinnedSet(problem, { d: zeros(), q: zeros(), r: zeros() }, [pocket], buffers, 'problem')
  set.natural(0)
  expect([...set.change(0.5, 0.5)]).toEqual([...pocket.slice(1)])
  // With another one pinned all of them may go; a set without any gets one.
  set.natural(0)
  expect([...set.change(0.5, 0.5)]).toEqual([])
  level.pinned.fill(0)
  problem.p.fill(1)
  problem.p[pocket[3]] = 0.5
  set.start()
  expect([...level.pinned.keys()].filter(row => level.pinned[row])).toEqual([pocket[3]])
})
