/** Checks of arguments at the public functions: each throws an InputError that names the value and what it must be. They look at types,
 *  bounds and lengths, never at the values of an array, so they cost nothing beside the work that follows. */
import { InputError } from './input-error.js'
import { show } from './printable.js'

/** `what must be expected, not value.` */
export function refuse(what: string, expected: string, value: unknown): never {
  throw new InputError(`${what} must be ${expected}, not ${show(value)}.`)
}

/** An object that is neither a list nor an array of numbers. */
export function checkObject(value: unknown, what: string, expected = 'an object'): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    refuse(what, expected, value)
}

/** Options may be left out, but null and other values are mistakes. */
export function checkOptions(value: unknown, what: string): void {
  if (value !== undefined) checkObject(value, what, 'an object with options')
}

export function checkFunction(value: unknown, what: string): void {
  if (typeof value !== 'function') refuse(what, 'a function', value)
}

export function checkText(value: unknown, what: string): asserts value is string {
  if (typeof value !== 'string') refuse(what, 'a text', value)
}

export function checkFlag(value: unknown, what: string): void {
  if (typeof value !== 'boolean') refuse(what, 'true or false', value)
}

export function checkList(value: unknown, what: string): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) refuse(what, 'a list', value)
}

/** Ends included. */
export function checkNumber(value: unknown, what: string, min = -Number.MAX_VALUE, max = Number.MAX_VALUE): void {
  if (typeof value === 'number' && value >= min && value <= max) return
  refuse(what, `a ${min === -Number.MAX_VALUE ? 'finite ' : ''}number${describeRange(min, max)}`, value)
}

export function checkWhole(value: unknown, what: string, min: number, max = Number.MAX_SAFE_INTEGER): void {
  if (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max) return
  refuse(what, `a whole number${describeRange(min, max)}`, value)
}

function describeRange(min: number, max: number): string {
  const isBounded = max < Number.MAX_SAFE_INTEGER
  if (min === -Number.MAX_VALUE) return isBounded ? ` of at most ${max}` : ''
  return isBounded ? ` from ${min} to ${max}` : ` from ${min}`
}

export function checkChoice(value: unknown, what: string, choices: readonly unknown[]): void {
  if (!choices.includes(value)) refuse(what, `one of ${choices.join(', ')}`, value)
}

/** Three finite numbers. */
export function checkVector(value: unknown, what: string): void {
  if (!Array.isArray(value) || value.length !== 3 || !value.every(Number.isFinite)) refuse(what, 'three finite numbers', value)
}

type NumberArrayType =
  | typeof Uint8Array
  | typeof Uint8ClampedArray
  | typeof Int32Array
  | typeof Uint32Array
  | typeof Float32Array
  | typeof Float64Array

/** An array of one of some types, of a certain length where that matters; `unit` is what it has one value for. */
export function checkNumbers(
  value: unknown,
  what: string,
  types: NumberArrayType | readonly NumberArrayType[],
  length?: number,
  unit = 'entry',
): void {
  const allowed = [types].flat()
  const name = `a ${allowed.map(type => type.name).join(' or ')}`
  if (!allowed.some(type => value instanceof type))
    refuse(what, length === undefined ? name : `${name} of ${length} values, one per ${unit}`, value)
  const { length: found } = value as Float64Array
  if (length !== undefined && found !== length)
    throw new InputError(`${what} has ${found} values where ${length} are needed, one per ${unit}.`)
}

export function checkBytes(value: unknown, what: string): void {
  checkNumbers(value, what, Uint8Array)
}

/** Anything with the interface of an AbortSignal, also from another realm; undefined is none. */
export function checkSignal(value: unknown, what: string): void {
  if (value === undefined) return
  const signal = value as Partial<AbortSignal> | null
  if (typeof signal !== 'object' || typeof signal?.aborted !== 'boolean' || typeof signal.addEventListener !== 'function')
    refuse(what, 'an AbortSignal', value)
}

/** The same object, until it is disposed of: from then on all of it is an InputError, but for disposing of it again, which does nothing.
 *  What is an async function then rejects. */
export function untilDisposed<T extends { dispose(): void }>(target: T, what: string): T {
  let isDisposed = false
  const dispose = () => {
    if (isDisposed) return
    isDisposed = true
    target.dispose()
  }
  const gone = (key: string | symbol) => new InputError(`${String(key)}: ${what} was disposed of; create another one.`)
  const isAsync = (key: string | symbol) => {
    const { value } = Object.getOwnPropertyDescriptor(target, key) ?? {}
    return typeof value === 'function' && value.constructor.name === 'AsyncFunction'
  }
  return new Proxy(target, {
    get(_, key) {
      if (key === 'dispose') return dispose
      // A promise is recognised by the key `then`, also if a disposed object is passed on.
      if (!isDisposed || key === 'then') return Reflect.get(target, key)
      if (isAsync(key)) return () => Promise.reject(gone(key))
      throw gone(key)
    },
    set(_, key, value) {
      if (isDisposed) throw gone(key)
      return Reflect.set(target, key, value)
    },
  })
}

export type Check = (value: unknown, what: string) => void

export const optional =
  (check: Check): Check =>
  (value, what) => {
    if (value !== undefined) check(value, what)
  }

export const listOf =
  (check: Check): Check =>
  (value, what) => {
    checkList(value, what)
    for (const [at, item] of value.entries()) check(item, `${what}[${at}]`)
  }

/** Also a Map, a generator and the like, which must not be walked twice. */
export const checkIterable: Check = (value, what) => {
  if (typeof value === 'string' || typeof (value as Iterable<unknown> | null | undefined)?.[Symbol.iterator] !== 'function')
    refuse(what, 'a list', value)
}

export const objectWith =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, what) => {
    checkObject(value, what, `an object with ${Object.keys(checks).join(', ')}`)
    for (const [key, check] of Object.entries(checks)) check((value as Record<string, unknown>)[key], `${what}.${key}`)
  }

/** The same function for callers from outside: each argument is checked before it is called. Names are in the messages. */
export function checked<Args extends unknown[], Result>(
  name: string,
  action: (...args: Args) => Result,
  checks: Readonly<Record<string, Check>>,
): (...args: Args) => Result {
  return (...args) => {
    checkArguments(name, args, checks)
    return action(...args)
  }
}

/** For functions that return a promise, which is then rejected. */
export function checkedAsync<Args extends unknown[], Result>(
  name: string,
  action: (...args: Args) => Promise<Result>,
  checks: Readonly<Record<string, Check>>,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    checkArguments(name, args, checks)
    return action(...args)
  }
}

function checkArguments(name: string, args: readonly unknown[], checks: Readonly<Record<string, Check>>): void {
  for (const [at, [key, check]] of Object.entries(checks).entries()) check(args[at], `${name}: ${key}`)
}
