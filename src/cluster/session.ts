/** A connected driver: frames to and from it, and a watch over its signs of life. */
import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Greeting } from './door.js'
import { DriverFailure, type LauncherEnd } from './driver-failure.js'
import { encodeHeader, FRAME, type FrameHead, type Hello, PROGRESS_BYTES, type WireFrame } from './frames.js'
import { endChild, GRACE } from './launcher-process.js'

export interface ClusterSession {
  readonly hello: Hello
  /** Of the launcher. */
  readonly pid: number
  /** Sends a frame; parts may be overwritten two parts later. The driver may send nothing but the answer to the last SOLVE or ECHO:
   *  `answerBytes` is the length of the SOLUTION. */
  send(type: number, id: number, length: number, parts: Iterable<Uint8Array>, answerBytes?: number): Promise<void>
  /** The next frame. Rejects with a DriverFailure when the driver has ended, hangs, or sent an invalid frame; it has been
   *  stopped then. */
  receive(): Promise<WireFrame>
  /** The program may end while nothing is solved. */
  hold(on: boolean): void
  close(): Promise<void>
}

/** A pause may be this many times the longest one so far, and this many times the patience at most. */
const PATIENCE_FACTOR = 20
/** Bytes of an ERROR. */
const MAX_ERROR_BYTES = 4096
/** Frames that wait to be received; more are left in the socket. */
const MAX_FRAMES = 64

export interface ConnectedDriver extends Greeting {
  readonly child: ChildProcess
  readonly ended: Promise<LauncherEnd>
  readonly explain: () => Promise<DriverFailure>
  readonly patience: number
}

export function createSession({ child, socket, hello, feed, ended, explain, patience }: ConnectedDriver): ClusterSession {
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
  // When a rank ends its socket closes first; the launcher reports the reason a little later.
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
  const limit = () => Math.min(Math.max(1000 * patience, PATIENCE_FACTOR * longest), PATIENCE_FACTOR * 1000 * patience)

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
