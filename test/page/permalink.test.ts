/** The page in a real browser: links that lead to a frame. */
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { formatLink, parseLink } from '../../page/link/link.js'
import { linkOf } from '../../page/link/page-state.js'
import type { Recording } from '../../page/link/recording.js'
import { liveOf, type Settings, settingsFor } from '../../page/settings.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { findChromium } from '../support/chromium.js'
import { useSite } from './site.js'

const chromium = findChromium()
/** Milliseconds that a busy machine is given. */
const PATIENCE = { timeout: 60_000 }

const POOL: SceneInput = {
  version: 1,
  domain: { size: [1, 1], resolution: 16 },
  liquid: [{ shape: 'box', min: [0, 0], max: [0.6, 0.6] }],
  time: { frames: 3000 },
  solver: { threads: 1 },
}
const settings: Settings = { ...settingsFor(POOL, 'phone'), resolution: 16, layout: 'one' }

function linkToFrame(frame: number, more: object = {}): string {
  const recording: Recording = { frame, start: liveOf(settings), events: [] }
  return linkOf({ scene: { name: 'own', scene: POOL }, settings, recording, playing: false, ...more }).link
}

// Pages are opened and simulated many times, on machines that may be busy.
describe.skipIf(chromium === undefined)('a link that leads to a frame', () => {
  const open = useSite(chromium)

  const step = (page: Page) => page.evaluate(() => window.peel!.playback.step())
  const frameOf = (page: Page) => page.evaluate(() => window.peel!.sides.all.b.session!.moment.frame.index)
  const note = (page: Page) => page.locator('.note').textContent()
  const message = (page: Page) => page.locator('#message').textContent()
  const follow = (page: Page, link: string) =>
    page.evaluate(hash => {
      location.hash = hash
    }, link)

  async function copyLink(page: Page): Promise<string> {
    await page.evaluate(() => document.querySelector<HTMLButtonElement>('.link')!.click())
    await expect.poll(() => note(page), PATIENCE).toMatch(/^The link is .*in the address bar\./)
    return new URL(page.url()).hash
  }

  /** All that the simulations of both sides have, and what is seen beside it. */
  const stateOf = (page: Page) =>
    page.evaluate(async () => {
      const { sides, scene, settings, held, playback } = window.peel!
      const digests: string[] = []
      for (const { session } of Object.values(sides.all)) {
        const { particles, fields, liquid, solid } = await session!.capture({ particles: true, fields: true })
        const parts = [particles!.position, particles!.velocity, fields!.pressure, ...fields!.velocity, liquid, solid]
        for (const part of parts) {
          const digest = await crypto.subtle.digest('SHA-256', part as BufferSource)
          digests.push([...new Uint8Array(digest.slice(0, 8))].join())
        }
      }
      return {
        digests,
        frame: sides.all.b.session!.moment.frame.index,
        scene: scene.scene,
        settings,
        held,
        isPlaying: playback.isPlaying,
        look: sides.all.b.drawing!.look,
        tool: document.querySelector('[data-tool][aria-pressed=true]')!.textContent,
        pad: document.querySelector('.pad')!.getAttribute('aria-valuetext'),
        moment: document.querySelector('#moment')!.textContent,
        iterations: document.querySelector('#instruments tr:nth-child(3)')!.textContent,
      }
    })

  /** Of the particles on the right. */
  const digestOf = (page: Page) =>
    page.evaluate(async () => {
      const { particles } = await window.peel!.sides.all.b.session!.capture({ particles: true })
      const digest = await crypto.subtle.digest('SHA-256', particles!.position as BufferSource)
      return [...new Uint8Array(digest)].join()
    })

  it('has the same bits there and from there on, after stirring, tilting, a ball and other settings on the way', async () => {
    const page = await open()
    await page.evaluate(async given => {
      window.peel!.settings.view = 'pressure'
      window.peel!.settings.flipRatio = 0.9
      await window.peel!.replaceScene({ name: 'own', scene: given })
    }, POOL)
    const stage = page.locator('figure.b .stage')
    const drag = async (...places: (readonly [number, number])[]) => {
      await stage.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await stage.boundingBox())!
      for (const [at, [u, v]] of places.entries()) {
        await page.mouse.move(x + u * width, y + (1 - v) * height)
        if (at === 0) await page.mouse.down()
        else await step(page)
      }
      await page.mouse.up()
    }
    await step(page)
    await page.click('[data-tool=stir]')
    await drag([0.3, 0.3], [0.4, 0.33], [0.5, 0.3])
    await page.click('.tilt summary')
    await page.locator('.pad').focus()
    await page.keyboard.press('ArrowRight')
    await step(page)
    await page.evaluate(async () => {
      window.peel!.settings.a.solver = 'mic-pcg'
      window.peel!.settings.b.walls = 'sticking'
      await window.peel!.changeLive()
    })
    await page.click('[data-tool=ball]')
    await drag([0.3, 0.3], [0.32, 0.3], [0.4, 0.35])
    await page.locator('.pad').focus()
    await page.keyboard.press('ArrowRight')

    const link = await copyLink(page)
    const other = await open({ query: link })
    const [here, there] = [await stateOf(page), await stateOf(other)]
    expect(here).toMatchObject({ frame: 6, tool: 'Ball', isPlaying: false })
    expect(here.held.obstacle).toBeTruthy()
    expect(there).toEqual(here)
    expect(await note(other)).toBe('This is frame 6, as in the link.')
    expect(await other.locator('#replay').isHidden()).toBe(true)

    for (const each of [page, other])
      for (let n = 0; n < 2; n++) {
        await step(each)
        if (n === 0) await each.click('[data-tool=look]')
      }
    expect(await stateOf(other)).toEqual(await stateOf(page))
    // Nothing of this is as if the liquid had been left alone.
    const alone = await open({ query: linkToFrame(6, { settings: here.settings }) })
    expect((await stateOf(alone)).digests).not.toEqual(here.digests)
  })

  it('brings back light, what is unfolded and what can be undone', async () => {
    const around = (page: Page) =>
      page.evaluate(() => ({
        theme: document.documentElement.dataset.theme,
        details: [...document.querySelectorAll('details')].map(({ open }) => open),
        folders: window.peel!.controls.panel.folders.map(({ _closed }) => _closed),
        drops: window.peel!.scene.scene.liquid?.length,
      }))
    const page = await open({ query: `${linkToFrame(0, { tool: 'edit' })}` })
    const edit = async (key: string) => {
      await page.click(`[data-draw=${key}]`)
      const stage = page.locator('figure.b .stage')
      await stage.scrollIntoViewIfNeeded()
      const { x, y, width, height } = (await stage.boundingBox())!
      await page.mouse.move(x + 0.7 * width, y + 0.2 * height)
      await page.mouse.down()
      await page.mouse.move(x + 0.8 * width, y + 0.3 * height)
      await page.mouse.up()
    }
    for (const [number, key] of ['ball', 'box'].entries()) {
      await edit(key)
      await expect.poll(async () => (await around(page)).drops, PATIENCE).toBe(2 + number)
    }
    await page.click('#theme')
    await page.click('.export summary')
    await page.evaluate(() => window.peel!.controls.panel.folders[2].close())
    const here = await around(page)
    expect(here).toEqual({ theme: 'dark', details: [false, true], folders: [false, false, true], drops: 3 })

    const other = await open({ query: await copyLink(page) })
    expect(await around(other)).toEqual(here)
    for (const drops of [2, 1]) {
      await other.click('.undo')
      await expect.poll(async () => (await around(other)).drops, PATIENCE).toBe(drops)
    }
    await expect.poll(() => other.locator('.undo').isDisabled(), PATIENCE).toBe(true)

    // What a link does not tell stays as it is.
    await follow(other, linkToFrame(0, { tool: 'look' }))
    await expect.poll(() => other.locator('button[data-tool=look]').getAttribute('aria-pressed'), PATIENCE).toBe('true')
    expect(await around(other)).toEqual({ ...here, drops: 1 })
    await follow(other, linkToFrame(0, { past: [{ shipped: 'splish' }] }))
    await expect.poll(() => message(other), PATIENCE).toContain('names the scene "splish" (did you mean "splash"?)')
  })

  it('tells how far it is, and stops where the reader wants', async () => {
    const page = await open()
    const way = page.getByRole('region', { name: 'Replay to a frame' })
    const bar = page.getByRole('progressbar', { name: 'Simulating up to frame 3000' })
    const started = async () => {
      await way.waitFor()
      await expect.poll(async () => Number(await bar.getAttribute('value')), PATIENCE).toBeGreaterThan(2)
    }
    await follow(page, linkToFrame(3000))
    await started()
    expect(await note(page)).toBe('The link is to frame 3000, which is being simulated.')
    expect(await way.textContent()).toMatch(/Simulating up to frame 3000 … \d+/)
    expect(await bar.getAttribute('aria-valuetext')).toMatch(/^frame \d+ of 3000$/)
    await way.getByRole('button', { name: 'Stop here' }).click()
    await way.waitFor({ state: 'hidden' })
    const stopped = await frameOf(page)
    expect(stopped).toBeLessThan(3000)
    expect(await note(page)).toBe(`Stopped at frame ${stopped}; the link is to frame 3000.`)
    expect(await page.locator('#moment').textContent()).toContain(`frame ${stopped} `)
    await step(page)
    expect(await frameOf(page)).toBe(stopped + 1)
    const other = await open({ query: linkToFrame(stopped + 1) })
    expect(await digestOf(page)).toBe(await digestOf(other))

    for (const [key, isAtStart] of [
      ['Space', false],
      ['s', false],
      ['r', true],
    ] as const) {
      await follow(page, `${linkToFrame(3000, { tool: key })}`)
      await started()
      await page.keyboard.press(key)
      await way.waitFor({ state: 'hidden' })
      await expect.poll(() => frameOf(page), PATIENCE).toSatisfy((frame: number) => (isAtStart ? frame === 0 : frame > 2))
      expect(await page.evaluate(() => window.peel!.playback.isPlaying)).toBe(false)
      expect(await note(page)).toMatch(isAtStart ? /^$/ : /^Stopped at frame/)
    }
    expect(await message(page)).toBe('')
  })

  it('lets no hand disturb the liquid on its way', async () => {
    const page = await open()
    // All of it in the page: from outside, the way may be over before anybody has looked.
    const wasOnItsWay = await page.evaluate(async hash => {
      const way = document.querySelector<HTMLElement>('#replay')!
      location.hash = hash
      while (way.hidden) await new Promise(resolve => setTimeout(resolve))
      window.peel!.influence({ gravity: [9, 0, 0] })
      return window.peel!.isReplaying
    }, linkToFrame(60))
    expect(wasOnItsWay).toBe(true)
    await page.locator('#replay').waitFor({ state: 'hidden' })
    const other = await open({ query: linkToFrame(60) })
    expect(await digestOf(page)).toBe(await digestOf(other))
  })

  it('leads on to another one where that is opened meanwhile', async () => {
    const page = await open()
    await follow(page, linkToFrame(3000))
    await page.locator('#replay').waitFor()
    await follow(page, linkToFrame(3))
    await expect.poll(() => note(page), PATIENCE).toBe('This is frame 3, as in the link.')
    expect(await frameOf(page)).toBe(3)
    expect(await page.locator('#replay').isHidden()).toBe(true)
  })

  it('plays on where it played, and stands where it stood', async () => {
    const playing = await open({ query: linkToFrame(3, { playing: true }), playing: true })
    await expect.poll(() => frameOf(playing), PATIENCE).toBeGreaterThan(5)
    expect(parseLink(await copyLink(playing))).toMatchObject({ playing: true })
    await playing.evaluate(() => window.peel!.playback.pause())
    const standing = await open({ query: linkToFrame(3), playing: true })
    expect(await standing.evaluate(() => window.peel!.playback.isPlaying)).toBe(false)
    expect(await frameOf(standing)).toBe(3)
    // Whoever wants little to move presses Play.
    const calm = await open({ query: linkToFrame(3, { playing: true }) })
    expect(await calm.evaluate(() => window.peel!.playback.isPlaying)).toBe(false)
  })

  it('to a frame that cannot be is refused in a sentence, at the start and later, and the page works', async () => {
    const to = (frame: unknown) =>
      formatLink({ scene: { name: 'own', scene: POOL }, settings, course: { frame, start: liveOf(settings), deeds: [] } })
    const page = await open({ query: `?scene=lai-circle&resolution=16${to(1e9)}` })
    expect(await message(page)).toContain('The link is to frame 1000000000, but its scene ends with frame 7500; copy')
    await step(page)
    for (const frame of [-4, null, 0.5]) {
      await page.evaluate(() => window.peel!.say(''))
      await follow(page, to(frame))
      await expect.poll(() => message(page), PATIENCE).toContain('it has no valid frame; copy')
    }
    await step(page)
    expect(await page.locator('#moment').textContent()).toContain('frame 2')
    expect(await page.evaluate(() => window.peel!.scene.name)).toBe('lai-circle')
  })

  it('says so where what was done on the way does not fit into it', async () => {
    // One that has nearly no room for anything else.
    const drops: SceneInput['liquid'] = []
    const crowded: SceneInput = { ...POOL, liquid: drops }
    const some = (n: number) => Math.abs(Math.sin(n * n))
    while (linkToFrame(0, { scene: { name: 'own', scene: crowded } }).length < 23_500)
      for (let n = 0; n < 5; n++)
        drops.push({ shape: 'sphere', centre: [some(drops.length), some(drops.length + 0.5)], radius: 0.05 })
    const page = await open({ query: linkToFrame(0, { scene: { name: 'own', scene: crowded } }) })
    await page.evaluate(async () => {
      for (let n = 0; n < 30; n++) {
        const somewhere = (m: number) => [Math.abs(Math.sin(m * m)), Math.abs(Math.cos(m * m)), 0] as const
        window.peel!.influence({ stir: { place: somewhere(n), velocity: somewhere(n + 0.5), radius: 0.1 } })
        await window.peel!.playback.step()
      }
      window.peel!.influence({ stir: null, gravity: [1, -9, 0] })
    })
    const link = await copyLink(page)
    expect(await note(page)).toMatch(/in the address bar\. The interactions do not fit .* the same frame without them\.$/)
    const other = await open({ query: link })
    expect(await frameOf(other)).toBe(30)
    expect(await other.evaluate(() => window.peel!.held.gravity)).toEqual([1, -9, 0])
  })
})
