/** Checkpoint files: the full state of a simulation as named arrays, bit for bit, and what JSON can say of it. */
import { type Codec, portableCodec } from './codec.js'
import { type Formatted, formatContainer, type NumberArray, parseContainer } from './container.js'
import type { JsonObject } from './json.js'

const FILE = { kind: 'checkpoint', version: 1, what: 'a checkpoint' }

export interface Checkpoint {
  /** JSON keeps finite numbers exactly but knows no NaN, infinities or −0; those belong into arrays. */
  readonly header: JsonObject
  readonly arrays: ReadonlyMap<string, NumberArray>
}

/** Copies nothing: the parts are views of the arrays, which must stay as they are until the parts are written. */
export function formatCheckpoint({ header, arrays }: Checkpoint, codec: Codec = portableCodec): Formatted {
  const sections = Array.from(arrays, ([name, data]) => ({ name, data }))
  return formatContainer({ ...FILE, header, sections }, codec)
}

/** Arrays may be views of `bytes`. */
export function parseCheckpoint(bytes: Uint8Array, where: string, codec: Codec = portableCodec): Checkpoint {
  const { header, sections } = parseContainer(bytes, where, FILE, codec)
  return { header, arrays: sections }
}
