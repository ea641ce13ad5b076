/** Single values of a scene set from outside, as `--set time.frames=10` does, before the scene is checked. */
import { checkObject, checkText, refuse } from '../checks.js'
import { InputError, suggestion } from '../input-error.js'
import { keysAt } from './schema/keys.js'

/** Path and value. */
export type Override = readonly [path: string, value: unknown]

export function checkOverride(value: unknown, what: string): void {
  if (!Array.isArray(value) || value.length !== 2) refuse(what, 'a pair of path and value', value)
  checkText(value[0], `${what}: the path`)
}

/** "time.frames=10": the value is JSON where it reads as JSON, else a text. */
export function parseOverride(text: string): Override {
  checkText(text, '--set')
  const at = text.indexOf('=')
  if (at <= 0) throw new InputError(`--set: expected path=value, as in time.frames=48, not "${text}".`)
  const written = text.slice(at + 1)
  try {
    return [text.slice(0, at), JSON.parse(written)]
  } catch {
    return [text.slice(0, at), written]
  }
}

/** Sets one value of a plain scene in place. Entries of lists are counted from 0: `solids[1].friction` or `solids.1.friction`. Groups
 *  that the scene leaves to their defaults are made; a key that no scene has, and an entry that is not there, is an InputError. */
export function setScenePath(scene: Record<string, unknown>, path: string, value: unknown): void {
  checkObject(scene, 'setScenePath: the scene')
  checkText(path, 'setScenePath: the path')
  const parts = splitPath(path)
  let holder: unknown = scene
  for (const [at, part] of parts.entries()) {
    const above = parts.slice(0, at).join('.')
    const known = keysAt(parts.slice(0, at), holder)
    if (Array.isArray(holder)) {
      if (!/^\d+$/.test(part) || Number(part) >= holder.length)
        throw new InputError(
          `--set ${path}: ${above} has ${holder.length} entries, counted from 0; "${part}" is not one of them.`,
        )
    } else if (typeof holder !== 'object' || holder === null) {
      throw new InputError(`--set ${path}: ${above} is a single value without a key "${part}".`)
    } else if (known && !Object.hasOwn(holder, part) && !known.includes(part)) {
      const names = [...new Set([...known, ...Object.keys(holder)])]
      throw new InputError(
        `--set ${path}: ${above === '' ? 'a scene' : above} has no key "${part}"${suggestion(part, names)}; it has ${names.join(', ')}.`,
      )
    }
    const place = holder as Record<string, unknown>
    if (at === parts.length - 1) place[part] = value
    else if (place[part] === undefined) place[part] = {}
    holder = place[part]
  }
}

function splitPath(path: string): string[] {
  const parts = path.replace(/\[(\d+)\]/g, '.$1').split('.')
  if (parts.some(part => part === '' || part === '__proto__'))
    throw new InputError(`--set ${path}: a path consists of keys and numbers separated by dots, as in solids.0.friction.`)
  return parts
}
