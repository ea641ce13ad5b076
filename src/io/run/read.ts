/** Reads a run directory, also while another process writes to it. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import type { Frame } from '../../liquid/frame.js'
import { CONTAINER_PREFIX, containerChecksum } from '../bytes/container.js'
import { isObject, type JsonObject, parseJson } from '../bytes/json.js'
import { nodeCodec } from '../bytes/node-codec.js'
import { isThere, readLargeBytes, readText, readTextIfThere } from '../files/atomic-file.js'
import { requirePath } from '../files/file-errors.js'
import { type Checkpoint, parseCheckpoint } from './checkpoint.js'
import { parseFrame } from './frame-file.js'
import { checkpointFile, frameFile, MANIFEST, parseManifest, type RunManifest, SCENE_FILE, STATS } from './manifest.js'

export interface StoredRun {
  readonly path: string
  /** As it was when the run was opened for reading. */
  readonly manifest: RunManifest
  readonly scene: JsonObject
  /** One line per finished frame. */
  readonly stats: readonly JsonObject[]
}

export async function readRun(path: string): Promise<StoredRun> {
  const manifest = await readManifest(path)
  const last = manifest.frames.at(-1)?.frame ?? -1
  const lines = wholeLines((await readTextIfThere(join(path, STATS))) ?? '', last)
  return { path, manifest, scene: await readScene(path), stats: lines.map(line => parseJson(line) as JsonObject) }
}

export async function readManifest(path: string): Promise<RunManifest> {
  requirePath(path)
  const file = join(path, MANIFEST)
  if (!(await isThere(file))) throw new InputError(`${path} is not a run directory: it has no ${MANIFEST}.`)
  return parseManifest(await readText(file), file)
}

export async function readScene(path: string): Promise<JsonObject> {
  const file = join(path, SCENE_FILE)
  let scene: unknown
  try {
    scene = parseJson(await readText(file))
  } catch (error) {
    if (error instanceof InputError) throw error
  }
  if (!isObject(scene)) throw new InputError(`${file}: this is not a JSON object; restore the scene of the run.`)
  return scene
}

/** Checked against the manifest: a frame of another run under this name is refused. */
export async function readFrame({ path, manifest }: Pick<StoredRun, 'path' | 'manifest'>, index: number): Promise<Frame> {
  const kept = manifest.frames.find(({ frame }) => frame === index)
  if (kept === undefined) throw new InputError(`${path} has no frame ${index}; ${describeFrames(manifest)}.`)
  const file = join(path, frameFile(index))
  const bytes = await readLargeBytes(file)
  const frame = parseFrame(bytes, file, nodeCodec)
  requireChecksum(bytes, kept.checksum, file)
  return frame
}

/** One of those that the manifest lists. */
export async function readCheckpoint(
  { path, manifest }: Pick<StoredRun, 'path' | 'manifest'>,
  index: number,
): Promise<Checkpoint> {
  const kept = manifest.checkpoints.find(({ frame }) => frame === index)
  if (kept === undefined) throw new InputError(`${path} has no checkpoint of frame ${index}.`)
  const file = join(path, checkpointFile(index))
  const bytes = await readLargeBytes(file)
  const checkpoint = parseCheckpoint(bytes, file, nodeCodec)
  requireChecksum(bytes, kept.checksum, file)
  return checkpoint
}

/** Frames of the manifest whose files are missing, truncated or not those that the run wrote, judged by the first bytes of
 *  each. */
export async function findMissing(path: string, { frames }: RunManifest): Promise<number[]> {
  const missing: number[] = []
  for (const { frame, bytes, checksum } of frames) {
    const head = await readHead(join(path, frameFile(frame)))
    if (head?.size !== bytes || head.checksum !== checksum) missing.push(frame)
  }
  return missing
}

async function readHead(file: string): Promise<{ size: number; checksum: number } | undefined> {
  try {
    const handle = await open(file, 'r')
    try {
      const head = new Uint8Array(CONTAINER_PREFIX)
      await handle.read(head, 0, head.length, 0)
      return { size: (await handle.stat()).size, checksum: containerChecksum(head) }
    } finally {
      await handle.close()
    }
  } catch {
    return undefined
  }
}

function requireChecksum(bytes: Uint8Array, checksum: number, file: string): void {
  if (containerChecksum(bytes) !== checksum)
    throw new InputError(`${file}: this is not the file that the run wrote; restore it or run again.`)
}

/** "it holds frames 1 to 80". */
export function describeFrames({ frames }: RunManifest): string {
  if (frames.length === 0) return 'it has no frame yet'
  if (frames.length === 1) return `it has only frame ${frames[0].frame}`
  return `it has ${frames.length} frames from ${frames[0].frame} to ${frames.at(-1)!.frame}`
}

/** The lines of frames up to `last`, one per frame; what is cut off or belongs to no finished frame is left out. */
export function wholeLines(text: string, last: number): string[] {
  const lines: string[] = []
  let newest = -1
  for (const line of text.split('\n').slice(0, -1)) {
    const frame = frameOfLine(line)
    if (frame === undefined || frame <= newest || frame > last) continue
    newest = frame
    lines.push(line)
  }
  return lines
}

function frameOfLine(line: string): number | undefined {
  try {
    const parsed = parseJson(line)
    return isObject(parsed) && typeof parsed.frame === 'number' ? parsed.frame : undefined
  } catch {
    return undefined
  }
}
