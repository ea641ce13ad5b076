/** Pictures as a video: H.264 in an MP4 file, by ffmpeg where there is one, else by an encoder that comes along. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { InputError } from '../../input-error.js'
import type { Picture } from '../../liquid/picture.js'
import { writeFileWhole } from '../files/atomic-file.js'
import { makeFolder } from '../files/folder.js'
import { isAbandoned, ownedWord } from '../files/process-identity.js'
import { formatPng } from './png.js'

export type Pictures = Iterable<Picture> | AsyncIterable<Picture>
export type VideoEncoder = 'ffmpeg' | 'h264-mp4-encoder' | 'png'

export interface VideoOptions {
  readonly framesPerSecond: number
  /** Without it the first of them that works here. */
  readonly encoder?: VideoEncoder
}

export interface WrittenVideo {
  readonly encoder: VideoEncoder
  readonly frames: number
  /** The video, or the folder with its pictures. */
  readonly path: string
  /** How to make a video of the pictures, where only those could be written. */
  readonly command?: string
}

/** The file appears whole or not at all. Where nothing can encode, pictures are written into a folder of the same name without its ending. */
export async function writeVideo(path: string, pictures: Pictures, options: VideoOptions): Promise<WrittenVideo> {
  const encoder = options.encoder ?? (await findEncoder())
  if (encoder === 'png') return writePictures(path.replace(/\.mp4$/i, ''), pictures, options.framesPerSecond)
  const { bytes, frames } = await encodeVideo(pictures, { ...options, encoder })
  await writeFileWhole(path, bytes)
  return { encoder, frames, path }
}

/** An MP4 file in memory. Sides of pictures are made even by repeating the last column or row, as H.264 wants it. */
export async function encodeVideo(pictures: Pictures, options: VideoOptions): Promise<{ bytes: Uint8Array; frames: number }> {
  const { framesPerSecond } = options
  if (!(framesPerSecond > 0 && framesPerSecond <= 1000))
    throw new InputError(`A video has between 0 and 1000 frames per second, not ${framesPerSecond}.`)
  const encoder = options.encoder ?? (await findEncoder())
  if (encoder === 'png') throw new InputError('There is no video encoder; install ffmpeg.')
  const start = encoder === 'ffmpeg' ? startFfmpeg : startBuiltIn
  let encoding: Encoding | undefined
  let frames = 0
  let first: Picture | undefined
  try {
    for await (const picture of pictures) {
      first ??= picture
      if (picture.width !== first.width || picture.height !== first.height)
        throw new InputError(
          `Pictures of a video have one size, but picture ${frames + 1} has ${picture.width} × ${picture.height} pixels ` +
            `and the first one ${first.width} × ${first.height}.`,
        )
      const even = madeEven(picture)
      encoding ??= await start(even.width, even.height, framesPerSecond)
      await encoding.add(even.pixels)
      frames++
    }
    if (!encoding) throw new InputError('A video needs at least one picture.')
    return { bytes: await encoding.finish(), frames }
  } finally {
    await encoding?.dispose()
  }
}

interface Encoding {
  add(pixels: Uint8ClampedArray): Promise<void>
  finish(): Promise<Uint8Array>
  dispose(): Promise<void>
}

function madeEven(picture: Picture): Picture {
  const width = picture.width + (picture.width & 1)
  const height = picture.height + (picture.height & 1)
  if (width === picture.width && height === picture.height) return picture
  const from = new Uint32Array(new Uint8ClampedArray(picture.pixels).buffer)
  const to = new Uint32Array(width * height)
  for (let row = 0; row < height; row++) {
    const source = picture.width * Math.min(row, picture.height - 1)
    for (let column = 0; column < width; column++) to[column + width * row] = from[source + Math.min(column, picture.width - 1)]
  }
  return { width, height, pixels: new Uint8ClampedArray(to.buffer) }
}

async function findEncoder(): Promise<VideoEncoder> {
  if (await hasFfmpeg()) return 'ffmpeg'
  try {
    const encoder = await loadBuiltIn()
    encoder.delete()
    return 'h264-mp4-encoder'
  } catch {
    return 'png'
  }
}

// ---- ffmpeg

/** With the encoder that is needed: some builds come without it. */
async function hasFfmpeg(): Promise<boolean> {
  const child = spawn('ffmpeg', ['-hide_banner', '-encoders'], { stdio: ['ignore', 'pipe', 'ignore'] })
  let list = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    list += text
  })
  try {
    const [code] = await once(child, 'close')
    return code === 0 && list.includes('libx264')
  } catch {
    return false
  }
}

const WORK = 'peel-video-'

/** In the folder for temporary files; those of processes that were killed are removed. */
async function makeWorkFolder(): Promise<string> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    if (name.startsWith(WORK) && isAbandoned(name))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {})
  }
  const folder = join(tmpdir(), WORK + ownedWord())
  await mkdir(folder, { mode: 0o700 })
  return folder
}

async function startFfmpeg(width: number, height: number, framesPerSecond: number): Promise<Encoding> {
  const folder = await makeWorkFolder()
  const file = join(folder, 'video.mp4')
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${width}x${height}`, '-r', `${framesPerSecond}`, '-i', '-']
  const output = ['-c:v', 'libx264', '-crf', '18', '-pix_fmt', 'yuv420p', '-movflags', '+faststart', '-y', file]
  const child = spawn('ffmpeg', ['-hide_banner', '-loglevel', 'error', ...input, ...output], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', text => {
    complaint += text
  })
  const closed = once(child, 'close').then(
    ([code]) => code as number | null,
    () => null,
  )
  // A broken pipe is reported by the exit code of the other end.
  child.stdin.on('error', () => {})
  const fail = () =>
    new InputError(`ffmpeg could not encode the video: ${complaint.trim().split('\n').at(-1) || 'it gave no reason'}.`)
  return {
    async add(pixels) {
      if (child.exitCode !== null || child.stdin.destroyed) {
        await closed
        throw fail()
      }
      if (!child.stdin.write(pixels)) await Promise.race([once(child.stdin, 'drain').catch(() => {}), closed])
    },
    async finish() {
      child.stdin.end()
      if ((await closed) !== 0) throw fail()
      return readFile(file)
    },
    async dispose() {
      if (child.exitCode === null) child.kill()
      await closed
      await rm(folder, { recursive: true, force: true })
    },
  }
}

// ---- the encoder that comes along

/** How coarsely it may round, from 10 to 51. */
const QUANTIZATION = 20
const ENCODER_SPEED = 4

/** When loaded it wants to end the process on errors that are none of its business; its listeners are taken away again. */
async function loadBuiltIn() {
  const events = ['uncaughtException', 'unhandledRejection'] as const
  const before = events.map(event => new Set<unknown>(process.listeners(event as 'uncaughtException')))
  const { default: module } = await import('h264-mp4-encoder')
  const encoder = await module.createH264MP4Encoder()
  events.forEach((event, at) => {
    for (const listener of process.listeners(event as 'uncaughtException'))
      if (!before[at].has(listener)) process.off(event, listener)
  })
  return encoder
}

let videos = 0

async function startBuiltIn(width: number, height: number, framesPerSecond: number): Promise<Encoding> {
  const encoder = await loadBuiltIn()
  const attempt = <T>(action: () => T): T => {
    try {
      return action()
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'its encoder has failed'
      throw new InputError(`The video of ${width} × ${height} pixels could not be encoded: ${reason}.`)
    }
  }
  attempt(() => {
    // All encoders share one file system in memory.
    encoder.outputFilename = `video-${++videos}.mp4`
    encoder.width = width
    encoder.height = height
    encoder.frameRate = framesPerSecond
    encoder.quantizationParameter = QUANTIZATION
    encoder.speed = ENCODER_SPEED
    encoder.groupOfPictures = Math.max(1, Math.round(framesPerSecond))
    encoder.initialize()
  })
  let isOpen = true
  return {
    async add(pixels) {
      attempt(() => encoder.addFrameRgba(pixels))
    },
    async finish() {
      return attempt(() => {
        encoder.finalize()
        isOpen = false
        return encoder.FS.readFile(encoder.outputFilename).slice()
      })
    },
    async dispose() {
      try {
        // One that is aborted before its end would take all encoders down with it.
        if (isOpen) encoder.finalize()
        encoder.FS.unlink(encoder.outputFilename)
        encoder.delete()
      } catch {
        // It has failed before, and that was said.
      }
    },
  }
}

// ---- pictures only

async function writePictures(folder: string, pictures: Pictures, framesPerSecond: number): Promise<WrittenVideo> {
  await makeFolder(folder)
  let frames = 0
  for await (const picture of pictures)
    await writeFileWhole(join(folder, `${String(++frames).padStart(6, '0')}.png`), formatPng(picture))
  const command =
    `ffmpeg -framerate ${framesPerSecond} -i '${join(folder, '%06d.png')}' -c:v libx264 -pix_fmt yuv420p ` +
    `-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' '${basename(folder)}.mp4'`
  return { encoder: 'png', frames, path: folder, command }
}
