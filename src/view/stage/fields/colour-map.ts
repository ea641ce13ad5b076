/** Colours of numbers as a texture of one row, and the functions of shaders that look them up. */
import { DataTexture, NearestFilter } from 'three'
import { COLOUR_STEPS, type Colour } from '../../../paint/colour.js'

/** From −1 to 1 if `isTwoSided`, else from 0 to 1. */
export function createColourMap(colourOf: (value: number) => Colour, isTwoSided = false): DataTexture {
  const pixels = new Uint8Array(4 * COLOUR_STEPS)
  for (let step = 0; step < COLOUR_STEPS; step++) {
    const share = step / (COLOUR_STEPS - 1)
    const [red, green, blue] = colourOf(isTwoSided ? 2 * share - 1 : share)
    pixels.set([red, green, blue, 255].map(Math.round), 4 * step)
  }
  const texture = new DataTexture(pixels, COLOUR_STEPS, 1)
  texture.minFilter = texture.magFilter = NearestFilter
  texture.needsUpdate = true
  return texture
}

/** As screens expect them; `toLight` for shaders whose result is encoded later. */
export const COLOUR_MAP = /* glsl */ `
uniform sampler2D colourMap;
uniform float low;
uniform float high;

vec3 mappedColour(float value) {
  float share = clamp((value - low) / max(high - low, 1e-30), 0.0, 1.0);
  return texelFetch(colourMap, ivec2(int(share * ${COLOUR_STEPS - 1}.0 + 0.5), 0), 0).rgb;
}

vec3 toLight(vec3 c) {
  return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c));
}
`
