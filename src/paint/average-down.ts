/** Smaller pictures from larger ones. */
import type { Picture } from '../liquid/picture.js'

/** Every pixel becomes the mean of `samples` × `samples` of them; both sides are multiples of that. Always a copy. */
export function averageDown({ width, height, pixels }: Picture, samples: number): Picture {
  if (samples === 1) return { width, height, pixels: pixels.slice() }
  const small = { width: width / samples, height: height / samples }
  const to = new Uint8ClampedArray(4 * small.width * small.height)
  const share = 1 / samples ** 2
  for (let row = 0, at = 0; row < small.height; row++) {
    for (let column = 0; column < small.width; column++) {
      const first = 4 * samples * (column + width * row)
      for (let part = 0; part < 4; part++, at++) {
        let sum = 0
        for (let j = 0; j < samples; j++) for (let i = 0; i < samples; i++) sum += pixels[first + part + 4 * (i + width * j)]
        to[at] = share * sum
      }
    }
  }
  return { ...small, pixels: to }
}
