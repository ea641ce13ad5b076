/** Captions on pictures, and pictures side by side. Sizes follow the picture, so that a small one stays readable. */
import { InputError } from '../input-error.js'
import type { Frame } from '../liquid/frame.js'
import type { Picture } from '../liquid/picture.js'
import { blend, type Colour } from './colour.js'
import { capitalHeight, textWidth, write } from './lettering.js'

export type Corner = 'top-left' | 'top-right' | 'bottom-left' | 'bottom-right'

const INK: Colour = [28, 40, 56]
const PAPER: Colour = [255, 255, 255]
const PAPER_SHARE = 0.78
/** Margins and padding, in dots of a letter. */
const MARGIN = 5
const PADDING = 4

/** Pixels between the dots of a letter. */
function dotOf({ width, height }: Picture): number {
  return Math.max(1, Math.min(width, height) / 260)
}

/** Writes a line of text on a pale plate in a corner. */
export function addCaption(picture: Picture, text: string, corner: Corner, ink: Colour = INK): void {
  const dot = dotOf(picture)
  const width = textWidth(text) * dot
  const { x, y } = plateIn(picture, corner, width, capitalHeight(dot))
  write(picture, text, x, y, dot, ink)
}

export interface CaptionOptions {
  readonly caption?: string
  /** Writes the time of the frame. */
  readonly time?: boolean
}

export function addFrameCaption(picture: Picture, frame: Frame, { caption, time }: CaptionOptions, corner: Corner): void {
  const text = [caption, time ? `t = ${frame.time.toFixed(2)} s` : undefined].filter(Boolean).join('   ')
  if (text) addCaption(picture, text, corner)
}

/** Draws an empty plate and returns where on it to begin. */
function plateIn(picture: Picture, corner: Corner, width: number, height: number): { x: number; y: number } {
  const dot = dotOf(picture)
  const padding = PADDING * dot
  const margin = MARGIN * dot
  const x = corner.endsWith('left') ? margin + padding : picture.width - margin - padding - width
  const y = corner.startsWith('top') ? margin + padding : picture.height - margin - padding - height
  const radius = padding
  for (let row = Math.floor(y - padding); row < y + height + padding; row++) {
    for (let column = Math.floor(x - padding); column < x + width + padding; column++) {
      const offX = Math.max(x - (column + 0.5), column + 0.5 - x - width, 0)
      const offY = Math.max(y - (row + 0.5), row + 0.5 - y - height, 0)
      const coverage = Math.min(Math.max(radius - Math.hypot(offX, offY) + 0.5, 0), 1)
      lay(picture, column, row, PAPER, PAPER_SHARE * coverage)
    }
  }
  return { x, y }
}

function lay({ width, height, pixels }: Picture, column: number, row: number, colour: Colour, share: number): void {
  if (column >= 0 && column < width && row >= 0 && row < height) blend(pixels, 4 * (column + width * row), colour, share)
}

/** Pictures of the same height in one row, with a gap between them. Captions belong on the pictures themselves. */
export function sideBySide(pictures: readonly Picture[]): Picture {
  if (pictures.length === 0) throw new InputError('There are no pictures to put side by side; give at least one.')
  const height = pictures[0].height
  if (pictures.some(picture => picture.height !== height))
    throw new InputError(
      `Pictures side by side need the same height, not ${pictures.map(picture => picture.height).join(', ')} pixels.`,
    )
  const gap = pictures.length > 1 ? Math.max(2, Math.round(height / 160)) : 0
  const width = pictures.reduce((sum, picture) => sum + picture.width, gap * (pictures.length - 1))
  const pixels = new Uint8ClampedArray(4 * width * height).fill(255)
  let left = 0
  for (const picture of pictures) {
    for (let row = 0; row < height; row++) {
      const from = 4 * picture.width * row
      pixels.set(picture.pixels.subarray(from, from + 4 * picture.width), 4 * (left + width * row))
    }
    left += picture.width + gap
  }
  return { width, height, pixels }
}

/** Three digits that matter, with the prefix that keeps the number short. */
export function shortNumber(value: number, unit: string): string {
  const size = Math.abs(value)
  if (size === 0) return `0 ${unit}`
  const [factor, prefix] = size >= 1e6 ? [1e6, 'M'] : size >= 1e3 ? [1e3, 'k'] : size >= 1 ? [1, ''] : [1e-3, 'm']
  return `${Number((value / factor).toPrecision(3))} ${prefix}${unit}`
}
