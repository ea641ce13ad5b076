/** The page in a real browser: scene files with the meshes that they name. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { parseSceneFile } from '../../page/editor/open-files.js'
import { InputError } from '../../src/input-error.js'
import type { SceneInput } from '../../src/scene/schema.js'
import { project } from '../setup/working-copy.js'
import { findChromium } from '../support/chromium.js'
import { type OpenOptions, useSite } from './site.js'

const chromium = findChromium()
const PATIENCE = { timeout: 60_000 }
const TIP = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'
const BOWL = readFileSync(join(project, 'scenes/bowl.obj'), 'utf8')
const TWO: SceneInput = {
  version: 1,
  domain: { size: [1, 1, 1], resolution: 10 },
  solids: [
    { mesh: 'shapes/tip.obj', scale: 0.5 },
    { mesh: 'shapes\\top.obj', scale: 0.3, translate: [0.5, 0.5, 0.5] },
    { mesh: 'shapes/tip.obj' },
  ],
}

describe('a scene file', () => {
  it('tells its meshes by what their files are called', () => {
    const { meshes } = parseSceneFile(JSON.stringify(TWO), 'two.json')
    expect(Object.fromEntries(meshes)).toEqual({ 'tip.obj': 'shapes/tip.obj', 'top.obj': 'shapes\\top.obj' })
  })

  it('with two meshes that cannot be told apart is refused', () => {
    const scene = { ...TWO, solids: [{ mesh: 'a/tip.obj' }, { mesh: 'b/tip.obj' }] }
    expect(() => parseSceneFile(JSON.stringify(scene), 'two.json')).toThrow(InputError)
    expect(() => parseSceneFile(JSON.stringify(scene), 'two.json')).toThrow(
      'both called tip.obj, a/tip.obj and b/tip.obj; rename one.',
    )
  })
})

describe.skipIf(chromium === undefined)('scene and mesh files on the page', () => {
  const openPage = useSite(chromium)
  async function open(options?: OpenOptions): Promise<Page> {
    const page = await openPage(options)
    await page.click('.export summary')
    return page
  }

  type Files = Readonly<Record<string, string>>
  const drop = (page: Page, files: Files) =>
    page.evaluate(given => {
      const dataTransfer = new DataTransfer()
      for (const [name, text] of Object.entries(given)) dataTransfer.items.add(new File([text], name))
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    }, files)
  const choose = (page: Page, files: Files) =>
    page
      .locator('.open')
      .setInputFiles(Object.entries(files).map(([name, text]) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })))

  const note = (page: Page) => page.locator('.note').textContent()
  const message = (page: Page) => page.locator('#message').textContent()
  const says = (page: Page, sentence: string) => expect.poll(() => message(page), PATIENCE).toBe(sentence)
  const notes = (page: Page, sentence: string) => expect.poll(() => note(page), PATIENCE).toBe(sentence)
  const isOpen = async (page: Page, name: string) => {
    await notes(page, `${name} is open.`)
    expect(await message(page)).toBe('')
  }
  const meshesOf = (page: Page) => page.evaluate(() => [...(window.peel!.scene.meshes?.keys() ?? [])])
  const step = (page: Page) => page.evaluate(() => window.peel!.playback.step())
  const frameOf = (page: Page) => page.evaluate(() => window.peel!.sides.all.b.session!.moment.frame.index)
  const small = (page: Page) =>
    page.evaluate(async () => {
      Object.assign(window.peel!.settings, { resolution: 12, layout: 'one' })
      await window.peel!.startOver()
    })
  const solid = (page: Page) => page.evaluate(() => [...window.peel!.sides.all.b.session!.moment.frame.solid])

  it('the bowl that was copied from the page opens again, chosen and dropped together with its mesh', async () => {
    const page = await open({ query: '?scene=bowl&resolution=12', permissions: ['clipboard-read', 'clipboard-write'] })
    await small(page)
    const bowl = await solid(page)
    await page.click('.copy')
    await notes(page, 'The scene is on the clipboard, for peel run.')
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    for (const way of [choose, drop]) {
      await page.evaluate(() =>
        window.peel!.openScene({ name: 'own', scene: { version: 1, domain: { size: [1, 1], resolution: 8 } } }),
      )
      await way(page, { 'bowl.obj': BOWL, 'copied.json': copied })
      await isOpen(page, 'copied.json')
      await small(page)
      expect(await solid(page)).toEqual(bowl)
    }
    await step(page)
    expect(await frameOf(page)).toBe(1)
    expect(await message(page)).toBe('')
  })

  it('a scene alone says which meshes it needs, and opens when they have come; until then all stays as it was', async () => {
    const page = await open()
    await step(page)
    const still = async () => {
      expect(await page.evaluate(() => window.peel!.scene.name)).toBe('lai-circle')
      expect(await frameOf(page)).toBeGreaterThan(0)
    }
    const needs = (files: string, them: string) =>
      `two.json needs the mesh ${files}: drop ${them} on the page, or choose ${them} with "Open file…", and the scene opens.`
    await drop(page, { 'two.json': JSON.stringify(TWO) })
    await says(page, needs('files tip.obj and top.obj', 'them'))
    await still()
    await drop(page, { 'TIP.obj': TIP })
    await says(page, `TIP.obj has a different spelling. ${needs('files tip.obj and top.obj', 'them')}`)
    await drop(page, { 'tip.obj': TIP })
    await says(page, needs('file top.obj', 'it'))
    await choose(page, { 'top.obj': 'no mesh at all' })
    await says(page, `The mesh top.obj has no triangles; export its faces as well. ${needs('file top.obj', 'it')}`)
    await still()
    await step(page)
    expect(await frameOf(page)).toBe(2)
    await choose(page, { 'top.obj': TIP, 'tip.obj': TIP, 'more.obj': TIP })
    await notes(page, 'two.json is open; it does not name more.obj.')
    expect(await meshesOf(page)).toEqual(['shapes/tip.obj', 'shapes\\top.obj'])
    expect(await message(page)).toBe('')
    expect(Math.min(...(await solid(page)))).toBeLessThan(0)
  })

  it('a scene that waits is forgotten when something else is opened', async () => {
    const page = await open()
    const needs = /^two\.json needs the mesh file/
    await drop(page, { 'two.json': JSON.stringify(TWO) })
    await expect.poll(() => message(page), PATIENCE).toMatch(needs)
    const empty = { ...TWO, solids: [] }
    await page.evaluate(scene => window.peel!.openScene({ name: 'own', scene }), empty)
    await drop(page, { 'tip.obj': TIP })
    await expect.poll(() => meshesOf(page), PATIENCE).toEqual(['tip.obj'])
    await drop(page, { 'one.json': '{}', 'two.json': '{}' })
    await says(page, 'Open one scene at a time, not one.json and two.json.')
  })
})
