/** A video of what is shown, one picture for each frame of the simulation, however long that took. */
import { InputError } from 'peel'

export interface VideoRecorder {
  readonly frames: number
  /** What the canvas shows now. */
  add(): void
  finish(): Promise<Video>
}

export interface Video {
  readonly blob: Blob
  /** `mp4` or `webm`. */
  readonly ending: string
  readonly frames: number
}

/** The first that the browser can encode is used. */
const CODECS = ['avc', 'vp9', 'vp8', 'av1'] as const

/** The canvas must keep its size, two even numbers. */
export async function startVideo(canvas: HTMLCanvasElement, fps: number): Promise<VideoRecorder> {
  const { BufferTarget, CanvasSource, getFirstEncodableVideoCodec, Mp4OutputFormat, Output, QUALITY_HIGH, WebMOutputFormat } =
    await import('mediabunny')
  const { width, height } = canvas
  const codec = 'VideoEncoder' in globalThis ? await getFirstEncodableVideoCodec([...CODECS], { width, height }) : null
  if (codec === null)
    throw new InputError('This browser has no video encoder for pages; save pictures, or use a newer or another browser.')
  const format = codec === 'avc' ? new Mp4OutputFormat({ fastStart: 'in-memory' }) : new WebMOutputFormat()
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new CanvasSource(canvas, { codec, quality: QUALITY_HIGH })
  output.addVideoTrack(source, { frameRate: fps })
  await output.start()
  const added: Promise<void>[] = []
  return {
    get frames() {
      return added.length
    },
    add() {
      const adding = source.add(added.length / fps, 1 / fps)
      // Reported by `finish`.
      adding.catch(() => {})
      added.push(adding)
    },
    async finish() {
      if (added.length === 0) {
        await output.cancel()
        throw new InputError('Nothing was recorded, because no frame was simulated; press Play while recording.')
      }
      await Promise.all(added)
      await output.finalize()
      const ending = codec === 'avc' ? 'mp4' : 'webm'
      return { blob: new Blob([target.buffer!], { type: `video/${ending}` }), ending, frames: added.length }
    },
  }
}

/** Canvases side by side on another one, as far as they fit. Drawn in the task in which they were rendered, or the WebGL
 *  canvas is cleared before. */
export function drawSideBySide(target: HTMLCanvasElement, canvases: readonly HTMLCanvasElement[], ground: string): void {
  const context = target.getContext('2d')!
  context.fillStyle = ground
  context.fillRect(0, 0, target.width, target.height)
  const share = target.width / canvases.length
  canvases.forEach((canvas, at) => {
    const scale = Math.min(share / canvas.width, target.height / canvas.height)
    const [width, height] = [canvas.width * scale, canvas.height * scale]
    context.drawImage(canvas, at * share + (share - width) / 2, (target.height - height) / 2, width, height)
  })
}

/** Large enough for canvases side by side, and even, as video encoders require. */
export function sizeSideBySide(canvases: readonly HTMLCanvasElement[]): readonly [width: number, height: number] {
  const even = (value: number) => Math.max(2, 2 * Math.round(value / 2))
  const width = canvases.reduce((sum, canvas) => sum + canvas.width, 0)
  return [even(width), even(Math.max(...canvases.map(({ height }) => height)))]
}
