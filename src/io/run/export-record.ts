/** export.json beside exported files: which run they came from, so that the same export may replace them and another may not. */
import { join } from 'node:path'
import { InputError } from '../../input-error.js'
import { isObject, type JsonObject, type JsonValue, parseJson } from '../bytes/json.js'
import { isTemporaryName, isThere, readTextIfThere, removeAbandoned, writeFileWhole } from '../files/atomic-file.js'
import { requirePath } from '../files/file-errors.js'
import { listFolder, makeFolder, removeEmpty } from '../files/folder.js'
import { canonicalJson } from './compare-scenes.js'

export interface ExportRecord {
  /** What identifies a run. */
  readonly run: JsonObject
  readonly what: string
  readonly format: string
  /** Of meshes on a finer grid. */
  readonly refine?: number
}

const RECORD = 'export.json'
const EXPORT_FORMAT = 'peel-export'

/** Makes the folder and notes the export in it; refuses when files would be replaced that are not of the same export. */
export async function checkTarget(folder: string, record: ExportRecord, names: readonly string[]): Promise<void> {
  const { run, ...mine } = record
  requirePath(folder)
  const file = join(folder, RECORD)
  const earlier = parseRecord((await readTextIfThere(file)) ?? '{}')
  if (earlier === undefined) throw new InputError(`${file} is not from an export of Peel; choose another folder.`)
  const isOfAnother = earlier.run !== undefined && canonicalJson(earlier.run) !== canonicalJson(run)
  if (isOfAnother && (await holdsFiles(folder)))
    throw new InputError(`${folder} contains an export of another run; choose another folder.`)
  const noted = isOfAnother ? [] : earlier.exports
  const isNoted = noted.some(entry => canonicalJson(entry) === canonicalJson(mine))
  if (isNoted) return removeAbandoned(folder)
  for (const name of names) {
    if (await isThere(join(folder, name)))
      throw new InputError(`${join(folder, name)} exists and is not from this export; choose another folder or remove it.`)
  }
  const made = await makeFolder(folder)
  await removeAbandoned(folder)
  const text = JSON.stringify({ format: EXPORT_FORMAT, version: 1, run, exports: [...noted, mine] }, null, 1)
  try {
    await writeFileWhole(file, `${text}\n`)
  } catch (error) {
    await removeEmpty(made)
    throw error
  }
}

/** An export that ended before its first file does not block another. */
async function holdsFiles(folder: string): Promise<boolean> {
  return (await listFolder(folder)).some(name => name !== RECORD && !isTemporaryName(name))
}

/** Undefined for what is not ours; an empty object is no record yet. */
function parseRecord(text: string): { run?: JsonValue; exports: readonly JsonValue[] } | undefined {
  try {
    const json = parseJson(text)
    if (!isObject(json)) return undefined
    if (Object.keys(json).length === 0) return { exports: [] }
    return json.format === EXPORT_FORMAT && Array.isArray(json.exports) ? { run: json.run, exports: json.exports } : undefined
  } catch {
    return undefined
  }
}
