/** How scenery comes onto a canvas: by WebGL, or painted by the CPU. */
import type { Quality } from './quality.js'
import type { Scenery } from './scenery.js'

export interface Screen {
  /** On which pictures are seen at the moment, and on which pointers act, which is always the same. */
  readonly canvas: HTMLCanvasElement
  readonly front: HTMLCanvasElement
  /** The best that the machine does in time, by the pictures so far. */
  readonly quality: Quality
  /** While it is so nothing can be drawn. */
  readonly isLost: boolean
  /** Throws an InputError where frames of this kind cannot be drawn. */
  createScenery(dims: 2 | 3): Scenery
  /** Drawn pixels per pixel of the page, at most. */
  pixelRatio(quality: Quality, dims: 2 | 3): number
  /** Pixels of the page. The canvas then has as many as are drawn. */
  resize(width: number, height: number, pixelRatio: number): void
  /** Called after a picture of a 3D frame: adapts `quality` to the time it took. */
  judge(): void
  onLost: (() => void) | undefined
  onRestored: (() => void) | undefined
  dispose(): void
}
