/** What processes that were killed leave in run directories: no obstacle to a new run, and removed by the next writer. */
import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import { isTemporaryName, isThere, readTextIfThere, writeFileWhole } from '../files/atomic-file.js'
import { attempt, requirePath, statIfThere } from '../files/file-errors.js'
import { listFolder, makeFolder, removeTree } from '../files/folder.js'
import { isAbandoned, OWNED_WORD } from '../files/process-identity.js'
import { isLockLeftover, LOCK } from './lock.js'
import { CHECKPOINTS, checkpointFile, FRAMES, frameFile, MANIFEST, type RunManifest, SCENE_FILE, STATS } from './manifest.js'
import { readManifest, wholeLines } from './read.js'

const FOLDERS = [
  [FRAMES, /^\d{6,}\.bin$/],
  [CHECKPOINTS, /^\d{6,}\.ckpt$/],
] as const

/** Refuses a folder in which a new run would be in the way of something: of files of others, or of a run that holds frames. A run without
 *  frames, and what is left of one that was killed while it was created, are no obstacles. */
export async function requireFree(path: string): Promise<void> {
  requirePath(path)
  const found = await statIfThere(path, 'written')
  if (found === undefined) return
  if (!found.isDirectory()) throw new InputError(`${path} is a file; a run needs its own folder.`)
  const names = await listFolder(path)
  const isRun = names.includes(MANIFEST)
  if (isRun) await requireNoFrames(path)
  const isBegun = isRun || names.some(name => name === LOCK || isLockLeftover(name))
  const isOurs = (name: string) =>
    [SCENE_FILE, STATS, MANIFEST, FRAMES, CHECKPOINTS, LOCK].includes(name) || isTemporaryName(name) || isLockLeftover(name)
  const inTheWay = names.filter(name => !(isBegun ? isOurs(name) : name === FRAMES || name === CHECKPOINTS))
  for (const [folder, pattern] of FOLDERS) {
    if (!names.includes(folder)) continue
    const inside = await listFolder(join(path, folder))
    inTheWay.push(...inside.filter(name => !(isRun && pattern.test(name)) && !isTemporaryName(name)))
  }
  if (inTheWay.length > 0)
    throw new InputError(`${path} is not empty and not a run (it contains ${inTheWay[0]}); choose a new or empty folder.`)
}

async function requireNoFrames(path: string): Promise<void> {
  const { frames } = await readManifest(path).catch((error: Error) => {
    throw error instanceof InputError ? new InputError(`${error.message.replace(/\.$/, '')}; choose another folder.`) : error
  })
  if (frames.length > 0) throw new InputError(`${path} already contains a run; resume it or choose another folder.`)
}

/** Whether a folder is there in which a process began to create a run and did not reach its manifest. */
export async function isUnstarted(path: string): Promise<boolean> {
  if ((await statIfThere(path, 'read'))?.isDirectory() !== true || (await isThere(join(path, MANIFEST)))) return false
  return requireFree(path).then(
    () => true,
    () => false,
  )
}

/** Only for the owner of the lock. */
export async function clearLeftovers(
  path: string,
  { frames, checkpoints }: Pick<RunManifest, 'frames' | 'checkpoints'>,
): Promise<void> {
  const listed = new Set([
    ...frames.map(({ frame }) => frameFile(frame)),
    ...checkpoints.map(({ frame }) => checkpointFile(frame)),
  ])
  // A process that runs may be exporting into the run directory.
  const isLeft = (name: string) => isTemporaryName(name) && (isAbandoned(name) || !OWNED_WORD.test(name))
  for (const [folder, pattern] of FOLDERS) {
    await makeFolder(join(path, folder))
    for (const name of await listFolder(join(path, folder))) {
      if ((isLeft(name) || pattern.test(name)) && !listed.has(`${folder}/${name}`)) await removeTree(join(path, folder, name))
    }
  }
  for (const name of await listFolder(path)) {
    if (isLeft(name) || isLockLeftover(name)) await removeTree(join(path, name))
  }
}

/** Returns the length of what stays: whole lines of finished frames. */
export async function cutStats(path: string, last: number): Promise<number> {
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
