import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatArray, formatCoordinate, parseMatrixMarket } from '../../../src/io/formats/mtx.js'
import { parsesOrRefuses, refusal } from '../refusal.js'

const GENERAL = '%%MatrixMarket matrix coordinate real general\n'
const SYMMETRIC = '%%MatrixMarket matrix coordinate real symmetric\n'
const ARRAY = '%%MatrixMarket matrix array real general\n'

describe('reading', () => {
  const entries = { row: Int32Array.of(0, 1, 1), column: Int32Array.of(0, 0, 1), value: Float64Array.of(4, -1.5, 4e-3) }

  it('a coordinate matrix with comments, blank lines and loose spaces', () => {
    const text = `${SYMMETRIC}% a comment\n%\n\n  2\t2 3 \n1 1 4\n % another\n2 1   -1.5\n\n 2 2 +.4E-2\n\n`
    expect(parseMatrixMarket(text, 'file')).toEqual({ kind: 'coordinate', rows: 2, columns: 2, entries, symmetry: 'symmetric' })
  })

  it('line ends of Windows, a byte order mark and no last line end', () => {
    const text = `\ufeff${SYMMETRIC}2 2 3\n1 1 4\n2 1 -1.5\n2 2 0.004`.replaceAll('\n', '\r\n')
    expect(parseMatrixMarket(text, 'file')).toMatchObject({ entries })
  })

  it('words of the banner in any case, and whole numbers', () => {
    const text = '%%matrixmarket MATRIX Array Integer General\n2 2\n1\n-2\n3\n4\n'
    expect(parseMatrixMarket(text, 'file')).toEqual({ kind: 'array', rows: 2, columns: 2, values: Float64Array.of(1, -2, 3, 4) })
  })

  it('a matrix without entries', () => {
    expect(parseMatrixMarket(`${GENERAL}3 2 0`, 'file')).toMatchObject({
      rows: 3,
      columns: 2,
      entries: { value: new Float64Array(0) },
    })
    expect(parseMatrixMarket(`${ARRAY}0 1\n`, 'file')).toMatchObject({ rows: 0, columns: 1, values: new Float64Array(0) })
  })
})

describe('refused with the line', () => {
  it.each([
    ['', 'line 1 must begin with %%MatrixMarket'],
    ['hello\n', 'line 1 must begin with %%MatrixMarket'],
    ['%%MatrixMarket vector coordinate real general\n', 'line 1 must read'],
    ['%%MatrixMarket matrix coordinate real general more\n', 'line 1 must read'],
    ['%%MatrixMarket matrix list real general\n', 'line 1 must name the format'],
    ['%%MatrixMarket matrix coordinate pattern general\n', 'pattern, a matrix without numbers'],
    ['%%MatrixMarket matrix coordinate complex general\n', 'line 1 must name the field'],
    ['%%MatrixMarket matrix coordinate real skew-symmetric\n', 'line 1 must name the symmetry'],
    ['%%MatrixMarket matrix array real symmetric\n', 'the only one read in array format'],
    ['%%MatrixMarket matrix coordinate real\n', 'line 1 must name the symmetry'],
    [GENERAL, 'the size line is missing'],
    [`${GENERAL}2 2\n`, 'line 2 ends before the number of entries'],
    [`${GENERAL}2 2 1 1\n1 1 1`, 'line 2 has "1" instead of its end'],
    [`${GENERAL}-2 2 1\n1 1 1`, 'line 2 has "-2" instead of the number of rows'],
    [`${GENERAL}2.0 2 1\n1 1 1`, 'line 2 has "2.0" instead of the number of rows'],
    [`${GENERAL}9999999999 2 1\n1 1 1`, 'line 2 has the number of rows 9999999999, outside 0 to 2147483647'],
    [`${GENERAL}2000000000 2000000000 1\n1 1 1`, 'more than can be numbered'],
    [`${GENERAL}2 2 1000000000\n1 1 1`, 'announces 1000000000 entries, but the file is too short for them'],
    [`${ARRAY}2000000000 2000000000\n1`, 'but the file is too short for them'],
    [`${SYMMETRIC}2 3 1\n1 1 1`, 'gives a symmetric matrix 2 rows and 3 columns'],
    [`${GENERAL}2 2 2\n\n1 1 10000\n`, 'line 4 ends the file after 1 of 2 entries'],
    [`${GENERAL}2 2 1\n1 1 1\n% fine\n2 2 1\n`, 'line 5 follows the 1 entries'],
    [`${GENERAL}2 2 1\n3 1 1\n`, 'line 3 has the row 3, outside 1 to 2'],
    [`${GENERAL}2 2 1\n1 0 1\n`, 'line 3 has the column 0, outside 1 to 2'],
    [`${GENERAL}2 2 1\n1 1\n% padding`, 'line 3 ends before a finite number'],
    [`${GENERAL}2 2 1\n1 1 nan\n`, 'line 3 has "nan" instead of a finite number'],
    [`${GENERAL}2 2 1\n1 1 NaN\n`, 'line 3 has "NaN"'],
    [`${GENERAL}2 2 1\n1 1 inf\n`, 'line 3 has "inf"'],
    [`${GENERAL}2 2 1\n1 1 Infinity\n`, 'line 3 has "Infinity"'],
    [`${GENERAL}2 2 1\n1 1 1e999\n`, 'line 3 has "1e999"'],
    [`${GENERAL}2 2 1\n1 1 0x10\n`, 'line 3 has "0x10"'],
    [`${GENERAL}2 2 1\n1 1 1-1\n`, 'line 3 has "1-1"'],
    [`${GENERAL}2 2 1\n1 1 1 0\n`, 'line 3 has "0" instead of its end'],
    [`${GENERAL}2 2 1\n1 1 1 % no\n`, 'line 3 has "%" instead of its end'],
    ['%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n', 'line 3 has "1.5" instead of a whole number'],
    [`${SYMMETRIC}2 2 1\n1 2 -1\n`, 'line 3 has an entry above the diagonal'],
    [`${GENERAL}2 2 3\n2 1 -1\n1 1 1\n2 1 -1\n`, 'the entry (2, 1) is given twice'],
    [`${GENERAL}2 2 2\n1 2 -1\n1 2 -1\n`, 'the entry (1, 2) is given twice'],
    [`${ARRAY}3 1\n1\n2222\n`, 'line 4 ends the file after 2 of 3 values'],
    [`${ARRAY}1 1\n1\n2\n`, 'line 4 follows the 1 values'],
    [`${ARRAY}2 1\n1 2\n`, 'line 3 has "2" instead of its end'],
  ])('%j', (text, mentioned) => {
    const sentence = refusal(() => parseMatrixMarket(text, 'p.mtx'))
    expect(sentence).toContain(mentioned)
    expect(sentence).toMatch(/^p\.mtx: /)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('%d is not written', value => {
    expect(refusal(() => formatArray({ rows: 1, columns: 1, values: Float64Array.of(value) }))).toContain(String(value))
  })

  it('values that do not fill the matrix are not written', () => {
    expect(refusal(() => formatArray({ rows: 2, columns: 2, values: Float64Array.of(1) }))).toContain('2 × 2')
  })
})

const finite = fc.double({ noNaN: true, noDefaultInfinity: true })

describe('round trips', () => {
  it('every finite number is read back bit for bit', () => {
    fc.assert(
      fc.property(fc.float64Array({ noNaN: true, noDefaultInfinity: true, maxLength: 20 }), values => {
        const read = parseMatrixMarket(formatArray({ rows: values.length, columns: 1, values }), 'file')
        expect(read).toStrictEqual({ kind: 'array', rows: values.length, columns: 1, values })
      }),
    )
  })

  it('entries keep their order', () => {
    const places = fc.uniqueArray(fc.tuple(fc.nat(6), fc.nat(8)), { selector: String, maxLength: 30 })
    fc.assert(
      fc.property(places, fc.array(finite, { minLength: 30, maxLength: 30 }), (found, values) => {
        const matrix = {
          kind: 'coordinate' as const,
          rows: 7,
          columns: 9,
          entries: {
            row: Int32Array.from(found, ([row]) => row),
            column: Int32Array.from(found, ([, column]) => column),
            value: Float64Array.from(found, (_, at) => values[at]),
          },
          symmetry: 'general' as const,
        }
        expect(parseMatrixMarket(formatCoordinate(matrix), 'file')).toStrictEqual(matrix)
      }),
    )
  })

  it('a large matrix is written in one piece', () => {
    const values = Float64Array.from({ length: 10000 }, (_, i) => i)
    expect(parseMatrixMarket(formatArray({ rows: 100, columns: 100, values }, 'integer'), 'file')).toMatchObject({ values })
  })
})

describe('hostile text is read consistently or refused, never anything else', () => {
  const consistent = (text: string): void =>
    parsesOrRefuses(() => {
      const matrix = parseMatrixMarket(text, 'file')
      const values = matrix.kind === 'array' ? matrix.values : matrix.entries.value
      expect(values.every(Number.isFinite)).toBe(true)
      expect(values.length).toBeLessThanOrEqual(text.length)
    })
  const piece = fc.constantFrom(
    ...['1', '2', '-1', '0.5', '1e9', ' ', '\n', '\r\n', '%', 'nan', '99999999999', '\t', '\u00a0', '\0'],
  )

  it('random pieces behind a banner', () => {
    fc.assert(
      fc.property(fc.constantFrom(GENERAL, SYMMETRIC, ARRAY), fc.array(piece, { maxLength: 40 }), (banner, pieces) =>
        consistent(banner + pieces.join('')),
      ),
      { numRuns: 1000 },
    )
  })

  it('valid text with pieces put in and cut off', () => {
    const whole = `${SYMMETRIC}% comment\n2 2 3\n1 1 4\n2 1 -1.5\n2 2 4\n`
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(4), piece, fc.nat(whole.length), (at, removed, put, end) => {
        consistent(whole.slice(0, at) + put + whole.slice(at + removed))
        consistent(whole.slice(0, end))
      }),
      { numRuns: 500 },
    )
  })

  it('random text', () => {
    fc.assert(fc.property(fc.string(), consistent))
  })
})
