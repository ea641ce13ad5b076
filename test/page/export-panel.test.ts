/** The page in a real browser: what is taken away from it, read again. */
import { readFileSync } from 'node:fs'
import { decode } from 'fast-png'
import validator from 'gltf-validator'
import type { Page } from 'playwright-core'
import { PLYLoader } from 'three/addons/loaders/PLYLoader.js'
import { describe, expect, it } from 'vitest'
import {
  formatGlb,
  formatGridProblem,
  formatMeshPly,
  formatParticlesPly,
  parseGridProblem,
  surfaceMesh,
} from '../../src/io/formats.js'
import { simulateScene } from '../../src/liquid/from-scene.js'
import type { Scene, SceneInput } from '../../src/scene/schema.js'
import { validateScene } from '../../src/scene/validate.js'
import { solvePressure } from '../../src/solvers/running/solve-pressure.js'
import { findChromium } from '../support/chromium.js'
import { type OpenOptions, useSite } from './site.js'

const chromium = findChromium()

const DROP: SceneInput = {
  version: 1,
  domain: { size: [1, 1, 1], resolution: 12 },
  liquid: [{ shape: 'sphere', centre: [0.5, 0.4, 0.5], radius: 0.3 }],
}

describe.skipIf(chromium === undefined)('taking away from the page', () => {
  const open = useSite(chromium)

  async function openScene(scene: SceneInput, options?: OpenOptions): Promise<Page> {
    const page = await open(options)
    await page.evaluate(async given => {
      window.peel!.settings.layout = 'one'
      window.peel!.settings.resolution = given.domain.resolution
      await window.peel!.replaceScene({ name: 'own', scene: given })
    }, scene)
    await page.click('.export summary')
    return page
  }

  const step = (page: Page) => page.evaluate(() => window.peel!.playback.step())

  async function download(page: Page, button: string): Promise<{ name: string; bytes: Uint8Array<ArrayBuffer> }> {
    const [file] = await Promise.all([page.waitForEvent('download'), page.click(button)])
    return { name: file.suggestedFilename(), bytes: Uint8Array.from(readFileSync(await file.path())) }
  }

  /** The scene of the right side, as the page says it to `peel run`. */
  async function savedScene(page: Page): Promise<Scene> {
    const { bytes } = await download(page, '.save')
    return validateScene(JSON.parse(new TextDecoder().decode(bytes)))
  }

  it('frame and problem are, bit for bit, what the writers of peel export make of the same scene', async () => {
    const page = await openScene(DROP)
    await step(page)
    await step(page)
    const simulation = await simulateScene({ scene: await savedScene(page) }, { threads: 1 })
    let problem = new Uint8Array()
    for (let n = 0; n < 2; n++)
      await simulation.advance(() => {
        problem = Uint8Array.from(formatGridProblem(simulation.problem()))
      })
    const frame = simulation.capture({ particles: true })
    const particleCount = simulation.particles
    simulation.dispose()

    const ply = await download(page, '[data-export=surfacePly]')
    expect(ply.name).toBe('own-000002-surface.ply')
    expect(ply.bytes).toEqual(Uint8Array.from(formatMeshPly(surfaceMesh(frame))))
    const geometry = new PLYLoader().parse(ply.bytes.buffer)
    expect(geometry.getIndex()!.count).toBe(surfaceMesh(frame).indices.length)

    const glb = await download(page, '[data-export=surfaceGlb]')
    expect(glb.bytes).toEqual(Uint8Array.from(await formatGlb(surfaceMesh(frame))))
    const { issues } = await validator.validateBytes(glb.bytes)
    expect(issues).toMatchObject({ numErrors: 0, numWarnings: 0 })

    const particles = await download(page, '[data-export=particlesPly]')
    expect(particles.bytes).toEqual(Uint8Array.from(formatParticlesPly(frame.particles!)))
    expect(new PLYLoader().parse(particles.bytes.buffer).getAttribute('position').count).toBe(particleCount)

    const npz = await download(page, '[data-export=problemNpz]')
    expect(npz.name).toBe('own-000002-problem.npz')
    expect(npz.bytes).toEqual(problem)
    const { result } = await solvePressure(parseGridProblem(npz.bytes, 'npz'))
    expect(result.status).toBe('converged')
  })

  it('what cannot be had is said in a sentence, and the page goes on', async () => {
    const page = await openScene({ ...DROP, liquid: [] })
    const message = () => page.locator('#message').textContent()
    await page.click('[data-export=problemNpz]')
    await expect.poll(message).toBe('The start has no pressure problem; compute a frame first.')
    await page.click('[data-export=surfacePly]')
    await expect.poll(message).toBe('There is no liquid and therefore no surface to save; draw some liquid first.')
    await step(page)
    expect(await page.locator('#moment').textContent()).toContain('frame 1')
  })

  it('a picture shows both sides as they are seen', async () => {
    const page = await open()
    await page.click('.export summary')
    const { bytes, name } = await download(page, '.picture')
    expect(name).toBe('lai-circle-000000-picture.png')
    const { width, height, data, channels } = decode(bytes)
    const [sum, tall] = await page.evaluate(() => {
      const canvases = Object.values(window.peel!.sides.all).map(({ drawing }) => drawing!.canvas)
      return [canvases.reduce((all, canvas) => all + canvas.width, 0), canvases[0].height]
    })
    expect(Math.abs(width - sum) + Math.abs(height - tall)).toBeLessThanOrEqual(2)
    const colours = (from: number, to: number) => {
      const found = new Set<string>()
      for (let y = 0; y < height; y += 3)
        for (let x = from; x < to; x += 3)
          found.add(String(data.slice(channels * (x + width * y), channels * (x + width * y) + 3)))
      return found.size
    }
    expect(colours(0, width >> 1)).toBeGreaterThan(20)
    expect(colours(width >> 1, width)).toBeGreaterThan(20)
  })

  it('a video has one picture for each frame, and a browser plays it', async () => {
    const page = await openScene({
      ...DROP,
      domain: { size: [1, 1], resolution: 16 },
      liquid: [{ shape: 'sphere', centre: [0.5, 0.5], radius: 0.3 }],
      time: { fps: 20 },
    })
    await page.evaluate(() => {
      window.peel!.settings.frameRate = 0
      return window.peel!.startOver()
    })
    await page.click('.record')
    await expect.poll(() => page.locator('.record').textContent()).toBe('Stop (0 frames)')
    for (let n = 0; n < 7; n++) await step(page)
    const { bytes, name } = await download(page, '.record')
    expect(name).toMatch(/^own-000007-video\.(mp4|webm)$/)
    expect(await page.locator('.note').textContent()).toBe('A video of 7 frames was saved.')
    const seen = await page.evaluate(async base64 => {
      const video = document.createElement('video')
      const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0))
      video.src = URL.createObjectURL(new Blob([bytes]))
      await new Promise((resolve, reject) => {
        video.oncanplaythrough = resolve
        video.onerror = () => reject(new Error(video.error?.message))
      })
      video.currentTime = 0.12
      await new Promise(resolve => {
        video.onseeked = resolve
      })
      const context = Object.assign(document.createElement('canvas'), {
        width: video.videoWidth,
        height: video.videoHeight,
      }).getContext('2d')!
      // A busy browser shows the frame some time after it was found.
      let colours = 0
      for (let turn = 0; turn < 200 && colours < 2; turn++) {
        await new Promise(resolve => setTimeout(resolve, 50))
        context.drawImage(video, 0, 0)
        const { data } = context.getImageData(0, 0, video.videoWidth, video.videoHeight)
        colours = new Set(new Uint32Array(data.buffer)).size
      }
      return { duration: video.duration, width: video.videoWidth, colours }
    }, Buffer.from(bytes).toString('base64'))
    expect(seen.duration).toBeCloseTo(7 / 20, 2)
    expect(seen.width).toBeGreaterThan(100)
    expect(seen.colours).toBeGreaterThan(20)
  })

  it('a browser without an encoder says so', async () => {
    const page = await openScene(DROP, {
      before: async page => void (await page.addInitScript('delete globalThis.VideoEncoder')),
    })
    await page.click('.record')
    await expect.poll(() => page.locator('#message').textContent()).toMatch(/^This browser has no video encoder/)
    await step(page)
  })

  it('a link brings back scene, edits, settings and view: the first frames have the same bits', async () => {
    const page = await open({ query: '?scene=splash&resolution=10', permissions: ['clipboard-read', 'clipboard-write'] })
    const digest = async (of: Page) => {
      await step(of)
      return of.evaluate(async () => {
        const { session } = window.peel!.sides.all.b
        const { particles, liquid } = await session!.capture({ particles: true })
        const parts = await Promise.all(
          [particles!.position, particles!.velocity, liquid].map(part => crypto.subtle.digest('SHA-256', part as BufferSource)),
        )
        return parts.map(part => [...new Uint8Array(part)].join()).join()
      })
    }
    const stateOf = (of: Page) =>
      of.evaluate(() => {
        const { scene, settings, sides } = window.peel!
        return {
          scene: scene.scene,
          name: scene.name,
          meshes: [...(scene.meshes?.keys() ?? [])],
          settings,
          look: sides.all.b.drawing!.look,
        }
      })
    const copyLink = async () => {
      await page.click('.link')
      await expect.poll(() => page.locator('.note').textContent()).toContain('The link is on the clipboard')
      return page.evaluate(() => navigator.clipboard.readText())
    }
    const hashOf = (link: string) => ({ query: new URL(link).hash })
    await page.click('.export summary')
    await page.evaluate(async () => {
      window.peel!.settings.a.solver = 'mic-pcg'
      window.peel!.settings.flipRatio = 0.9
      window.peel!.settings.resolution = 11
      await window.peel!.startOver()
    })

    for (const edit of ['none', 'mesh']) {
      if (edit === 'mesh') {
        await page.locator('.open').setInputFiles({
          name: 'tip.obj',
          mimeType: 'text/plain',
          buffer: Buffer.from('v 0 0 0\nv 1.1 0 0\nv 0 1.2 0\nv 0 0 1.3\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n'),
        })
        await expect.poll(async () => (await stateOf(page)).meshes).toContain('tip.obj')
        await page.waitForFunction(
          () => window.peel!.sides.all.b.session!.scene.solids.length === window.peel!.scene.scene.solids!.length,
        )
      }
      const link = await copyLink()
      expect(page.url()).toBe(link)
      const other = await open(hashOf(link))
      expect(await stateOf(other)).toEqual(await stateOf(page))
      expect(await digest(other)).toBe(await digest(page))
    }
  })

  it('a broken link is refused in a sentence, at the start and later, and the page goes on as it was', async () => {
    const page = await open({ query: '?scene=lai-circle&resolution=16#v1.abcdef' })
    const message = () => page.locator('#message').textContent()
    expect(await message()).toContain('The link is damaged')
    await step(page)
    await page.evaluate(() => {
      location.hash = '#nonsense'
    })
    await expect.poll(message).toContain('The part of the address after # is not a link of Peel')
    await step(page)
    expect(await page.locator('#moment').textContent()).toContain('frame 2')
  })

  it('a link that would be too long is said to be, and the scene can be copied instead', async () => {
    const page = await openScene({ ...DROP, liquid: [] }, { permissions: ['clipboard-read', 'clipboard-write'] })
    await page.evaluate(async scene => {
      const liquid = Array.from({ length: 900 }, (_, n) => ({
        shape: 'sphere' as const,
        centre: [Math.sin(n) ** 2, Math.cos(7 * n) ** 2, 0.5],
        radius: 0.05,
      }))
      await window.peel!.replaceScene({ name: 'own', scene: { ...scene, liquid } })
    }, DROP)
    await page.click('.link')
    await expect
      .poll(() => page.locator('#message').textContent())
      .toMatch(/The link would have \d+ characters.*copy the scene as JSON instead/)
    await page.click('.copy')
    await expect.poll(() => page.locator('.note').textContent()).toContain('The scene is on the clipboard')
    const scene = validateScene(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())))
    expect(scene.liquid).toHaveLength(900)
    expect(scene.domain.resolution).toBe(12)
  })
})
