/** What a stage draws, in a real browser: pixels where they should be, in the colours they should have. */
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { cellPosition } from '../../src/grid/grid.js'
import { type Colour, mapColour, twoSidedColour } from '../../src/paint/colour.js'
import { CONTACT } from '../../src/pressure/problem.js'
import { PINNED_COLOURS } from '../../src/view/stage/fields/legend.js'
import { STAGE_VIEWS } from '../../src/view/stage/scenery.js'
import type { Stage, StageOptions } from '../../src/view/stage/stage.js'
import { findChromium } from '../support/chromium.js'
import { openStageLab } from './stage-lab.js'
import { BALL, type KnownFrameOptions, knownFrame, SIZE } from './stage-page/frames.js'
import type { Pixels } from './stage-page/main.js'

const chromium = findChromium()
const WIDTH = 200
const HEIGHT = 150

describe.skipIf(chromium === undefined)('a stage', () => {
  const lab = openStageLab(chromium, { width: 400, height: 300 })
  const { complaints, show, setView, pixels } = lab
  let page: Page
  beforeAll(() => {
    page = lab.page
  })

  const open = (options: StageOptions, width = WIDTH, height = HEIGHT, ratio = 1) =>
    page.evaluate(([options, width, height, ratio]) => window.lab.open(options, width, height, ratio), [
      options,
      width,
      height,
      ratio,
    ] as const)
  const toPixels = (place: readonly number[]) =>
    page.evaluate(place => window.lab.stage.toPixels(place as [number, number, number]), [...place])
  const cameraOf = () => page.evaluate(() => window.lab.stage.camera)
  const happened = () => page.evaluate(() => window.lab.happened)

  async function picture(options: StageOptions, frame: Partial<KnownFrameOptions> = {}): Promise<Pixels> {
    await open(options)
    await show({ dims: options.dims, ...frame })
    return pixels()
  }

  describe.each([2, 3] as const)('in %iD', dims => {
    it('shows something else in every view', async () => {
      await open({ dims })
      await show({ dims, solid: true })
      const seen: Pixels[] = []
      for (const view of STAGE_VIEWS) {
        await setView(view)
        const now = await pixels()
        expect([now.width, now.height]).toEqual(dims === 2 ? [WIDTH, HEIGHT] : [0.75 * WIDTH, Math.floor(0.75 * HEIGHT)])
        expect(contrast(now), view).toBeGreaterThan(8)
        for (const [at, before] of seen.entries())
          expect(differing(now, before, 24).length, `${view} and ${STAGE_VIEWS[at]}`).toBeGreaterThan(30)
        seen.push(now)
      }
    })

    it('is lighter by day than by night', async () => {
      expect(brightness(await picture({ dims }))).toBeGreaterThan(brightness(await picture({ dims, dark: true })) + 60)
    })

    it('draws solids where they are, also after they have moved', async () => {
      const air = await picture({ dims }, { solid: false })
      // In 2D solids are filled, and darker than any shadow.
      const least = dims === 2 ? 100 : 8
      const found: number[] = []
      for (const shift of [0, 0.05]) {
        await show({ dims, solid: true, shift })
        const solid = differing(air, await pixels(), least)
        expect(solid.length).toBeGreaterThan(150)
        found.push(mean(solid.map(([x]) => x)))
        const [x] = await toPixels([0.8 + shift, 0.25, dims === 2 ? 0 : 0.5])
        expect(Math.abs(found.at(-1)! + 0.5 - (air.width / WIDTH) * x)).toBeLessThan(2)
      }
      expect(found[1]).toBeGreaterThan(found[0] + 2)
    })

    it('draws a ball that is moved by hand where it is', async () => {
      const without = await picture({ dims })
      const centre = [0.75, 0.6, dims === 2 ? 0 : 0.8] as const
      await page.evaluate(centre => window.lab.stage.setObstacle({ centre, radius: 0.08 }), centre)
      const [x, y] = await toPixels(centre)
      const now = await pixels()
      const orange = where(now, ([r, g, b]) => r > g + 40 && g > b)
      expect(orange.length).toBeGreaterThan(20)
      const scale = now.width / WIDTH
      expect(orange.reduce((sum, at) => sum + at[0], 0) / orange.length).toBeCloseTo(scale * x - 0.5, -0.4)
      expect(orange.reduce((sum, at) => sum + at[1], 0) / orange.length).toBeCloseTo(scale * y - 0.5, -0.4)
      await page.evaluate(() => window.lab.stage.setObstacle(null))
      expect(differing(without, await pixels(), 4)).toEqual([])
    })

    it('says what frames must hold', async () => {
      const needs: Record<string, unknown> = {}
      await open({ dims })
      for (const view of STAGE_VIEWS) {
        await setView(view)
        needs[view] = await page.evaluate(() => window.lab.stage.needs())
      }
      const fields = { fields: true }
      const particles = { particles: true }
      expect(needs).toEqual({
        water: dims === 2 ? {} : particles,
        particles,
        surface: {},
        pressure: fields,
        speed: fields,
        divergence: fields,
        pinned: fields,
      })
    })

    it('draws frames that hold the surface alone, in every view', async () => {
      await open({ dims })
      await show({ dims, particles: false, fields: false })
      for (const view of STAGE_VIEWS) {
        await setView(view)
        expect(contrast(await pixels()), view).toBeGreaterThan(8)
        if (view !== 'particles') expect(await page.evaluate(() => window.lab.stage.legend), view).toBeUndefined()
      }
    })

    it('finds the place in the scene that is seen at a pixel', async () => {
      await open({ dims })
      await show({ dims })
      await page.mouse.move(100, 70)
      await page.mouse.wheel(0, -240)
      await page.mouse.down({ button: dims === 2 ? 'left' : 'left' })
      await page.mouse.move(120, 60, { steps: 3 })
      await page.mouse.up()
      const places = [
        [0.2, 0.3, 0.4],
        [0.9, 0.1, 0.7],
        [0.5, 0.8, 0.05],
      ].map(([x, y, z]) => [x, y, dims === 2 ? 0 : z] as const)
      for (const place of places) {
        const found = await page.evaluate(place => {
          const { stage } = window.lab
          const [x, y] = stage.toPixels(place)
          return { there: stage.toScene(x, y, place), middle: stage.toScene(x, y), ray: stage.ray(x, y) }
        }, place)
        found.there.forEach((coordinate, axis) => {
          expect(coordinate).toBeCloseTo(place[axis], 6)
        })
        // What is found on the other plane lies on the ray through the pixel as well.
        const { origin, direction } = found.ray
        const from = found.middle.map((coordinate, axis) => coordinate - origin[axis])
        const along = from.reduce((sum, part, axis) => sum + part * direction[axis], 0)
        from.forEach((part, axis) => {
          expect(part).toBeCloseTo(along * direction[axis], 6)
        })
      }
    })

    it('moves its camera with the mouse, unless told not to, and back', async () => {
      await open({ dims })
      await show({ dims })
      const start = await cameraOf()
      const drag = async () => {
        await page.mouse.move(60, 60)
        await page.mouse.down()
        await page.mouse.move(90, 75, { steps: 3 })
        await page.mouse.up()
        await page.mouse.wheel(0, -300)
        await page.waitForTimeout(50)
      }
      await page.evaluate(() => {
        window.lab.stage.controls = false
      })
      await drag()
      expect(await cameraOf()).toEqual(start)
      expect(await happened()).toEqual([])
      await page.evaluate(() => {
        window.lab.stage.controls = true
      })
      await drag()
      const moved = await cameraOf()
      const away = ({ eye, target }: Stage['camera']) => Math.hypot(...eye.map((part, axis) => part - target[axis]))
      if (dims === 2) {
        expect(moved.zoom).toBeGreaterThan(start.zoom)
        expect(moved.target[0]).not.toBeCloseTo(start.target[0], 2)
      } else {
        expect(away(moved)).toBeLessThan(0.99 * away(start))
        expect(moved.eye[0]).not.toBeCloseTo(start.eye[0], 2)
      }
      expect(await happened()).toContain('change')
      await page.evaluate(() => window.lab.stage.resetCamera())
      expect(await cameraOf()).toEqual(start)
      await page.evaluate(place => {
        window.lab.stage.camera = place
      }, moved)
      expect(await cameraOf()).toEqual(moved)
    })

    it('sees all of the domain at any size of the canvas, until it is moved', async () => {
      await open({ dims })
      await show({ dims })
      for (const [width, height, ratio] of [
        [240, 90, 1],
        [80, 200, 2],
      ] as const) {
        await page.evaluate(size => window.lab.stage.resize(...size), [width, height, ratio] as [number, number, number])
        const now = await pixels()
        const drawn = dims === 2 ? ratio : Math.min(ratio, 0.75)
        expect([now.width, now.height]).toEqual([Math.floor(width * drawn), Math.floor(height * drawn)])
        for (let corner = 0; corner < 2 ** dims; corner++) {
          const [x, y] = await toPixels([corner & 1, (corner >> 1) & 1, corner >> 2])
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(width)
          expect(y).toBeGreaterThanOrEqual(0)
          expect(y).toBeLessThanOrEqual(height)
        }
        const [right, down] = await page.evaluate(
          ([x, y]) => {
            const [here, right, down] = [
              [x, y],
              [x + 1, y],
              [x, y + 1],
            ].map(pixel => window.lab.stage.toScene(pixel[0], pixel[1]))
            return [right, down].map(place => Math.hypot(...place.map((part, axis) => part - here[axis])))
          },
          [width / 2, height / 2],
        )
        expect(right / down).toBeCloseTo(1, 2)
        // Nearly as large as the tighter side allows.
        expect(right * Math.min(width, height)).toBeLessThan(dims === 2 ? 1.1 : 1.9)
      }
    })

    it('goes on after its context was lost', async () => {
      const before = await picture({ dims }, { solid: true })
      await page.evaluate(() => window.lab.loseContext())
      await page.evaluate(() => window.lab.stage.render())
      await show({ dims, solid: true })
      await page.evaluate(() => window.lab.restoreContext())
      expect(await happened()).toEqual(['lost', 'restored'])
      expect(differing(before, await pixels(), 3)).toEqual([])
      complaints.splice(0, complaints.length, ...complaints.filter(text => !/context/i.test(text)))
    })
  })

  it('draws water in 3D exactly where particles are', async () => {
    await open({ dims: 3, quality: 'high' })
    await show({ dims: 3, particles: 'none' })
    const without = await pixels()
    await show({ dims: 3 })
    const wet = differing(without, await pixels(), 6)
    const { particles, grid } = knownFrame({ dims: 3 })
    const seen = await page.evaluate(() => {
      const { position } = window.lab.frame.particles!
      const places: [number, number][] = []
      for (let at = 0; at < position.length; at += 3)
        places.push(window.lab.stage.toPixels([position[at], position[at + 1], position[at + 2]]))
      return places
    })
    expect(seen.length).toBe(particles!.position.length / 3)
    const [ax] = await toPixels([0, 0.5, 0.5])
    const [bx] = await toPixels([grid.spacing, 0.5, 0.5])
    const cell = Math.abs(bx - ax)
    const isWet = new Set(wet.map(([x, y]) => `${x} ${y}`))
    expect(seen.filter(([x, y]) => !isWet.has(`${Math.floor(x)} ${Math.floor(y)}`))).toEqual([])
    const reach = 1.2 * cell + 1.5
    expect(wet.filter(([x, y]) => !seen.some(([px, py]) => Math.hypot(px - x - 0.5, py - y - 0.5) < reach))).toEqual([])
  })

  it('draws water in 2D exactly where the level set is negative', async () => {
    const now = await picture({ dims: 2 })
    const [left, bottom] = await toPixels([0, 0, 0])
    const [right] = await toPixels([1, 0, 0])
    const perMetre = right - left
    let inside = 0
    const wrong: number[][] = []
    for (let row = 0; row < now.height; row++)
      for (let column = 0; column < now.width; column++) {
        const x = (column + 0.5 - left) / perMetre
        const y = (bottom - row - 0.5) / perMetre
        const distance = Math.hypot(x - BALL.centre[0], y - BALL.centre[1]) - BALL.radius
        if (x < 0.02 || x > 0.98 || y < 0.02 || y > 0.98 || Math.abs(distance) < 1.5 / perMetre) continue
        const [r, , b] = at(now, column, row)
        if (b - r > 40 !== distance < 0) wrong.push([column, row])
        if (distance < 0) inside++
      }
    expect(wrong).toEqual([])
    expect(inside).toBeGreaterThan(2000)
  })

  describe.each([2, 3] as const)('slices in %iD', dims => {
    const expected = {
      pressure: {
        low: 0,
        high: 5000,
        colour: (share: number) => mapColour(share),
        value: (x: number, y: number) => (x > 9 / SIZE ? 0 : 5000 * y),
      },
      // The mean of two faces: x² + h²/4.
      speed: { low: 0, high: 1, colour: (share: number) => mapColour(share), value: (x: number) => x * x + 0.25 / SIZE ** 2 },
      divergence: { low: -2, high: 2, colour: (share: number) => twoSidedColour(2 * share - 1), value: (x: number) => 2 * x },
    } as const

    it.each(['pressure', 'speed', 'divergence'] as const)('have the colours of %s', async view => {
      await open({ dims, view }, 320, 240)
      await page.evaluate(() => {
        window.lab.stage.quality = 'high'
      })
      await show({ dims, everywhere: true })
      const { low, high, colour, value } = expected[view]
      const legend = await page.evaluate(() => {
        const { low, high, unit } = window.lab.stage.legend!.scale!
        return { low, high, unit }
      })
      expect(legend).toEqual({ low, high, unit: { pressure: 'Pa', speed: 'm/s', divergence: '1/s' }[view] })
      await probe((x, y) => colour((value(x, y) - low) / (high - low)))
      const { role, label, hidden } = await page.evaluate(() => window.lab.legend())
      expect({ role, hidden }).toEqual({ role: 'img', hidden: false })
      expect(label).toBe(
        {
          pressure: 'Pressure: colours from 0 Pa to 5 kPa.',
          speed: 'Speed: colours from 0 m/s to 1 m/s.',
          divergence: 'Divergence: colours from -2 1/s to 2 1/s.',
        }[view],
      )
    })

    it('tell pinned contacts from pressed ones', async () => {
      await open({ dims, view: 'pinned', quality: 'high' }, 320, 240)
      await show({ dims, everywhere: true })
      await probe(x => PINNED_COLOURS[x < 6 / SIZE ? 'pressed' : x > 9 / SIZE ? 'pinned' : 'liquid'].colour)
      const { text } = await page.evaluate(() => window.lab.legend())
      expect(text).toContain('separates from it (p = 0)')
    })

    /** At the centres of cells, away from edges of the domain. */
    async function probe(colourAt: (x: number, y: number) => Colour) {
      const now = await pixels()
      const depth = dims === 2 ? 0 : (SIZE / 2 + 0.5) / SIZE
      for (const i of [1, 4, 6, 8, 10, 14])
        for (const j of [1, 5, 9, 14]) {
          const [x, y] = [(i + 0.5) / SIZE, (j + 0.5) / SIZE]
          const [px, py] = await toPixels([x, y, depth])
          const seen = at(now, Math.floor((px * now.width) / 320), Math.floor((py * now.height) / 240))
          colourAt(x, y).forEach((part, channel) => {
            expect(Math.abs(seen[channel] - part), `cell ${i} ${j}`).toBeLessThanOrEqual(2)
          })
        }
    }
  })

  it('cuts 3D fields where it is told to', async () => {
    await open({ dims: 3, view: 'speed', quality: 'high' }, 320, 240)
    await show({ dims: 3, everywhere: true })
    for (const position of [0.1, 0.9]) {
      await page.evaluate(position => {
        window.lab.stage.slice = { axis: 0, position }
      }, position)
      const layer = (Math.floor(position * SIZE) + 0.5) / SIZE
      const [px, py] = await toPixels([layer, 0.53, 0.53])
      const seen = at(await pixels(), Math.floor(px), Math.floor(py))
      mapColour(layer ** 2 + 0.25 / SIZE ** 2).forEach((part, channel) => {
        expect(Math.abs(seen[channel] - part)).toBeLessThanOrEqual(2)
      })
    }
  })

  it('marks contacts that have let go also away from the slice', async () => {
    await open({ dims: 3, view: 'pinned', quality: 'high' }, 320, 240)
    await show({ dims: 3 })
    await page.evaluate(() => {
      window.lab.stage.slice = { axis: 2, position: 0 }
    })
    const now = await pixels()
    const orange = PINNED_COLOURS.pinned.colour
    const marks = where(now, colour => colour.every((part, channel) => Math.abs(part - orange[channel]) <= 2))
    const { grid, fields } = knownFrame({ dims: 3 })
    const letGo = [...fields!.kind.keys()].filter(cell => fields!.kind[cell] === CONTACT && fields!.pressure[cell] === 0)
    expect(letGo.length).toBeGreaterThan(5)
    const unmarked: number[] = []
    for (const cell of letGo) {
      const place = cellPosition(grid, cell).map(index => (index + 0.5) * grid.spacing)
      const [x, y] = await toPixels(place)
      if (!marks.some(([px, py]) => Math.hypot(px + 0.5 - x, py + 0.5 - y) < 1.5)) unmarked.push(cell)
    }
    expect(unmarked).toEqual([])
    expect(marks.length).toBeLessThan(letGo.length * 100)
  })

  it('changes over from 2D to 3D and back with its frames', async () => {
    const flat = await picture({ dims: 2 })
    await show({ dims: 3 })
    expect((await pixels()).width).toBe(0.75 * WIDTH)
    await show({ dims: 2 })
    expect(differing(flat, await pixels(), 3)).toEqual([])
  })

  it('takes a camera that is given before the first frame', async () => {
    await open({ dims: 3 })
    const place = { eye: [3, 1, 2], target: [0.5, 0.4, 0.5], zoom: 1 } as const
    await page.evaluate(place => {
      window.lab.stage.camera = place
    }, place)
    await show({ dims: 3 })
    expect(await cameraOf()).toEqual(place)
  })

  it('says in a sentence why it cannot draw', async () => {
    const refusal = (kind: 'no WebGL2' | 'no float targets') => page.evaluate(kind => window.lab.refusal(kind), kind)
    expect(await refusal('no WebGL2')).toMatch(
      /^InputError: The GPU cannot draw the liquid because the browser does not provide WebGL2; [^.]*\.$/,
    )
    expect(await refusal('no float targets')).toMatch(
      /^InputError: The GPU cannot draw 3D liquid because .* float render targets; [^.]*\.$/,
    )
    complaints.length = 0
  })

  it('lends particles and surface to scenes of others, more and fewer of them', async () => {
    const counts = await page.evaluate(() =>
      window.lab.ownScene([{ dims: 3, particles: 'none' }, { dims: 3 }, { dims: 3, everywhere: true }, { dims: 3 }]),
    )
    const [none, ball, all, again] = counts.particles
    expect(none).toBe(0)
    expect(ball).toBeGreaterThan(300)
    expect(all).toBeGreaterThan(2 * ball)
    expect(again).toBe(ball)
    const [, surface, whole, back] = counts.surface
    // The silhouette of a ball of radius 0.27 m seen from 2 m, in pixels.
    const radius = (0.27 / 2) * (50 / Math.tan((20 * Math.PI) / 180))
    expect(surface / (Math.PI * radius ** 2)).toBeGreaterThan(0.8)
    expect(surface / (Math.PI * radius ** 2)).toBeLessThan(1.2)
    expect(whole).toBeGreaterThan(2 * surface)
    expect(back).toBe(surface)
  })
})

function at({ width, data }: Pixels, x: number, y: number): readonly [number, number, number] {
  const start = 4 * (x + width * y)
  return [data.charCodeAt(start), data.charCodeAt(start + 1), data.charCodeAt(start + 2)]
}

function where(pixels: Pixels, isThere: (colour: readonly [number, number, number]) => boolean): number[][] {
  const found: number[][] = []
  for (let y = 0; y < pixels.height; y++) for (let x = 0; x < pixels.width; x++) if (isThere(at(pixels, x, y))) found.push([x, y])
  return found
}

/** Where two pictures differ by more than so much in a channel. */
function differing(a: Pixels, b: Pixels, least: number): number[][] {
  expect([a.width, a.height]).toEqual([b.width, b.height])
  const found: number[][] = []
  for (let y = 0; y < a.height; y++)
    for (let x = 0; x < a.width; x++) {
      const other = at(b, x, y)
      if (at(a, x, y).some((part, channel) => Math.abs(part - other[channel]) > least)) found.push([x, y])
    }
  return found
}

function brightness(pixels: Pixels): number {
  return mean(where(pixels, () => true).flatMap(([x, y]) => at(pixels, x, y)))
}

/** Standard deviation of all values: a blank picture has none. */
function contrast(pixels: Pixels): number {
  const values = where(pixels, () => true).flatMap(([x, y]) => at(pixels, x, y))
  const middle = mean(values)
  return Math.sqrt(mean(values.map(value => (value - middle) ** 2)))
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
