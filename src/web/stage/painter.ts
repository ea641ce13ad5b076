/** Pictures that the processor draws, where there is no graphics card. */
import type { Camera } from 'three'
import type { Frame } from '../../liquid/frame.js'
import type { Ball } from './scenery.js'

export interface PaintedView {
  /** Pixels. */
  readonly width: number
  readonly height: number
  /** With its matrices up to date. */
  readonly camera: Camera
  readonly dark: boolean
  readonly ball: Ball | null
}

export interface Painter {
  /** Its arrays must stay as they are until the next frame is shown. */
  show(frame: Frame): void
  /** Red, green, blue, opacity of every pixel from the upper left; good until the next call. */
  paint(view: PaintedView): Uint8ClampedArray<ArrayBuffer>
  dispose(): void
}
