/** The pressure problem that a simulation hands out after a frame: methods that remember start from its answer. */
import { expect, it } from 'vitest'
import { complement, halfSpace, sphere } from '../../src/grid/shapes.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { copyProblem, type PressureProblem } from '../../src/pressure/problem.js'
import { body, settingOf, solid } from '../support/settings.js'

it.each([
  [0, false],
  [3, false],
  [0, true],
])('is that of the last substep, with a band of %i cells, volume corrected %s', async (band, correction) => {
  const drum = settingOf([32, 32], 1 / 32, {
    liquid: [body(halfSpace([0, 0.5], [0.3, 1]))],
    solids: [solid(complement(sphere([0.5, 0.5], 0.4)))],
  })
  const options = { threads: 1, volume: { correction }, particles: { band }, keepsProblem: correction }
  const simulation = await createSimulation(drum, options)
  let mended = 0
  for (let n = 0; n < (correction ? 12 : 3); n++) {
    let last: PressureProblem | undefined
    const { mend } = await simulation.advance(() => {
      last = copyProblem(simulation.problem())
    })
    if (mend) mended++
    const { kind, diagonal, links, b } = copyProblem(simulation.problem())
    expect({ kind, diagonal, links, b }).toEqual({ kind: last!.kind, diagonal: last!.diagonal, links: last!.links, b: last!.b })
  }
  expect(mended > 0).toBe(correction)
  simulation.dispose()
})
