/** Checks the arguments that callers pass to readers and writers, before anything is read or written. */
import {
  type Check,
  checkBytes,
  checkChoice,
  checkFunction,
  checkList,
  checkNumber,
  checkNumbers,
  checkObject,
  checkText,
  checkWhole,
  listOf,
  objectWith,
  optional,
  refuse,
} from '../../checks.js'
import { InputError } from '../../input-error.js'

/** Far more than scenes have, and far less than the stack holds. */
const MAX_VALUE_DEPTH = 200

/** What JSON can hold: no functions, no undefined in lists, no end within itself. NaN and infinities become null there, as ever. */
export function checkJson(value: unknown, what: string, depth = 0): void {
  if (depth > MAX_VALUE_DEPTH)
    throw new InputError(`${what} has more than ${MAX_VALUE_DEPTH} levels of objects and lists; make it flatter.`)
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return
  if (typeof value !== 'object' || ArrayBuffer.isView(value)) refuse(what, 'a value that JSON can hold', value)
  for (const [key, part] of Object.entries(value))
    if (part !== undefined) checkJson(part, `${what}.${key}`.slice(0, 200), depth + 1)
}

export const checkJsonObject: Check = (value, what) => {
  checkObject(value, what)
  checkJson(value, what)
}

/** A file's content: bytes, text, or parts of bytes. */
export const checkContent: Check = (value, what) => {
  if (typeof value === 'string' || value instanceof Uint8Array) return
  if (!Array.isArray(value)) refuse(what, 'bytes or text', value)
  listOf(checkBytes)(value, what)
}

export const checkFiles = listOf((value, what) => {
  if (!Array.isArray(value) || value.length !== 2) refuse(what, 'a pair of path and content', value)
  checkText(value[0], `${what}: the path`)
  checkContent(value[1], `${what}: the content`)
})

const checkNumberArray: Check = (value, what) => {
  if (!ArrayBuffer.isView(value) || value instanceof DataView) refuse(what, 'an array of numbers', value)
}

export const checkNpyData: Check = (value, what) => {
  const types = [Float64Array, Float32Array, Int32Array, BigInt64Array, Uint8Array]
  if (!types.some(type => value instanceof type)) refuse(what, `a ${types.map(({ name }) => name).join(' or ')}`, value)
}

export const checkArrayShape: Check = (value, what) => {
  checkList(value, what)
  for (const side of value) checkWhole(side, `${what}: a side`, 0)
}

export const checkCheckpoint: Check = (value, what) => {
  checkObject(value, what, 'a checkpoint: an object with header and arrays')
  const { header, arrays } = value as { readonly header: unknown; readonly arrays: unknown }
  checkJsonObject(header, `${what}.header`)
  if (!(arrays instanceof Map)) refuse(`${what}.arrays`, 'a Map of arrays by name', arrays)
  for (const [name, array] of arrays) {
    checkText(name, `${what}.arrays: a name`)
    checkNumberArray(array, `${what}.arrays: ${name}`)
  }
}

export const checkPicture: Check = (value, what) => {
  checkObject(value, what, 'a picture: an object with width, height and pixels')
  const { width, height, pixels } = value as Record<string, unknown>
  checkWhole(width, `${what}.width`, 1)
  checkWhole(height, `${what}.height`, 1)
  if (!(pixels instanceof Uint8ClampedArray || pixels instanceof Uint8Array))
    refuse(`${what}.pixels`, 'an array of bytes', pixels)
}

const size: Check = (value, what) => checkWhole(value, what, 0, 2 ** 31 - 1)

export const checkCoordinates: Check = (value, what) => {
  objectWith({ rows: size, columns: size, entries: checkObject })(value, what)
  const { entries, symmetry } = value as { readonly entries: Record<string, Float64Array>; readonly symmetry: unknown }
  checkChoice(symmetry, `${what}.symmetry`, ['general', 'symmetric'])
  checkNumbers(entries.value, `${what}.entries.value`, Float64Array)
  checkNumbers(entries.row, `${what}.entries.row`, Int32Array, entries.value.length, 'entry')
  checkNumbers(entries.column, `${what}.entries.column`, Int32Array, entries.value.length, 'entry')
}

export const checkDense = objectWith({
  rows: size,
  columns: size,
  values: (value, what) => checkNumbers(value, what, Float64Array),
})

export const checkField: Check = (value, what) => checkChoice(value, what, ['real', 'integer'])

const matrixText = objectWith({ text: checkText, where: checkText })
export const checkMatrixTexts = objectWith({ A: matrixText, b: matrixText, separating: optional(matrixText) })

export const checkHistory = objectWith({ solver: checkText, status: checkText, records: listOf(checkObject) })

/** Compression; only for callers with their own. */
export const checkCodec = objectWith({ deflate: checkFunction, inflate: checkFunction })

export const checkPacking: Check = (value, what) => checkChoice(value, what, ['small', 'quick'])

export const checkSeries = listOf(objectWith({ time: checkNumber, file: checkText }))

export const checkChanges = listOf(objectWith({ path: checkText }))

const keptFiles = listOf(objectWith({ frame: size, bytes: checkNumber, checksum: checkNumber }))
export const checkManifest = objectWith({ frames: keptFiles, checkpoints: keptFiles })
export const checkStoredRun = objectWith({ path: checkText, manifest: checkManifest })
