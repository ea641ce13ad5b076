/** What Peel is about: liquid comes off ceilings where walls let go, and hangs there where they do not. */
import { describe, expect, it } from 'vitest'
import { loadScene } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { wettedCeiling } from '../../src/liquid/wetting.js'
import type { Override } from '../../src/scene/overrides.js'

/** m² (m in 2D) of ceilings that liquid touches, after every frame. */
async function wetted(
  scene: string,
  resolution: number,
  walls: string,
  frames: number,
  further: readonly Override[] = [],
): Promise<number[]> {
  const loaded = await loadScene(scene, [['domain.resolution', resolution], ['walls', walls], ...further])
  const simulation = await simulateScene(loaded, { threads: 1 })
  const areas: number[] = []
  for (let n = 0; n < frames; n++) {
    await simulation.advance()
    areas.push(wettedCeiling(simulation.capture()))
  }
  simulation.dispose()
  return areas
}

const sum = (areas: readonly number[]) => areas.reduce((a, b) => a + b, 0)

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

describe('a splash in a ball', () => {
  it('comes off the ceiling within a few frames where walls let go, and slides down along it where they stick', async () => {
    const separating = await wetted('splash', 24, 'separating', 18)
    const sticking = await wetted('splash', 24, 'sticking', 18)
    expect(Math.max(...separating)).toBeGreaterThan(0.1)
    expect(Math.max(...sticking)).toBeGreaterThan(0.08)
    expect(Math.max(...separating.slice(13))).toBeLessThan(0.01)
    expect(sum(sticking.slice(10))).toBeGreaterThan(5 * sum(separating.slice(10)))
  })
})
