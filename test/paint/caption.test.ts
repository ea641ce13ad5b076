import { describe, expect, it } from 'vitest'
import type { Picture } from '../../src/liquid/picture.js'
import { addCaption, shortNumber, sideBySide } from '../../src/paint/caption.js'
import { blend, mapColour } from '../../src/paint/colour.js'
import { LETTER_ROWS, textWidth, write } from '../../src/paint/lettering.js'

function blank(width: number, height: number, grey = 128): Picture {
  const pixels = new Uint8ClampedArray(4 * width * height).fill(grey)
  return { width, height, pixels }
}

const changed = (picture: Picture, grey = 128) =>
  [...picture.pixels.keys()].filter(at => at % 4 === 0 && picture.pixels[at] !== grey).map(at => at / 4)

describe('lettering', () => {
  it('writes every letter within its width and apart from others', () => {
    const seen = new Map<string, string>()
    for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:;!?()[]<>+=/%&*@') {
      const picture = blank(40, 50)
      write(picture, char, 8, 8, 3, [0, 0, 0])
      const dots = changed(picture)
      expect(dots.length, char).toBeGreaterThan(4)
      for (const at of dots) {
        expect(at % 40, char).toBeGreaterThanOrEqual(7)
        expect(at % 40, char).toBeLessThanOrEqual(8 + 3 * textWidth(char) + 3)
        expect(Math.floor(at / 40), char).toBeLessThanOrEqual(8 + 3 * LETTER_ROWS + 1)
      }
      const shape = dots.join(',')
      expect(seen.get(shape), `${char} looks like ${seen.get(shape)}`).toBeUndefined()
      seen.set(shape, char)
    }
  })

  it('covers an area that grows with the square of the size', () => {
    const ink = (dot: number) => {
      const picture = blank(400, 200, 255)
      write(picture, 'Sand 42', 10, 10, dot, [0, 0, 0])
      return picture.pixels.reduce((sum, value, at) => sum + (at % 4 === 0 ? 255 - value : 0), 0)
    }
    expect(ink(8) / ink(4)).toBeCloseTo(4, 1)
  })

  it('leaves out what lies outside, and writes what it does not know as a question mark', () => {
    const picture = blank(20, 20)
    write(picture, 'WWWW', -30, -5, 4, [0, 0, 0])
    expect(picture.pixels.length).toBe(1600)
    const [known, unknown] = ['?', '漢'].map(text => {
      const page = blank(30, 40)
      write(page, text, 4, 4, 3, [0, 0, 0])
      return page.pixels
    })
    expect(unknown).toEqual(known)
    expect(textWidth('')).toBe(0)
  })
})

describe('captions', () => {
  it.each(['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const)('stay in the corner %s', corner => {
    const picture = blank(400, 300)
    addCaption(picture, 'drip', corner)
    for (const at of changed(picture)) {
      expect(at % 400 < 200).toBe(corner.endsWith('left'))
      expect(Math.floor(at / 400) < 150).toBe(corner.startsWith('top'))
    }
  })

  it('shorten numbers', () => {
    expect(shortNumber(12345, 'Pa')).toBe('12.3 kPa')
    expect(shortNumber(0, 'Pa')).toBe('0 Pa')
    expect(shortNumber(-0.0123, 'm/s')).toBe('-12.3 mm/s')
  })
})

describe('pictures side by side', () => {
  it('keep all their pixels in place', () => {
    const [left, right] = [blank(7, 4, 10), blank(5, 4, 20)]
    const both = sideBySide([left, right])
    const gap = both.width - 12
    expect(gap).toBeGreaterThan(0)
    for (let row = 0; row < 4; row++) {
      const at = (column: number) => both.pixels[4 * (column + both.width * row)]
      expect([at(0), at(6), at(7), at(7 + gap), at(both.width - 1)]).toEqual([10, 10, 255, 20, 20])
    }
    expect(sideBySide([left])).toEqual(left)
  })

  it('need one height', () => {
    expect(() => sideBySide([blank(2, 3), blank(2, 4)])).toThrow(/same height, not 3, 4/)
    expect(() => sideBySide([])).toThrow(/at least one/)
  })
})

describe('the colour map', () => {
  /** Lightness of the CIE, from the luminance of the screen's colours. */
  function lightness(value: number): number {
    const [r, g, b] = mapColour(value).map(part =>
      part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
    )
    return 116 * Math.cbrt(0.2126 * r + 0.7152 * g + 0.0722 * b) - 16
  }

  it('grows lighter in equal steps', () => {
    const steps = Array.from({ length: 20 }, (_, at) => lightness((at + 1) / 20) - lightness(at / 20))
    const mean = steps.reduce((a, b) => a + b) / 20
    for (const step of steps) expect(Math.abs(step / mean - 1)).toBeLessThan(0.3)
    expect(lightness(1) - lightness(0)).toBeGreaterThan(65)
  })

  it('holds at and beyond its ends', () => {
    expect(mapColour(-5)).toEqual(mapColour(0))
    expect(mapColour(7)).toEqual(mapColour(1))
    expect(mapColour(Number.NaN)).toEqual(mapColour(0))
  })

  it('is laid over by shares', () => {
    const pixels = new Uint8ClampedArray([100, 100, 100, 0])
    blend(pixels, 0, [200, 0, 100], 0.5)
    expect([...pixels]).toEqual([150, 50, 100, 255])
  })
})
