/** Whether two scenes are the same, and in which keys they are not. */
import { isObject, type JsonValue } from '../bytes/json.js'

export interface SceneChange {
  /** As a program would reach it: `solids[0].friction`; empty for the whole. */
  readonly path: string
  /** Undefined where the key is new. */
  readonly before: JsonValue | undefined
  /** Undefined if the key was removed. */
  readonly after: JsonValue | undefined
}

const MAX_SHOWN = 40 // characters of one value

/** Keys sorted, no spaces: equal values give equal texts. */
export function canonicalJson(value: JsonValue): string {
  if (isObject(value)) {
    const keys = Object.keys(value).filter(key => value[key] !== undefined)
    return `{${keys
      .sort()
      .map(key => `${JSON.stringify(key)}:${canonicalJson(value[key])}`)
      .join(',')}}`
  }
  return Array.isArray(value) ? `[${value.map(canonicalJson).join(',')}]` : JSON.stringify(value)
}

/** The smallest values that differ, in the order of the keys of the first. */
export function compareScenes(before: JsonValue | undefined, after: JsonValue | undefined, path = ''): SceneChange[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)])
    return [...keys].flatMap(key => compareScenes(before[key], after[key], appendKey(path, key)))
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    return Array.from({ length }, (_, at) => compareScenes(before[at], after[at], `${path}[${at}]`)).flat()
  }
  if (before === undefined && after === undefined) return []
  if (before !== undefined && after !== undefined && canonicalJson(before) === canonicalJson(after)) return []
  return [{ path, before, after }]
}

/** Positions are stored in cells, a particle is a fraction of a cell, and a frame a span of time: if one of these changes, a
 *  saved state is meaningless. */
const FIXED = ['domain.size', 'domain.resolution', 'particles.perCell', 'particles.method', 'particles.band', 'time.fps']

/** Whether a change at `path` makes the frames and checkpoints of a run meaningless. */
export function isFixed(path: string): boolean {
  const isIn = (inner: string, outer: string) => inner === outer || inner.startsWith(`${outer}.`) || inner.startsWith(`${outer}[`)
  return FIXED.some(fixed => isIn(path, fixed) || isIn(fixed, path))
}

/** "solver.tolerance 0.0001 → 0.001, seed 1 → 2 and 3 more". */
export function describeChanges(changes: readonly SceneChange[], max = 5): string {
  const shown = changes.slice(0, max).map(({ path, before, after }) => `${path} ${show(before)} → ${show(after)}`)
  const more = changes.length - shown.length
  return shown.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function appendKey(path: string, key: string): string {
  if (!/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

function show(value: JsonValue | undefined): string {
  if (value === undefined) return 'absent'
  const text = canonicalJson(value)
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`
}
