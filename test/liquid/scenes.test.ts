/** Every scene that comes with Peel, small: all solves converge, nothing is lost, and the volume is kept as far as so few cells can tell it. */
import { describe, expect, it } from 'vitest'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { watchFrames } from '../support/watched.js'

const FRAMES = 20

/** Scenes whose liquid gets so thin on so few cells, in sheets, jets and drops, that its surface cannot show much of it. */
const THIN = new Set(['bowl', 'ceiling-drip', 'cm-ball-box', 'drops-one-by-one', 'shedding-lids', 'waterfall'])

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
      // The ball of cm-ball-box, 190 cells, hits its box at one substep a frame: what its surface shows is chance, 0.3 to 0.91 less.
      expect(drift).toBeLessThan(name === 'cm-ball-box' ? 0.95 : THIN.has(name) ? 0.6 : 0.05)
    } finally {
      simulation.dispose()
    }
  })
})
