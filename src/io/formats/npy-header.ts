/** The header of a .npy file: a Python dict literal, read by a strict parser that accepts nothing else of Python. */

export interface NpyHeader {
  readonly descr: string
  readonly fortranOrder: boolean
  readonly shape: readonly number[]
}

type Fail = (what: string) => never
type Token = { readonly type: 'mark' | 'string' | 'integer' | 'boolean' | 'end'; readonly text: string }

// Python 2 wrote long integers as 3L.
const TOKEN = /[ \t\r\n]*(?:([{}():,])|'([^'\\]*)'|"([^"\\]*)"|(-?\d+)L?|(True|False))/y
const BLANK = /^[ \t\r\n]*$/
const SHOWN_HEADER_CHARACTERS = 20

/** `fail` must throw; it is given the rest of a sentence that starts with the name of the file. */
export function parseNpyHeader(text: string, fail: Fail): NpyHeader {
  const tokens = tokenize(text, fail)
  let at = 0
  const take = (type: Token['type'], wanted: string): string => {
    const token = tokens[at]
    if (token.type !== type || (type === 'mark' && token.text !== wanted)) {
      const found = token.type === 'end' ? 'its end' : `"${shorten(token.text)}"`
      fail(`the header is not a NumPy header: ${wanted} was expected, ${found} was found`)
    }
    at++
    return token.text
  }
  const isMark = (mark: string): boolean => tokens[at].type === 'mark' && tokens[at].text === mark

  const takeShape = (): number[] => {
    const shape: number[] = []
    take('mark', '(')
    while (!isMark(')')) {
      shape.push(parseSide(take('integer', 'a side of the shape'), fail))
      // A single number in parentheses is no tuple without its comma.
      if (shape.length === 1 || !isMark(')')) take('mark', ',')
    }
    take('mark', ')')
    return shape
  }
  const takeDescr = (): string => {
    if (tokens[at].type !== 'string') fail('the elements are records, which cannot be read; save one plain number array per file')
    return take('string', 'an element type')
  }

  let descr: string | undefined
  let fortranOrder: boolean | undefined
  let shape: number[] | undefined
  take('mark', '{')
  while (!isMark('}')) {
    const key = take('string', 'a key')
    take('mark', ':')
    if (key === 'descr' && descr === undefined) descr = takeDescr()
    else if (key === 'fortran_order' && fortranOrder === undefined) fortranOrder = take('boolean', 'True or False') === 'True'
    else if (key === 'shape' && shape === undefined) shape = takeShape()
    else fail(`the header has the key "${shorten(key)}", which is unknown or given twice`)
    if (!isMark('}')) take('mark', ',')
  }
  take('mark', '}')
  take('end', 'the end of the header')
  if (descr === undefined || fortranOrder === undefined || shape === undefined)
    return fail('the header lacks one of the keys "descr", "fortran_order", "shape"')
  return { descr, fortranOrder, shape }
}

function tokenize(text: string, fail: Fail): Token[] {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; ; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text)
    if (found === null) {
      // A failed match resets lastIndex, so the rest is measured from the last success. A record type is a list: "[".
      const rest = text.slice(at)
      if (!BLANK.test(rest)) {
        if (/^\s*\[/.test(rest)) fail('the elements are records, which cannot be read; save one plain number array per file')
        fail(`the header is not a NumPy header: "${shorten(rest.trim())}" cannot be read`)
      }
      tokens.push({ type: 'end', text: '' })
      return tokens
    }
    const [, mark, single, double, integer, boolean] = found
    const string = single ?? double
    if (mark !== undefined) tokens.push({ type: 'mark', text: mark })
    else if (string !== undefined) tokens.push({ type: 'string', text: string })
    else if (integer !== undefined) tokens.push({ type: 'integer', text: integer })
    else tokens.push({ type: 'boolean', text: boolean })
  }
}

function parseSide(text: string, fail: Fail): number {
  const side = Number(text)
  if (side < 0) fail(`the shape has the negative side ${shorten(text)}`)
  if (!Number.isSafeInteger(side)) fail(`the shape has the side ${shorten(text)}, which no file can hold`)
  return side
}

function shorten(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?')
  return printable.length > SHOWN_HEADER_CHARACTERS ? `${printable.slice(0, SHOWN_HEADER_CHARACTERS)}…` : printable
}
