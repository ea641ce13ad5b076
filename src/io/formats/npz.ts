/** NumPy's .npz files: zip archives of .npy arrays. */
import { type Zippable, zipSync } from 'fflate'
import { objectWith, refuse } from '../../checks.js'
import { InputError } from '../../input-error.js'
import { requireHonestSize } from '../bytes/bytes.js'
import { readZip, unpackEntry, unpackStart, type ZipEntry } from '../bytes/zip.js'
import { checkArrayShape, checkNpyData } from './checks.js'
import {
  formatNpy,
  NPY_PREFIX,
  type NpyArray,
  type NpyData,
  type NpyStart,
  npyStartLength,
  parseNpy,
  parseNpyStart,
} from './npy.js'

const SUFFIX = '.npy'
const SMALL_FILE = 2 ** 24
const MAX_ARCHIVE = 2 ** 32 - 2 ** 20 // what a zip archive without zip64 can address, with room for its directory

/** An array of which only the header has been unpacked. */
export interface PackedArray extends Pick<NpyStart, 'shape' | 'descr' | 'type'> {
  readonly unpack: () => NpyArray
}

/** With `wanted`, all other entries are skipped unread, whatever they contain. */
export function parseNpz(bytes: Uint8Array, where: string, wanted?: Iterable<string>): Map<string, NpyArray> {
  return new Map(Array.from(openNpz(bytes, where, wanted), ([name, { unpack }]) => [name, unpack()]))
}

/** Reads headers only, so that an archive which lacks something, or whose arrays do not fit together, is refused before it is unpacked. */
export function openNpz(bytes: Uint8Array, where: string, wanted?: Iterable<string>): Map<string, PackedArray> {
  const names = wanted === undefined ? undefined : new Set(wanted)
  const arrays = new Map<string, PackedArray>()
  let [unpacked, packed] = [0, 0]
  for (const entry of readZip(bytes, where)) {
    const isArray = entry.name.endsWith(SUFFIX)
    const name = entry.name.slice(0, -SUFFIX.length)
    if (names !== undefined && !(isArray && names.has(name))) continue
    if (!isArray) throw new InputError(`${where}: entry "${entry.name}" is not a .npy array.`)
    arrays.set(name, openArray(entry, where, `${where}, array "${name}"`))
    unpacked += entry.size
    packed += entry.packed.length
  }
  requireHonestSize(unpacked, packed, where)
  return arrays
}

function openArray(entry: ZipEntry, where: string, place: string): PackedArray {
  try {
    const length = npyStartLength(unpackStart(entry, NPY_PREFIX, where), entry.size, place)
    const { shape, descr, type } = parseNpyStart(unpackStart(entry, length, where), entry.size, place)
    return { shape, descr, type, unpack: () => parseNpy(unpackEntry(entry, where), place) }
  } catch (error) {
    // Damage is the better explanation, where it costs little to find.
    if (entry.size <= SMALL_FILE) unpackEntry(entry, where)
    throw error
  }
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
  for (const pair of arrays) {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string')
      refuse('An array for an .npz file', 'a pair of its name and itself', pair)
    const [name, array] = pair
    objectWith({ data: checkNpyData, shape: checkArrayShape })(array, `The array "${name}"`)
    const { data, shape } = array
    const entry = name + SUFFIX
    if (Object.hasOwn(entries, entry)) throw new InputError(`The array "${name}" cannot be written twice into one .npz file.`)
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
