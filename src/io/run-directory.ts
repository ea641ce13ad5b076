/** Run directories: everything that is kept of a simulation, in a folder of its own.
 *
 *    run/ scene.json manifest.json stats.ndjson frames/000001.bin … checkpoints/000010.ckpt
 *
 *  The manifest decides: files that it does not list are leftovers of a process that was killed. Files of others are never touched. */
import { createHash } from 'node:crypto'
import { stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../input-error.js'
import { canonicalJson, compareScenes, describeChanges } from './compare-scenes.js'
import { attempt, statIfThere } from './file-errors.js'
import { type FoundCheckpoint, findCheckpoint } from './find-checkpoint.js'
import { listFolder, makeFolder, removeTree } from './folder.js'
import type { JsonObject } from './json.js'
import { readManifest, readScene, wholeLines } from './read-run.js'
import { isLockLeftover, LOCK, lockRun } from './run-lock.js'
import {
  CHECKPOINTS,
  checkpointFile,
  FRAMES,
  formatManifest,
  frameFile,
  MANIFEST,
  type RunManifest,
  SCENE,
  STATS,
} from './run-manifest.js'
import { createWriter, type RunWriter } from './run-writer.js'
import { createThreadedWriter } from './threaded-writer.js'
import { isTemporaryName, isThere, readTextIfThere, writeFilesWhole, writeFileWhole } from './whole-file.js'

/** What makes two runs the same run. */
export interface RunScene {
  readonly scene: JsonObject
  /** SHA-256 of every mesh file that the scene names, by its path there. */
  readonly meshes?: Readonly<Record<string, string>>
  readonly seed: number
}

export interface RunDescription extends RunScene, Pick<RunManifest, 'versions' | 'engine'> {
  /** Checkpoints of every so many frames stay; of others only the newest two. By default no other stays. */
  readonly checkpointEvery?: number
  /** Frames are packed and written by a thread of its own. */
  readonly threaded?: boolean
}

const CHECKPOINT_NAME = /^\d{6,}\.ckpt$/
const FRAME_NAME = /^\d{6,}\.bin$/

/** The folder must be empty or not be there yet. */
export async function createRun(path: string, about: RunDescription): Promise<RunWriter> {
  await requireEmpty(path)
  await makeFolder(path)
  const unlock = await lockRun(path)
  try {
    // Once more: another process may have been here before the lock was ours.
    await requireEmpty(path)
    await makeFolder(join(path, FRAMES))
    await makeFolder(join(path, CHECKPOINTS))
    const { versions, engine, seed, meshes = {}, checkpointEvery = 0 } = about
    const started = new Date().toISOString()
    const sceneHash = hashScene(about.scene)
    const manifest: RunManifest = {
      versions,
      sceneHash,
      meshes,
      seed,
      engine,
      started,
      checkpointEvery,
      frames: [],
      checkpoints: [],
    }
    await writeFilesWhole([
      [join(path, SCENE), formatScene(about.scene)],
      [join(path, STATS), ''],
      [join(path, MANIFEST), formatManifest(manifest)],
    ])
    return writerOf(about)(path, manifest, 0, unlock)
  } catch (error) {
    await unlock()
    throw error
  }
}

export interface OpenRunOptions {
  /** What the run is to be continued with; refused where it differs from what the run was started with. */
  readonly expected?: RunScene
  /** Continues with `expected`, whatever the run was started with. */
  readonly force?: boolean
  /** Goes back to the newest checkpoint that is not behind this frame. */
  readonly fromFrame?: number
  /** Frames are packed and written by a thread of its own. */
  readonly threaded?: boolean
}

const writerOf = ({ threaded }: { threaded?: boolean }) => (threaded ? createThreadedWriter : createWriter)

export interface OpenedRun {
  readonly run: RunWriter
  readonly scene: JsonObject
  /** Where to go on; undefined: from the start. */
  readonly resume: FoundCheckpoint | undefined
  /** Finished frames behind the checkpoint, which are taken out of the run because they will be computed again. */
  readonly dropped: readonly number[]
  /** Frames of the run whose files somebody has removed or cut. */
  readonly missing: readonly number[]
}

/** Opens a run to write on. Nothing in the folder is changed before all is found to be in order. */
export async function openRun(path: string, options: OpenRunOptions = {}): Promise<OpenedRun> {
  await readManifest(path)
  const unlock = await lockRun(path)
  try {
    const found = await readManifest(path)
    const { scene, ...changed } = await checkScene(path, found, options)
    const resume = await findCheckpoint(path, found, options.fromFrame ?? Number.POSITIVE_INFINITY)
    const last = resume?.frame ?? -1
    const manifest: RunManifest = {
      ...found,
      ...changed,
      frames: found.frames.filter(({ frame }) => frame <= last),
      checkpoints: found.checkpoints.filter(({ frame }) => frame <= last),
    }
    const dropped = found.frames.map(({ frame }) => frame).filter(frame => frame > last)
    if (options.force && options.expected) await writeFileWhole(join(path, SCENE), formatScene(scene))
    await writeFileWhole(join(path, MANIFEST), formatManifest(manifest))
    await clearLeftovers(path, manifest)
    const statsBytes = await cutStats(path, last)
    return {
      run: writerOf(options)(path, manifest, statsBytes, unlock),
      scene,
      resume,
      dropped,
      missing: await findMissing(path, manifest),
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

export function hashScene(scene: JsonObject): string {
  return createHash('sha256').update(canonicalJson(scene)).digest('hex')
}

const formatScene = (scene: JsonObject) => `${JSON.stringify(scene, null, 2)}\n`

/** A process that was killed while it created a run leaves the run's own files without a manifest; those are no obstacle. */
async function requireEmpty(path: string): Promise<void> {
  const found = await statIfThere(path, 'written')
  if (found === undefined) return
  if (!found.isDirectory()) throw new InputError(`${path} is a file; a run needs a folder of its own.`)
  const names = await listFolder(path)
  if (names.includes(MANIFEST)) throw new InputError(`${path} holds a run already; resume it or choose another folder.`)
  const isOurs = (name: string) =>
    [SCENE, STATS, FRAMES, CHECKPOINTS, LOCK].includes(name) || isTemporaryName(name) || isLockLeftover(name)
  const isBegun =
    names.some(name => name === LOCK || isLockLeftover(name)) || names.every(name => name === FRAMES || name === CHECKPOINTS)
  const folders = names.filter(name => name === FRAMES || name === CHECKPOINTS)
  const inside = (await Promise.all(folders.map(name => listFolder(join(path, name))))).flat()
  const inTheWay = isBegun ? [...names.filter(name => !isOurs(name)), ...inside][0] : names[0]
  if (inTheWay !== undefined)
    throw new InputError(`${path} is not empty and no run (${inTheWay} is in it); choose a new or empty folder.`)
}

async function checkScene(path: string, manifest: RunManifest, { expected, force }: OpenRunOptions) {
  if (expected && force) {
    const { scene, meshes = {}, seed } = expected
    return { scene, sceneHash: hashScene(scene), meshes, seed }
  }
  const scene = await readScene(path)
  if (hashScene(scene) !== manifest.sceneHash)
    throw new InputError(`${join(path, SCENE)} was changed since the run began; put the old scene back or start in a new folder.`)
  if (expected) {
    const changes = [
      ...compareScenes({ ...scene, seed: manifest.seed }, { ...expected.scene, seed: expected.seed }),
      ...compareScenes(manifest.meshes, expected.meshes ?? {}, 'content of meshes'),
    ]
    if (changes.length > 0)
      throw new InputError(
        `${path} was started with another scene: ${describeChanges(changes)}; start in a new folder or force it.`,
      )
  }
  return { scene }
}

async function clearLeftovers(path: string, { frames, checkpoints }: RunManifest): Promise<void> {
  const listed = new Set([
    ...frames.map(({ frame }) => frameFile(frame)),
    ...checkpoints.map(({ frame }) => checkpointFile(frame)),
  ])
  for (const [folder, pattern] of [
    [FRAMES, FRAME_NAME],
    [CHECKPOINTS, CHECKPOINT_NAME],
  ] as const) {
    await makeFolder(join(path, folder))
    for (const name of await listFolder(join(path, folder))) {
      const isOurs = isTemporaryName(name) || pattern.test(name)
      if (isOurs && !listed.has(`${folder}/${name}`)) await removeTree(join(path, folder, name))
    }
  }
  for (const name of await listFolder(path)) {
    if (isTemporaryName(name) || isLockLeftover(name)) await removeTree(join(path, name))
  }
}

/** Returns the length of what stays: whole lines of finished frames. */
async function cutStats(path: string, last: number): Promise<number> {
  const file = join(path, STATS)
  const text = (await readTextIfThere(file)) ?? ''
  const kept = wholeLines(text, last)
    .map(line => `${line}\n`)
    .join('')
  const bytes = Buffer.byteLength(kept)
  if (text.startsWith(kept) && (await isThere(file))) await attempt('written', file, () => truncate(file, bytes))
  else await writeFileWhole(file, kept)
  return bytes
}

async function findMissing(path: string, { frames }: RunManifest): Promise<number[]> {
  const missing: number[] = []
  for (const { frame, bytes } of frames) {
    const size = await stat(join(path, frameFile(frame))).then(
      ({ size }) => size,
      () => -1,
    )
    if (size !== bytes) missing.push(frame)
  }
  return missing
}
