/** Converts what callers pass to the bytes that readers work on. */
import { InputError } from './input-error.js'

/** A plain Uint8Array of the same bytes: the arrays that Node reads files into have a `slice` of their own, which copies nothing. Memory
 *  that other threads may write to is copied, so that what was checked is what is used. */
export function inputBytes(given: unknown, where: string): Uint8Array {
  if (given instanceof ArrayBuffer) return new Uint8Array(given)
  if (isShared(given)) return new Uint8Array(given).slice()
  if (!ArrayBuffer.isView(given)) throw new InputError(`${where}: the content of a file was expected as a Uint8Array.`)
  const { buffer, byteOffset, byteLength } = given
  const bytes = new Uint8Array(buffer, byteOffset, byteLength)
  return isShared(buffer) ? bytes.slice() : bytes
}

/** Pages have SharedArrayBuffer only where they are isolated. */
function isShared(value: unknown): value is SharedArrayBuffer {
  return typeof SharedArrayBuffer !== 'undefined' && value instanceof SharedArrayBuffer
}
