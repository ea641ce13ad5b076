/** Smooths steps along edges: where neighbours differ much in brightness, a pixel becomes a mean along the edge. */

/** Neighbours that differ less have no step between them. Of 255. */
const MIN_STEP = 12

export function smoothEdges(picture: Uint8ClampedArray, width: number, height: number): Uint8ClampedArray<ArrayBuffer> {
  const smoothed = Uint8ClampedArray.from(picture)
  for (let row = 1; row < height - 1; row++)
    for (let column = 1; column < width - 1; column++) {
      const pixel = column + width * row
      if (hasStep(picture, pixel, width)) smoothed.set(alongEdge(picture, pixel, width), 4 * pixel)
    }
  return smoothed
}

function hasStep(picture: Uint8ClampedArray, pixel: number, width: number): boolean {
  for (let part = 0; part < 3; part++) {
    const at = 4 * pixel + part
    for (const other of [at - 4, at + 4, at - 4 * width, at + 4 * width])
      if (Math.abs(picture[at] - picture[other]) > MIN_STEP) return true
  }
  return false
}

function alongEdge(picture: Uint8ClampedArray, pixel: number, width: number): readonly number[] {
  const colourAt = (x: number, y: number) => between(picture, pixel, width, x, y)
  const brightAt = (x: number, y: number) => brightness(colourAt(x, y))
  const [nw, ne, sw, se] = [brightAt(-0.5, -0.5), brightAt(0.5, -0.5), brightAt(-0.5, 0.5), brightAt(0.5, 0.5)]
  const middle = brightAt(0, 0)
  const most = Math.max(middle, nw, ne, sw, se)
  const least = Math.min(middle, nw, ne, sw, se)
  if (most - least < Math.max(0.03 * 255, 0.1 * most)) return colourAt(0, 0)
  // The edge is at right angles to the rise of brightness.
  const edge = [nw + ne - (sw + se), se + ne - (sw + nw)]
  const size = Math.max(Math.abs(edge[0]), Math.abs(edge[1]))
  if (size < 6 / 256) return colourAt(0, 0)
  const [x, y] = edge.map(part => part / size)
  const mean = (share: number) => {
    const other = colourAt(-share * x, -share * y)
    return colourAt(share * x, share * y).map((value, part) => 0.5 * (value + other[part]))
  }
  const near = mean(0.3)
  const far = mean(1)
  const wide = near.map((value, part) => 0.5 * (value + far[part]))
  const bright = brightness(wide)
  return bright < least || bright > most ? near : wide
}

function brightness([red, green, blue]: readonly number[]): number {
  return (77 * red + 151 * green + 28 * blue) / 256
}

/** The picture less than a pixel from the middle of one, to the right and downwards. */
function between(picture: Uint8ClampedArray, pixel: number, width: number, x: number, y: number): number[] {
  const next = x < 0 ? -4 : 4
  const line = y < 0 ? -4 * width : 4 * width
  const [wide, tall] = [Math.abs(x), Math.abs(y)]
  return [0, 1, 2].map(part => {
    const at = 4 * pixel + part
    const near = picture[at] + wide * (picture[at + next] - picture[at])
    if (tall === 0) return near
    const far = picture[at + line] + wide * (picture[at + line + next] - picture[at + line])
    return near + tall * (far - near)
  })
}
