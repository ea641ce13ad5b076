/** Adds frames to a run directory. What is listed in the manifest is whole on the disk; the manifest is replaced last, so a process killed
 *  at any moment leaves the run as it was before the frame or as it is after it. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Frame } from '../../liquid/frame.js'
import type { Formatted } from '../bytes/container.js'
import type { JsonObject } from '../bytes/json.js'
import { nodeCodec } from '../bytes/node-codec.js'
import { writeFileWhole } from '../files/atomic-file.js'
import { attempt } from '../files/file-errors.js'
import { removeTree } from '../files/folder.js'
import { type Checkpoint, formatCheckpoint } from './checkpoint.js'
import { formatFrame } from './frame-file.js'
import { checkpointFile, formatManifest, frameFile, type KeptFile, MANIFEST, type RunManifest, STATS } from './manifest.js'

/** Checkpoints that a run has besides those of every nth frame. */
export const NEWEST_CHECKPOINTS = 2

export interface KeptMoment {
  /** Its index must be above those kept before. */
  readonly frame: Frame
  /** One line of stats.ndjson; "frame" is added to it. */
  readonly stats: JsonObject
  readonly checkpoint?: Checkpoint
}

export interface RunWriter {
  readonly path: string
  /** As it is on disk. */
  manifest(): RunManifest
  /** Arrays must stay as they are until the promise is fulfilled. When it fails, the run is as before and can be written on. */
  keep(moment: KeptMoment): Promise<void>
  /** Lets others write to the run. */
  close(): Promise<void>
}

/** `statsBytes` is how much of stats.ndjson belongs to the frames of the manifest. */
export function createWriter(path: string, start: RunManifest, statsBytes: number, unlock: () => Promise<void>): RunWriter {
  let manifest = start
  let statsEnd = statsBytes
  let last: Promise<unknown> = Promise.resolve()

  const keep = async ({ frame, stats, checkpoint }: KeptMoment) => {
    const { index } = frame
    const newest = manifest.frames.at(-1)?.frame ?? -1
    if (!Number.isSafeInteger(index) || index <= newest)
      throw new RangeError(`Frame ${index} cannot be kept after frame ${newest}`)
    const written: string[] = []
    const put = async (name: string, file: Formatted): Promise<KeptFile> => {
      written.push(join(path, name))
      await writeFileWhole(join(path, name), file.parts)
      return { frame: index, bytes: file.bytes, checksum: file.checksum }
    }
    try {
      const checkpoints = [...manifest.checkpoints]
      if (checkpoint) checkpoints.push(await put(checkpointFile(index), formatCheckpoint(checkpoint, nodeCodec)))
      const frames = [...manifest.frames, await put(frameFile(index), formatFrame(frame, nodeCodec))]
      const line = `${JSON.stringify(Object.assign({ frame: index }, stats, { frame: index }))}\n`
      const end = await writeStats(join(path, STATS), statsEnd, line)
      const staying = checkpoints.filter((file, at) => isStaying(file, checkpoints.length - at, manifest.checkpointEvery))
      const next: RunManifest = { ...manifest, frames, checkpoints: staying }
      await writeFileWhole(join(path, MANIFEST), formatManifest(next))
      manifest = next
      statsEnd = end
      for (const file of checkpoints) {
        // What cannot be removed is left to the next process that opens the run.
        if (!staying.includes(file)) await removeTree(join(path, checkpointFile(file.frame))).catch(() => {})
      }
    } catch (error) {
      for (const file of written) await removeTree(file).catch(() => {})
      throw error
    }
  }

  return {
    path,
    manifest: () => manifest,
    keep: moment => {
      const done = last.then(() => keep(moment))
      last = done.catch(() => {})
      return done
    },
    close: () => last.then(unlock),
  }
}

function isStaying({ frame }: KeptFile, age: number, every: number): boolean {
  return age <= NEWEST_CHECKPOINTS || (every > 0 && frame > 0 && frame % every === 0)
}

/** Overwrites everything after `start`: it belongs to a frame that was not finished. Returns where the line ends. */
async function writeStats(path: string, start: number, line: string): Promise<number> {
  const bytes = new TextEncoder().encode(line)
  await attempt('written', path, async () => {
    const handle = await open(path, 'r+')
    try {
      await handle.truncate(start)
      await handle.write(bytes, 0, bytes.length, start)
      await handle.sync()
    } finally {
      await handle.close()
    }
  })
  return start + bytes.length
}
