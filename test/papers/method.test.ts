import { expect, it } from 'vitest'
import { measureProblem, type PaperMethod } from '../../src/papers/method.js'
import { galleryProblem } from '../../src/pressure/gallery.js'
import type { PressureProblem } from '../../src/pressure/problem.js'

it('a method that remembers began repeated rounds with the answer of the first, so iterations depended on time', async () => {
  const method: PaperMethod = { name: 'PE-MG', solver: 'pe-mg', set: { start: 'previous' }, growth: 'cells', remembers: true }
  const { problem } = galleryProblem('half-ball', { size: 16 })
  const iterations = async (rounds: number) => {
    const { seconds: _, ...counts } = await measureProblem(method, problem as PressureProblem, {
      tolerance: 1e-6,
      limit: 60,
      rounds,
    })
    return counts
  }
  expect(await iterations(5)).toEqual(await iterations(1))
})
