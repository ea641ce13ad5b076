/** How Peel and a driver authenticate each other before any other message. Both know a secret, which is never sent:
 *
 *    CHALLENGE  Peel → driver   a nonce of Peel
 *    HELLO      driver → Peel   a nonce of the driver, its proof, and its description (JSON), which the proof covers
 *    WELCOME    Peel → driver   the proof of Peel
 *
 *  A proof is HMAC-SHA256 with the secret as its key over the role, both nonces and the JSON. Nonces are fresh, so that nothing
 *  that was overheard proves anything later; roles differ, so that no proof can be reflected to its sender. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { encodeHeader, FRAME, type Hello } from './frames.js'

export const NONCE_BYTES = 32
const PROOF_BYTES = 32
/** Bytes of a HELLO at most, the only message that memory is allocated for before the other side has proved anything. */
export const MAX_HELLO_BYTES = 512

const ROLES = { driver: 'peel driver', parent: 'peel parent' } as const

export const createSecret = (): string => randomBytes(32).toString('hex')
export const createNonce = (): Buffer => randomBytes(NONCE_BYTES)

/** `first` is the nonce of the other side, `second` the own one. */
export function proofOf(
  secret: string,
  role: keyof typeof ROLES,
  first: Uint8Array,
  second: Uint8Array,
  text: Uint8Array,
): Buffer {
  return createHmac('sha256', secret).update(ROLES[role]).update(first).update(second).update(text).digest()
}

export function encodeChallenge(nonce: Buffer): Buffer {
  return Buffer.concat([encodeHeader(FRAME.challenge, 0, nonce.length), nonce])
}

/** The nonce and the JSON of a HELLO whose proof holds; undefined if it does not. */
export function openHello(secret: string, challenge: Buffer, payload: Buffer): { nonce: Buffer; text: string } | undefined {
  if (payload.length < NONCE_BYTES + PROOF_BYTES) return undefined
  const nonce = payload.subarray(0, NONCE_BYTES)
  const proof = payload.subarray(NONCE_BYTES, NONCE_BYTES + PROOF_BYTES)
  const text = payload.subarray(NONCE_BYTES + PROOF_BYTES)
  return timingSafeEqual(proof, proofOf(secret, 'driver', challenge, nonce, text)) ? { nonce, text: text.toString() } : undefined
}

export function encodeWelcome(secret: string, challenge: Buffer, nonce: Buffer): Buffer {
  const proof = proofOf(secret, 'parent', nonce, challenge, new Uint8Array())
  return Buffer.concat([encodeHeader(FRAME.welcome, 0, proof.length), proof])
}

/** The description of a driver that has proved itself; undefined if it is invalid. */
export function parseHello(text: string): Hello | undefined {
  try {
    const { protocol, driver, ranks, library, mpi } = JSON.parse(text)
    const isSound = Number.isInteger(protocol) && Number.isInteger(ranks) && [driver, library, mpi].every(isText)
    return isSound ? { protocol, driver, ranks, library, mpi } : undefined
  } catch {
    return undefined
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
