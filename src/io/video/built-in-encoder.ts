/** Videos encoded by h264-mp4-encoder, compiled to WebAssembly: for machines without ffmpeg. */
import { InputError } from '../../input-error.js'
import type { Encoding } from './encoding.js'

/** Quantization parameter of H.264, from 10 (fine) to 51 (coarse). */
const QUANTIZATION = 20
const ENCODER_SPEED = 4

/** On load the module adds listeners that end the process on any uncaught error, also ours; they are removed again. */
export async function loadBuiltIn() {
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

export async function startBuiltIn(width: number, height: number, framesPerSecond: number): Promise<Encoding> {
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
        // Deleting an encoder that is not finalized breaks all others.
        if (isOpen) encoder.finalize()
        encoder.FS.unlink(encoder.outputFilename)
        encoder.delete()
      } catch {
        // It failed before, and that was reported.
      }
    },
  }
}
