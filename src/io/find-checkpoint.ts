/** Where a run can go on: the newest frame of which checkpoint and frame are whole. */
import { join } from 'node:path'
import { InputError } from '../input-error.js'
import { type Checkpoint, parseCheckpoint } from './checkpoint.js'
import type { Codec } from './codec.js'
import { parseFrame } from './frame-file.js'
import { nodeCodec } from './node-codec.js'
import { requireChecksum } from './read-run.js'
import { checkpointFile, frameFile, type KeptFile, type RunManifest } from './run-manifest.js'
import { isThere, readLargeBytes } from './whole-file.js'

export interface FoundCheckpoint {
  readonly frame: number
  readonly checkpoint: Checkpoint
}

/** Not behind `fromFrame`. Undefined where the run has no frame yet; refuses where there is none to be found. */
export async function findCheckpoint(
  path: string,
  manifest: RunManifest,
  fromFrame: number,
): Promise<FoundCheckpoint | undefined> {
  const { frames, checkpoints } = manifest
  if (frames.length === 0) return undefined
  let reason = checkpoints.length === 0 ? 'it kept none' : `the first is of frame ${checkpoints[0].frame}`
  for (const kept of [...checkpoints].reverse()) {
    const { frame } = kept
    const keptFrame = frames.find(file => file.frame === frame)
    if (frame > fromFrame || keptFrame === undefined) continue
    const checkpoint = await readWhole(join(path, checkpointFile(frame)), kept, parseCheckpoint)
    const ofFrame = await readWhole(join(path, frameFile(frame)), keptFrame, parseFrame)
    if (typeof checkpoint === 'string') reason = checkpoint
    else if (typeof ofFrame === 'string') reason = ofFrame
    else return { frame, checkpoint }
  }
  const where = fromFrame < Number.POSITIVE_INFINITY ? ` up to frame ${fromFrame}` : ''
  throw new InputError(`${path} has no checkpoint${where} to go on from: ${reason}; start again in a new folder.`)
}

type Parse<T> = (bytes: Uint8Array, where: string, codec: Codec) => T

/** The content, or what is wrong with it. A file that cannot be read now, because another program holds it, is not damaged: that is thrown,
 *  else frames would be given up for nothing. */
async function readWhole<T extends object>(file: string, { checksum }: KeptFile, parse: Parse<T>): Promise<T | string> {
  if (!(await isThere(file))) return `${file} is missing`
  const bytes = await readLargeBytes(file)
  try {
    const content = parse(bytes, file, nodeCodec)
    requireChecksum(bytes, checksum, file)
    return content
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.message.replace(/\.$/, '')
  }
}
