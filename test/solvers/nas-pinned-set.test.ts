/** After any change of the set, residual and direction are what they would be had the set always been so. */
import { expect, it } from 'vitest'
import { createFollower } from '../../src/multigrid/aggregate-values.js'
import { divergenceAt, levelProblem } from '../../src/solvers/nas-levels.js'
import { createPinnedSet } from '../../src/solvers/nas-pinned-set.js'
import { galleryHierarchy, randomVector } from '../support/levels.js'

it('patches r = −(A p + b) and q = A d on free rows and keeps pinned rows at 0', () => {
  const { coloured, levels } = galleryHierarchy('half-ball', 16, 3)
  const [level] = levels
  const follower = createFollower(levels)
  follower.followAll(0)
  const problem = levelProblem(level, coloured.contact, coloured.b, randomVector(level.rows, 1))
  const d = randomVector(level.rows, 2)
  const still = levelProblem(level, coloured.contact, new Float64Array(level.rows), d)
  const r = new Float64Array(level.rows).map((_, row) => -divergenceAt(problem, row))
  const q = new Float64Array(level.rows).map((_, row) => divergenceAt(still, row))
  const set = createPinnedSet(problem, { p: problem.p, d, q, r }, [])
  const seen = { pinned: 0, freed: 0 }
  for (let round = 0; round < 6; round++) {
    // Disturbed anew in every round, so that contacts go both ways.
    const push = randomVector(level.rows, 10 + round)
    for (let row = 0; row < level.rows; row++) if (!level.off[row]) problem.p[row] += push[row]
    for (let row = 0; row < level.rows; row++) r[row] = level.off[row] ? 0 : -divergenceAt(problem, row)
    set.look(1)
    const before = level.off.slice()
    const changed = set.update(0, 0)
    follower.follow(0, changed)
    for (const row of changed) seen[before[row] ? 'freed' : 'pinned']++
    for (let row = 0; row < level.rows; row++) {
      const scale = 1e-10 * level.diagonal[row] * Math.max(...problem.p)
      if (level.off[row]) expect([problem.p[row], d[row], r[row], q[row]]).toEqual([0, 0, 0, 0])
      else {
        expect(Math.abs(r[row] + divergenceAt(problem, row))).toBeLessThan(scale + 1e-10)
        expect(Math.abs(q[row] - divergenceAt(still, row))).toBeLessThan(1e-10 * level.diagonal[row])
      }
    }
  }
  expect(seen.pinned).toBeGreaterThan(10)
  expect(seen.freed).toBeGreaterThan(10)
})
