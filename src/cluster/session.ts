/** A driver that runs: started by a launcher, connected back to a socket of ours, and watched. It outlives a solve; a process that ends
 *  without saying good-bye takes it along, because rank 0 then sees the end of its socket. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Driver } from './build-driver.js'
import { DriverFailure, explainEnd, type LauncherEnd } from './driver-failure.js'
import { createFrameReader, encodeHeader, FRAME, type Frame, type Hello, PROTOCOL } from './frames.js'
import { here, identifyLauncher, type LaunchOptions, launchArguments, launchEnvironment, mayLeaveHost } from './launchers.js'

export interface SessionOptions extends LaunchOptions {
  /** Name or address of this host for the others; its host name if empty. */
  readonly address: string
  /** Seconds without a sign of life before a driver is held to hang. */
  readonly patience: number
}

export interface Session {
  readonly hello: Hello
  /** Of the launcher. */
  readonly pid: number
  /** Sends a frame; parts may be overwritten two parts later. */
  send(type: number, id: number, length: number, parts: Iterable<Uint8Array>): Promise<void>
  /** The next frame. Rejects with a DriverFailure when the driver has ended or hangs; it is gone then. */
  receive(): Promise<Frame>
  /** The program may end while nothing is solved. */
  hold(on: boolean): void
  close(): Promise<void>
}

/** Seconds: until HELLO at most, from a request to end until the end is enforced, and for the launcher to end after its ranks. */
const HELLO = 20
const GRACE = 5
/** A pause may be this many times the longest one so far. */
const PATIENT = 20
/** Characters kept of what the driver prints. */
const TAIL = 4000

export async function openSession(driver: Driver, options: SessionOptions): Promise<Session> {
  const { flavour } = await identifyLauncher(options.launcher)
  const environment = launchEnvironment(flavour, options.asRoot, here())
  const door = await openDoor(mayLeaveHost(flavour, options.hosts) ? options.address || hostname() : undefined)
  const token = randomBytes(16).toString('hex')
  // In a group of its own: Ctrl-C is for us, and we tell the driver.
  const child = spawn(options.launcher, [...launchArguments(flavour, options), driver.path, door.address], {
    env: { ...process.env, ...environment, PEEL_TOKEN: token, OMP_NUM_THREADS: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = watchEnd(child)
  const explain = async () => explainEnd(await ended, { launcher: options.launcher, ranks: options.ranks, binary: driver.path })
  try {
    const limit = Math.min(HELLO, options.patience)
    const silence = after(limit, () => new DriverFailure('hung', `The driver did not say hello within ${limit} s.`))
    const greeted = greet(door.server, token)
    const { socket, hello, feed } = await Promise.race([greeted, ended.then(explain).then(raise), silence.promise]).finally(
      silence.stop,
    )
    checkHello(hello, driver)
    return createSession({ child, socket, hello, feed, ended, explain, patience: options.patience })
  } catch (error) {
    await endChild(child, ended)
    throw error
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

// ---- the door that the driver knocks at

interface Door {
  readonly server: Server
  readonly address: string
  close(): void
}

/** A socket in a folder that only this user can enter, or one of the network. */
async function openDoor(host: string | undefined): Promise<Door> {
  const server = createServer()
  if (host !== undefined) {
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: Error) =>
        reject(
          new DriverFailure(
            'refused',
            `Peel cannot listen at «${host}» (${error.message}); name an address of this host with --address.`,
          ),
        )
      server.once('error', refuse).listen(0, host, resolve)
    })
    const { port } = server.address() as { port: number }
    return { server, address: `${host}:${port}`, close: () => server.close() }
  }
  const folder = mkdtempSync(join(tmpdir(), 'peel-'))
  chmodSync(folder, 0o700)
  const path = join(folder, 'driver')
  await new Promise<void>(resolve => server.listen(path, resolve))
  return {
    server,
    address: path,
    close() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Greeting {
  readonly socket: Socket
  readonly hello: Hello
  /** Who gets the frames after HELLO. */
  readonly feed: { frame: (frame: Frame) => void; bad: () => void }
}

/** The first who knows the token comes in. Others are turned away. */
function greet(server: Server, token: string): Promise<Greeting> {
  return new Promise(resolve => {
    server.on('connection', socket => {
      socket.setNoDelay(true)
      socket.on('error', () => {})
      const feed: Greeting['feed'] = { frame: () => {}, bad: () => {} }
      let known = false
      const read = createFrameReader(frame => {
        if (known) return feed.frame(frame)
        const hello = parseHello(frame)
        if (hello?.token !== token) return socket.destroy()
        known = true
        resolve({ socket, hello, feed })
      })
      socket.on('data', bytes => {
        try {
          read(bytes)
        } catch {
          socket.destroy()
          feed.bad()
        }
      })
    })
  })
}

function parseHello({ type, payload }: Frame): Hello | undefined {
  try {
    return type === FRAME.hello ? JSON.parse(payload.toString()) : undefined
  } catch {
    return undefined
  }
}

function checkHello(hello: Hello, driver: Driver): void {
  if (hello.protocol === PROTOCOL && hello.driver === driver.version) return
  throw new DriverFailure(
    'mismatch',
    `The driver is another one than Peel has built (protocol ${hello.protocol}, version ${hello.driver}); delete ${driver.path} to have it built anew.`,
  )
}

// ---- the launcher

function watchEnd(child: ChildProcess): Promise<LauncherEnd> {
  let text = ''
  const keep = (data: Buffer) => {
    text = (text + data.toString()).slice(-TAIL)
  }
  child.stdout?.on('data', keep)
  child.stderr?.on('data', keep)
  return new Promise(resolve => {
    child.once('error', error =>
      resolve({ error: (error as NodeJS.ErrnoException).code ?? error.message, code: null, signal: null, text }),
    )
    child.once('close', (code, signal) => resolve({ code, signal, text }))
  })
}

/** Asked first, then made to; with the group, so that nothing is left. */
async function endChild(child: ChildProcess, ended: Promise<LauncherEnd>): Promise<void> {
  if (child.pid === undefined) return
  child.kill('SIGTERM')
  const timer = setTimeout(() => killGroup(child.pid!), 1000 * GRACE)
  await ended
  clearTimeout(timer)
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

// ---- a session

interface Parts extends Greeting {
  readonly child: ChildProcess
  readonly ended: Promise<LauncherEnd>
  readonly explain: () => Promise<DriverFailure>
  readonly patience: number
}

function createSession({ child, socket, hello, feed, ended, explain, patience }: Parts): Session {
  const frames: Frame[] = []
  let wake = () => {}
  let over: DriverFailure | undefined
  let lastSign = performance.now()
  let longest = 0
  let closing = false
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
  feed.frame = frame => {
    sign()
    frames.push(frame)
    wake()
  }
  feed.bad = () =>
    finish(
      async () =>
        new DriverFailure(
          'mismatch',
          'The driver sent something that is no frame; delete it from the cache to have it built anew.',
        ),
    )
  // When a rank goes its socket closes first; the launcher knows why, a little later.
  socket.once('close', () =>
    finish(async () => {
      const timer = setTimeout(() => void endChild(child, ended), 1000 * GRACE)
      const reason = await explain()
      clearTimeout(timer)
      return reason
    }),
  )
  ended.then(() => finish(explain))
  const limit = () => Math.max(1000 * patience, PATIENT * longest)

  async function endHanging(): Promise<void> {
    over ??= new DriverFailure('hung', `The driver gave no sign of life for ${(limit() / 1000).toFixed(0)} s and was ended.`)
    socket.destroy()
    await endChild(child, ended)
  }

  async function receive(): Promise<Frame> {
    for (;;) {
      const frame = frames.shift()
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

  async function send(type: number, id: number, length: number, parts: Iterable<Uint8Array>): Promise<void> {
    lastSign = performance.now()
    const write = (bytes: Uint8Array) => new Promise<void>(resolve => socket.write(bytes, () => resolve()))
    // If nobody takes it any more, receive() says why.
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
      if (over) return
      closing = true
      socket.end(encodeHeader(FRAME.bye, 0, 0))
      const timer = setTimeout(() => void endChild(child, ended), 1000 * GRACE)
      await ended
      clearTimeout(timer)
      over = new DriverFailure('ended', 'The driver was closed.')
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
