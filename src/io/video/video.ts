/** Pictures as a video: H.264 in an MP4 file, encoded by ffmpeg if it is installed, else by the built-in encoder. */
import { basename, join } from 'node:path'
import { checkNumbers } from '../../checks.js'
import { InputError } from '../../input-error.js'
import type { Picture } from '../../liquid/picture.js'
import { writeFileWhole } from '../files/atomic-file.js'
import { makeFolder } from '../files/folder.js'
import { checkPicture } from '../formats/checks.js'
import { formatPng } from '../formats/png.js'
import { loadBuiltIn, startBuiltIn } from './built-in-encoder.js'
import type { Encoding } from './encoding.js'
import { hasFfmpeg, startFfmpeg } from './ffmpeg.js'

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

/** An MP4 file in memory. Sides of pictures are made even by repeating the last column or row, as H.264 requires. */
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
    for await (const picture of checkedPictures(pictures)) {
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

/** The caller may produce pictures one after the other, so each is checked when it arrives. */
async function* checkedPictures(pictures: Pictures): AsyncGenerator<Picture> {
  let count = 0
  for await (const picture of pictures) {
    const what = `Picture ${++count} of the video`
    checkPicture(picture, what)
    checkNumbers(picture.pixels, what, [Uint8ClampedArray, Uint8Array], 4 * picture.width * picture.height, 'colour and opacity')
    yield picture
  }
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

// ---- pictures only

async function writePictures(folder: string, pictures: Pictures, framesPerSecond: number): Promise<WrittenVideo> {
  await makeFolder(folder)
  let frames = 0
  for await (const picture of checkedPictures(pictures))
    await writeFileWhole(join(folder, `${String(++frames).padStart(6, '0')}.png`), formatPng(picture))
  const command =
    `ffmpeg -framerate ${framesPerSecond} -i '${join(folder, '%06d.png')}' -c:v libx264 -pix_fmt yuv420p ` +
    `-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' '${basename(folder)}.mp4'`
  return { encoder: 'png', frames, path: folder, command }
}
