/** Which part of the plane z = 0 a picture of a 2D frame shows. */
import type { OrthographicCamera } from 'three'

export interface FlatView {
  /** The lower left corner of the picture, m. */
  readonly origin: readonly [number, number]
  /** Of a pixel, m. */
  readonly side: number
}

/** On so many rows of pixels. */
export function flatViewOf({ left, right, top, bottom, zoom, position }: OrthographicCamera, rows: number): FlatView {
  return {
    origin: [position.x + lowerEnd(left, right, zoom), position.y + lowerEnd(bottom, top, zoom)],
    side: (top - bottom) / (zoom * rows),
  }
}

/** Of what a camera sees along an axis, from its place. */
const lowerEnd = (from: number, to: number, zoom: number) => (from + to) / 2 - (to - from) / (2 * zoom)
