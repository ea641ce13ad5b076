import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { decode } from 'fast-png'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { formatPng } from '../../src/io/formats/png.js'
import { encodeVideo, writeVideo } from '../../src/io/video/video.js'
import type { Picture } from '../../src/liquid/picture.js'
import { describeMp4 } from '../support/mp4-boxes.js'

function picture(width: number, height: number, shade: number): Picture {
  const pixels = new Uint8ClampedArray(4 * width * height)
  for (let at = 0; at < pixels.length; at++) pixels[at] = at % 4 === 3 ? 255 : (at * shade) % 256
  return { width, height, pixels }
}

function* film(frames: number, width: number, height: number) {
  for (let at = 0; at < frames; at++) yield picture(width, height, at + 1)
}

// Before the encoder is loaded, which keeps what it finds then.
const said = vi.spyOn(console, 'log')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'peel-test-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

/** Puts a program of that name before all others. */
function pretend(script: string): void {
  const file = join(folder, 'ffmpeg')
  writeFileSync(file, `#!${process.execPath}\n${script}`)
  chmodSync(file, 0o755)
  vi.stubEnv('PATH', folder + delimiter + process.env.PATH)
}

describe('a picture', () => {
  it('comes back from a PNG file as it was', () => {
    const before = picture(13, 7, 37)
    const { width, height, channels, data } = decode(formatPng(before))
    expect([width, height, channels]).toEqual([13, 7, 4])
    expect([...data]).toEqual([...before.pixels])
  })
})

describe('a video by the encoder that comes along', () => {
  const encoder = 'h264-mp4-encoder'

  // The first of all, because the encoder is loaded once.
  it('takes no part in how the process deals with errors', async () => {
    const count = () => ['uncaughtException', 'unhandledRejection'].map(event => process.listenerCount(event))
    const before = count()
    await encodeVideo(film(1, 16, 16), { framesPerSecond: 24, encoder })
    expect(count()).toEqual(before)
  })

  it.each([
    [64, 48],
    [33, 17],
  ])('holds all its frames of %s × %s pixels, sides made even', async (width, height) => {
    const { bytes, frames } = await encodeVideo(film(10, width, height), { framesPerSecond: 20, encoder })
    expect(frames).toBe(10)
    const found = describeMp4(bytes)
    expect(found.types).toContain('mdat')
    expect(found.types[0]).toBe('ftyp')
    expect(found).toMatchObject({ frames: 10, coding: 'avc1', width: width + (width % 2), height: height + (height % 2) })
    expect(found.seconds).toBeCloseTo(0.5, 2)
  })

  it('appears as a whole file, also twice', async () => {
    const path = join(folder, 'a.mp4')
    for (const frames of [3, 5]) {
      expect(await writeVideo(path, film(frames, 32, 32), { framesPerSecond: 24, encoder })).toEqual({ encoder, frames, path })
      expect(describeMp4(readFileSync(path)).frames).toBe(frames)
    }
    expect(readdirSync(folder)).toEqual(['a.mp4'])
  })

  it('leaves nothing behind when a picture does not fit or cannot be drawn', async () => {
    const path = join(folder, 'a.mp4')
    const mixed = [picture(32, 32, 1), picture(32, 30, 1)]
    await expect(writeVideo(path, mixed, { framesPerSecond: 24, encoder })).rejects.toThrow(/picture 2 has 32 × 30 pixels/)
    async function* broken() {
      yield picture(32, 32, 1)
      throw new Error('out of paint')
    }
    await expect(writeVideo(path, broken(), { framesPerSecond: 24, encoder })).rejects.toThrow('out of paint')
    await expect(writeVideo(path, [], { framesPerSecond: 24, encoder })).rejects.toThrow(/at least one picture/)
    await expect(writeVideo(path, mixed, { framesPerSecond: 0, encoder })).rejects.toThrow(/frames per second/)
    expect(readdirSync(folder)).toEqual([])
    expect(said).not.toHaveBeenCalled()
  })
})

describe('a video by ffmpeg', () => {
  const lists = `if (process.argv.includes('-encoders')) { console.log(' V..... libx264  H.264'); process.exit(0) }`

  it('is piped as raw pixels of the size and rate that are told', async () => {
    pretend(`${lists}
      const chunks = []
      process.stdin.on('data', chunk => chunks.push(chunk)).on('end', () => {
        const text = JSON.stringify({ bytes: Buffer.concat(chunks).length, args: process.argv.slice(2, -1) })
        require('node:fs').writeFileSync(process.argv.at(-1), text)
      })`)
    const path = join(folder, 'a.mp4')
    expect((await writeVideo(path, film(40, 63, 47), { framesPerSecond: 25 })).encoder).toBe('ffmpeg')
    const { bytes, args } = JSON.parse(readFileSync(path, 'utf8'))
    expect(bytes).toBe(40 * 64 * 48 * 4)
    expect(args.join(' ')).toMatch(/-f rawvideo -pix_fmt rgba -s 64x48 -r 25 -i - .*yuv420p/)
  })

  it.each([
    ['at once', `console.error('no more ideas'); process.exit(3)`],
    ['at the end', `process.stdin.resume().on('end', () => { console.error('no more ideas'); process.exit(3) })`],
  ])('that fails %s is told with its reason, and writes nothing', async (_, ending) => {
    pretend(lists + ending)
    const path = join(folder, 'a.mp4')
    await expect(writeVideo(path, film(60, 200, 200), { framesPerSecond: 25 })).rejects.toThrow(
      'ffmpeg could not encode the video: no more ideas.',
    )
    expect(existsSync(path)).toBe(false)
  })

  it('without H.264 is passed over', async () => {
    pretend(`if (process.argv.includes('-encoders')) console.log(' V..... mpeg4'); else process.exit(1)`)
    expect((await writeVideo(join(folder, 'a.mp4'), film(2, 16, 16), { framesPerSecond: 24 })).encoder).toBe('h264-mp4-encoder')
  })
})

/** One colour each, so that what a lossy codec keeps can be told. */
function* colours(width: number, height: number, list: readonly (readonly number[])[]) {
  for (const colour of list) {
    const pixels = new Uint8ClampedArray(4 * width * height)
    for (let at = 0; at < pixels.length; at++) pixels[at] = at % 4 === 3 ? 255 : colour[at % 4]
    yield { width, height, pixels }
  }
}

function findFfmpeg(): boolean {
  try {
    return execFileSync('ffmpeg', ['-hide_banner', '-encoders'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).includes('264')
  } catch {
    return false
  }
}

describe.skipIf(!findFfmpeg() && process.env.PEEL_REQUIRE_FFMPEG !== '1')('a video read by ffmpeg itself', () => {
  const list = [
    [220, 30, 30],
    [30, 200, 40],
    [40, 50, 210],
    [128, 128, 128],
  ]

  it.each(['ffmpeg', 'h264-mp4-encoder'] as const)('has the frames and colours that %s was given', async encoder => {
    const path = join(folder, 'a.mp4')
    expect(await writeVideo(path, colours(48, 32, list), { framesPerSecond: 24, encoder })).toMatchObject({ encoder, frames: 4 })
    expect(describeMp4(readFileSync(path))).toMatchObject({ frames: 4, coding: 'avc1', width: 48, height: 32 })
    const raw = execFileSync('ffmpeg', ['-v', 'error', '-i', path, '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'])
    expect(raw.length).toBe(list.length * 48 * 32 * 3)
    list.forEach((colour, frame) => {
      const middle = 3 * (frame * 48 * 32 + 16 * 48 + 24)
      // Which matrix between RGB and YUV a file of this size means is a convention; within it colours stay apart by far more.
      for (const [channel, value] of colour.entries())
        expect(Math.abs(raw[middle + channel] - value), `frame ${frame}`).toBeLessThan(25)
    })
  })

  it('joins pictures by the command that was told', async () => {
    const { command } = await writeVideo(join(folder, 'run.mp4'), colours(48, 32, list), { framesPerSecond: 12, encoder: 'png' })
    execFileSync('sh', ['-c', `${command} -loglevel error`], { cwd: folder })
    expect(describeMp4(readFileSync(join(folder, 'run.mp4')))).toMatchObject({ frames: 4, coding: 'avc1' })
  })
})

describe('pictures in place of a video', () => {
  it('are numbered, with the command that joins them', async () => {
    const written = await writeVideo(join(folder, 'run.mp4'), film(3, 9, 5), { framesPerSecond: 12, encoder: 'png' })
    expect(readdirSync(join(folder, 'run'))).toEqual(['000001.png', '000002.png', '000003.png'])
    expect(written).toMatchObject({ encoder: 'png', frames: 3, path: join(folder, 'run') })
    expect(written.command).toMatch(/^ffmpeg -framerate 12 -i .*%06d\.png.* 'run\.mp4'$/)
    expect([...decode(readFileSync(join(folder, 'run', '000002.png'))).data]).toEqual([...picture(9, 5, 2).pixels])
  })
})
