/** The twelve edges of the grid as thin lines over a picture. Lengths in cells. */
import { BEFORE_EYE } from '../rendering-constants.js'
import { add, dot, length, type Vector } from '../vector.js'
import type { SpaceView } from '../view.js'

const EDGE_OPACITY = 0.4

/** `isSeen` is called for every pixel of a line, with the depth of the line along the axis of the camera. */
export function drawBoxEdges(
  pixels: Uint8ClampedArray,
  view: SpaceView,
  shape: Vector,
  eye: Vector,
  colour: Vector,
  isSeen: (pixel: number, away: number) => boolean,
): void {
  const { width, height, camera, lineWidth = 1 } = view
  const whole = view.window ?? { left: 0, top: 0, width, height }

  /** Column, row and one over the way of a place that is seen from the eye. */
  const onScreen = (place: Vector): Vector => {
    const near = 1 / dot(place, camera.forward)
    const right = (dot(place, camera.right) / length(camera.right) ** 2) * near
    const up = (dot(place, camera.up) / length(camera.up) ** 2) * near
    return [0.5 * ((right + 1) * whole.width - 1) - whole.left, 0.5 * ((1 - up) * whole.height - 1) - whole.top, near]
  }

  function drawPoint(column: number, row: number, away: number, share: number): void {
    if (column < 0 || row < 0 || column >= width || row >= height || !(share > 0)) return
    const pixel = column + width * row
    if (!isSeen(pixel, away)) return
    for (let part = 0; part < 3; part++) {
      const below = pixels[4 * pixel + part]
      pixels[4 * pixel + part] = below + EDGE_OPACITY * share * (colour[part] - below)
    }
  }

  function drawLine(a: Vector, b: Vector): void {
    const [from, to] = [onScreen(a), onScreen(b)]
    const isSteep = Math.abs(to[1] - from[1]) > Math.abs(to[0] - from[0])
    const along = isSteep ? 1 : 0
    const span = to[along] - from[along]
    if (!(Math.abs(span) > 0.01)) return
    const first = Math.max(Math.ceil(Math.min(from[along], to[along])), 0)
    const last = Math.min(Math.floor(Math.max(from[along], to[along])), (isSteep ? height : width) - 1)
    for (let at = first; at <= last; at++) {
      const share = (at - from[along]) / span
      // On the screen one over the way changes evenly.
      const away = 1 / (from[2] + share * (to[2] - from[2]))
      const across = from[1 - along] + share * (to[1 - along] - from[1 - along])
      const reach = 0.5 * (lineWidth + 1)
      for (let beside = Math.floor(across - reach) + 1; beside < across + reach; beside++)
        drawPoint(isSteep ? beside : at, isSteep ? at : beside, away, Math.min(reach - Math.abs(beside - across), 1))
    }
  }

  for (const axis of [0, 1, 2])
    for (let which = 0; which < 4; which++) {
      // From one corner to the other along the axis, at one of the four ends of the other two.
      const [a, b] = [which & 1, which >> 1]
      const corner = [axis === 0 ? 0 : a, axis === 1 ? 0 : axis === 0 ? a : b, axis === 2 ? 0 : b]
      const start = corner.map((end, n) => end * shape[n] - eye[n]) as unknown as Vector
      const ahead = shape[axis] * camera.forward[axis]
      const away = dot(start, camera.forward)
      // The part that is before the eye.
      const from = away < BEFORE_EYE ? (BEFORE_EYE - away) / ahead : 0
      const to = away + ahead < BEFORE_EYE ? (BEFORE_EYE - away) / ahead : 1
      if (!(from >= 0 && to <= 1 && from < to)) continue
      const step = (share: number) => [0, 1, 2].map(n => (n === axis ? share * shape[axis] : 0)) as unknown as Vector
      drawLine(add(start, step(from)), add(start, step(to)))
    }
}
