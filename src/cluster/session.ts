/** A driver that runs: started by a launcher, connected back to a socket of ours, and watched. It outlives a solve; a process that ends
 *  without saying good-bye takes it along, because rank 0 then sees the end of its socket. */
import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { Driver } from './build-driver.js'
import { type Greeting, openDoor } from './door.js'
import { clean, DriverFailure, explainEnd, type LauncherEnd } from './driver-failure.js'
import { encodeHeader, FRAME, type FrameHead, type Hello, PROGRESS_BYTES, PROTOCOL, type WireFrame } from './frames.js'
import { createSecret } from './handshake.js'
import { checkHostsFile } from './hosts-file.js'
import { endChild, GRACE, watchEnd } from './launcher-process.js'
import { here, identifyLauncher, type LaunchOptions, launchArguments, launchEnvironment, mayLeaveHost } from './launchers.js'

export interface ClusterSessionOptions extends LaunchOptions {
  /** Name or address of this host for the others; its host name if empty. */
  readonly address: string
  /** Seconds without a sign of life before a driver is held to hang. */
  readonly patience: number
}

export interface ClusterSession {
  readonly hello: Hello
  /** Of the launcher. */
  readonly pid: number
  /** Sends a frame; parts may be overwritten two parts later. The driver may send nothing but the answer to the last SOLVE or ECHO:
   *  `answerBytes` is the length of the SOLUTION. */
  send(type: number, id: number, length: number, parts: Iterable<Uint8Array>, answerBytes?: number): Promise<void>
  /** The next frame. Rejects with a DriverFailure when the driver has ended, hangs, or sent what it should not; it is gone then. */
  receive(): Promise<WireFrame>
  /** The program may end while nothing is solved. */
  hold(on: boolean): void
  close(): Promise<void>
}

/** Seconds until HELLO at most. */
const HELLO = 20
/** A pause may be this many times the longest one so far, and this many times the patience at most. */
const PATIENT = 20
/** Bytes of an ERROR. */
const MAX_ERROR_BYTES = 4096
/** Frames that wait to be received; more are left in the socket. */
const MAX_FRAMES = 64

export async function openSession(driver: Driver, options: ClusterSessionOptions): Promise<ClusterSession> {
  const { flavour } = await identifyLauncher(options.launcher)
  const environment = launchEnvironment(flavour, options.asRoot, here())
  if (options.hosts) checkHostsFile(options.hosts)
  const secret = createSecret()
  const door = await openDoor(mayLeaveHost(flavour, options.hosts) ? options.address || hostname() : undefined, secret)
  try {
    // In a group of its own: Ctrl-C is for us, and we tell the driver. The secret is in the environment, which other users cannot read,
    // and never in an argument, which they can.
    const child = spawn(options.launcher, [...launchArguments(flavour, options), driver.path, door.address], {
      env: { ...process.env, ...environment, PEEL_TOKEN: secret, OMP_NUM_THREADS: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const ended = watchEnd(child)
    const explain = async () => explainEnd(await ended, { launcher: options.launcher, ranks: options.ranks, binary: driver.path })
    try {
      const limit = Math.min(HELLO, options.patience)
      const silence = after(limit, () => new DriverFailure('hung', `The driver did not connect within ${limit} s.`))
      const { socket, hello, feed } = await Promise.race([
        door.greeting,
        ended.then(explain).then(raise),
        silence.promise,
      ]).finally(silence.stop)
      checkHello(hello, driver, options.ranks)
      return createSession({ child, socket, hello, feed, ended, explain, patience: options.patience })
    } catch (error) {
      // First, because the socket of a later greeting would never be closed.
      door.close()
      door.greeting.then(({ socket }) => socket.destroy()).catch(() => {})
      await endChild(child, ended)
      throw error
    }
  } finally {
    door.close()
  }
}

function raise(error: Error): never {
  throw error
}

function after(seconds: number, reason: () => Error): { promise: Promise<never>; stop(): void } {
  let timer: NodeJS.Timeout
  const promise = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(reason()), 1000 * seconds)
  })
  return { promise, stop: () => clearTimeout(timer) }
}

function checkHello(hello: Hello, driver: Driver, ranks: number): void {
  if (hello.protocol !== PROTOCOL || hello.driver !== driver.version)
    throw new DriverFailure(
      'mismatch',
      `The driver does not match this version of Peel (protocol ${hello.protocol}, version ${clean(hello.driver)}); delete ${driver.path} to rebuild it.`,
    )
  if (hello.ranks !== ranks)
    throw new DriverFailure(
      'mismatch',
      `The driver runs on ${hello.ranks} ranks instead of ${ranks}; launcher and compiler must belong to the same MPI (--launcher, PEEL_MPICXX).`,
    )
}

// ---- a session

interface Parts extends Greeting {
  readonly child: ChildProcess
  readonly ended: Promise<LauncherEnd>
  readonly explain: () => Promise<DriverFailure>
  readonly patience: number
}

function createSession({ child, socket, hello, feed, ended, explain, patience }: Parts): ClusterSession {
  const frames: WireFrame[] = []
  let wake = () => {}
  let over: DriverFailure | undefined
  let lastSign = performance.now()
  let longest = 0
  let closing = false
  /** What the driver has yet to answer. */
  let asked: { readonly type: number; readonly id: number; readonly answerBytes: number } | undefined
  const sign = () => {
    const now = performance.now()
    longest = Math.max(longest, now - lastSign)
    lastSign = now
  }
  const finish = async (failure: () => Promise<DriverFailure>) => {
    if (over || closing) return
    const reason = await failure()
    over ??= reason
    wake()
  }
  feed.fits = ({ type, id, length }: FrameHead) => {
    if (id !== asked?.id) return false
    if (asked.type === FRAME.echo) return type === FRAME.echo && length === asked.answerBytes
    if (type === FRAME.progress) return length === PROGRESS_BYTES
    if (type === FRAME.error) return length <= MAX_ERROR_BYTES
    return type === FRAME.solution && length === asked.answerBytes
  }
  feed.frame = frame => {
    sign()
    if (frame.type !== FRAME.progress) asked = undefined
    frames.push(frame)
    if (frames.length > MAX_FRAMES) socket.pause()
    wake()
  }
  feed.bad = () => {
    finish(
      async () =>
        new DriverFailure(
          'mismatch',
          'The driver sent an invalid or unexpected message; delete it from the cache to rebuild it.',
        ),
    )
    void endChild(child, ended)
  }
  // When a rank goes its socket closes first; the launcher knows why, a little later.
  const gone = () =>
    finish(async () => {
      const timer = setTimeout(() => void endChild(child, ended), 1000 * GRACE)
      const reason = await explain()
      clearTimeout(timer)
      return reason
    })
  if (socket.destroyed) void gone()
  else socket.once('close', gone)
  socket.resume()
  ended.then(() => finish(explain))
  const limit = () => Math.min(Math.max(1000 * patience, PATIENT * longest), PATIENT * 1000 * patience)

  async function endHanging(): Promise<void> {
    over ??= new DriverFailure('hung', `The driver sent no message for ${(limit() / 1000).toFixed(0)} s and was stopped.`)
    socket.destroy()
    await endChild(child, ended)
  }

  async function receive(): Promise<WireFrame> {
    for (;;) {
      const frame = frames.shift()
      if (frame && frames.length < MAX_FRAMES) socket.resume()
      if (frame) return frame
      if (over) throw over
      const left = lastSign + limit() - performance.now()
      if (left <= 0) await endHanging()
      else
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
    }
  }

  async function send(type: number, id: number, length: number, parts: Iterable<Uint8Array>, answerBytes = 0): Promise<void> {
    lastSign = performance.now()
    if (type === FRAME.solve || type === FRAME.echo) asked = { type, id, answerBytes: type === FRAME.echo ? length : answerBytes }
    const write = (bytes: Uint8Array) => new Promise<void>(resolve => socket.write(bytes, () => resolve()))
    // If the socket was closed, receive() reports why.
    const taken = async (written: Promise<void>) => {
      if (await hasGone(written, socket, limit())) return !socket.destroyed
      await endHanging()
      return false
    }
    let previous = write(encodeHeader(type, id, length))
    for (const part of parts) {
      // One part is on its way while the next is made.
      const mine = write(part)
      if (!(await taken(previous))) return
      previous = mine
    }
    await taken(previous)
    lastSign = performance.now()
  }

  return {
    hello,
    pid: child.pid!,
    send,
    receive,
    hold(on) {
      for (const handle of [child, socket, child.stdout as Socket | null, child.stderr as Socket | null])
        if (on) handle?.ref()
        else handle?.unref()
    },
    async close() {
      closing = true
      // Also after a failure: the launcher may still be there, and then it is ended.
      if (!socket.destroyed) socket.end(encodeHeader(FRAME.bye, 0, 0))
      const timer = setTimeout(() => void endChild(child, ended), 1000 * GRACE)
      await ended
      clearTimeout(timer)
      socket.destroy()
      over ??= new DriverFailure('ended', 'The driver was closed.')
    },
  }
}

/** Whether something was written, or its socket closed, within so many milliseconds. */
function hasGone(written: Promise<void>, socket: Socket, limit: number): Promise<boolean> {
  if (socket.destroyed) return Promise.resolve(true)
  return new Promise(resolve => {
    const timer = setTimeout(() => finish(false), limit)
    const finish = (gone: boolean) => {
      clearTimeout(timer)
      socket.off('close', closed)
      resolve(gone)
    }
    const closed = () => finish(true)
    socket.once('close', closed)
    written.then(closed)
  })
}
