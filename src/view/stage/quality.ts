/** How much work a picture may be, and how that follows what the machine can do. */

export type Quality = 'low' | 'medium' | 'high'

export interface WaterQuality {
  /** Drawn pixels per pixel of the page, at most. */
  readonly pixelRatio: number
  /** How often the surface of water is smoothed, along both axes each time, and over how many pixels to each side at most. */
  readonly rounds: number
  readonly filterPixels: number
  /** Drawn pixels along each axis that have one thickness, which is smooth. */
  readonly thicknessPixels: number
}

export const WATER_QUALITY: Readonly<Record<Quality, WaterQuality>> = {
  low: { pixelRatio: 0.75, rounds: 1, filterPixels: 10, thicknessPixels: 4 },
  medium: { pixelRatio: 1.25, rounds: 2, filterPixels: 16, thicknessPixels: 2 },
  high: { pixelRatio: 2, rounds: 3, filterPixels: 28, thicknessPixels: 2 },
}

const ORDER: readonly Quality[] = ['low', 'medium', 'high']

/** Pictures in a row that must agree. */
const SLOW_PICTURES = 6
const FAST_PICTURES = 90

export interface QualityChooser {
  readonly quality: Quality
  /** After every picture: how long the renderer was busy with it, ms. */
  observe(milliseconds: number): void
}

export interface ChooserOptions {
  readonly start: Quality
  /** Milliseconds per picture above which quality is reduced, and below which it is raised again. */
  readonly tooSlow: number
  readonly fast: number
}

/** Falls fast, rises slowly, and never returns to a level that was too slow before: alternating sharpness looks worse than
 *  either. */
export function createQualityChooser({ start, tooSlow, fast: fastEnough }: ChooserOptions): QualityChooser {
  let at = ORDER.indexOf(start)
  let highest = ORDER.length - 1
  let slow = 0
  let fast = 0
  return {
    get quality() {
      return ORDER[at]
    },
    observe(milliseconds) {
      slow = milliseconds > tooSlow ? slow + 1 : 0
      fast = milliseconds < fastEnough ? fast + 1 : 0
      if (slow >= SLOW_PICTURES && at > 0) {
        highest = --at
        slow = 0
      } else if (fast >= FAST_PICTURES && at < highest) {
        at++
        fast = 0
      }
    },
  }
}
