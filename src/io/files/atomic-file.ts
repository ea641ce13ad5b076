/** Files read and written as a whole. What is written appears complete under its name or not at all. */
import { constants as buffers } from 'node:buffer'
import { constants } from 'node:fs'
import { access, copyFile, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { attempt, cannot, REASONS, requirePath, statIfThere } from './file-errors.js'
import { syncFolder } from './folder.js'
import { isAbandoned, OWNED_WORD, ownedWord } from './process-identity.js'

/** Several arrays are written one after the other, without joining them first. */
export type FileContent = Uint8Array | string | readonly Uint8Array[]

const MAX_READ_BYTES = 2 ** 31 - 1 // what Node reads at once
const MAX_PIECE = 2 ** 30
const MAX_TEXT = 2 ** 29 - 25 // characters in one string

export async function readBytes(path: string): Promise<Uint8Array> {
  return readLimited(path, MAX_READ_BYTES)
}

export async function readText(path: string): Promise<string> {
  return new TextDecoder().decode(await readLimited(path, MAX_TEXT))
}

/** Up to what one array can hold, which is more than Node reads at once. */
export async function readLargeBytes(path: string): Promise<Uint8Array> {
  const { size } = await statReadable(path, buffers.MAX_LENGTH)
  return attempt('read', path, async () => {
    const handle = await open(path, 'r')
    try {
      const bytes = Buffer.allocUnsafeSlow(size)
      let at = 0
      for (let read = 1; at < size && read > 0; at += read) {
        read = (await handle.read(bytes, at, Math.min(size - at, MAX_PIECE), at)).bytesRead
      }
      // It may have been cut meanwhile.
      return bytes.subarray(0, at)
    } finally {
      await handle.close()
    }
  })
}

/** Like `readText`, but undefined if there is no file. */
export async function readTextIfThere(path: string): Promise<string | undefined> {
  return (await isThere(path)) ? readText(path) : undefined
}

export async function isThere(path: string): Promise<boolean> {
  return (await statIfThere(path, 'read')) !== undefined
}

export async function isFolder(path: string): Promise<boolean> {
  return (await statIfThere(path, 'read'))?.isDirectory() ?? false
}

/** The content appears under `path` complete or not at all; an earlier file stays untouched until then. */
export async function writeFileWhole(path: string, content: FileContent): Promise<void> {
  await writeFilesWhole([[path, content]])
}

/** All files or none: when one cannot be written, those already replaced are restored. */
export async function writeFilesWhole(files: readonly (readonly [path: string, content: FileContent])[]): Promise<void> {
  const temporaries: string[] = []
  const staged: Staged[] = []
  try {
    for (const [path, content] of files) staged.push(await stage(path, content, temporaries))
    for (const folder of foldersOf(staged)) await sweepOnce(folder)
    await moveIntoPlace(staged, temporaries)
  } finally {
    for (const temporary of temporaries) await rm(temporary, { force: true }).catch(() => {})
  }
}

interface Staged {
  readonly path: string
  readonly target: string
  readonly isNew: boolean
  readonly temporary: string
}

async function stage(path: string, content: FileContent, temporaries: string[]): Promise<Staged> {
  requirePath(path)
  const existing = await statIfThere(path, 'written')
  if (existing?.isDirectory()) throw cannot('written', path, REASONS.EISDIR)
  // Replacing a device or a pipe by a file would break what others use it for.
  if (existing && !existing.isFile()) throw cannot('written', path, 'it is not a regular file')
  return attempt('written', path, async () => {
    if (existing) await access(path, constants.W_OK)
    // A link stays a link: the file it points to is replaced.
    const target = existing ? await realpath(path) : path
    if (basename(target) === '' || path.endsWith('/')) throw cannot('written', path, 'it has no file name')
    const temporary = temporaryBeside(target, temporaries)
    const handle = await open(temporary, 'wx')
    try {
      if (existing) await handle.chmod(existing.mode & 0o777)
      for (const part of Array.isArray(content) ? content : [content]) await handle.writeFile(part)
      await handle.sync()
    } finally {
      await handle.close()
    }
    return { path, target, isNew: !existing, temporary }
  })
}

async function moveIntoPlace(staged: readonly Staged[], temporaries: string[]): Promise<void> {
  const undo: (() => Promise<void>)[] = []
  try {
    for (const { path, target, isNew, temporary } of staged) {
      await attempt('written', path, async () => {
        const isLast = temporary === staged.at(-1)!.temporary
        if (isLast) {
          await rename(temporary, target)
        } else if (isNew) {
          await rename(temporary, target)
          undo.push(() => rm(target))
        } else {
          const earlier = temporaryBeside(target, temporaries)
          await copyFile(target, earlier)
          await rename(temporary, target)
          undo.push(() => rename(earlier, target))
        }
      })
    }
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => {})
    throw error
  }
  // Without this a power cut can undo the renaming of a file that is itself safe on the disk.
  for (const folder of foldersOf(staged)) await syncFolder(folder)
}

const foldersOf = (staged: readonly Staged[]) => new Set(staged.map(({ target }) => dirname(target)))

/** Folders in which this process has looked for what others left. */
const swept = new Set<string>()

async function sweepOnce(folder: string): Promise<void> {
  if (swept.has(resolve(folder))) return
  swept.add(resolve(folder))
  await removeAbandoned(folder)
}

/** Removes the temporary files of processes that were killed while they wrote to a folder, never those of a process that runs. */
export async function removeAbandoned(folder: string): Promise<void> {
  // A folder that cannot be listed, or a file that cannot be removed, does not keep anyone from writing.
  for (const name of await readdir(folder).catch(() => [])) {
    if (isTemporaryName(name) && isAbandoned(name)) await rm(join(folder, name), { force: true }).catch(() => {})
  }
}

const TEMPORARY = new RegExp(`^\\.peel-${OWNED_WORD.source}\\.tmp$`)
/** As earlier versions named them, without their owner. */
const OWNERLESS = /^\.[0-9a-f]{16}\.tmp$/

/** Whether a name is one that a write which was cut off may have left behind. */
export function isTemporaryName(name: string): boolean {
  return TEMPORARY.test(name) || OWNERLESS.test(name)
}

/** A name of its own length, so that it fits however long the target's is; it names its owner. */
function temporaryBeside(target: string, temporaries: string[]): string {
  const temporary = join(dirname(target), `.peel-${ownedWord()}.tmp`)
  temporaries.push(temporary)
  return temporary
}

async function readLimited(path: string, limit: number): Promise<Uint8Array> {
  await statReadable(path, limit)
  return attempt('read', path, () => readFile(path))
}

async function statReadable(path: string, limit: number) {
  const found = await attempt('read', path, () => stat(path))
  if (found.isDirectory()) throw cannot('read', path, REASONS.EISDIR)
  // A pipe or device could continue for ever.
  if (!found.isFile()) throw cannot('read', path, 'it is not a regular file')
  if (found.size > limit) throw cannot('read', path, `its ${found.size} bytes are too many, at most ${limit} are read at once`)
  return found
}
