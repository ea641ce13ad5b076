/** Walks through Matrix Market text line by line, number by number, without cutting it into strings:
 *  files have millions of lines. */
import { InputError } from '../../input-error.js'

export interface Scanner {
  readonly where: string
  /** The text of line 1, which is the banner. */
  firstLine(): string
  /** Advances to the next line that is neither blank nor a comment; false at the end of the text. */
  nextLine(): boolean
  /** A whole number from `min` to `max`; `what` names it in errors. */
  integer(what: string, min: number, max: number): number
  /** A finite number; a whole one if the field is integer. */
  number(field: 'real' | 'integer'): number
  endLine(): void
  /** Characters not yet read. */
  remaining(): number
  /** Throws an InputError of the form "file: line n …". */
  fail(what: string): never
}

const NEWLINE = 10
const SPACE_CODE = 32
const PERCENT = 37
const PLUS = 43
const MINUS = 45
const POINT = 46
const ZERO = 48
const NINE = 57
const CAPITAL_E = 69
const SMALL_E = 101
const SHOWN_CHARACTERS = 24

export function createScanner(text: string, where: string): Scanner {
  let at = 0
  let line = 1

  const fail = (what: string): never => {
    throw new InputError(`${where}: line ${line} ${what}.`)
  }
  const skipBlanks = (): void => {
    for (let code = text.charCodeAt(at); code <= SPACE_CODE && code !== NEWLINE; code = text.charCodeAt(at)) at++
  }
  const isLineEnd = (): boolean => at >= text.length || text.charCodeAt(at) === NEWLINE
  const skipLine = (): void => {
    const end = text.indexOf('\n', at)
    at = end < 0 ? text.length : end
  }
  const failAtToken = (start: number, what: string): never => {
    let end = start
    while (text.charCodeAt(end) > SPACE_CODE && end < start + SHOWN_CHARACTERS) end++
    return fail(start === end ? `ends before ${what}` : `has "${text.slice(start, end)}" instead of ${what}`)
  }

  return {
    where,
    firstLine() {
      skipLine()
      return text.slice(0, at)
    },
    nextLine() {
      // `at` is at the end of a line that has been read.
      const lineBefore = line
      while (at < text.length) {
        at++
        line++
        skipBlanks()
        if (text.charCodeAt(at) === PERCENT) skipLine()
        else if (!isLineEnd()) return true
      }
      line = lineBefore
      return false
    },
    integer(what, min, max) {
      skipBlanks()
      const start = at
      let value = 0
      let code = text.charCodeAt(at)
      while (code >= ZERO && code <= NINE) {
        value = value * 10 + (code - ZERO)
        code = text.charCodeAt(++at)
      }
      if (at === start || code > SPACE_CODE) failAtToken(start, what)
      if (value < min || value > max) fail(`has ${what} ${value}, outside ${min} to ${max}`)
      return value
    },
    number(field) {
      skipBlanks()
      const start = at
      let code = text.charCodeAt(at)
      while (code > SPACE_CODE) {
        const isNumeric =
          (code >= ZERO && code <= NINE) ||
          code === POINT ||
          code === MINUS ||
          code === PLUS ||
          code === SMALL_E ||
          code === CAPITAL_E
        // Excludes what JavaScript would accept as a number: 0x10, Infinity.
        if (!isNumeric) failAtToken(start, 'a finite number')
        code = text.charCodeAt(++at)
      }
      const value = at === start ? Number.NaN : Number(text.slice(start, at))
      if (!Number.isFinite(value)) failAtToken(start, 'a finite number')
      if (field === 'integer' && !Number.isInteger(value)) failAtToken(start, 'a whole number')
      return value
    },
    endLine() {
      skipBlanks()
      if (!isLineEnd()) failAtToken(at, 'its end')
    },
    remaining: () => text.length - at,
    fail,
  }
}
