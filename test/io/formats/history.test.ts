import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatHistories, parseHistories, type SavedHistory } from '../../../src/io/formats/history.js'
import { parsesOrRefuses, refusal } from '../refusal.js'

const record = { iteration: 1, residual: 0.5, pinned: 3, work: 2.5, seconds: 0.25 }
const history: SavedHistory = {
  solver: 'psor',
  status: 'converged',
  records: [{ ...record, iteration: 0, work: 0, seconds: 0 }, record],
}
const whole = formatHistories([history])
const change = (edit: (file: ReturnType<typeof JSON.parse>) => void): string => {
  const file = JSON.parse(whole)
  edit(file)
  return JSON.stringify(file)
}

it('the file says what it is', () => {
  expect(JSON.parse(whole)).toEqual({ format: 'peel-history', version: 1, solves: [history] })
})

it('histories are read back as they were written, broken residuals included', () => {
  const size = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(value => value + 0)
  const records = fc.array(
    fc.record({
      iteration: fc.nat(),
      residual: fc.double().map(value => value + 0),
      pinned: fc.nat(),
      work: size,
      seconds: size,
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.record({ solver: fc.string(), status: fc.string(), records })), histories => {
      expect(parseHistories(formatHistories(histories), 'file')).toEqual(histories)
    }),
  )
})

it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])('a residual of %d survives', residual => {
  const broken = [{ ...history, records: [{ ...record, residual }] }]
  expect(parseHistories(formatHistories(broken), 'file')).toEqual(broken)
})

describe('refused with the place', () => {
  it.each<[string, string, string]>([
    ['no JSON', '{', 'h.json is not JSON'],
    ['JSON with a line break before the error', '{\n"a": x\n}', 'h.json is not JSON'],
    ['another kind of JSON', '[]', 'a JSON object with "format"'],
    ['null', 'null', 'a JSON object'],
    [
      'another format',
      change(file => {
        file.format = 'x'
      }),
      '"format" must be "peel-history"',
    ],
    [
      'a later version',
      change(file => {
        file.version = 2
      }),
      '"version" must be 1',
    ],
    [
      'no solves',
      change(file => {
        file.solves = {}
      }),
      '"solves" must be a list',
    ],
    [
      'a missing key',
      change(file => {
        delete file.solves[0].status
      }),
      'h.json, solve 1: the key "status" is missing',
    ],
    [
      'a misspelt key',
      change(file => {
        file.solves[0].solvr = 'x'
      }),
      'the key "solvr" is unknown (did you mean "solver"?)',
    ],
    [
      'a name that is no text',
      change(file => {
        file.solves[0].solver = 1
      }),
      'solve 1: "solver" must be a string',
    ],
    [
      'a status that is no text',
      change(file => {
        file.solves[0].status = null
      }),
      '"status" must be a string',
    ],
    [
      'records that are no list',
      change(file => {
        file.solves[0].records = 1
      }),
      '"records" must be a list',
    ],
    [
      'a record that is no object',
      change(file => {
        file.solves[0].records[1] = 1
      }),
      'solve 1, record 2: a JSON object',
    ],
    [
      'a broken iteration',
      change(file => {
        file.solves[0].records[1].iteration = 1.5
      }),
      'record 2: "iteration" must be a whole number',
    ],
    [
      'a negative count',
      change(file => {
        file.solves[0].records[0].pinned = -1
      }),
      'record 1: "pinned"',
    ],
    [
      'null for a number',
      change(file => {
        file.solves[0].records[0].work = null
      }),
      'record 1: "work" must be a finite number',
    ],
    [
      'text for a time',
      change(file => {
        file.solves[0].records[0].seconds = 'NaN'
      }),
      'record 1: "seconds"',
    ],
    [
      'another word for a residual',
      change(file => {
        file.solves[0].records[0].residual = 'nan'
      }),
      'record 1: "residual"',
    ],
    [
      'null for a residual',
      change(file => {
        file.solves[0].records[0].residual = null
      }),
      'record 1: "residual"',
    ],
  ])('%s', (_, text, mentioned) => {
    expect(refusal(() => parseHistories(text, 'h.json'))).toContain(mentioned)
  })

  it('a record that could not be read back is not written', () => {
    expect(refusal(() => formatHistories([{ ...history, records: [{ ...record, work: Number.NaN }] }]))).toContain(
      'record 1: "work"',
    )
  })
})

it('any other text or JSON is refused', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), text => {
      expect(() => parseHistories(text, 'file')).toThrow()
      parsesOrRefuses(() => parseHistories(text, 'file'))
    }),
  )
})

it('every truncation is refused', () => {
  // The last character is the line end, which may be missing.
  for (let length = 0; length < whole.length - 1; length++) refusal(() => parseHistories(whole.slice(0, length), 'file'))
})
