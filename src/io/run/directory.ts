/** Run directories: everything that is kept of a simulation, in a folder of its own.
 *
 *    run/ scene.json manifest.json stats.ndjson frames/000001.bin … checkpoints/000010.ckpt
 *
 *  The manifest decides: files that it does not list are leftovers of a process that was killed. Files of others are never touched. */
import { join } from 'node:path'
import type { JsonObject } from '../bytes/json.js'
import { writeFilesWhole, writeFileWhole } from '../files/atomic-file.js'
import { makeFolder, removeEmpty } from '../files/folder.js'
import { type FoundCheckpoint, findCheckpoint, NO_CHECKPOINT } from './find-checkpoint.js'
import { guardWriter } from './guarded-writer.js'
import { clearLeftovers, cutStats, requireFree } from './leftovers.js'
import { lockRun } from './lock.js'
import { CHECKPOINTS, FRAMES, formatManifest, MANIFEST, type RunManifest, type RunScene, SCENE_FILE, STATS } from './manifest.js'
import { findMissing, readManifest } from './read.js'
import { agreeOnScene, formatScene, identityOf } from './scene.js'
import { createThreadedWriter } from './threaded-writer.js'
import { createWriter, type RunWriter } from './writer.js'

export interface RunDescription extends RunScene, Pick<RunManifest, 'versions' | 'engine'> {
  /** Checkpoints of every so many frames stay; of others only the newest two. By default no other stays. */
  readonly checkpointEvery?: number
  /** Frames are packed and written by a thread of its own. */
  readonly threaded?: boolean
}

/** The folder must be empty or not be there yet; what a run that was killed before its first frame left in it is replaced. Where no run can
 *  be created, the folder is as before. */
export async function createRun(path: string, about: RunDescription): Promise<RunWriter> {
  await requireFree(path)
  const made = await makeFolder(path)
  let unlock = async () => {}
  try {
    unlock = await lockRun(path)
    // Once more: another process may have been here before the lock was ours.
    await requireFree(path)
    for (const folder of [FRAMES, CHECKPOINTS]) made.unshift(...(await makeFolder(join(path, folder))))
    await clearLeftovers(path, { frames: [], checkpoints: [] })
    const { versions, engine, checkpointEvery = 0 } = about
    const started = new Date().toISOString()
    const manifest: RunManifest = {
      versions,
      ...identityOf(about),
      engine,
      started,
      checkpointEvery,
      frames: [],
      checkpoints: [],
    }
    await writeFilesWhole([
      [join(path, SCENE_FILE), formatScene(about.scene)],
      [join(path, STATS), ''],
      [join(path, MANIFEST), formatManifest(manifest)],
    ])
    return writerOf(about)(path, manifest, 0, unlock)
  } catch (error) {
    await unlock()
    await removeEmpty(made)
    throw error
  }
}

export interface OpenRunOptions {
  /** What the run is to be continued with; refused where it differs from what the run was started with. */
  readonly expected?: RunScene
  /** Continues with `expected` also where it differs, unless the frames of the run mean nothing then. */
  readonly force?: boolean
  /** Goes back to the newest checkpoint that is not after this frame; to before the first frame if it is 0. */
  readonly fromFrame?: number
  /** Frames are packed and written by a thread of its own. */
  readonly threaded?: boolean
  /** Called when all is found to be in order, and before anything is changed: where it throws, the run stays as it is. */
  readonly prepare?: (found: Pick<OpenedRun, 'scene' | 'resume'>) => Promise<void>
}

const writerOf =
  ({ threaded }: { threaded?: boolean }) =>
  (...args: Parameters<typeof createWriter>) =>
    guardWriter((threaded ? createThreadedWriter : createWriter)(...args))

export interface OpenedRun {
  readonly run: RunWriter
  readonly scene: JsonObject
  /** Where to continue; undefined: from the start. */
  readonly resume: FoundCheckpoint | undefined
  /** Why later checkpoints could not be used, the newest first. */
  readonly passedOver: readonly string[]
  /** Finished frames after the checkpoint, removed from the run because they will be computed again. */
  readonly dropped: readonly number[]
  /** Frames of the run whose files are missing, truncated or replaced. */
  readonly missing: readonly number[]
}

/** Opens a run to write on. Nothing in the folder is changed before all is found to be in order. */
export async function openRun(path: string, options: OpenRunOptions = {}): Promise<OpenedRun> {
  await readManifest(path)
  const unlock = await lockRun(path)
  try {
    const found = await readManifest(path)
    const { expected, force = false, fromFrame } = options
    const { resume, passedOver } = fromFrame === 0 ? NO_CHECKPOINT : await findCheckpoint(path, found, fromFrame)
    const agreed = await agreeOnScene(path, found, expected, force, resume !== undefined)
    const { scene, isChanged } = agreed
    await options.prepare?.({ scene, resume })
    const last = resume?.frame ?? -1
    const isKept = ({ frame }: { readonly frame: number }) => frame <= last
    const { sceneSince = Number.POSITIVE_INFINITY, ...about } = agreed.manifest
    const since = isChanged ? last : Math.min(sceneSince, last)
    const isMixed = resume !== undefined && (isChanged || sceneSince < Number.POSITIVE_INFINITY)
    const manifest: RunManifest = {
      ...about,
      ...(isMixed && { sceneSince: since }),
      frames: found.frames.filter(isKept),
      checkpoints: found.checkpoints.filter(isKept),
    }
    if (force) await replaceScene(path, found, manifest, scene)
    await writeFileWhole(join(path, MANIFEST), formatManifest(manifest))
    await clearLeftovers(path, manifest)
    const statsBytes = await cutStats(path, last)
    return {
      run: writerOf(options)(path, manifest, statsBytes, unlock),
      scene,
      resume,
      passedOver,
      dropped: found.frames.filter(file => !isKept(file)).map(({ frame }) => frame),
      missing: await findMissing(path, manifest),
    }
  } catch (error) {
    await unlock()
    throw error
  }
}

/** The manifest names the next scene before that file exists: one of two files has to be replaced first. */
async function replaceScene(path: string, found: RunManifest, next: RunManifest, scene: JsonObject): Promise<void> {
  const { sceneHash, meshes, seed } = next
  await writeFileWhole(join(path, MANIFEST), formatManifest({ ...found, next: { sceneHash, meshes, seed } }))
  await writeFileWhole(join(path, SCENE_FILE), formatScene(scene))
}
