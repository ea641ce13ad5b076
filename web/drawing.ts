/** What draws a side. */
import type { Frame, FrameParts } from '../src/liquid/frame.js'
import { createFlatStage } from '../src/web/index.js'
import type { Side } from './sides.js'

export interface Drawing {
  readonly dims: 2 | 3
  show(frame: Frame): void
  needs(): FrameParts
  render(): void
  resize(width: number, height: number, pixelRatio: number): void
  dispose(): void
}

export function createDrawing(side: Side, dims: 2 | 3, _onNotice: (sentence: string) => void, _redraw: () => void): Drawing {
  return { ...createFlatStage(side.canvas), dims }
}
