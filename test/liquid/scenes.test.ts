/** Every scene that comes with Peel, small: all solves converge, nothing is lost, and the volume is kept as far as so few cells can tell it. */
import { describe, expect, it } from 'vitest'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { watchFrames } from '../support/watched.js'

const FRAMES = 20

/** Scenes whose liquid gets thinner than two cells, in which case its surface says little about its volume: jets, drops that burst, liquid
 *  that hits a wall within a substep. */
const THIN = new Set([
  'andersen-block-on-circles',
  'andersen-filling',
  'andersen-funnel',
  'bowl',
  'ceiling-drip',
  'cm-ball-box',
  'cm-ball-in-circle',
  'waterfall',
])

describe('shipped scenes', async () => {
  it.each(await shippedScenes())('%s', async name => {
    const flat = (await loadScene(name)).scene.domain.size.length === 2
    const loaded = await loadScene(name, [['domain.resolution', flat ? 48 : 24]])
    const simulation = await simulateScene(loaded, { threads: 1 })
    try {
      const { statuses, nearest, drift, records, substeps } = await watchFrames(simulation, FRAMES)
      expect([...statuses]).toEqual(['converged'])
      expect(nearest).toBeGreaterThan(0)
      expect(substeps).toBeLessThanOrEqual(loaded.scene.time.maxSubsteps)
      expect(records.at(-1)!.particles).toBeGreaterThan(200)
      expect(drift).toBeLessThan(THIN.has(name) ? 0.3 : 0.05)
    } finally {
      simulation.dispose()
    }
  })
})
