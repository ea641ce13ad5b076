/** peel demo: the page and what is beside it, and that nothing is left of one that did not end well. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode } from 'fast-png'
import { parseHTML } from 'linkedom'
import { describe, expect, it } from 'vitest'
import { describeMp4 } from '../support/mp4-boxes.js'
import { inTemporaryFolder, peel } from './run.js'

const LIMIT = 20 * 60_000

describe('peel demo', () => {
  it(
    'writes one page that fetches nothing, a video of every frame and the pair, and says where and what',
    () =>
      inTemporaryFolder(async folder => {
        const { code, stdout, stderr } = await peel(['demo', '--quick', '--frames', '14', '--resolution', '20'], { cwd: folder })
        expect(code, stderr).toBe(0)
        for (const word of ['frame 14/14', 'substeps', 'iterations', 'residual', 'pinned', 'volume', 'left'])
          expect(stderr).toContain(word)
        expect(readdirSync(join(folder, 'out')).sort()).toEqual(['index.html', 'pair.png', 'video.mp4'])
        expect(stdout).toMatch(/Open \/\S*\/out\/index\.html\n/)
        const [, sticking, separating] = /touches (\S+) m² of ceiling with sticking walls and (\S+) m² with/.exec(stdout)!
        // All of the sphere's ceiling, the half of its upper half that slopes by less than 60°, has 0.636 m².
        expect(Number(sticking)).toBeGreaterThan(0.4)
        expect(Number(separating)).toBeLessThan(0.05)

        expect(stdout).toMatch(/the ceiling is dry after \S+ s, when 0\.\d+ m² are wet with sticking walls\. At the end/)

        const video = readFileSync(join(folder, 'out/video.mp4'))
        // The start and 14 frames after it.
        expect(describeMp4(video)).toMatchObject({ frames: 15, coding: 'avc1' })
        expect(describeMp4(video).seconds).toBeCloseTo(15 / 24, 3)
        const pair = decode(readFileSync(join(folder, 'out/pair.png')))
        expect(pair.width).toBeGreaterThan(2 * pair.height)

        const html = readFileSync(join(folder, 'out/index.html'), 'utf8')
        expect(html.replaceAll('http://www.w3.org/', '')).not.toMatch(/https?:\/\/|\bsrc="(?!data:)/)
        expect(html).toContain(video.toString('base64'))
        const { document } = parseHTML(html)
        expect(document.querySelectorAll('svg').length).toBe(8)
        expect(html.replaceAll(/base64,[^"]*/g, '')).not.toMatch(/NaN|undefined/)
        expect(document.querySelector('pre')!.textContent).toBe('peel demo --quick --resolution 20 --frames 14')
      }),
    LIMIT,
  )

  it(
    'takes scenes in 2D',
    () =>
      inTemporaryFolder(async folder => {
        const { code, stderr, stdout } = await peel(
          ['demo', '--quick', '--scene', 'lai-circle', '--frames', '3', '--resolution', '16', '-o', 'deep/circle'],
          { cwd: folder },
        )
        expect(code, stderr).toBe(0)
        expect(stdout).toMatch(/touches \S+ m of ceiling/)
        expect(describeMp4(readFileSync(join(folder, 'deep/circle/video.mp4'))).frames).toBe(4)
      }),
    LIMIT,
  )

  it(
    'leaves nothing behind when interrupted, and what was there as it was',
    () =>
      inTemporaryFolder(async folder => {
        const endless = ['demo', '--quick', '--frames', '100000', '--resolution', '16']
        const first = await peel(endless, { cwd: folder, interruptAt: /frame 2\// })
        expect(first.code, first.stderr).toBe(130)
        expect(first.stderr).toContain('nothing is written')
        expect(existsSync(join(folder, 'out'))).toBe(false)

        mkdirSync(join(folder, 'out'))
        writeFileSync(join(folder, 'out/index.html'), 'an earlier page')
        expect((await peel(endless, { cwd: folder, interruptAt: /frame 2\// })).code).toBe(130)
        expect(readdirSync(join(folder, 'out'))).toEqual(['index.html'])
        expect(readFileSync(join(folder, 'out/index.html'), 'utf8')).toBe('an earlier page')
      }),
    LIMIT,
  )

  it.skipIf(!existsSync('/proc/self'))('says that its folder cannot be made before it simulates', () =>
    inTemporaryFolder(async folder => {
      const { code, stderr } = await peel(['demo', '--quick', '-o', '/proc/peel'], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toBe('peel: /proc/peel cannot be written: no folder can be made in /proc.\n')
    }),
  )

  it('exits with 2 when a solve does not converge, and writes the page all the same', () =>
    inTemporaryFolder(async folder => {
      const scene = {
        version: 1,
        domain: { size: [1, 1], resolution: 16 },
        liquid: [{ shape: 'box', min: [0, 0.5], max: [0.5, 1] }],
        solver: { maxIterations: 1, tolerance: 1e-12 },
      }
      writeFileSync(join(folder, 'hard.json'), JSON.stringify(scene))
      const { code, stderr } = await peel(['demo', '--quick', '--scene', 'hard.json', '--frames', '2'], { cwd: folder })
      expect(code, stderr).toBe(2)
      expect(stderr).toContain('NOT CONVERGED')
      expect(readdirSync(join(folder, 'out'))).toContain('index.html')
    }))

  it.each([
    [['--scene', 'splush'], /did you mean "splash"/],
    [['--frames', '0'], /whole number/],
    [['--resolution', '100000'], /domain\.resolution/],
    [['-o', 'mine.txt'], /mine\.txt is a file/],
  ] as const)('refuses bad input before it begins: %j', async (args, message) => {
    await inTemporaryFolder(async folder => {
      writeFileSync(join(folder, 'mine.txt'), 'mine')
      const { code, stderr } = await peel(['demo', '--quick', ...args], { cwd: folder })
      expect(code).toBe(1)
      expect(stderr).toMatch(message)
      expect(readdirSync(folder)).toEqual(['mine.txt'])
    })
  })
})
