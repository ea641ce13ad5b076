/** Large pictures of 3D frames, painted part by part: what rays need for a pixel is many times as large as the pixel. */
import type { Painter } from './painter.js'
import type { View } from './view.js'

/** Pixels along a side of what is painted at once, about a gibibyte of memory. */
const WINDOW_SIDE = 3072
/** Share of the whole picture around every part that is painted with it: liquid bends rays to what is there. More is rarely seen. */
const WINDOW_MARGIN = 0.05
/** Parts begin at multiples of this, so that painters cut all of them into tiles in the same way. */
const WINDOW_STEP = 8

/** The frame that the painter shows last, as one picture. */
export function paintInWindows(painter: Painter, view: View, side = WINDOW_SIDE): Uint8ClampedArray<ArrayBuffer> {
  const { width, height } = view
  if (width <= side && height <= side) return painter.paint(view)
  const pixels = new Uint8ClampedArray(4 * width * height)
  for (const down of cut(height, side)) {
    for (const across of cut(width, side)) {
      const size = { width: across.paintTo - across.paintFrom, height: down.paintTo - down.paintFrom }
      const window = { left: across.paintFrom, top: down.paintFrom, width, height }
      const part = painter.paint({ ...view, ...size, window })
      for (let row = down.from; row < down.to; row++) {
        const from = across.from - across.paintFrom + size.width * (row - down.paintFrom)
        pixels.set(part.subarray(4 * from, 4 * (from + across.to - across.from)), 4 * (across.from + width * row))
      }
    }
  }
  return pixels
}

interface Part {
  readonly from: number
  readonly to: number
  /** With its margins. */
  readonly paintFrom: number
  readonly paintTo: number
}

/** Along one side of a picture: parts that are no longer than `most` with their margins. */
function cut(length: number, most: number): Part[] {
  const margin = WINDOW_STEP * Math.ceil((WINDOW_MARGIN * length) / WINDOW_STEP)
  const inner = WINDOW_STEP * Math.max(1, Math.floor((most - 2 * margin) / WINDOW_STEP))
  return Array.from({ length: Math.ceil(length / inner) }, (_, n) => {
    const from = n * inner
    const to = Math.min(from + inner, length)
    return { from, to, paintFrom: Math.max(from - margin, 0), paintTo: Math.min(to + margin, length) }
  })
}
