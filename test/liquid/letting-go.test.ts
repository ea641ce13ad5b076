/** What Peel is about: liquid comes off ceilings where walls let go, and hangs there where they do not. */
import { describe, expect, it } from 'vitest'
import { box, halfSpace, union } from '../../src/grid/shapes.js'
import { hasConverged } from '../../src/liquid/records.js'
import { createSimulation } from '../../src/liquid/simulation.js'
import { wettedCeiling } from '../../src/liquid/surface/wetting.js'
import { body, settingOf, solid } from '../support/settings.js'
import { wetted } from '../support/wetted-ceiling.js'

describe('liquid under a flat ceiling', () => {
  it('is off it at once where walls let go', async () => {
    const areas = await wetted('ceiling-drip', 32, 'separating', 12)
    expect(areas.slice(1).every(area => area === 0)).toBe(true)
  })

  it('is drawn together where they stick, by its own suction, but stays', async () => {
    const areas = await wetted('ceiling-drip', 32, 'sticking', 4)
    expect(areas[0]).toBeGreaterThan(0.5)
    expect(areas[3]).toBeGreaterThan(0.2)
  })

  it('hangs there where they stick, if it reaches from side to side', async () => {
    const slab = { shape: 'box', min: [0, 0.8], max: [1, 1] }
    const areas = await wetted('ceiling-drip', 32, 'sticking', 8, [['liquid', [slab]]])
    expect(Math.min(...areas)).toBe(1)
  })
})

describe('a column of liquid that stands in a pool under a closed ceiling', () => {
  /** m of the ceiling that are wet, after every frame; 10 s of them. Left of a wall that hangs from the ceiling the tank is full. */
  async function standing(walls: 'sticking' | 'separating'): Promise<number[]> {
    const both = [walls, walls] as const
    const setting = settingOf([32, 32], 1 / 32, {
      sides: { x: both, y: both },
      solids: [solid(box([0.45, 0.7], [0.05, 0.5]), { walls })],
      liquid: [body(union(box([0.2, 0.5], [0.25, 0.6]), halfSpace([0, 0.35], [0, 1])))],
    })
    const simulation = await createSimulation(setting, { threads: 1, seed: 1 })
    const areas: number[] = []
    for (let n = 0; n < 240; n++) {
      expect(hasConverged(await simulation.advance())).toBe(true)
      const frame = simulation.capture()
      // Without the lower end of the wall, which is always wet.
      areas.push(wettedCeiling(frame) - wettedCeiling(frame, false))
    }
    simulation.dispose()
    return areas
  }

  it('hangs there for good where walls stick', async () => {
    const areas = await standing('sticking')
    expect(Math.min(...areas)).toBeGreaterThan(0.37)
  })

  it('sinks where they let go, as in a barometer, and leaves the ceiling dry for good', async () => {
    const areas = await standing('separating')
    const dry = areas.indexOf(0)
    expect(dry).toBeGreaterThanOrEqual(0)
    expect(dry).toBeLessThan(6)
    expect(Math.max(...areas.slice(dry))).toBe(0)
  })
})
