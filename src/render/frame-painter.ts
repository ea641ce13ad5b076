/** Pictures of frames of either dimension, all of one size. */
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import type { CaptionOptions } from './caption.js'
import { drawFrame2D } from './picture-2d.js'
import { createPainter, type Painter } from './picture-3d.js'

export interface FramePainter {
  draw(frame: Frame, caption?: CaptionOptions): Promise<Picture>
  dispose(): void
}

/** Pixels along x. 2D pictures mark where liquid lets go, if the frame has its pressure. */
export function createFramePainter(width: number, threads = 1): FramePainter {
  let painter: Promise<Painter> | undefined
  return {
    async draw(frame, caption = { time: true }) {
      if (frame.grid.dims === 2) {
        const scale = width / frame.grid.shape[0]
        return drawFrame2D(frame, { scale, pinned: frame.fields !== undefined, ...caption })
      }
      painter ??= createPainter(threads)
      const height = Math.round((0.75 * width) / 2) * 2
      return (await painter).draw(frame, { width, height, samples: 2, ...caption })
    },
    dispose() {
      void painter?.then(made => made.dispose())
      painter = undefined
    },
  }
}
