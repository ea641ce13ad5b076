/** The page in a real browser: what a reader sees and does. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readFrame, readRun } from '../../src/io/run/read.js'
import type { Frame } from '../../src/liquid/frame.js'
import { solvers } from '../../src/solvers/registry.js'
import { peel } from '../cli/run.js'
import { temporaryFolder } from '../setup/working-copy.js'
import { findChromium } from '../support/chromium.js'
import { type Opened, type OpenOptions, openSite, type Site } from './site.js'

const chromium = findChromium()

describe.skipIf(chromium === undefined)('the page', () => {
  const temporary = temporaryFolder()
  let site: Site
  let opened: Opened | undefined

  beforeAll(async () => {
    site = await openSite(chromium!, temporary.folder)
  })
  afterAll(async () => {
    await site?.close()
    temporary.dispose()
  })
  afterEach(async () => {
    await opened?.page.close()
    opened = undefined
  })

  async function open(options?: OpenOptions) {
    opened = await site.open(options)
    return opened
  }

  const momentOf = ({ page }: Opened) => page.locator('#moment').textContent()
  const messageOf = ({ page }: Opened) => page.locator('#message').textContent()
  const footerOf = ({ page }: Opened) => page.locator('#footer').textContent()
  /** Frame of each side. */
  const indices = ({ page }: Opened) =>
    page.evaluate(() => Object.values(window.peel!.sides.all).map(({ session }) => session?.moment.frame.index))
  const untilFrame = ({ page }: Opened, frame: number) =>
    page.waitForFunction(least => window.peel!.sides.all.b.session!.moment.frame.index >= least, frame)
  const ofSide = ({ page }: Opened, side: string, name: string) =>
    page.locator(`.lil-gui.side.${side}`).getByLabel(name, { exact: true })
  const control = ({ page }: Opened, name: string) => page.getByLabel(name, { exact: true })

  it('opens with the splash twice, sticking and separating, and plays', async () => {
    const { page, complaints } = await open({ playing: true, query: '?resolution=10' })
    await untilFrame(opened!, 2)
    expect(await page.locator('figcaption b').allTextContents()).toEqual(['Sticking walls', 'Separating walls'])
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Liquid that lets go of walls')
    expect(await page.evaluate(() => window.peel!.scene.name)).toBe('splash')
    expect(await messageOf(opened!)).toBe('')
    expect(complaints).toEqual([])
  })

  it('measures frames a second on a page of its own', async () => {
    const { page, complaints } = await open({ plain: true })
    await page.goto(new URL('bench/index.html?scale=0.2&scene=splash', page.url()).href)
    await page.waitForFunction(() => window.benchRows !== undefined)
    const rows = await page.evaluate(() => window.benchRows!)
    expect(rows.map(({ fps }) => fps)).toEqual([60, 48])
    for (const { cells, alone, drawn, converged, substepsPerFrame } of rows) {
      expect(cells).toBe(10 ** 3)
      expect(converged).toBe(true)
      expect(Math.min(alone, drawn)).toBeGreaterThan(0)
      expect(substepsPerFrame).toBeGreaterThanOrEqual(1)
    }
    expect(await page.locator('tbody tr').count()).toBe(rows.length)
    expect(complaints).toEqual([])
  })

  it.each([
    ['3D', '?resolution=10'],
    ['2D', '?scene=lai-circle&resolution=16'],
  ])('runs 30 frames in %s, both sides in step, all solves converged', async (_, query) => {
    const { page, complaints } = await open({ query })
    const seen = await page.evaluate(async () => {
      const moments: (readonly [number, number, boolean])[] = []
      const { settings, playback, onMoment } = window.peel!
      settings.speed = 0
      onMoment(({ a, b }) => {
        const converged = [a, b].every(side => side!.record!.substeps.every(({ solve }) => solve.status === 'converged'))
        moments.push([a!.frame.index, b!.frame.index, converged])
        if (moments.length === 30) playback.pause()
      })
      playback.play()
      while (moments.length < 30) await new Promise(resolve => setTimeout(resolve, 20))
      return moments.slice(0, 30)
    })
    expect(seen).toEqual(Array.from({ length: 30 }, (_, at) => [at + 1, at + 1, true]))
    expect(complaints).toEqual([])
  })

  it('draws what it simulates: the picture changes with the liquid, and differs between the sides', async () => {
    const { page } = await open({ query: '?resolution=12' })
    const pictures = () =>
      page.evaluate(() =>
        Promise.all(
          Object.values(window.peel!.sides.all).map(async ({ drawing }) => {
            const { data } = await new Response(await drawing!.picture()).arrayBuffer().then(async bytes => {
              const image = await createImageBitmap(new Blob([bytes]))
              const canvas = new OffscreenCanvas(image.width, image.height)
              const context = canvas.getContext('2d')!
              context.drawImage(image, 0, 0)
              return context.getImageData(0, 0, image.width, image.height)
            })
            const colours = new Set<number>()
            let sum = 0
            for (let at = 0; at < data.length; at += 4) {
              const colour = data[at] + 256 * data[at + 1] + 65536 * data[at + 2]
              colours.add(colour)
              sum = (31 * sum + colour) % 1_000_000_007
            }
            return { colours: colours.size, sum }
          }),
        ),
      )
    const [start, startB] = await pictures()
    expect(start.colours).toBeGreaterThan(20)
    expect(start.sum).toBe(startB.sum)
    await page.evaluate(async () => {
      for (let n = 0; n < 8; n++) await window.peel!.playback.step()
    })
    const [left, right] = await pictures()
    expect(left.sum).not.toBe(start.sum)
    expect(right.sum).not.toBe(left.sum)
  })

  it('answers a hand within one picture of the screen while a solve runs', async () => {
    const { page } = await open({ query: '?resolution=32' })
    await page.click('[data-tool=look]')
    await page.evaluate(async () => {
      const { settings, changeLive, sides, playback } = window.peel!
      for (let n = 0; n < 12; n++) await playback.step()
      // Never gets there, and takes its time to find out.
      settings.a.solver = settings.b.solver = 'psor'
      settings.tolerance = 1e-13
      await changeLive()
      const answer = { pictures: 0, input: -1, drawn: -1, isOver: false, wasOver: false }
      Object.assign(window, { answer })
      const count = () => {
        answer.pictures++
        requestAnimationFrame(count)
      }
      requestAnimationFrame(count)
      const { stage, canvas } = sides.all.b.drawing!
      const { render } = stage
      stage.render = () => {
        render()
        if (answer.input < 0 || answer.drawn >= 0) return
        answer.drawn = answer.pictures
        answer.wasOver = answer.isOver
      }
      // Before the camera hears of it.
      canvas.ownerDocument.addEventListener(
        'pointermove',
        ({ buttons }) => {
          if (buttons > 0 && answer.input < 0) answer.input = answer.pictures
        },
        true,
      )
      void playback.step().then(() => {
        answer.isOver = true
      })
    })
    const canvas = page.locator('figure.b canvas').last()
    await canvas.scrollIntoViewIfNeeded()
    const box = (await canvas.boundingBox())!
    await page.mouse.move(box.x + 50, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + 90, box.y + 60)
    await page.mouse.up()
    await page.waitForFunction(() => (window as unknown as { answer: { drawn: number } }).answer.drawn >= 0)
    const { input, drawn, wasOver } = await page.evaluate(
      () => (window as unknown as { answer: { input: number; drawn: number; wasOver: boolean } }).answer,
    )
    expect(wasOver).toBe(false)
    expect(drawn - input).toBeLessThanOrEqual(1)
    await page.evaluate(() => window.peel!.sides.interrupt())
  })

  it('pauses, steps and starts over, by buttons and by keys', async () => {
    const { page } = await open()
    expect(await momentOf(opened!)).toBe('frame 0 · 0.00 s')
    await page.getByRole('button', { name: 'Step' }).click()
    await untilFrame(opened!, 1)
    for (const key of ['s', 'ArrowRight']) await page.keyboard.press(key)
    // The button has the focus: its keys are its own, all others are the page's.
    await untilFrame(opened!, 1)
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('s')
    await page.keyboard.press('ArrowRight')
    await untilFrame(opened!, 3)
    await page.keyboard.press(' ')
    await expect.poll(() => page.locator('#play').textContent()).toContain('Pause')
    await untilFrame(opened!, 5)
    await page.keyboard.press('p')
    expect(await page.locator('#play').textContent()).toContain('Play')
    await page.keyboard.press('r')
    await expect.poll(() => momentOf(opened!)).toBe('frame 0 · 0.00 s')
    await page.getByRole('button', { name: /^Play/ }).click()
    await untilFrame(opened!, 2)
    await page.getByRole('button', { name: /^Pause/ }).click()
    await page.getByRole('button', { name: /^Reset/ }).click()
    await expect.poll(() => momentOf(opened!)).toBe('frame 0 · 0.00 s')
    expect(await indices(opened!)).toEqual([0, 0])
  })

  it('starts over at the end, or stops there', async () => {
    const { page } = await open()
    const played = await page.evaluate(async () => {
      const { settings, playback, onMoment, openScene, scene } = window.peel!
      await openScene({ ...scene, scene: { ...scene.scene, time: { frames: 2, fps: 60 } } })
      settings.speed = 0
      const frames: number[] = []
      onMoment(({ b }) => {
        frames.push(b!.frame.index)
        if (frames.length === 3) settings.loop = false
      })
      playback.play()
      while (playback.isPlaying) await new Promise(resolve => setTimeout(resolve, 20))
      return frames
    })
    expect(played).toEqual([1, 2, 0, 1, 2])
  })

  it('goes on from where it is with any solver of the registry, on either side', async () => {
    const { page, complaints } = await open()
    await page.evaluate(() => window.peel!.playback.step())
    const select = ofSide(opened!, 'b', 'solver')
    expect(await select.locator('option').allTextContents()).toEqual(solvers.map(({ name }) => name))
    for (const [at, { name, separating }] of solvers.entries()) {
      await select.selectOption({ label: name })
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([at + 2, at + 2])
      const status = await page.evaluate(() => {
        const { scene, moment } = window.peel!.sides.all.b.session!
        const { solve } = moment.record!.substeps.at(-1)!
        return { name: scene.solver.name, status: solve.status, pinned: solve.pinned }
      })
      expect(status).toMatchObject({ name, status: 'converged' })
      if (!separating) expect(status.pinned).toBe(0)
    }
    expect(await page.locator('figure.a figcaption span').textContent()).toBe('nas-mgpcg')
    expect(await page.locator('figure.b figcaption span').textContent()).toBe(solvers.at(-1)!.name)
    expect(complaints).toEqual([])
  })

  it('has controls for walls, gravity, particles and size, and shows one side alone', async () => {
    const { page } = await open()
    await page.evaluate(() => window.peel!.playback.step())
    await ofSide(opened!, 'a', 'walls').selectOption({ label: 'separating walls' })
    const number = (name: string) => control(opened!, name)
    await number('gravity, m/s²').fill('3')
    await number('gravity, m/s²').press('Enter')
    await page.evaluate(() => window.peel!.playback.step())
    const scenes = () => page.evaluate(() => Object.values(window.peel!.sides.all).map(side => side.session?.scene))
    for (const scene of await scenes()) expect(scene).toMatchObject({ walls: 'separating', gravity: [0, -3] })
    // The same walls, the same solver: the same liquid.
    expect(await indices(opened!)).toEqual([2, 2])
    await number('resolution').fill('12')
    await number('resolution').press('Enter')
    await expect.poll(() => indices(opened!)).toEqual([0, 0])
    await number('particles per cell').fill('9')
    await number('particles per cell').press('Enter')
    await expect.poll(async () => (await scenes()).map(scene => scene?.particles.perCell)).toEqual([9, 9])
    for (const scene of await scenes()) expect(scene).toMatchObject({ domain: { resolution: 12 } })
    await page.getByLabel('show', { exact: true }).selectOption({ label: 'one side' })
    await expect.poll(() => indices(opened!)).toEqual([undefined, 0])
    expect(await page.locator('figure.a').isVisible()).toBe(false)
    await page.evaluate(() => window.peel!.playback.step())
    expect(await indices(opened!)).toEqual([undefined, 1])
    await page.getByLabel('show', { exact: true }).selectOption({ label: 'both sides' })
    await expect.poll(() => indices(opened!)).toEqual([0, 0])
    expect(await messageOf(opened!)).toBe('')
  })

  it('shows frames as a screen does, or those of the scene, and starts over with others', async () => {
    const { page } = await open({ query: '?scene=splash&resolution=10' })
    const times = () =>
      page.evaluate(() =>
        Object.values(window.peel!.sides.all).map(({ session }) => [session!.scene.time.fps, session!.scene.time.frames]),
      )
    const select = page.getByLabel('frames', { exact: true })
    expect(await times()).toEqual([
      [60, 75],
      [60, 75],
    ])
    for (const [label, fps, frames] of [
      ['as in the scene', 48, 60],
      ['24 per second', 24, 30],
    ] as const) {
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      await select.selectOption({ label })
      await expect.poll(times).toEqual([
        [fps, frames],
        [fps, frames],
      ])
      await expect.poll(() => indices(opened!)).toEqual([0, 0])
    }
    await page.evaluate(() => window.peel!.playback.step())
    expect(await page.locator('#moment').textContent()).toBe('frame 1 · 0.04 s')
  })

  it('offers all shipped scenes, meshes included', async () => {
    const { page } = await open()
    const select = page.getByLabel('scene', { exact: true })
    expect(await select.locator('option').count()).toBe(24)
    await page.evaluate(() => Object.assign(window.peel!.settings, { layout: 'one' }))
    await select.selectOption({ label: 'A bowl (3D)' })
    await expect.poll(() => page.evaluate(() => window.peel!.sides.all.b.session?.scene.title)).toBe('A bowl')
    await page.getByLabel('scene', { exact: true }).selectOption({ label: 'Liquid in a maze (2D)' })
    await expect.poll(() => page.evaluate(() => window.peel!.sides.all.b.session?.scene.title)).toBe('Liquid in a maze')
    expect(await messageOf(opened!)).toBe('')
  })

  it('shows residuals, figures and stages of both sides, and a badge where a solve did not converge', async () => {
    const { page } = await open()
    await page.evaluate(() => window.peel!.playback.step())
    const row = (name: string) => page.getByRole('row', { name }).locator('td').allTextContents()
    expect(await row('engine')).toEqual([expect.stringMatching(/wasm|threads/), expect.stringMatching(/wasm|threads/)])
    for (const name of ['iterations', 'particles', 'solve, ms', 'advect, ms'])
      for (const cell of await row(name)) expect(Number(cell.replace(',', ''))).toBeGreaterThan(0)
    for (const cell of await row('volume')) expect(cell).toMatch(/^(9\d|10\d)\.\d %$/)
    expect((await row('pinned contacts'))[0]).toBe('0')
    for (const name of ['kinetic energy, J', 'potential energy, J'])
      for (const cell of await row(name)) expect(Number(cell)).toBeGreaterThan(0)
    for (const cell of await row('cells crossed per substep')) expect(cell).toMatch(/^\d\.\d$/)
    for (const cell of await row('in drops thinner than a cell')) expect(cell).toMatch(/^\d\.\d %$/)
    for (const cell of await row('force on container')) expect(cell).toMatch(/^-?\d[\d.]*, -?\d[\d.]*$/)
    for (const cell of await row('torque on container, N')) expect(Number(cell)).not.toBeNaN()
    expect(await row('force on bottom side')).toEqual(['0, 0', '0, 0'])
    expect(await page.locator('.forces thead th').first().textContent()).toBe('Forces, N/m')
    expect(await page.locator('.badge:visible').count()).toBe(0)
    await page.evaluate(async () => {
      const { openScene, playback, scene } = window.peel!
      await openScene({ ...scene, scene: { ...scene.scene, time: { ...scene.scene.time, maxSubsteps: 1, cfl: 0.05 } } })
      await playback.step()
      await playback.step()
    })
    expect(await page.locator('.badge:visible').allTextContents()).toEqual(['steps too long', 'steps too long'])
    expect(await messageOf(opened!)).toMatch(/^Substeps were too long in frame \d: .* raise time\.maxSubsteps/)
    await page.evaluate(async () => {
      const { openScene, playback, scene } = window.peel!
      await openScene({ ...scene, scene: { ...scene.scene, solver: { name: 'psor', maxIterations: 1 } } })
      await playback.step()
    })
    // All that is wrong with a frame, because its steps are still too long.
    const both = 'not converged, steps too long'
    expect(await page.locator('.badge:visible').allTextContents()).toEqual([both, both])
    expect(await page.locator('.badge').first().getAttribute('title')).toMatch(/iteration.* Substeps were too long in frame 1: /)
  })

  it('changes figures ten times a second while it plays, however many frames there are, and shows those of the last one', async () => {
    const { page } = await open({ query: '?scene=lai-circle&resolution=8' })
    const { changes, frames, seconds } = await page.evaluate(async () => {
      const { playback, settings, sides } = window.peel!
      Object.assign(settings, { speed: 0, loop: false })
      const frameNow = () => sides.all.b.session!.moment.frame.index
      let changes = 0
      const observer = new MutationObserver(() => changes++)
      observer.observe(document.querySelector('#instruments tbody')!, { childList: true, subtree: true })
      const [first, began] = [frameNow(), performance.now()]
      playback.play()
      while (playback.isPlaying) await new Promise(resolve => setTimeout(resolve, 5))
      return { changes, frames: frameNow() - first, seconds: (performance.now() - began) / 1000 }
    })
    expect(changes).toBeGreaterThan(0)
    expect(changes).toBeLessThanOrEqual(Math.min(frames, 10 * seconds + 2))
    const fastest = await page.evaluate(() =>
      (['a', 'b'] as const).map(name => window.peel!.sides.all[name].session!.moment.record!.largestSpeed.toFixed(2)),
    )
    const row = page.getByRole('row', { name: 'fastest' }).locator('td')
    await expect.poll(() => row.allTextContents()).toEqual(fastest)
  })

  it('stays free while a frame is simulated', async () => {
    const { page } = await open({ query: '?resolution=36' })
    const ticks = await page.evaluate(async () => {
      let [ticks, done] = [0, false]
      const step = window.peel!.playback.step().then(() => {
        done = true
      })
      while (!done) {
        await new Promise(resolve => setTimeout(resolve))
        if (!done) ticks++
      }
      await step
      return ticks
    })
    expect(ticks).toBeGreaterThan(3)
  })

  describe('threads', () => {
    it('come with headers', async () => {
      await open()
      expect(await footerOf(opened!)).toContain('threads enabled by the headers of this host')
      expect(await footerOf(opened!)).toMatch(/ · drawn by (the CPU|WebGL2)/)
      expect(await opened!.page.evaluate(() => crossOriginIsolated)).toBe(true)
    })

    it('come with a service worker where the host sends no headers', async () => {
      const { page, complaints } = await open({ kind: 'plain' })
      // The first load registers the worker and is followed by a second one.
      await expect.poll(() => footerOf(opened!), { timeout: 60_000 }).toContain('threads enabled by a service worker')
      expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      expect(complaints).toEqual([])
    })

    it('are missed by nobody where there is neither', async () => {
      const { page } = await open({ kind: 'plain', serviceWorkers: 'block' })
      expect(await footerOf(opened!)).toContain('one thread, because this page is not cross-origin isolated')
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      expect(await page.getByRole('row', { name: 'engine' }).locator('td').allTextContents()).toEqual(['wasm', 'wasm'])
    })
  })

  describe('for everybody', () => {
    it.each(['light', 'dark'] as const)('fits 360 pixels, in the %s', async colorScheme => {
      const { page } = await open({ viewport: { width: 360, height: 740 }, colorScheme })
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(await overflow()).toBeLessThanOrEqual(0)
      for (const figure of await page.locator('figure.side').all()) {
        const box = (await figure.boundingBox())!
        expect(box.x).toBeGreaterThanOrEqual(0)
        expect(box.x + box.width).toBeLessThanOrEqual(360)
        expect(box.width).toBeGreaterThan(140)
      }
      const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
      const before = await background()
      expect(before).toBe(colorScheme === 'light' ? 'rgb(244, 247, 250)' : 'rgb(11, 18, 27)')
      await page.getByRole('button', { name: 'Switch between light and dark' }).click()
      expect(await background()).not.toBe(before)
      expect((await page.screenshot()).length).toBeGreaterThan(10_000)
    })

    it('names every control', async () => {
      const { page } = await open()
      const nameless = await page.evaluate(() => {
        const named = (element: Element) => {
          const labels = (element as HTMLInputElement).labels
          const by = element.getAttribute('aria-labelledby')
          const texts = [
            element.getAttribute('aria-label'),
            element.getAttribute('title'),
            element instanceof HTMLButtonElement ? element.textContent : '',
            ...(labels ? [...labels].map(label => label.textContent) : []),
            ...(by ?? '').split(' ').map(id => (id ? document.getElementById(id)?.textContent : '')),
          ]
          return texts.some(text => text?.trim())
        }
        return [...document.querySelectorAll('button, input, select, textarea, a, canvas, [role=img]')]
          .filter(
            element =>
              !element.closest('[hidden]') && !named(element) && !element.closest('[role=img]')?.getAttribute('aria-label'),
          )
          .map(element => element.outerHTML.slice(0, 120))
      })
      expect(nameless).toEqual([])
    })
  })

  it('paints a 3D frame before it begins the next one, which needs the same cores, and draws others meanwhile', async () => {
    const found = async (query: string) => {
      const { page } = await open({ query })
      return page.evaluate(async () => {
        const { sides, playback } = window.peel!
        const { canvas } = sides.all.b.drawing!
        const picture = () => canvas.toDataURL()
        await new Promise(requestAnimationFrame)
        const before = picture()
        let isPaintedAtOnce = false
        const { advance } = sides.all.b.session!
        // The order for the next frame, seen from the page.
        let orders = 0
        sides.all.b.session!.advance = (...given) => {
          if (++orders === 2) isPaintedAtOnce = picture() !== before
          return advance(...given)
        }
        playback.play()
        while (orders < 2) await new Promise(resolve => setTimeout(resolve, 5))
        playback.pause()
        return { takesCores: sides.takeCores, isPaintedAtOnce }
      })
    }
    expect(await found('?scene=splash&resolution=14&drawing=processor')).toEqual({ takesCores: true, isPaintedAtOnce: true })
    expect((await found('?scene=lai-circle&resolution=16&drawing=processor')).takesCores).toBe(false)
    expect((await found('?scene=splash&resolution=10&drawing=webgl')).takesCores).toBe(false)
  })

  it('paints at once what comes not faster than a screen shows it, and the latest of what does', async () => {
    const { page } = await open({ query: '?scene=lai-circle&resolution=16&drawing=processor' })
    const painted = await page.evaluate(async () => {
      const { drawing, session } = window.peel!.sides.all.b
      const { frame } = session!.moment
      let count = 0
      const { prototype } = CanvasRenderingContext2D
      const put = prototype.putImageData as (this: CanvasRenderingContext2D, image: ImageData, x: number, y: number) => void
      prototype.putImageData = function (this: CanvasRenderingContext2D, image: ImageData) {
        count++
        put.call(this, image, 0, 0)
      }
      await new Promise(resolve => setTimeout(resolve, 100))
      const counts: number[] = []
      for (let n = 0; n < 3; n++) {
        drawing!.show(frame)
        counts.push(count)
      }
      await new Promise(requestAnimationFrame)
      await new Promise(requestAnimationFrame)
      return [...counts, count]
    })
    expect(painted).toEqual([1, 1, 1, 2])
  })

  it('gives the frames of the command line, bit for bit', async () => {
    const run = `${temporary.folder}/run`
    const [{ page }, told] = await Promise.all([
      open({ query: '?resolution=14' }),
      peel(['run', 'splash', '-o', run, '--resolution', '14', '--frames', '4', '--set', 'time.fps=60', '--walls', 'separating']),
    ])
    expect(told.code, told.stderr).toBe(0)
    const expected = await readFrame(await readRun(run), 4)
    const found = await page.evaluate(async () => {
      for (let n = 0; n < 4; n++) await window.peel!.playback.step()
      const { index, time, liquid, solid, particles } = await window.peel!.sides.all.b.session!.capture({ particles: true })
      const arrays = [liquid, solid, particles!.position, particles!.velocity]
      return { index, time, arrays: arrays.map(array => [...new Uint32Array(array.buffer)]) }
    })
    const bitsOf = ({ liquid, solid, particles }: Frame) =>
      [liquid, solid, particles!.position, particles!.velocity].map(array => [
        ...new Uint32Array(array.buffer, array.byteOffset, array.length),
      ])
    expect([found.index, found.time]).toEqual([expected.index, expected.time])
    expect(found.arrays[2].length).toBeGreaterThan(3000)
    expect(found.arrays).toEqual(bitsOf(expected))
  })

  describe('says what is wrong and goes on', () => {
    it('with a scene that does not exist', async () => {
      await open({ query: '?scene=spash&resolution=10' })
      expect(await messageOf(opened!)).toBe('Unknown scene "spash" (did you mean "splash"?); showing splash.')
      expect(await indices(opened!)).toEqual([0, 0])
    })

    it('with a scene that makes no sense', async () => {
      const { page } = await open()
      await page.evaluate(() => {
        const { openScene, scene } = window.peel!
        return openScene({
          name: 'broken',
          scene: { ...scene.scene, liquid: [{ shape: 'blob' }] } as unknown as typeof scene.scene,
        })
      })
      expect(await messageOf(opened!)).toMatch(/^The scene: liquid\[0\]\.shape/)
      await page.getByLabel('scene', { exact: true }).selectOption({ label: 'Liquid in a square (2D)' })
      await expect.poll(() => messageOf(opened!)).toBe('')
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
    })

    it('with one side that cannot start: the other does not go on alone', async () => {
      const { page } = await open()
      await page.evaluate(async () => {
        const { settings, playback, startOver } = window.peel!
        await playback.step()
        settings.a.solver = 'nonsense'
        await startOver()
      })
      expect(await messageOf(opened!)).toMatch(/Unknown solver "nonsense"/)
      expect(await indices(opened!)).toEqual([undefined, undefined])
      await page.evaluate(async () => {
        const { settings, playback, startOver } = window.peel!
        settings.a.solver = 'psor'
        await startOver()
        await playback.step()
      })
      expect(await messageOf(opened!)).toBe('')
      expect(await indices(opened!)).toEqual([1, 1])
    })

    it('with a resolution that does not fit into memory', async () => {
      const { page } = await open({ query: '?resolution=10' })
      const field = control(opened!, 'resolution')
      await field.fill('400')
      await field.press('Enter')
      await expect.poll(() => messageOf(opened!)).toMatch(/^A resolution of \d+ needs about \d+ MiB/)
      await field.fill('10')
      await field.press('Enter')
      await expect.poll(() => messageOf(opened!)).toBe('')
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
    })

    it('a draughtsman that there is not', async () => {
      await open({ query: '?scene=lai-circle&resolution=16&drawing=nobody' })
      expect(await messageOf(opened!)).toMatch(/^Unknown renderer "nobody"; use drawing=webgl or /)
      await opened!.page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
    })

    it('without WebGL2: painted by the processor', async () => {
      const { page } = await open({
        before: async page => {
          await page.addInitScript(() => {
            const { getContext } = HTMLCanvasElement.prototype
            HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
              return kind.startsWith('webgl') ? null : (getContext as (...args: unknown[]) => unknown).call(this, kind, ...rest)
            } as typeof getContext
          })
        },
      })
      expect(await messageOf(opened!)).toMatch(/WebGL2; .* Until then the CPU draws, and water is the only view\.$/)
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      const colours = await page.evaluate(() => {
        const { canvas, renderNow } = window.peel!.sides.all.b.drawing!
        renderNow()
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height)
        return new Set(new Uint32Array(data.buffer)).size
      })
      expect(colours).toBeGreaterThan(20)
    })

    it('while the graphics card has lost the picture, and draws again afterwards', async () => {
      const { page } = await open({ query: '?scene=lai-circle&resolution=16&drawing=webgl' })
      await page.evaluate(() => {
        const { canvas } = window.peel!.sides.all.b.drawing!
        Object.assign(window, { lose: canvas.getContext('webgl2')!.getExtension('WEBGL_lose_context') })
        ;(window as unknown as { lose: { loseContext(): void } }).lose.loseContext()
      })
      await expect.poll(() => messageOf(opened!)).toMatch(/^The GPU context was lost/)
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      await page.evaluate(() => (window as unknown as { lose: { restoreContext(): void } }).lose.restoreContext())
      await expect.poll(() => messageOf(opened!)).toBe('')
      const same = await page.evaluate(async () => {
        const { a, b } = window.peel!.sides.all
        b.drawing!.show(a.session!.moment.frame)
        const [left, right] = await Promise.all(
          [a, b].map(async ({ drawing }) => new Uint8Array(await (await drawing!.picture()).arrayBuffer())),
        )
        return left.length === right.length && left.every((byte, at) => byte === right[at])
      })
      expect(same).toBe(true)
    })

    it('without WebAssembly that has vectors', async () => {
      const { page } = await open({
        before: async page => {
          await page.route('**/simulation-worker-*.js', async route => {
            const response = await route.fetch()
            const body = `WebAssembly.Module = class { constructor() { throw new Error('refused') } };${await response.text()}`
            await route.fulfill({ response, body })
          })
        },
      })
      expect(await messageOf(opened!)).toMatch(/does not support WebAssembly SIMD/)
      await page.evaluate(() => window.peel!.playback.step())
      expect(await indices(opened!)).toEqual([1, 1])
      const engines = await page.evaluate(() => Object.values(window.peel!.sides.all).map(({ session }) => session!.engine))
      expect(engines).toEqual(['portable', 'portable'])
    })
  })
})
