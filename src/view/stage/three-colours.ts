/** Colours of palettes (0xrrggbb) for shaders. */
import { Color } from 'three'
import { screenColour } from '../../paint/palette.js'

/** Linear light, for shaders whose result is encoded later. */
export function toLight(colour: number): Color {
  return new Color(colour)
}

/** Unchanged, for shaders that write to the screen themselves. */
export function toScreen(colour: number): Color {
  return new Color().setRGB(...screenColour(colour))
}
