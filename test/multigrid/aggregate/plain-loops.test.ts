/** The plain loops over the rows of a level against what they mean, row by row from the entries. */
import { describe, expect, it } from 'vitest'
import * as loops from '../../../src/multigrid/aggregate/plain-loops.js'
import type { AggregateLevel } from '../../../src/multigrid/aggregate/values.js'
import { random } from '../../../src/random.js'
import { galleryHierarchy, randomVector } from '../../support/levels.js'
import { largestDifference } from '../../support/problems.js'

/** Levels of all kinds: 3D, 2D, with thin walls, single cells, and the coarse ones below them. Some rows are pinned. */
const samples: [string, AggregateLevel][] = (
  [
    ['half-ball', 10, 3],
    ['maze', 24, 2],
    ['rooms', 20, 3],
    ['spray', 12, 2],
    ['tank', 4, 2],
  ] as const
).flatMap(([name, size, dims]) => {
  const { levels, coloured } = galleryHierarchy(name, size, dims, 4)
  for (let row = 0; row < levels[0].rows; row++)
    if (coloured.contact[row] && random(3, row) < 0.4) {
      levels[0].pinned[row] = 1
      levels[0].inverse[row] = 0
    }
  return levels.map((level, at): [string, AggregateLevel] => [`${name} level ${at}`, level])
})

/** A x, row by row from the entries; 0 on pinned rows. */
function product(level: AggregateLevel, x: Float64Array): Float64Array {
  return x.map((value, row) => {
    if (level.inverse[row] === 0) return 0
    let sum = level.diagonal[row] * value
    for (let at = level.rowStart[row]; at < level.rowStart[row + 1]; at++) sum -= level.weight[at] * x[level.column[at]]
    return sum
  })
}

const masked = (level: AggregateLevel, x: Float64Array) => x.map((value, row) => (level.inverse[row] === 0 ? 0 : value))

describe('the loops of a level', () => {
  it.each(samples)('%s: smoothing leaves no residual on its colour and does not touch the other', (_, level) => {
    for (const colour of ['red', 'black'] as const) {
      const f = masked(level, randomVector(level.rows, 1))
      const x = masked(level, randomVector(level.rows, 2))
      const before = x.slice()
      loops.smooth(level, colour, f, x)
      const Ax = product(level, x)
      for (let row = 0; row < level.rows; row++) {
        const mine = row < level.reds === (colour === 'red')
        if (mine) expect(Math.abs(f[row] - Ax[row])).toBeLessThan(1e-12 * Math.max(1, level.diagonal[row]))
        else expect(x[row]).toBe(before[row])
      }
    }
  })

  it.each(samples)('%s: from zero, projected, restricted and prolonged as defined', (_, level) => {
    const f = masked(level, randomVector(level.rows, 3))
    const x = new Float64Array(level.rows)
    loops.smoothRedFromZero(level, f, x)
    const y = new Float64Array(level.rows)
    loops.smooth(level, 'red', f, y)
    expect(largestDifference(x, y)).toBe(0)

    const contact = Uint8Array.from({ length: level.rows }, (_, row) => (random(4, row) < 0.5 ? 1 : 0))
    const free = masked(level, randomVector(level.rows, 5))
    const projected = free.slice()
    loops.smooth(
      level,
      'black',
      f.map(value => -value),
      free,
    )
    loops.smoothProjected(level, 'black', f, contact, projected)
    for (let row = level.reds; row < level.rows; row++) expect(projected[row]).toBe(contact[row] && free[row] < 0 ? 0 : free[row])

    const coarseRows = Math.max(0, ...level.parent) + 1
    const coarse = randomVector(coarseRows, 6)
    const residual = product(level, free).map((value, row) => f[row] - value)
    loops.restrictResidual(level, f, free, coarse)
    const expected = new Float64Array(coarseRows)
    for (let row = 0; row < level.reds; row++)
      if (level.parent[row] >= 0) expected[level.parent[row]] += level.inverse[row] ? residual[row] : 0
    expect(largestDifference(coarse, expected)).toBeLessThan(1e-12 * Math.max(1, ...expected.map(Math.abs)))

    const carried = new Float64Array(level.rows)
    loops.prolong(level, coarse, carried)
    carried.forEach((value, row) => {
      const goes = row < level.reds && level.parent[row] >= 0 && level.inverse[row] !== 0
      expect(value).toBe(goes ? coarse[level.parent[row]] : 0)
    })
  })

  it.each(samples)('%s: products, dots and the update of conjugate gradients', (_, level) => {
    const x = masked(level, randomVector(level.rows, 7))
    const y = new Float64Array(level.rows)
    loops.multiply(level, x, y)
    const Ax = product(level, x)
    expect(largestDifference(y, Ax)).toBeLessThan(1e-12 * Math.max(1, ...Ax.map(Math.abs)))

    const r = masked(level, randomVector(level.rows, 8))
    const q = masked(level, randomVector(level.rows, 9))
    const z = masked(level, randomVector(level.rows, 10))
    loops.smooth(level, 'red', r, z)
    const Az = new Float64Array(level.rows)
    const { zr, zAz, zq } = loops.finishProduct(level, { z, r, q, Az })
    const dots = [r, product(level, z), q].map(other => z.reduce((sum, value, row) => sum + value * other[row], 0))
    expect([zr, zAz, zq].every((value, at) => Math.abs(value - dots[at]) < 1e-10 * Math.max(1, Math.abs(dots[at])))).toBe(true)

    const vectors = { d: x.slice(), q: q.slice(), x: y.slice(), r: r.slice(), z, Az }
    const largest = loops.update(0.3, 0.7, vectors)
    for (let row = 0; row < level.rows; row++) {
      const d = z[row] + 0.7 * x[row]
      const newQ = Az[row] + 0.7 * q[row]
      expect(vectors.d[row]).toBeCloseTo(d, 12)
      expect(vectors.q[row]).toBeCloseTo(newQ, 10)
      expect(vectors.x[row]).toBeCloseTo(y[row] + 0.3 * d, 10)
      expect(vectors.r[row]).toBeCloseTo(r[row] - 0.3 * newQ, 10)
    }
    expect(largest).toBe(Math.max(0, ...vectors.r.map(Math.abs)))
  })
})
