/** What the processor paints of 3D frames: liquid, solids and ball where they are, one before the other, in the colours of the palette. */
import { PerspectiveCamera, Vector3 } from 'three'
import { afterEach, describe, expect, it } from 'vitest'
import type { ScalarFunction } from '../../src/grid/field.js'
import { createGrid, type Grid } from '../../src/grid/grid.js'
import { sphere } from '../../src/grid/shapes.js'
import type { Frame } from '../../src/liquid/frame.js'
import { type PaintMachine, paintModule } from '../../src/machine/generated/paint.js'
import { startMachine } from '../../src/machine/machine.js'
import { createSpacePainter } from '../../src/paint/compiled/space.js'
import { groundLightOf } from '../../src/paint/ground/ground-light.js'
import { DARK, LIGHT, lightOf } from '../../src/paint/palette.js'
import { TILE_TONE } from '../../src/paint/rendering-constants.js'
import { spaceColours } from '../../src/paint/space-colours.js'
import type { Ball, SpaceView } from '../../src/paint/view.js'
import { spaceCamera } from '../../src/view/stage/screen/plain-camera.js'
import { EVERYWHERE, frameOf, NOWHERE } from '../support/frames.js'

type Place = readonly [number, number, number]

const SIZE = 24
const WIDTH = 120
const HEIGHT = 90
const CENTRE: Place = [0.5, 0.5, 0.5]
const GRID = createGrid([SIZE, SIZE, SIZE], 1 / SIZE)

/** With a camera that can project places. */
interface PaintedView {
  readonly width: number
  readonly height: number
  readonly camera: PerspectiveCamera
  readonly dark: boolean
  readonly ball: Ball | null
}

const plain = ({ camera, dark, ...rest }: PaintedView): SpaceView => ({
  ...rest,
  camera: spaceCamera(camera),
  palette: dark ? DARK : LIGHT,
})

const open: PaintMachine[] = []
afterEach(() => {
  for (const machine of open.splice(0)) machine.dispose()
})

async function createPainter(share = false, threads = 1) {
  const machine = await startMachine(paintModule, threads, 0, share)
  open.push(machine)
  const painter = createSpacePainter(machine)
  return { show: painter.show, paint: (view: PaintedView) => painter.paint(plain(view)) }
}

function lookFrom(eye: Place, at: Place = CENTRE, width = WIDTH, height = HEIGHT): PerspectiveCamera {
  const camera = new PerspectiveCamera(28, width / height, 0.01, 100)
  camera.position.set(...eye)
  camera.lookAt(...at)
  camera.updateMatrixWorld()
  return camera
}

/** From above, with the ground below; from the side along z; and from below the ground, which is not seen from there, nor any shadow. */
const ABOVE: Place = [1.6, 1.7, 2.6]
const AHEAD: Place = [0.5, 0.5, 3.6]
const BELOW: Place = [1.4, -0.6, 2.9]

const viewOf = (eye: Place, more: Partial<PaintedView> = {}): PaintedView => ({
  width: WIDTH,
  height: HEIGHT,
  camera: lookFrom(eye, CENTRE, more.width, more.height),
  dark: false,
  ball: null,
  ...more,
})

const liquidFrame = (liquid: ScalarFunction, solid: ScalarFunction = NOWHERE, grid: Grid = GRID) => frameOf(grid, liquid, solid)
const EMPTY = liquidFrame(NOWHERE)

/** Painted by a painter that has painted nothing else. */
async function paint(frame: Frame, view: PaintedView): Promise<Uint8ClampedArray> {
  const painter = await createPainter()
  painter.show(frame)
  return painter.paint(view).slice()
}

const at = (pixels: Uint8ClampedArray, column: number, row: number, width = WIDTH) => [
  ...pixels.subarray(4 * (column + width * row), 4 * (column + width * row) + 3),
]
const middle = (pixels: Uint8ClampedArray) => at(pixels, WIDTH / 2, HEIGHT / 2)
const largestStep = (a: readonly number[], b: readonly number[]) =>
  Math.max(...a.map((value, channel) => Math.abs(value - b[channel])))

/** Directions through the middles of pixels, of length 1, from the upper left. */
function rays({ camera, width, height }: PaintedView): Vector3[] {
  return Array.from({ length: width * height }, (_, pixel) => {
    const x = (2 * ((pixel % width) + 0.5)) / width - 1
    const y = 1 - (2 * (Math.floor(pixel / width) + 0.5)) / height
    return new Vector3(x, y, 0.5).unproject(camera).sub(camera.position).normalize()
  })
}

/** How far rays pass by a place, in pixels. */
function pixelsOff(view: PaintedView, centre: Place, radius: number): number[] {
  const towards = new Vector3(...centre).sub(view.camera.position)
  const away = towards.length()
  const pixel = (2 * Math.tan((14 * Math.PI) / 180)) / view.height
  const seen = Math.asin(radius / away)
  return rays(view).map(ray => (ray.angleTo(towards) - seen) / pixel)
}

function project(view: PaintedView, place: Place): [number, number] {
  const { x, y } = new Vector3(...place).project(view.camera)
  return [0.5 * (x + 1) * view.width - 0.5, 0.5 * (1 - y) * view.height - 0.5]
}

/** Pixels of two pictures that differ by more than `least` of 255. */
function differing(a: Uint8ClampedArray, b: Uint8ClampedArray, least: number): boolean[] {
  return Array.from({ length: a.length / 4 }, (_, pixel) => {
    const from = 4 * pixel
    return largestStep([...a.subarray(from, from + 3)], [...b.subarray(from, from + 3)]) > least
  })
}

/** Whatever is seen of a thing is where it is: all that is surely inside of its outline differs, nothing outside does. */
function expectDisc(isSeen: readonly boolean[], view: PaintedView, centre: Place, radius: number): void {
  const off = pixelsOff(view, centre, radius)
  const wrong = off.filter((pixels, pixel) => (pixels < -1 && !isSeen[pixel]) || (pixels > 1 && isSeen[pixel]))
  expect(wrong).toEqual([])
  const seen = isSeen.flatMap((is, pixel) => (is ? [[pixel % view.width, Math.floor(pixel / view.width)]] : []))
  const expected = off.flatMap((pixels, pixel) => (pixels < 0 ? [[pixel % view.width, Math.floor(pixel / view.width)]] : []))
  for (const axis of [0, 1]) expect(Math.abs(mean(seen, axis) - mean(expected, axis))).toBeLessThan(0.3)
  expect(Math.abs(Math.sqrt(seen.length / Math.PI) - Math.sqrt(expected.length / Math.PI))).toBeLessThan(0.6)
}

function mean(places: readonly (readonly number[])[], axis: number): number {
  return places.reduce((sum, place) => sum + place[axis], 0) / places.length
}

describe('liquid', () => {
  it.each([
    [CENTRE, 0.3],
    [[0.35, 0.6, 0.45] as const, 0.17],
    [[0.62, 0.41, 0.7] as const, 0.11],
  ])('is seen where it is: a ball around %j with radius %d', async (centre, radius) => {
    const view = viewOf(BELOW)
    const isSeen = differing(await paint(liquidFrame(sphere(centre, radius)), view), await paint(EMPTY, view), 7)
    expectDisc(isSeen, view, centre, radius)
  })

  it('that fills the domain is seen as a box, with no edges behind it', async () => {
    const view = viewOf(ABOVE)
    const pixels = await paint(liquidFrame(EVERYWHERE), view)
    const isWater = differing(pixels, await paint(EMPTY, view), 30)
    // Every ray through the inside of the box meets water.
    const inside = rays(view).map(ray => wayThroughBox(view.camera.position, ray) > 0.1)
    expect(
      inside.filter((is, pixel) => is && !isWater[pixel] && !isBesideEdge(view, pixel % WIDTH, Math.floor(pixel / WIDTH))),
    ).toEqual([])
    const [x, y] = project(view, [0, 0.5, 0]).map(Math.round)
    expect(Math.min(...[-3, 3].map(off => largestStep(at(pixels, x, y), at(pixels, x + off, y))))).toBeLessThan(5)
  })

  it('takes more light the thicker it is, red most of all', async () => {
    const view = viewOf(AHEAD)
    const colours: number[][] = []
    for (const thick of [0.1, 0.2, 0.4, 0.7, 0.95])
      colours.push(
        middle(
          await paint(
            liquidFrame((_x, _y, z) => Math.abs(z - 0.5) - thick / 2),
            view,
          ),
        ),
      )
    for (const [thin, thicker] of colours.slice(1).map((colour, at) => [colours[at], colour])) {
      expect(thicker[0]).toBeLessThan(thin[0])
      expect(thicker[0] + thicker[1] + thicker[2]).toBeLessThan(thin[0] + thin[1] + thin[2])
      expect(thicker[2] - thicker[0]).toBeGreaterThan(thin[2] - thin[0])
    }
  })

  it('is as thick where every ray is measured as between those', async () => {
    // Along rows of pixels the thickness of a wedge changes evenly.
    const view = viewOf(AHEAD)
    const pixels = await paint(
      liquidFrame((x, _y, z) => Math.abs(z - 0.5) - 0.1 - 0.3 * x),
      view,
    )
    const reds = Array.from({ length: 25 }, (_, column) => at(pixels, 48 + column, HEIGHT / 2)[0])
    for (const [place, red] of reds.slice(1).entries()) expect(red).toBeLessThanOrEqual(reds[place])
  })

  it('has no steps where its surface has none, also if distances are known near it only', async () => {
    // The ground, with its tiles and its light, has steps of its own: nothing of it is seen through this liquid.
    const view = {
      ...viewOf([0.5, 2.6, 3.2]),
      palette: { ...LIGHT, absorbed: [60, 60, 60] as const, murk: 60, scattered: 0x8fb4d0, edge: 0x9cc2e2 },
    }
    const surface: ScalarFunction = (x, y, z) => (y - 0.4 - 0.1 * x + 0.15 * z) / Math.hypot(0.1, 1, 0.15)
    const pixels = await paint(
      liquidFrame((x, y, z) => Math.min(Math.max(surface(x, y, z), -1 / SIZE), 1.5 / SIZE)),
      view,
    )
    const [left, top] = project(view, [0.15, 0.4, 0.45]).map(Math.ceil)
    const [right, bottom] = project(view, [0.85, 0.4, 0.85]).map(Math.floor)
    expect((right - left) * (bottom - top)).toBeGreaterThan(400)
    for (let row = top; row < bottom; row++)
      for (let column = left; column < right; column++) {
        const here = at(pixels, column, row)
        expect(largestStep(here, at(pixels, column + 1, row))).toBeLessThan(8)
        expect(largestStep(here, at(pixels, column, row + 1))).toBeLessThan(8)
      }
  })

  it.each([
    [0.56, 0.56],
    [0.69, 0.69],
    [0.44, 0.69],
  ])('lets the light of its map on the ground, at %d, %d', async (x, z) => {
    const view = viewOf([2.2, 2.3, 3.6])
    const frame = liquidFrame(sphere([0.5, 0.75, 0.5], 0.25))
    const pixel = project(view, [x, 0, z]).map(Math.round) as [number, number]
    const bare = at(await paint(EMPTY, view), ...pixel)
    const [red, green, blue] = spaceColours(LIGHT, frame.grid.shape).absorbed
    const map = groundLightOf(frame, [red, green, blue])(x * SIZE, z * SIZE)
    const expected = map.map((share, channel) => encode(share * lightOf((bare[0] << 16) | (bare[1] << 8) | bare[2])[channel]))
    expect(Math.abs(bare[0] - expected[0])).toBeGreaterThan(5)
    expect(largestStep(at(await paint(frame, view), ...pixel), expected)).toBeLessThan(6)
  })

  it('that is thin shows the shape of liquid behind it', async () => {
    const view = viewOf(AHEAD)
    const film: ScalarFunction = (_x, _y, z) => Math.abs(z - 0.85) - 0.8 / SIZE
    const ball = sphere([0.5, 0.5, 0.4], 0.25)
    const behind = await paint(
      liquidFrame((x, y, z) => Math.min(film(x, y, z), ball(x, y, z))),
      view,
    )
    // Light falls from above: the ball is brighter there, which a film of even thickness before it does not hide.
    const [top, bottom] = [0.64, 0.36].map(y => at(behind, ...(project(view, [0.5, y, 0.6]).map(Math.round) as [number, number])))
    expect(top[1] + top[2] - bottom[1] - bottom[2]).toBeGreaterThan(8)
    expect(differing(behind, await paint(liquidFrame(film), view), 20).filter(Boolean).length).toBeGreaterThan(300)
  })

  it('has a bright line where its surface ends on a side of the domain, and none within it', async () => {
    const view = viewOf(AHEAD)
    const pixels = await paint(
      liquidFrame((_x, y) => y - 0.5),
      view,
    )
    const column = WIDTH / 2
    const [, surface] = project(view, [0.5, 0.5, 1]).map(Math.round)
    const red = (row: number) => at(pixels, column, row)[0]
    expect(Math.max(...[-1, 0, 1].map(off => red(surface + off)))).toBeGreaterThan(red(surface + 5) + 40)
    for (let row = surface + 5; row < surface + 15; row++) expect(Math.abs(red(row) - red(row + 1))).toBeLessThan(6)
  })

  it('in drops mirrors all light near their outline', async () => {
    const view = viewOf(AHEAD)
    const pixels = await paint(liquidFrame(sphere(CENTRE, 0.09)), view)
    const [row, middleOf] = [HEIGHT / 2, at(pixels, WIDTH / 2, HEIGHT / 2)]
    const reds = Array.from({ length: 20 }, (_, off) => at(pixels, WIDTH / 2 + off, row)[0])
    // Darker than the middle of the drop and than what is behind it.
    expect(Math.min(...reds)).toBeLessThan(middleOf[0] - 30)
    expect(Math.min(...reds)).toBeLessThan(reds[19] - 60)
  })

  it('within solids is not seen', async () => {
    const view = viewOf(BELOW)
    const cavity = sphere(CENTRE, 0.3)
    const solid: ScalarFunction = (x, y, z) => -cavity(x, y, z)
    const isSeen = differing(await paint(liquidFrame(EVERYWHERE, solid), view), await paint(liquidFrame(NOWHERE, solid), view), 7)
    expectDisc(isSeen, view, CENTRE, 0.3)
  })

  it('is seen to touch solids, although frames have none in them', async () => {
    const view = viewOf(BELOW)
    const cavity = sphere(CENTRE, 0.4)
    const solid: ScalarFunction = (x, y, z) => -cavity(x, y, z)
    const filled = await paint(liquidFrame(EVERYWHERE, solid), view)
    const cut = await paint(
      liquidFrame((x, y, z) => (cavity(x, y, z) < 0 ? -1 : 1.5) / SIZE, solid),
      view,
    )
    const isOther = differing(filled, cut, 8)
    expect(isOther.filter(Boolean).length).toBeLessThan(0.01 * WIDTH * HEIGHT)
  })

  it('is seen from within, and from within the domain beside it', async () => {
    for (const eye of [CENTRE, [0.9, 0.9, 0.9]] as const) {
      const view = viewOf(eye, { camera: lookFrom(eye, [0.1, 0.1, 0.1]) })
      const pixels = await paint(liquidFrame(sphere(CENTRE, 0.2)), view)
      expect(largestStep(middle(pixels), middle(await paint(EMPTY, view)))).toBeGreaterThan(20)
      expect(isOpaque(pixels)).toBe(true)
    }
  })
})

describe('what is around liquid', () => {
  it.each([false, true])('has the colours of the palette where nothing is before it; dark: %s', async dark => {
    const view = viewOf([1.3, 0.9, 2.4], { dark, camera: lookFrom([1.3, 0.9, 2.4], [0.5, 0.9, 0.5]) })
    const pixels = await paint(EMPTY, view)
    const expected = rays(view).map(ray => surroundings(view.camera.position, ray, dark))
    let compared = 0
    for (let row = 1; row < HEIGHT - 1; row++)
      for (let column = 1; column < WIDTH - 1; column++) {
        const here = expected[column + WIDTH * row]
        const around = [-WIDTH - 1, -WIDTH, -WIDTH + 1, -1, 1, WIDTH - 1, WIDTH, WIDTH + 1]
        // Edges of the domain, and lines on the ground whose edges are smoothed, are another matter.
        if (around.some(step => largestStep(expected[column + WIDTH * row + step], here) > 8) || isBesideEdge(view, column, row))
          continue
        compared++
        expect(largestStep(at(pixels, column, row), here), `${column}, ${row}`).toBeLessThanOrEqual(1.6)
      }
    expect(compared).toBeGreaterThan(0.6 * WIDTH * HEIGHT)
  })

  it('has thin lines along all edges of the domain', async () => {
    const view = viewOf([2.3, 1.9, 3.9])
    const pixels = await paint(EMPTY, view)
    const bare = rays(view).map(ray => surroundings(view.camera.position, ray, false))
    for (const [from, to] of EDGES) {
      const place = from.map((value, axis) => 0.53 * value + 0.47 * to[axis]) as unknown as Place
      const [column, row] = project(view, place).map(Math.round)
      const air = bare[column + WIDTH * row][0]
      // Of a line whose opacity is 0.4, and which may lie between two pixels.
      const share = (air - at(pixels, column, row)[0]) / (air - (LIGHT.edge >> 16))
      expect(share).toBeGreaterThan(0.17)
      expect(share).toBeLessThan(0.43)
    }
  })

  it('has a ball where it is', async () => {
    const view = viewOf(BELOW)
    const ball: Ball = { centre: [0.6, 0.55, 0.4], radius: 0.2 }
    const isSeen = differing(await paint(EMPTY, { ...view, ball }), await paint(EMPTY, view), 20)
    expectDisc(isSeen, view, ball.centre, ball.radius)
  })

  it('has a ball before liquid, within it and behind it', async () => {
    const view = viewOf(AHEAD)
    const liquid = liquidFrame((_x, _y, z) => Math.abs(z - 0.5) - 0.25)
    const ballAt = (z: number): Ball => ({ centre: [0.5, 0.5, z], radius: 0.1 })
    const alone = middle(await paint(EMPTY, { ...view, ball: ballAt(0.9) }))
    const [before, near, far, behind] = await Promise.all(
      [0.9, 0.6, 0.4, 0.1].map(async z => middle(await paint(liquid, { ...view, ball: ballAt(z) }))),
    )
    expect(before).toEqual(alone)
    // The more liquid is before it, the less of its red is left; none is added by liquid behind it.
    expect(near[0]).toBeLessThan(before[0] - 20)
    expect(far[0]).toBeLessThan(near[0] - 10)
    expect(behind[0]).toBeLessThan(far[0] - 5)
    expect(behind[2]).toBeLessThan(middle(await paint(liquid, view))[2] - 10)
  })

  it('has solids before liquid, and behind it hardly any', async () => {
    const view = viewOf(AHEAD)
    const slab =
      (z: number): ScalarFunction =>
      (_x, _y, c) =>
        Math.abs(c - z) - 0.05
    const liquid: ScalarFunction = (_x, _y, z) => Math.abs(z - 0.5) - 0.2
    const water = middle(await paint(liquidFrame(liquid), view))
    const before = middle(await paint(liquidFrame(liquid, slab(0.85)), view))
    const behind = middle(await paint(liquidFrame(liquid, slab(0.15)), view))
    expect(before[0]).toBeGreaterThan(water[0] + 25)
    expect(largestStep(behind, water)).toBeLessThan(0.6 * (before[0] - water[0]))
    expect(largestStep(behind, water)).toBeGreaterThan(1)
  })

  it('is glass at the near wall of a container', async () => {
    const view = viewOf(AHEAD)
    const container: ScalarFunction = (_x, _y, z) => 0.8 - z
    const liquid: ScalarFunction = (_x, _y, z) => z - 0.6
    const water = middle(await paint(liquidFrame(liquid), view))
    expect(largestStep(middle(await paint(liquidFrame(liquid, container), view)), water)).toBeLessThan(20)
    // Liquid that touches the glass is seen, too.
    const filled = middle(await paint(liquidFrame(EVERYWHERE, container), view))
    expect(filled[2] - filled[0]).toBeGreaterThan(100)
  })

  it('has a ball before and behind solids', async () => {
    const view = viewOf(AHEAD)
    const frame = liquidFrame(NOWHERE, (_x, _y, z) => Math.abs(z - 0.5) - 0.05)
    const ballAt = (z: number): Ball => ({ centre: [0.5, 0.5, z], radius: 0.1 })
    const without = middle(await paint(EMPTY, { ...view, ball: ballAt(0.8) }))
    expect(middle(await paint(frame, { ...view, ball: ballAt(0.8) }))).toEqual(without)
    expect(middle(await paint(frame, { ...view, ball: ballAt(0.2) }))[2]).toBeGreaterThan(without[2] + 40)
  })
})

describe('a painter', () => {
  it('comes to an end with any camera', async () => {
    const frame = liquidFrame(sphere(CENTRE, 0.4), sphere([0.8, 0.2, 0.5], 0.2))
    for (const eye of [
      [0, 3e6, 3e6],
      [0, 0, 1e12],
      [NaN, 0, 0],
      [0, 0, 0],
      [0.5, 0, 0.5],
    ] as const) {
      const camera = lookFrom(eye)
      camera.fov = eye[2] > 1e3 ? 1e-4 : 90
      camera.updateProjectionMatrix()
      expect(isOpaque(await paint(frame, viewOf(eye, { camera })))).toBe(true)
    }
  })

  it.each([
    [0, 5],
    [1, 1],
    [7, 3],
    [3, 41],
    [33, 17],
  ])('paints pictures of %d × %d pixels', async (width, height) => {
    const view = viewOf(ABOVE, { width, height, ball: { centre: [0.3, 0.3, 0.8], radius: 0.1 } })
    const pixels = await paint(liquidFrame(sphere(CENTRE, 0.4), sphere([0.8, 0.2, 0.5], 0.2)), view)
    expect(pixels.length).toBe(4 * width * height)
    expect(isOpaque(pixels)).toBe(true)
  })

  it('paints grids of any shape, also of one cell along an axis', async () => {
    const shapes: readonly Place[] = [
      [1, 9, 5],
      [9, 1, 5],
      [6, 7, 1],
      [13, 3, 10],
    ]
    for (const shape of shapes) {
      const grid = createGrid([...shape], 1 / 13)
      const middleOf = shape.map(count => count / 26) as unknown as Place
      const view = viewOf(ABOVE, { camera: lookFrom(ABOVE, middleOf) })
      const pixels = await paint(liquidFrame(sphere(middleOf, 0.3), NOWHERE, grid), view)
      expect(largestStep(middle(pixels), middle(await paint(liquidFrame(NOWHERE, NOWHERE, grid), view)))).toBeGreaterThan(20)
    }
  })

  it('takes what is not a number for air', async () => {
    const view = viewOf(ABOVE)
    const frame = liquidFrame(sphere(CENTRE, 0.3), sphere([0.8, 0.2, 0.5], 0.15))
    const far = { ...frame, liquid: frame.liquid.slice(), solid: frame.solid.slice() }
    const wild = { ...frame, liquid: frame.liquid.slice(), solid: frame.solid.slice() }
    for (let cell = 5; cell < frame.liquid.length; cell += 97) {
      far.liquid[cell] = 1e9
      wild.liquid[cell] = cell % 2 ? NaN : Infinity
      far.solid[cell] = 1e9
      wild.solid[cell] = cell % 2 ? NaN : Infinity
    }
    expect(await paint(wild, view)).toEqual(await paint(far, view))
  })

  it.each([
    [1, 1, 1],
    [1, 7, 2],
    [33, 1, 5],
  ])('paints %s × %s × %s cells, whatever is in them', async (...shape) => {
    const patchy: ScalarFunction = (x, y) => (x + y > 2 ? NaN : y > 1 ? -Infinity : 0.5 - x)
    const fields: ScalarFunction[] = [NOWHERE, EVERYWHERE, () => NaN, () => 0, () => Infinity, (_, y) => y - 0.5, patchy]
    const grid = createGrid(shape)
    const painter = await createPainter()
    const centre = shape.map(side => side / 2) as unknown as Place
    const view = viewOf([40, 30, 50], { width: 20, height: 14, camera: lookFrom([40, 30, 50], centre, 20, 14) })
    for (const liquid of fields)
      for (const solid of fields) {
        painter.show(liquidFrame(liquid, solid, grid))
        const pixels = painter.paint(view)
        expect(isOpaque(pixels)).toBe(true)
        // What is not a number would be painted black.
        for (let pixel = 0; pixel < pixels.length; pixel += 4) expect(pixels[pixel + 1]).toBeGreaterThan(20)
      }
  })

  it('paints nothing before a frame is shown', async () => {
    expect((await createPainter()).paint(viewOf(ABOVE)).every(value => value === 0)).toBe(true)
  })

  it('paints the same picture on any number of threads', async () => {
    const wavy = liquidFrame(
      (x, y, z) => y - 0.4 - 0.1 * Math.sin(9 * x + 5 * z),
      (x, y, z) => Math.hypot(x - 0.6, y - 0.4, z - 0.6) - 0.15,
    )
    const drop = liquidFrame((x, y, z) => Math.hypot(x - 0.3, y - 0.6, z - 0.5) - 0.2)
    const views = [
      viewOf(ABOVE),
      viewOf(ABOVE, { ball: { centre: [0.3, 0.5, 0.8], radius: 0.15 } }),
      viewOf(BELOW),
      viewOf(AHEAD, { width: 203, height: 77 }),
      viewOf(ABOVE, { width: 1, height: 1 }),
    ]
    const alone = await createPainter(true)
    for (const threads of [2, 3, 5]) {
      const painter = await createPainter(true, threads)
      for (const view of views)
        for (const frame of [wavy, drop, EMPTY]) {
          alone.show(frame)
          painter.show(frame)
          expect(painter.paint(view)).toEqual(alone.paint(view))
        }
    }
  })

  it('paints the same frame the same way twice, whatever its memory', async () => {
    const frame = liquidFrame(sphere(CENTRE, 0.3), sphere([0.8, 0.2, 0.5], 0.15))
    const view = viewOf(ABOVE)
    const expected = await paint(frame, view)
    for (const share of [false, true]) {
      const painter = await createPainter(share)
      painter.show(frame)
      for (let time = 0; time < 2; time++) expect(painter.paint(view)).toEqual(expected)
    }
  })

  it('paints what it is asked for, whatever it has painted before', async () => {
    const container = sphere(CENTRE, 0.42)
    const liquid = liquidFrame(sphere([0.4, 0.5, 0.5], 0.3))
    const inBall = liquidFrame(
      (_x, y) => y - 0.45,
      (x, y, z) => -container(x, y, z),
    )
    const moved = { ...inBall, solid: liquidFrame(NOWHERE, (x, y, z) => -container(x - 0.03, y, z)).solid }
    const small = liquidFrame(sphere([0.4, 0.3, 0.2], 0.2), sphere([0.1, 0.1, 0.1], 0.2), createGrid([20, 16, 9], 0.05))
    const large = { ...small, grid: createGrid([20, 16, 9], 0.06) }
    const view = viewOf(ABOVE)
    const ball: Ball = { centre: [0.7, 0.6, 0.7], radius: 0.1 }
    const painted: readonly (readonly [Frame, PaintedView])[] = [
      [EMPTY, view],
      [liquid, view],
      [liquid, viewOf(BELOW)],
      // No distance, so that there is no slope anywhere.
      [liquidFrame((x, y, z) => (sphere([0.45, 0.5, 0.5], 0.3)(x, y, z) < 0 ? -1 : 1)), view],
      [liquid, { ...view, dark: true }],
      [liquid, { ...view, ball }],
      [inBall, { ...view, ball }],
      [inBall, { ...view, ball: { ...ball, radius: 0.2 } }],
      [inBall, view],
      [moved, view],
      [{ ...inBall, liquid: liquid.liquid }, view],
      [liquid, view],
      [small, view],
      [large, view],
      [large, viewOf(ABOVE, { width: 50, height: 61 })],
      [inBall, viewOf(ABOVE, { width: 50, height: 61 })],
      [inBall, viewOf(ABOVE, { width: 61, height: 50 })],
      [EMPTY, view],
    ]
    const painter = await createPainter()
    for (const [frame, wanted] of painted) {
      painter.show(frame)
      expect(painter.paint(wanted)).toEqual(await paint(frame, wanted))
    }
  })
})

function isOpaque(pixels: Uint8ClampedArray): boolean {
  return pixels.every((value, place) => place % 4 !== 3 || value === 255)
}

function wayThroughBox(eye: Vector3, ray: Vector3): number {
  let from = 0
  let to = Infinity
  for (const axis of ['x', 'y', 'z'] as const) {
    const ways = [-eye[axis] / ray[axis], (1 - eye[axis]) / ray[axis]]
    from = Math.max(from, Math.min(...ways))
    to = Math.min(to, Math.max(...ways))
  }
  return to - from
}

const CORNERS = Array.from({ length: 8 }, (_, corner): Place => [corner & 1, (corner >> 1) & 1, corner >> 2])
const EDGES = CORNERS.flatMap((from, a) => [1, 2, 4].flatMap(step => (a & step ? [] : [[from, CORNERS[a + step]] as const])))

function isBesideEdge(view: PaintedView, column: number, row: number): boolean {
  return EDGES.some(([from, to]) => {
    const [x, y] = project(view, from)
    const [u, v] = project(view, to)
    const share = ((column - x) * (u - x) + (row - y) * (v - y)) / ((u - x) ** 2 + (v - y) ** 2)
    const near = Math.min(Math.max(share, 0), 1)
    return Math.hypot(column - x - near * (u - x), row - y - near * (v - y)) < 2
  })
}

/** From light to bytes of the screen, not rounded. */
function encode(value: number): number {
  return 255 * (value < 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055)
}

/** Backdrop and ground as their shaders have them, for a domain of 1 m; as bytes of the screen, not rounded. */
function surroundings(eye: Vector3, ray: Vector3, dark: boolean): number[] {
  const palette = dark ? DARK : LIGHT
  const light = (name: 'horizon' | 'zenith' | 'ground' | 'groundLine') => lightOf(palette[name])
  const mix = (a: readonly number[], b: readonly number[], share: number) =>
    a.map((value, channel) => value + share * (b[channel] - value))
  const smooth = (from: number, to: number, value: number) => {
    const t = Math.min(Math.max((value - from) / (to - from), 0), 1)
    return t * t * (3 - 2 * t)
  }
  if (ray.y > -1e-4) return mix(light('horizon'), light('zenith'), smooth(-0.1, 0.9, ray.y)).map(encode)
  const way = -eye.y / ray.y
  const place = [eye.x + way * ray.x - 0.5, eye.z + way * ray.z - 0.5]
  const pixel = (way * 2 * Math.tan((14 * Math.PI) / 180) * (WIDTH / HEIGHT)) / WIDTH
  const width = Math.max(0.014, pixel / 0.125)
  const drawn = place.map(x => {
    const off = Math.abs(x / 0.125 - Math.round(x / 0.125))
    return ((1 - smooth(0.5 * width, 1.2 * width, off)) * 0.014) / width
  })
  // 1 in every other tile, -1 between them.
  const sides = place.map(x => {
    const off = x / 0.125 - 2 * Math.round(x / 0.25)
    const inside = Math.min(Math.abs(off), 1 - Math.abs(off)) / width
    return Math.sign(off) * Math.min(inside, 1) * (1 - smooth(0.25, 1, width))
  })
  const away = Math.hypot(...place)
  const tone = Math.max(...drawn, TILE_TONE * (0.5 - 0.5 * sides[0] * sides[1]))
  const ground = mix(light('ground'), light('groundLine'), tone * (1 - smooth(0.5, 2.2, away)))
  return mix(light('horizon'), ground, 1 - smooth(0.6, 3.2, away)).map(encode)
}
