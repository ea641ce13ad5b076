/** The link of the cluster as strangers see it: plain sockets that know no secret, or play with what they have overheard. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Door, MAX_STRANGERS, openDoor } from '../../src/cluster/door.js'
import { encodeHeader, FRAME } from '../../src/cluster/frames.js'
import { createSecret } from '../../src/cluster/handshake.js'

const secret = createSecret()
const ABOUT = JSON.stringify({ protocol: 2, driver: 'x', ranks: 2, library: 'none', mpi: 'none' })

let door: Door
const sockets: Socket[] = []
afterEach(() => {
  door.close()
  for (const socket of sockets.splice(0)) socket.destroy()
})

async function open(seconds?: number): Promise<Door> {
  door = await openDoor('127.0.0.1', secret, seconds)
  return door
}

interface Caller {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  /** All that has come so far. */
  received: Buffer
  /** Resolves when so many bytes have come. */
  bytes(count: number): Promise<Buffer>
}

async function call(): Promise<Caller> {
  const socket = connect(Number(door.address.split(':')[1]), '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => {})
  const caller: Caller = {
    socket,
    closed: once(socket, 'close'),
    received: Buffer.alloc(0),
    async bytes(count) {
      while (caller.received.length < count) await once(socket, 'data')
      return caller.received
    },
  }
  socket.on('data', data => {
    caller.received = Buffer.concat([caller.received, data])
  })
  await once(socket, 'connect')
  return caller
}

const proof = (role: string, ...parts: (Buffer | string)[]) =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', secret).update(role)).digest()

/** The nonce of a CHALLENGE. */
const challengeOf = async (caller: Caller) => (await caller.bytes(64)).subarray(32, 64)

function helloFrame(challenge: Buffer, nonce = Buffer.alloc(32, 7), about = ABOUT): Buffer {
  const payload = Buffer.concat([nonce, proof('peel driver', challenge, nonce, about), Buffer.from(about)])
  return Buffer.concat([encodeHeader(FRAME.hello, 0, payload.length), payload])
}

it('greets who knows the secret, proves that it knows it as well, and sends it to nobody', async () => {
  await open()
  const caller = await call()
  const challenge = await challengeOf(caller)
  const hello = helloFrame(challenge)
  caller.socket.write(hello)
  expect((await door.greeting).hello).toMatchObject({ driver: 'x', ranks: 2 })
  const welcome = (await caller.bytes(128)).subarray(64)
  expect(welcome.readUInt16LE(6)).toBe(FRAME.welcome)
  expect(welcome.subarray(32).equals(proof('peel parent', Buffer.alloc(32, 7), challenge))).toBe(true)
  const transcript = Buffer.concat([caller.received, hello])
  expect(transcript.includes(secret)).toBe(false)
  expect(transcript.includes(Buffer.from(secret, 'hex'))).toBe(false)
})

it('asks everybody for something else', async () => {
  await open()
  const [one, other] = [await challengeOf(await call()), await challengeOf(await call())]
  expect(one.equals(other)).toBe(false)
})

it('closes a silent connection after a while, and all of them when it is closed', async () => {
  await open(0.2)
  await (await call()).closed
  door.close()
  await open()
  const silent = [await call(), await call()]
  await challengeOf(silent[1])
  door.close()
  await Promise.all(silent.map(({ closed }) => closed))
})

it('is deaf once a driver has greeted', async () => {
  await open()
  const silent = await call()
  const caller = await call()
  caller.socket.write(helloFrame(await challengeOf(caller)))
  await door.greeting
  await silent.closed
  const late = connect(Number(door.address.split(':')[1]), '127.0.0.1')
  sockets.push(late)
  const [error] = await once(late, 'error')
  expect(error.code).toBe('ECONNREFUSED')
  expect(caller.socket.destroyed).toBe(false)
})

it('lets a driver in however many others keep silent', async () => {
  await open()
  const silent: Caller[] = []
  for (let count = 0; count <= MAX_STRANGERS; count++) silent.push(await call())
  await silent[0].closed
  expect(silent.at(-1)!.socket.destroyed).toBe(false)
  const caller = await call()
  caller.socket.write(helloFrame(await challengeOf(caller)))
  await door.greeting
})

it.each([
  ['a HELLO of 4 GiB, before any of it comes', () => encodeHeader(FRAME.hello, 0, 2 ** 32 - 1)],
  ['a HELLO of a kilobyte', () => encodeHeader(FRAME.hello, 0, 1024)],
  ['a SOLUTION', () => encodeHeader(FRAME.solution, 0, 32)],
  ['something that is no frame', () => Buffer.alloc(40, 1)],
  ['an empty HELLO', () => encodeHeader(FRAME.hello, 0, 0)],
  ['a HELLO without a proof', () => Buffer.concat([encodeHeader(FRAME.hello, 0, 100), Buffer.alloc(100)])],
  ['a HELLO for another challenge', () => helloFrame(Buffer.alloc(32))],
  [
    'a HELLO whose words were changed',
    (challenge: Buffer) => {
      const hello = helloFrame(challenge)
      hello[hello.length - 3] ^= 1
      return hello
    },
  ],
  [
    'the proof of Peel in place of its own',
    (challenge: Buffer) => {
      const nonce = Buffer.alloc(32, 7)
      const payload = Buffer.concat([nonce, proof('peel parent', nonce, challenge), Buffer.from(ABOUT)])
      return Buffer.concat([encodeHeader(FRAME.hello, 0, payload.length), payload])
    },
  ],
])('closes the connection of who sends %s', async (_, message) => {
  await open()
  const caller = await call()
  caller.socket.write(message(await challengeOf(caller)))
  await caller.closed
  // Nothing but the challenge has come back.
  expect(caller.received.length).toBe(64)
})

it('does not take what somebody else has said before', async () => {
  await open()
  const first = await call()
  const overheard = helloFrame(await challengeOf(first))
  const second = await call()
  await challengeOf(second)
  second.socket.write(overheard)
  await second.closed
})

it('says so when a driver knows the secret and talks nonsense', async () => {
  await open()
  const caller = await call()
  caller.socket.write(helloFrame(await challengeOf(caller), undefined, '{"ranks":"many"}'))
  await expect(door.greeting).rejects.toThrow(/greeting of the driver is invalid/)
})

it('keeps a socket of this host in a folder of this user, and leaves nothing behind', async () => {
  door = await openDoor(undefined, secret)
  const folder = dirname(door.address)
  expect(statSync(folder).mode & 0o077).toBe(0)
  door.close()
  expect(existsSync(folder)).toBe(false)
})
