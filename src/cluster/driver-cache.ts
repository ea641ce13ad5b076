/** Where compiled drivers are kept, and which of them may be run: a file that this user has built, in a folder that no other user can write to.
 *  The hash of every driver is stored beside it, so that a file that was cut short, replaced or linked to is rebuilt. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { DriverFailure } from './driver-failure.js'

/** Absolute, and never the current folder, which may hold anything. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(environment.PEEL_CACHE || join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'peel', 'cluster'))
}

const OTHERS_WRITE = 0o022
const EVERYBODY_WRITES = 0o002
const STICKY = 0o1000

/** The folder, created if missing. Throws a DriverFailure if other users could write a program into it. */
export function openCache(folder = cacheFolder()): string {
  attempt(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }))
  const real = attempt(folder, () => realpathSync(folder))
  const status = attempt(folder, () => statSync(real))
  const refuse = (why: string) =>
    new DriverFailure('refused', `Peel runs no drivers from ${folder}, because ${why}; set PEEL_CACHE to another folder.`)
  if (!isMine(status)) throw refuse(`it belongs to another user (${status.uid})`)
  if (status.mode & OTHERS_WRITE) throw refuse('other users can write to it (fix: chmod 700)')
  for (let above = dirname(real); ; above = dirname(above)) {
    const { mode } = attempt(above, () => statSync(above))
    if (mode & EVERYBODY_WRITES && !(mode & STICKY)) throw refuse(`all users can write to ${above}`)
    if (above === dirname(above)) return real
  }
}

/** Whether a driver is there that may be run as it is. */
export function isRunnable(path: string): boolean {
  try {
    const record = hashFile(path)
    if (![path, record].every(isOwnFile)) return false
    return readFileSync(record, 'utf8') === hashOf(readFileSync(path))
  } catch {
    return false
  }
}

/** Has a driver built in a folder of its own and moves it to its place, whole. */
export async function storeDriver(path: string, build: (target: string) => Promise<void>): Promise<void> {
  const folder = attempt(dirname(path), () => mkdtempSync(join(dirname(path), 'build-')))
  try {
    const target = join(folder, 'driver')
    await build(target)
    attempt(path, () => {
      chmodSync(target, 0o700)
      writeFileSync(hashFile(target), hashOf(readFileSync(target)), { mode: 0o600, flag: 'wx' })
      renameSync(hashFile(target), hashFile(path))
      renameSync(target, path)
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const hashFile = (path: string) => `${path}.sha256`
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const isMine = ({ uid }: Stats) => process.getuid === undefined || uid === process.getuid()

/** No link, neither symbolic nor hard, and nothing that others can write to. */
function isOwnFile(path: string): boolean {
  const status = lstatSync(path)
  return status.isFile() && status.nlink === 1 && isMine(status) && !(status.mode & OTHERS_WRITE)
}

/** What the system refuses, as a message. */
function attempt<T>(path: string, action: () => T): T {
  try {
    return action()
  } catch (error) {
    throw new DriverFailure(
      'refused',
      `Drivers cannot be stored at ${path} (${(error as Error).message}); set PEEL_CACHE to another folder.`,
    )
  }
}
