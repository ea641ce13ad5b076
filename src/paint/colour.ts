/** Colours: mixing, and a map from numbers to colours whose steps look equally large. */

/** Red, green and blue from 0 to 255, as screens are given them. */
export type Colour = readonly [number, number, number]

/** Lays a colour over a pixel; `share` 1 hides what was there. */
export function blend(pixels: Uint8ClampedArray, at: number, colour: Colour, share: number): void {
  for (let part = 0; part < 3; part++) pixels[at + part] += share * (colour[part] - pixels[at + part])
  pixels[at + 3] = 255
}

export function mix(a: Colour, b: Colour, share: number): Colour {
  return [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), a[2] + share * (b[2] - a[2])]
}

/** A path through the colour space Oklab (Ottosson 2020) on which lightness grows evenly, from deep violet over teal to pale
 *  yellow. Also readable with red-green colour blindness, and in grey. */
const LIGHTNESS = [0.3, 0.93]
const HUE = [300, 105]
/** At both ends and in the middle, where screens show no more. */
const CHROMA = [0.12, 0.14, 0.085]

/** Colours that a map of numbers has. */
export const COLOUR_STEPS = 256
const MAP: readonly Colour[] = Array.from({ length: COLOUR_STEPS }, (_, at) => {
  const t = at / (COLOUR_STEPS - 1)
  const between = ([a, b]: readonly number[]) => a + t * (b - a)
  const hue = (between(HUE) * Math.PI) / 180
  const bend = 4 * t * (1 - t)
  const chroma = between(CHROMA) * (1 - bend) + CHROMA[2] * bend
  return fromOklab(between(LIGHTNESS), chroma * Math.cos(hue), chroma * Math.sin(hue))
})

/** 0 is the darkest colour, 1 the lightest; values outside are clamped, and NaN is the darkest. */
export function mapColour(value: number): Colour {
  return MAP[Math.min(Math.max(Math.round(value * (COLOUR_STEPS - 1)) || 0, 0), COLOUR_STEPS - 1)]
}

/** −1 is blue, 0 nearly white, 1 red: for values whose sign matters. Both ways get darker alike. */
export function twoSidedColour(value: number): Colour {
  const size = Math.min(Math.abs(value) || 0, 1)
  const hue = ((value < 0 ? 255 : 35) * Math.PI) / 180
  const chroma = 0.16 * size
  return fromOklab(0.96 - 0.46 * size, chroma * Math.cos(hue), chroma * Math.sin(hue))
}

function fromOklab(lightness: number, a: number, b: number): Colour {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    screen(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    screen(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    screen(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ]
}

/** From linear light to the curve of screens. */
function screen(light: number): number {
  const value = light <= 0.0031308 ? 12.92 * light : 1.055 * light ** (1 / 2.4) - 0.055
  return 255 * Math.min(Math.max(value, 0), 1)
}
