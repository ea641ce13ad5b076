/** Checkpoint files: the full state of a simulation as named arrays, bit for bit, and the rest as JSON. */
import { requireHonestSize } from '../bytes/bytes.js'
import { type Codec, portableCodec } from '../bytes/codec.js'
import { type Formatted, formatContainer, type NumberArray, parseContainer, type StoredSection } from '../bytes/container.js'
import type { JsonObject } from '../bytes/json.js'

const CHECKPOINT_FILE = { kind: 'checkpoint', version: 1, what: 'a checkpoint' }

export interface Checkpoint {
  /** JSON keeps finite numbers exactly but has no NaN, infinities or −0; those belong in arrays. */
  readonly header: JsonObject
  readonly arrays: ReadonlyMap<string, NumberArray>
}

/** Copies nothing: the parts are views of the arrays, which must stay as they are until the parts are written. */
export function formatCheckpoint({ header, arrays }: Checkpoint, codec: Codec = portableCodec): Formatted {
  const sections = Array.from(arrays, ([name, data]) => ({ name, data }))
  return formatContainer({ ...CHECKPOINT_FILE, header, sections }, codec)
}

/** Arrays may be views of `bytes`. */
export function parseCheckpoint(bytes: Uint8Array, where: string, codec: Codec = portableCodec): Checkpoint {
  const { header, sections } = parseContainer(bytes, where, CHECKPOINT_FILE, codec)
  const total = (bytes: (section: StoredSection) => number) => [...sections.values()].reduce((sum, each) => sum + bytes(each), 0)
  requireHonestSize(
    total(({ bytes }) => bytes),
    total(({ storedBytes }) => storedBytes),
    where,
  )
  return { header, arrays: new Map(Array.from(sections, ([name, section]) => [name, section.unpack()])) }
}
