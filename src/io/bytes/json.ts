/** Values that JSON can hold, and their text. */
import { InputError } from '../../input-error.js'

export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Levels of objects and lists within each other: far more than any file has, far less than the stack of functions that call themselves. */
const MAX_JSON_DEPTH = 500

/** Like JSON.parse, which reads any number of levels; anything deeper than the stack allows is a SyntaxError as well. */
export function parseJson(text: string): unknown {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfText(text, at)
    // [ and {, ] and } differ in one bit.
    else if ((code | 0x20) === 0x7b) depth++
    else if ((code | 0x20) === 0x7d) depth--
    if (depth > MAX_JSON_DEPTH) throw new SyntaxError(`It has more than ${MAX_JSON_DEPTH} levels of objects and lists`)
  }
  return JSON.parse(text)
}

/** The same for a file; the InputError names it. */
export function parseJsonFile(text: string, where: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw new InputError(`${where} is not JSON: ${(error as Error).message.replace(/\s+/g, ' ')}.`)
  }
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Where the quote is that ends the text which begins at `start`, or the last place of all. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) at++
  }
  return text.length
}
