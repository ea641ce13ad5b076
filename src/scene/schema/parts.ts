/** Building blocks of a scene's schema: each has bounds, a description and the message that refuses a wrong value. Messages
 *  begin after the path of the value, which `validate` prepends. */
import { z } from 'zod'
import { suggestion } from '../../input-error.js'
import { show } from '../../printable.js'

/** Vectors have as many numbers as the domain has sides; undefined allows both, for types and for the JSON Schema. */
export type Dims = 2 | 3 | undefined

export type Numbers = readonly number[]

/** Metres: coordinates, and the largest length. */
export const MAX_COORDINATE = 1e6
/** Metres: the smallest length. */
export const TINY = 1e-6
/** m/s, and m/s² for accelerations. */
export const FAST = 1e4
/** Seconds. */
export const LATE = 1e6

interface Refused {
  readonly input?: unknown
}

const refuse =
  (expected: string) =>
  ({ input }: Refused) =>
    input === undefined ? `is missing; it must be ${expected}` : `must be ${expected}, not ${show(input)}`

export function number(min: number, max: number) {
  const error = refuse(`a number from ${min} to ${max}`)
  return z.number({ error }).min(min, { error }).max(max, { error })
}

export function whole(min: number, max: number, expected = `a whole number from ${min} to ${max}`) {
  const error = refuse(expected)
  return z.int({ error }).min(min, { error }).max(max, { error })
}

export const length = () => number(TINY, MAX_COORDINATE)
export const seconds = () => number(0, LATE)

export function text(maxLength: number) {
  const error = refuse(`a string of at most ${maxLength} characters`)
  return z.string({ error }).max(maxLength, { error })
}

export function flag() {
  return z.boolean({ error: refuse('true or false') })
}

export function choice<const C extends readonly string[]>(choices: C) {
  return z.enum(choices, {
    error: ({ input }) => {
      const hint = typeof input === 'string' ? suggestion(input, choices) : ''
      return `${refuse(`one of ${choices.join(', ')}`)({ input })}${hint}`
    },
  })
}

/** The only value that is allowed. */
export function only<const V extends string | number>(value: V) {
  return z.literal(value, { error: refuse(JSON.stringify(value)) })
}

/** One of a few numbers, or another allowed value: all refuse a wrong value with the same message. */
export function oneOf<const V extends readonly [number, ...number[]]>(values: V, expected: string) {
  return z.literal(values, { error: refuse(expected) })
}

export function list<S extends z.ZodType>(item: S, max: number, min = 0) {
  const expected = min > 0 ? `a list of ${min} to ${max} entries` : `a list of at most ${max} entries`
  const error = ({ input }: Refused) =>
    Array.isArray(input) ? `must be ${expected}, not of ${input.length}` : refuse(expected)({ input })
  return z.array(item, { error }).min(min, { error }).max(max, { error })
}

/** As many numbers from −max to max as there are dimensions. */
export function vector(dims: Dims, max: number) {
  const sides =
    dims === undefined ? 'two or three numbers' : `${dims === 2 ? 'two' : 'three'} numbers, since the domain has ${dims} sides`
  const error = refuse(sides)
  const numbers = z.array(number(-max, max), { error })
  return (dims === undefined ? numbers.min(2, { error }).max(3, { error }) : numbers.length(dims, { error })).readonly()
}

export const point = (dims: Dims) => vector(dims, MAX_COORDINATE)

/** A vector of some length, of which only the direction counts. */
export function direction(dims: Dims) {
  return vector(dims, MAX_COORDINATE).refine(parts => Math.hypot(...parts) >= TINY, {
    error: `must be a direction: a vector longer than ${TINY}`,
  })
}

/** An object with these keys and no others. */
export function object<const S extends z.ZodRawShape>(shape: S) {
  return z.strictObject(shape, { error: objectError(Object.keys(shape)) })
}

/** One line for each unknown key, which it begins with. */
export const objectError =
  (known: readonly string[]) =>
  (issue: { readonly code?: string; readonly keys?: readonly string[]; readonly input?: unknown }) => {
    if (issue.code !== 'unrecognized_keys') return refuse(`an object with the keys ${known.join(', ')}`)(issue)
    return issue.keys
      ?.map(key => `${key} is not known here${suggestion(key, known)}; known keys are ${known.join(', ')}`)
      .join('\n')
  }
