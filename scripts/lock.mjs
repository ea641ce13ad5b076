// One set-up at a time in a folder. The lock is a directory that is renamed into place with its owner already inside,
// so it never exists without saying whose it is.
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const POLL = 100
const BEAT = 2000
const SILENCE = 60000 // with no beat for this long the owner is gone, even if another process now has its number

const pause = ms => new Promise(resolve => setTimeout(resolve, ms))

/**
 * Runs `work` while holding the lock in `folder`. `work` gets a function that records the process it starts: when the
 * owner is killed that process may live on, and it must end before anybody else begins.
 * `onWait(pid)` is called once if another process holds the lock; the function it returns is called when the wait is over.
 */
export async function withLock(folder, onWait, work) {
  const token = `${process.pid}-${randomBytes(6).toString('hex')}`
  const lock = path.join(folder, 'lock')
  const owner = path.join(lock, 'owner.json')
  await acquire(folder, token, onWait)
  const beat = setInterval(() => {
    const now = new Date()
    fs.utimes(owner, now, now, () => {})
  }, BEAT)
  try {
    return await work(pid => fs.writeFileSync(path.join(lock, 'child'), String(pid)))
  } finally {
    clearInterval(beat)
    // Moved away first: a lock that is deleted in place is empty for a moment, and an empty one can be replaced.
    const current = readOwner(lock)
    if (current && current.token === token) discard(lock, path.join(folder, `released-${token}`))
  }
}

async function acquire(folder, token, onWait) {
  const lock = path.join(folder, 'lock')
  let waited
  let seen = ''
  let since = Date.now()
  for (;;) {
    const owner = readOwner(lock)
    if (!owner && claim(folder, token)) break
    if (owner) {
      const beat = owner.token + owner.beat
      if (beat !== seen) {
        seen = beat
        since = Date.now()
      }
      if (isGone(owner) || Date.now() - since > SILENCE) takeAway(folder, owner)
      else {
        if (!waited) waited = onWait(owner.pid)
        await pause(POLL)
      }
    }
  }
  if (waited) waited()
  sweep(folder)
}

function claim(folder, token) {
  const mine = path.join(folder, `claim-${token}`)
  fs.mkdirSync(mine, { recursive: true })
  fs.writeFileSync(path.join(mine, 'owner.json'), JSON.stringify({ token, pid: process.pid, host: os.hostname() }))
  try {
    fs.renameSync(mine, path.join(folder, 'lock'))
    return true
  } catch (error) {
    fs.rmSync(mine, { recursive: true, force: true })
    const taken = ['ENOTEMPTY', 'EEXIST'].concat(process.platform === 'win32' ? ['EPERM', 'EACCES'] : [])
    if (!taken.includes(error.code)) throw error
    return false
  }
}

function readOwner(lock) {
  try {
    const file = path.join(lock, 'owner.json')
    const owner = JSON.parse(fs.readFileSync(file, 'utf8'))
    owner.beat = fs.statSync(file).mtimeMs
    owner.child = fs.existsSync(path.join(lock, 'child')) ? Number(fs.readFileSync(path.join(lock, 'child'), 'utf8')) : 0
    return owner
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    // A power cut can leave the file empty; the process that wrote it is gone.
    if (error instanceof SyntaxError) return { token: 'unreadable', pid: 0, child: 0, host: os.hostname(), beat: 0 }
    throw error
  }
}

/** Process numbers mean nothing on another machine or in another container; there only the beat tells. */
function isGone(owner) {
  return owner.host === os.hostname() && !isAlive(owner.pid) && !isAlive(owner.child)
}

function isAlive(pid) {
  if (!pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  return !isZombie(pid)
}

/** In a container whose first process reaps no children, ended processes keep their number. */
function isZombie(pid) {
  try {
    return /\) [ZX] /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

function takeAway(folder, owner) {
  const lock = path.join(folder, 'lock')
  const current = readOwner(lock)
  if (!current || current.token !== owner.token) return
  // The target is named after the dead owner and stays for a while: if another process removed this lock a moment
  // ago, it is not empty and the rename fails, so the lock of the next owner cannot be taken by mistake.
  try {
    fs.renameSync(lock, path.join(folder, `stale-${owner.token}`))
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) && process.platform !== 'win32') throw error
  }
}

function discard(from, to) {
  try {
    fs.renameSync(from, to)
    fs.rmSync(to, { recursive: true, force: true })
  } catch {
    // What stays behind names a process that is gone, and the next set-up takes it away.
  }
}

function sweep(folder) {
  for (const name of fs.readdirSync(folder)) {
    const file = path.join(folder, name)
    const stats = fs.statSync(file, { throwIfNoEntry: false })
    if (name !== 'lock' && stats && Date.now() - stats.mtimeMs > SILENCE) fs.rmSync(file, { recursive: true, force: true })
  }
}
