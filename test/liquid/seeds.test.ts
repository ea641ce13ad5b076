/** Every scene that comes with Peel, small, from several seeds, until liquid has hit walls and other liquid: impacts are where chance decides whether
 *  a simulation bursts. A failure names the seed. */
import { describe, expect, it } from 'vitest'
import { loadScene, shippedScenes } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { prepareScene } from '../../src/scene/prepare.js'
import { type Allowed, findExcesses } from '../support/allowed.js'

/** One second, in which the highest liquid falls to the floor twice. */
const FRAMES = 24

const ALLOWED: Allowed = {
  // Long substeps give up to 8 % of it while liquid gathers speed along a wall, on grids as coarse as these.
  energy: 0.1,
  // Liquid that closes on a wall, or on other liquid, at an angle β sends out a jet at cot(β/2) of its speed (Birkhoff and others 1948). The flattest
  // angle that a substep can follow is a cell for `cfl` = 3 cells: cot(atan(1/3)/2).
  speed: 6.2,
  volume: 0.05,
  // Wanted is 4.
  crowding: 8,
}

/** Scenes that do worse, and why. */
const WORSE: Readonly<Record<string, Partial<Allowed>>> = {
  // Sheets of one to two cells, of which a surface shows less than there is.
  bowl: { volume: 0.2 },
  waterfall: { volume: 0.2 },
  // Half a sphere of liquid falls into the lower half: it closes on the whole bottom at once.
  splash: { energy: 0.25, speed: 16, crowding: 16 },
}

describe('many seeds of shipped scenes', async () => {
  it.each(await shippedScenes())('%s', async name => {
    const { size, resolution } = (await loadScene(name)).scene.domain
    const flat = size.length === 2
    const cells = flat ? 48 : Math.round(0.375 * resolution)
    const found: string[] = []
    for (let seed = 1; seed <= (flat ? 8 : 4); seed++) {
      const loaded = await loadScene(name, [
        ['domain.resolution', cells],
        ['seed', seed],
      ])
      const simulation = await simulateScene(loaded, { threads: 1 })
      try {
        const setting = prepareScene(loaded.scene, loaded.meshes)
        const excesses = await findExcesses(simulation, setting, FRAMES, { ...ALLOWED, ...WORSE[name] })
        found.push(...excesses.map(excess => `seed ${seed}, ${excess}`))
      } finally {
        simulation.dispose()
      }
    }
    expect(found).toEqual([])
  })
})
