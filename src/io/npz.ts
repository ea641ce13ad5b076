/** NumPy's .npz files: zip archives of .npy arrays. */
import { type Zippable, zipSync } from 'fflate'
import { InputError } from '../input-error.js'
import { formatNpy, type NpyArray, type NpyData, parseNpy } from './npy.js'
import { readZip, unpackEntry } from './zip.js'

const SUFFIX = '.npy'
const MAX_ARCHIVE = 2 ** 32 - 2 ** 20 // what a zip archive without zip64 can address, with room for its directory

/** With `wanted`, all other entries are passed over unread, whatever they contain. */
export function parseNpz(bytes: Uint8Array, where: string, wanted?: Iterable<string>): Map<string, NpyArray> {
  const names = wanted === undefined ? undefined : new Set(wanted)
  const arrays = new Map<string, NpyArray>()
  for (const entry of readZip(bytes, where)) {
    const isArray = entry.name.endsWith(SUFFIX)
    const name = entry.name.slice(0, -SUFFIX.length)
    if (names !== undefined && !(isArray && names.has(name))) continue
    if (!isArray) throw new InputError(`${where}: entry «${entry.name}» is not a .npy array.`)
    arrays.set(name, parseNpy(unpackEntry(entry, where), `${where}, array «${name}»`))
  }
  return arrays
}

/** The same arrays in the same order give the same bytes, on every machine. */
export function formatNpz(
  arrays: Iterable<readonly [string, { readonly data: NpyData; readonly shape: readonly number[] }]>,
  options: { readonly compress?: boolean } = {},
): Uint8Array {
  // fflate writes the local time of day, so the fixed date must be local as well.
  const mtime = new Date(1980, 0, 1)
  const level = options.compress ? 6 : 0
  const entries: Zippable = {}
  let size = 0
  for (const [name, { data, shape }] of arrays) {
    const entry = name + SUFFIX
    if (Object.hasOwn(entries, entry)) throw new InputError(`The array «${name}» cannot be written twice into one .npz file.`)
    const bytes = formatNpy(data, shape)
    size += bytes.length
    entries[entry] = [bytes, { level, mtime }]
  }
  if (size > MAX_ARCHIVE)
    throw new InputError(`Arrays of ${size} bytes are too large for one .npz file; at most ${MAX_ARCHIVE} fit.`)
  try {
    return zipSync(entries)
  } catch (error) {
    throw new InputError(`The arrays cannot be packed into one .npz file: ${(error as Error).message}.`)
  }
}
