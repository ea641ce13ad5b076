/** A default is written once, in the schema of scenes: simulations without a scene file and the page have the same. */
import { expect, it } from 'vitest'
import { settingsFor, timesOf } from '../../page/settings.js'
import { createGrid } from '../../src/grid/grid.js'
import { optionsOf } from '../../src/liquid/from-scene.js'
import { completeOptions } from '../../src/liquid/options.js'
import type { SceneInput } from '../../src/scene/schema.js'

const scenes = {
  2: { version: 1, domain: { size: [1, 1], resolution: 8 } },
  3: { version: 1, domain: { size: [1, 1, 1], resolution: 8 } },
} as const satisfies Record<2 | 3, SceneInput>

it.each([2, 3] as const)('simulations without options run as a scene that sets nothing, in %dD', dims => {
  const grid = createGrid(dims === 2 ? [8, 8] : [8, 8, 8], 1 / 8)
  expect(completeOptions(grid, {})).toEqual(completeOptions(grid, optionsOf(scenes[dims])))
})

it.each([2, 3] as const)('the page shows the defaults of a scene that sets nothing, in %dD', dims => {
  const { time, particles, solver } = optionsOf(scenes[dims])
  const { a, tolerance, perCell, flipRatio } = settingsFor(scenes[dims], 'laptop')
  expect({ name: a.solver, tolerance }).toEqual({ name: solver?.name, tolerance: solver?.tolerance })
  expect({ perCell, flipRatio }).toEqual({ perCell: particles?.perCell, flipRatio: particles?.flipRatio })
  expect(timesOf(scenes[dims], 0).fps).toBe(time?.fps)
})
