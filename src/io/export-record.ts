/** export.json beside exported files: which run they came from, so that the same export may replace them and another may not. */
import { join } from 'node:path'
import { InputError } from '../input-error.js'
import { canonicalJson } from './compare-scenes.js'
import { makeFolder } from './folder.js'
import { isObject, type JsonObject, type JsonValue } from './json.js'
import { isThere, readTextIfThere, writeFileWhole } from './whole-file.js'

export interface ExportRecord {
  /** What tells runs apart. */
  readonly run: JsonObject
  readonly what: string
  readonly format: string
}

const RECORD = 'export.json'
const FORMAT = 'peel-export'

/** Makes the folder and notes the export in it; refuses when files would be replaced that are not of the same export. */
export async function checkTarget(folder: string, { run, what, format }: ExportRecord, names: readonly string[]): Promise<void> {
  const file = join(folder, RECORD)
  const earlier = parseRecord((await readTextIfThere(file)) ?? '{}')
  if (earlier === undefined) throw new InputError(`${file} is not from an export of Peel; choose another folder.`)
  if (earlier.run !== undefined && canonicalJson(earlier.run) !== canonicalJson(run))
    throw new InputError(`${folder} holds an export of another run; choose another folder.`)
  const mine = { what, format }
  const isNoted = earlier.exports.some(noted => canonicalJson(noted) === canonicalJson(mine))
  if (isNoted) return
  for (const name of names) {
    if (await isThere(join(folder, name)))
      throw new InputError(`${join(folder, name)} is there and not from this export; choose another folder or remove it.`)
  }
  await makeFolder(folder)
  const text = JSON.stringify({ format: FORMAT, version: 1, run, exports: [...earlier.exports, mine] }, null, 1)
  await writeFileWhole(file, `${text}\n`)
}

/** Undefined for what is not ours; an empty object is no record yet. */
function parseRecord(text: string): { run?: JsonValue; exports: readonly JsonValue[] } | undefined {
  try {
    const json: unknown = JSON.parse(text)
    if (!isObject(json)) return undefined
    if (Object.keys(json).length === 0) return { exports: [] }
    return json.format === FORMAT && Array.isArray(json.exports) ? { run: json.run, exports: json.exports } : undefined
  } catch {
    return undefined
  }
}
