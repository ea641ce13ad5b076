/** What a stage draws, in 2D or in 3D. */
import type { Camera } from 'three'
import type { Frame, FrameParts } from '../../liquid/frame.js'
import type { Palette } from '../../paint/palette.js'
import type { Ball } from '../../paint/view.js'
import type { FieldName } from './fields/field-values.js'
import type { Legend } from './fields/legend.js'
import type { Slice } from './objects/slice-object.js'
import type { Quality } from './quality.js'

export const STAGE_VIEWS = ['water', 'particles', 'surface', 'pressure', 'speed', 'divergence', 'pinned'] as const
export type StageView = (typeof STAGE_VIEWS)[number]

export interface Scenery {
  /** Nothing is drawn until then; at once if absent. */
  readonly ready?: Promise<void>
  /** Explains the colours of what is shown, if they mean something. */
  readonly legend: Legend | undefined
  /** What frames must hold for a view. */
  needs(view: StageView): FrameParts
  show(frame: Frame, view: StageView, slice: Slice): void
  render(camera: Camera): void
  /** In drawn pixels. */
  resize(width: number, height: number): void
  /** Frames that are shown already keep the light on their ground. */
  setColours(palette: Palette): void
  setBall(ball: Ball | null): void
  setQuality(quality: Quality): void
  dispose(): void
}

export function isField(view: StageView): view is FieldName {
  return view === 'pressure' || view === 'speed' || view === 'divergence' || view === 'pinned'
}

export function partsFor(view: StageView, dims: 2 | 3): FrameParts {
  if (isField(view)) return { fields: true }
  return view === 'particles' || (view === 'water' && dims === 3) ? { particles: true } : {}
}
