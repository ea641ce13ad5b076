/** Draws frames of either kind at one size: 2D ones flat, 3D ones by rays. */
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import type { CameraOptions } from './camera.js'
import type { CaptionOptions } from './caption.js'
import { drawFrame2D } from './picture-2d.js'
import { createPainter } from './picture-3d.js'

export interface FramePicture extends CaptionOptions {
  /** Pixels: both sides of a 3D picture, the longer side of a 2D one. */
  readonly size: number
  /** Rays per pixel and side, in 3D. */
  readonly samples?: number
  readonly camera?: CameraOptions
}

export interface FramePainter {
  draw(frame: Frame, options: FramePicture): Picture
  dispose(): void
}

export async function createFramePainter(dims: 2 | 3, threads: number): Promise<FramePainter> {
  if (dims === 2)
    return {
      draw: (frame, { size, caption, time }) =>
        drawFrame2D(frame, {
          scale: size / Math.max(frame.grid.shape[0], frame.grid.shape[1]),
          // Where liquid lets go, if the frame knows its pressure.
          pinned: frame.fields !== undefined,
          caption,
          time,
        }),
      dispose() {},
    }
  const { draw, dispose } = await createPainter(threads)
  return {
    draw: (frame, { size, camera, ...rest }) => draw(frame, { width: size, height: size, ...camera, ...rest }),
    dispose,
  }
}
