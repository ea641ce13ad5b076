/** The pressure problem that a simulation hands out after a frame: methods that remember start from its answer. */
import { expect, it } from 'vitest'
import { complement, halfSpace, type Point, sphere } from '../../src/grid/shapes.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { checkGridProblem } from '../../src/pressure/check-problem.js'
import { copyProblem, type PressureProblem } from '../../src/pressure/problem.js'
import { body, settingOf, solid } from '../support/settings.js'

/** Half a ball of liquid at its ceiling: its volume is corrected in some of the first frames. */
const falling = (dims: 2 | 3) => {
  const centre: Point = dims === 2 ? [0.5, 0.5] : [0.5, 0.5, 0.5]
  const up: Point = dims === 2 ? [0, 1] : [0, 1, 0]
  return settingOf(Array(dims).fill(20), 1 / 20, {
    liquid: [body(complement(halfSpace(centre, up)))],
    solids: [solid(complement(sphere(centre, 0.42)))],
  })
}

it.each([
  [0, false],
  [3, false],
  [0, true],
])('is that of the last substep, with a band of %i cells, volume corrected %s', async (band, correction) => {
  const options = { threads: 1, volume: { correction }, particles: { band }, keepsProblem: correction }
  const simulation = await createSimulation(falling(2), options)
  let count = 0
  for (let n = 0; n < 12; n++) {
    let last: PressureProblem | undefined
    const record = await simulation.advance(() => {
      last = copyProblem(simulation.problem())
    })
    if (record.correction) count++
    const { kind, diagonal, links, b } = copyProblem(simulation.problem())
    expect({ kind, diagonal, links, b }).toEqual({ kind: last!.kind, diagonal: last!.diagonal, links: last!.links, b: last!.b })
  }
  expect(count > 0).toBe(correction)
  simulation.dispose()
})

it.each([2, 3] as const)('links unknowns only, also after the volume was corrected, in %iD', async dims => {
  const simulation = await createSimulation(falling(dims), { threads: 1 })
  let corrected = 0
  for (let n = 0; n < 12; n++) {
    const record = await simulation.advance(() => checkGridProblem(simulation.problem(), `frame ${n}`))
    if (record.correction) corrected++
  }
  expect(corrected).toBeGreaterThan(0)
  simulation.dispose()
})

it('is refused where the correction of the volume has taken its place', async () => {
  const simulation = await createSimulation(falling(3), { threads: 1 })
  let refused = 0
  for (let n = 0; n < 12; n++) {
    const record = await simulation.advance()
    if (!record.correction) checkGridProblem(simulation.problem(), `frame ${n}`)
    else {
      refused++
      expect(() => simulation.problem()).toThrow(/in observe, or create the simulation with keepsProblem/)
    }
  }
  expect(refused).toBeGreaterThan(0)
  simulation.dispose()
})
