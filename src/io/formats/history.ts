/** Convergence histories as JSON. */
import { InputError, suggestion } from '../../input-error.js'
import { parseJsonFile } from '../bytes/json.js'

export interface SavedHistory {
  readonly solver: string
  readonly status: string
  readonly records: readonly SavedRecord[]
}

export interface SavedRecord {
  readonly iteration: number
  /** In 1/s; NaN and infinities are kept: they show how a solve broke down. */
  readonly residual: number
  readonly pinned: number
  /** Fine-grid sweeps. */
  readonly work: number
  readonly seconds: number
}

type Fields = Record<string, unknown>

const HISTORY_FORMAT = 'peel-history'
const HISTORY_VERSION = 1
const FILE_KEYS = ['format', 'version', 'solves']
const SOLVE_KEYS = ['solver', 'status', 'records']
const RECORD_KEYS = ['iteration', 'residual', 'pinned', 'work', 'seconds']
// JSON cannot represent these.
const NOT_FINITE = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

export function formatHistories(histories: Iterable<SavedHistory>): string {
  const solves = Array.from(histories, ({ solver, status, records }, index) => ({
    solver,
    status,
    records: records.map((record, at) => {
      const { iteration, residual, pinned, work, seconds } = checkRecord(
        record,
        `The history of solve ${index + 1}, record ${at + 1}`,
      )
      return { iteration, residual: Number.isFinite(residual) ? residual : String(residual), pinned, work, seconds }
    }),
  }))
  return `${JSON.stringify({ format: HISTORY_FORMAT, version: HISTORY_VERSION, solves }, null, 1)}\n`
}

export function parseHistories(text: string, where: string): SavedHistory[] {
  const json = parseJsonFile(text, where)
  const file = requireFields(json, FILE_KEYS, where)
  if (file.format !== HISTORY_FORMAT) throw new InputError(`${where}: "format" must be "${HISTORY_FORMAT}".`)
  if (file.version !== HISTORY_VERSION)
    throw new InputError(`${where}: "version" must be ${HISTORY_VERSION}, the only version that can be read.`)
  return requireList(file.solves, 'solves', where).map((entry, index) => {
    const place = `${where}, solve ${index + 1}`
    const solve = requireFields(entry, SOLVE_KEYS, place)
    const records = requireList(solve.records, 'records', place).map((record, at) => {
      const recordPlace = `${place}, record ${at + 1}`
      return checkRecord(requireFields(record, RECORD_KEYS, recordPlace), recordPlace)
    })
    return { solver: requireText(solve.solver, 'solver', place), status: requireText(solve.status, 'status', place), records }
  })
}

function checkRecord(record: SavedRecord | Fields, where: string): SavedRecord {
  const { iteration, residual, pinned, work, seconds } = record
  return {
    iteration: requireNumber(iteration, 'iteration', where, true),
    residual: requireResidual(residual, where),
    pinned: requireNumber(pinned, 'pinned', where, true),
    work: requireNumber(work, 'work', where),
    seconds: requireNumber(seconds, 'seconds', where),
  }
}

function requireFields(value: unknown, keys: readonly string[], where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InputError(`${where}: a JSON object with ${keys.map(key => `"${key}"`).join(', ')} was expected.`)
  for (const key of Object.keys(value)) {
    if (!keys.includes(key)) throw new InputError(`${where}: the key "${key}" is unknown${suggestion(key, keys)}.`)
  }
  for (const key of keys) {
    if (!Object.hasOwn(value, key)) throw new InputError(`${where}: the key "${key}" is missing.`)
  }
  return value as Fields
}

function requireList(value: unknown, key: string, where: string): unknown[] {
  if (!Array.isArray(value)) throw new InputError(`${where}: "${key}" must be a list.`)
  return value
}

function requireText(value: unknown, key: string, where: string): string {
  if (typeof value !== 'string') throw new InputError(`${where}: "${key}" must be a string.`)
  return value
}

function requireNumber(value: unknown, key: string, where: string, whole = false): number {
  if (typeof value !== 'number' || !(value >= 0 && Number.isFinite(value)) || (whole && !Number.isInteger(value)))
    throw new InputError(`${where}: "${key}" must be a ${whole ? 'whole' : 'finite'} number, at least 0.`)
  return value
}

function requireResidual(value: unknown, where: string): number {
  const residual = typeof value === 'string' ? NOT_FINITE.get(value) : value
  if (typeof residual !== 'number')
    throw new InputError(`${where}: "residual" must be a number, "NaN", "Infinity" or "-Infinity".`)
  return residual
}
