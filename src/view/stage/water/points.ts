/** Liquid as the points that water is drawn from: balls where it can be seen, and volumes for its thickness. */
import type { Box3, BufferGeometry } from 'three'
import type { Frame } from '../../../liquid/frame.js'
import { createWaterBalls } from './balls.js'
import { createDeepFinder } from './deep-cells.js'
import { createWaterVolumes } from './volumes.js'

export interface WaterPoints {
  readonly balls: BufferGeometry
  /** All balls are in it, m. */
  readonly bounds: Box3
  readonly volumes: BufferGeometry
  /** Of frames that have particles. */
  update(frame: Frame): void
  dispose(): void
}

export function createWaterPoints(): WaterPoints {
  const findDeep = createDeepFinder()
  const balls = createWaterBalls()
  const volumes = createWaterVolumes()
  return {
    balls: balls.geometry,
    bounds: balls.bounds,
    volumes: volumes.geometry,
    update(frame) {
      const cells = findDeep(frame)
      balls.update(frame, cells)
      volumes.update(frame, cells)
    },
    dispose() {
      balls.geometry.dispose()
      volumes.geometry.dispose()
    },
  }
}
