/** One writer at a time in a run directory. The lock is a folder that is renamed into place with its owner already inside, so
 *  it never exists without naming its owner. */
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import { attempt } from '../files/file-errors.js'
import { isGone, type ProcessIdentity, thisProcess } from '../files/process-identity.js'

interface Owner extends ProcessIdentity {
  readonly token: string
  readonly host: string
}

export const LOCK = 'lock'
/** Folders that a process killed while locking can leave. */
export const isLockLeftover = (name: string) => name.startsWith('.lock-')

/** Returns what gives the lock back. Refuses when another process, or another part of this one, writes to the run. */
export async function lockRun(path: string): Promise<() => Promise<void>> {
  const lock = join(path, LOCK)
  const token = `${process.pid}-${randomBytes(6).toString('hex')}`
  const me: Owner = { token, ...thisProcess(), host: hostname() }
  if (!(await claim(path, me))) {
    const owner = await readOwner(lock)
    // Processes of another machine cannot be requested; they count as alive.
    if (owner !== undefined && !(owner.host === hostname() && isGone(owner))) throw refusal(path, owner)
    if (owner !== undefined) await setAsideLock(path, owner)
    if (!(await claim(path, me))) throw refusal(path, await readOwner(lock))
  }
  return async () => {
    if ((await readOwner(lock))?.token !== token) return
    // Moved away first: a lock that is deleted in place is without an owner for a moment.
    const away = join(path, `.lock-released-${token}`)
    await rename(lock, away)
      .then(() => rm(away, { recursive: true, force: true }))
      .catch(() => {})
  }
}

async function claim(path: string, me: Owner): Promise<boolean> {
  const mine = join(path, `.lock-${me.token}`)
  await attempt('written', path, () => mkdir(mine))
  try {
    await writeFile(join(mine, 'owner.json'), JSON.stringify(me))
    await rename(mine, join(path, LOCK))
    return true
  } catch (error) {
    await rm(mine, { recursive: true, force: true }).catch(() => {})
    const { code } = error as NodeJS.ErrnoException
    // Windows reports EPERM; ENOENT means that another process has removed the claim together with older leftovers.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(code ?? '')) return false
    return attempt('written', path, () => Promise.reject(error))
  }
}

async function readOwner(lock: string): Promise<Owner | undefined> {
  try {
    return JSON.parse(await readFile(join(lock, 'owner.json'), 'utf8')) as Owner
  } catch (error) {
    // A power cut can leave the file empty; the process that wrote it cannot be alive.
    if (error instanceof SyntaxError) return { token: 'unreadable', pid: 0, born: undefined, host: hostname() }
    return undefined
  }
}

async function setAsideLock(path: string, { token }: Owner): Promise<void> {
  const lock = join(path, LOCK)
  if ((await readOwner(lock))?.token !== token) return
  // The target is named after the dead owner: a second process finds it there, and cannot remove the lock of the next owner by
  // mistake.
  await rename(lock, join(path, `.lock-stale-${token}`)).catch(() => {})
}

function refusal(path: string, owner: Owner | undefined): InputError {
  if (owner === undefined) return new InputError(`${path} is being written by another process; try again when it has ended.`)
  const { pid, host } = owner
  if (host === hostname()) return new InputError(`${path} is being written by process ${pid}; stop it or choose another folder.`)
  const advice = `if that has ended, remove the folder ${join(path, LOCK)}`
  return new InputError(`${path} is being written by process ${pid} on ${host}; ${advice}.`)
}
