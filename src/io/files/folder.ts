/** Folders: made, listed, cleared and brought safely to the disk. */
import { mkdir, open, readdir, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { attempt, cannot, requirePath } from './file-errors.js'

/** With all folders above it; one that is there is left as it is. Returns those that it made, the innermost first. */
export async function makeFolder(path: string): Promise<string[]> {
  requirePath(path)
  return attempt('written', path, () => makeOneByOne(resolve(path)))
}

/** Those of the folders that are empty, in this order. */
export async function removeEmpty(folders: readonly string[]): Promise<void> {
  for (const folder of folders) await rmdir(folder).catch(() => {})
}

/** Without `recursive` of Node, which retries for ever if a system reports ENOENT although the parent folder exists, as /proc
 *  does. */
async function makeOneByOne(path: string): Promise<string[]> {
  if (await isFolder(path)) return []
  const above = dirname(path)
  const made = above === path ? [] : await makeOneByOne(above)
  try {
    await mkdir(path)
    return [path, ...made]
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') throw cannot('written', path, `no folder can be made in ${above}`)
    // Another process may have created it meanwhile.
    if (code !== 'EEXIST' || !(await isFolder(path))) throw error
    return made
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** Names in alphabetical order. */
export async function listFolder(path: string): Promise<string[]> {
  return (await attempt('read', path, () => readdir(path))).sort()
}

/** Removes a file or a folder with its content; a missing one is no error. */
export async function removeTree(path: string): Promise<void> {
  await attempt('removed', path, () => rm(path, { recursive: true, force: true }))
}

/** New names in a folder survive a power cut only when the folder itself is on the disk. Not all systems can do this: then it is left. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // The files are whole whatever happens; only the newest of them could be missing.
  }
}
