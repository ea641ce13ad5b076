import { loadScene } from '../../src/io/scene-file.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import { wettedCeiling } from '../../src/liquid/surface/wetting.js'
import type { Override } from '../../src/scene/overrides.js'

/** m² (m in 2D) of ceilings that liquid touches, after every frame. */
export async function wetted(
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
