/** Where a run can continue: the newest frame of which checkpoint and frame are whole. */
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import type { Codec } from '../bytes/codec.js'
import { containerChecksum } from '../bytes/container.js'
import { nodeCodec } from '../bytes/node-codec.js'
import { isThere, readLargeBytes } from '../files/atomic-file.js'
import { type Checkpoint, parseCheckpoint } from './checkpoint.js'
import { parseFrame } from './frame-file.js'
import { checkpointFile, frameFile, type KeptFile, type RunManifest } from './manifest.js'

export interface FoundCheckpoint {
  readonly frame: number
  readonly checkpoint: Checkpoint
}

export interface CheckpointSearch {
  readonly resume: FoundCheckpoint | undefined
  /** Why later ones could not be used, the newest first. */
  readonly passedOver: readonly string[]
}

/** Not after `fromFrame`. Undefined where the run has no frame yet; refuses where there is none to be found. */
export async function findCheckpoint(
  path: string,
  manifest: RunManifest,
  fromFrame = Number.POSITIVE_INFINITY,
): Promise<CheckpointSearch> {
  const { frames, checkpoints } = manifest
  if (frames.length === 0) return NO_CHECKPOINT
  const passedOver: string[] = []
  for (const kept of [...checkpoints].reverse()) {
    const { frame } = kept
    const keptFrame = frames.find(file => file.frame === frame)
    if (frame > fromFrame || keptFrame === undefined) continue
    const checkpoint = await readWhole(join(path, checkpointFile(frame)), kept, parseCheckpoint, ({ header }) => header.frame)
    const ofFrame = await readWhole(join(path, frameFile(frame)), keptFrame, parseFrame, ({ index }) => index)
    if (typeof checkpoint === 'string') passedOver.push(checkpoint)
    else if (typeof ofFrame === 'string') passedOver.push(ofFrame)
    else return { resume: { frame, checkpoint }, passedOver }
  }
  const reason = passedOver.at(-1) ?? (checkpoints.length === 0 ? 'it has none' : `the first is of frame ${checkpoints[0].frame}`)
  const where = fromFrame < Number.POSITIVE_INFINITY ? ` up to frame ${fromFrame}` : ''
  throw new InputError(
    `${path} has no checkpoint${where} to continue from: ${reason}; compute all frames again with --from-frame 0, or start in a new folder.`,
  )
}

/** From the start. */
export const NO_CHECKPOINT: CheckpointSearch = { resume: undefined, passedOver: [] }

type Parse<T> = (bytes: Uint8Array, where: string, codec: Codec) => T

/** The content, or what is wrong with it. A file that cannot be read now, because another program has locked it, is not
 *  damaged: that is thrown, or frames would be discarded needlessly. */
async function readWhole<T extends object>(
  file: string,
  { checksum, frame }: KeptFile,
  parse: Parse<T>,
  frameOf: (content: T) => unknown,
): Promise<T | string> {
  if (!(await isThere(file))) return `${file} is missing`
  const bytes = await readLargeBytes(file)
  try {
    const content = parse(bytes, file, nodeCodec)
    // Not every checkpoint names its frame.
    const of = frameOf(content) ?? frame
    if (of !== frame) return `${file} is of frame ${of}, not of frame ${frame}`
    return containerChecksum(bytes) === checksum ? content : `${file} is not the file that the run wrote`
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.message.replace(/\.$/, '')
  }
}
