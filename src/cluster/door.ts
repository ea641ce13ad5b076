/** The socket that a driver connects to: in a folder that only this user can enter, or on the network, where anyone can
 *  connect. A connection that has not proved that it knows the secret gets a few seconds and a few hundred bytes, and cannot
 *  keep Peel running. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DriverFailure } from './driver-failure.js'
import { createFrameReader, FRAME, type FrameHead, type Hello, type WireFrame } from './frames.js'
import { createNonce, encodeChallenge, encodeWelcome, MAX_HELLO_BYTES, openHello, parseHello } from './handshake.js'

export interface Door {
  /** For the driver: a path, or host and port. */
  readonly address: string
  /** The first connection that proves the secret; others are closed. Nothing is accepted afterwards. */
  readonly greeting: Promise<Greeting>
  /** Leaves nothing behind but the socket of the greeting. */
  close(): void
}

export interface Greeting {
  /** Paused. */
  readonly socket: Socket
  readonly hello: Hello
  /** Receives the frames after HELLO; `fits` is called before memory is allocated for one. */
  readonly feed: Feed
}

export interface Feed {
  fits: (head: FrameHead) => boolean
  frame: (frame: WireFrame) => void
  bad: () => void
}

/** Seconds from a connection to its HELLO: a driver sends it at once. */
const GREETING_SECONDS = 5
/** Connections without a HELLO. Of more the oldest is closed, so that silent ones keep no driver out. */
export const MAX_STRANGERS = 64

export async function openDoor(host: string | undefined, secret: string, seconds = GREETING_SECONDS): Promise<Door> {
  const server = createServer()
  const listening = host === undefined ? await listenHere(server) : await listenAt(server, host)
  // Such as too many open files: a connection that was not accepted counts as silent.
  server.on('error', () => {})
  const strangers = new Set<Socket>()
  const shut = () => {
    server.close()
    for (const socket of strangers) socket.destroy()
  }
  const greeting = new Promise<Greeting>((resolve, reject) => {
    server.on('connection', socket => {
      const timer = setTimeout(() => socket.destroy(), 1000 * seconds).unref()
      socket.once('close', () => {
        clearTimeout(timer)
        strangers.delete(socket)
      })
      strangers.add(socket)
      socket.unref()
      if (strangers.size > MAX_STRANGERS) strangers.values().next().value?.destroy()
      admit(socket, secret, outcome => {
        clearTimeout(timer)
        strangers.delete(socket)
        shut()
        socket.ref()
        if (outcome instanceof DriverFailure) reject(outcome)
        else resolve(outcome)
      })
    })
  })
  greeting.catch(() => {})
  return {
    address: listening.address,
    greeting,
    close() {
      shut()
      listening.cleanUp()
    },
  }
}

/** Calls `done` once, and only for a connection that proves the secret. */
function admit(socket: Socket, secret: string, done: (outcome: Greeting | DriverFailure) => void): void {
  socket.setNoDelay(true)
  socket.on('error', () => {})
  const challenge = createNonce()
  const feed: Feed = { fits: () => false, frame: () => {}, bad: () => {} }
  let isKnown = false
  const fits = (head: FrameHead) => (isKnown ? feed.fits(head) : head.type === FRAME.hello && head.length <= MAX_HELLO_BYTES)
  const read = createFrameReader(frame => {
    if (isKnown) return feed.frame(frame)
    const opened = openHello(secret, challenge, frame.payload)
    if (!opened) throw new Error('no proof')
    isKnown = true
    socket.write(encodeWelcome(secret, challenge, opened.nonce))
    socket.pause()
    const hello = parseHello(opened.text)
    if (hello) return done({ socket, hello, feed })
    socket.destroy()
    done(new DriverFailure('mismatch', 'The greeting of the driver is invalid.'))
  }, fits)
  socket.on('data', bytes => {
    try {
      if (!socket.destroyed) read(bytes)
    } catch {
      socket.destroy()
      feed.bad()
    }
  })
  socket.write(encodeChallenge(challenge))
}

interface Listening {
  readonly address: string
  cleanUp(): void
}

async function listenAt(server: Server, host: string): Promise<Listening> {
  const { error } = await listen(server, { host, port: 0, exclusive: true })
  if (error)
    throw new DriverFailure(
      'refused',
      `Peel cannot listen at "${host}" (${error.message}); set --address to an address of this host.`,
    )
  const { port } = server.address() as { port: number }
  return { address: `${host}:${port}`, cleanUp() {} }
}

async function listenHere(server: Server): Promise<Listening> {
  // mkdtemp makes it for this user alone.
  const folder = mkdtempSync(join(tmpdir(), 'peel-'))
  const cleanUp = () => rmSync(folder, { recursive: true, force: true })
  const path = join(folder, 'driver')
  const { error } = await listen(server, { path })
  if (!error) return { address: path, cleanUp }
  cleanUp()
  throw new DriverFailure('refused', `Peel cannot listen at ${path} (${error.message}); set TMPDIR to another folder.`)
}

function listen(
  server: Server,
  where: { path: string } | { host: string; port: number; exclusive: boolean },
): Promise<{ error?: Error }> {
  return new Promise(resolve => {
    const refuse = (error: Error) => resolve({ error })
    server.once('error', refuse).listen(where, () => {
      server.off('error', refuse)
      resolve({})
    })
  })
}
