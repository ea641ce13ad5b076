import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatNpy, type NpyData, parseNpy } from '../../../src/io/formats/npy.js'
import { parsesOrRefuses, refusal } from '../refusal.js'

const fixture = (name: string): Uint8Array => readFileSync(new URL(`fixtures/${name}`, import.meta.url))
const count = Array.from({ length: 24 }, (_, i) => i)

const expected: Record<string, NpyData> = {
  f8: Float64Array.from(count, i => i * 0.25 - 3),
  f4: Float32Array.from(count, i => i * 0.25 - 3),
  i4: Int32Array.from(count, i => i - 12),
  i8: BigInt64Array.from(count, i => BigInt(i - 12)),
  u1: Uint8Array.from(count),
  b1: Uint8Array.from(count, i => i % 2),
}

/** A .npy file with any header text, padded or not. */
function withHeader(header: string, data: Uint8Array = new Uint8Array(0), version = 1): Uint8Array {
  const text = new TextEncoder().encode(header)
  const length = version === 1 ? [text.length & 255, text.length >> 8] : [text.length & 255, text.length >> 8, 0, 0]
  return Uint8Array.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, ...length, ...text, ...data])
}

const dict = (shape: string, descr = '<f8', order = 'False'): string =>
  `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }\n`

describe('files that NumPy wrote', () => {
  const names = Object.keys(expected).flatMap(type =>
    (type === 'u1' || type === 'b1' ? ['bytes'] : ['little', 'big']).flatMap(end =>
      ['c', 'fortran'].map(order => [`${type}-${end}-${order}.npy`, type] as const),
    ),
  )
  it.each(names)('%s', (name, type) => {
    const { data, shape } = parseNpy(fixture(name), name)
    expect(shape).toEqual([2, 3, 4])
    expect(data).toStrictEqual(expected[type])
  })

  it.each([1, 2, 3])('format version %i', version => {
    const bytes = fixture(`version-${version}.npy`)
    expect(bytes[6]).toBe(version)
    expect(parseNpy(bytes, 'file').data).toStrictEqual(expected.f8)
  })

  it('a scalar has an empty shape', () => {
    expect(parseNpy(fixture('scalar.npy'), 'file')).toEqual({ data: Float64Array.of(2.5), shape: [], descr: '<f8' })
  })

  it('a side of 0 leaves no data', () => {
    expect(parseNpy(fixture('empty.npy'), 'file')).toEqual({ data: new Float64Array(0), shape: [3, 0, 2], descr: '<f8' })
  })

  it('the bytes that we write for the same array are the same', () => {
    expect(formatNpy(expected.f8, [2, 3, 4])).toEqual(new Uint8Array(fixture('version-1.npy')))
  })
})

describe('headers', () => {
  const eight = new Uint8Array(8)
  it.each([
    `{'shape': (1,), 'fortran_order': True, 'descr': '<f8'}`,
    `{"descr":"<f8","fortran_order":False,"shape":(1,)}`,
    `  { 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1 , ) , }  \n`,
    `{'descr': '<f8', 'fortran_order': False, 'shape': (1L,), }`,
    `{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }`,
  ])('accepted: %s', header => {
    expect(parseNpy(withHeader(header, eight), 'file').data).toEqual(new Float64Array(1))
  })

  it.each([
    ['', '{'],
    [`{'descr': '<f8', 'fortran_order': False}`, 'lacks'],
    [`{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1,)}`, 'given twice'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1,), 'more': 1}`, 'more'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1)}`, ', was expected'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1,,)}`, 'a side of the shape'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': 1}`, '( was expected'],
    [`{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}`, 'True or False'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x`, '"x"'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}{`, 'end of the header'],
    [`{'descr': '<f8', 'fortran_order': False, 'shape': (1,)`, 'its end was found'],
    [`{'descr': '<f8' 'fortran_order': False, 'shape': (1,)}`, ', was expected'],
    [dict('(-1,)'), 'negative side -1'],
    [dict('(99999999999999999999,)'), 'which no file can hold'],
    [dict('(9007199254740991, 9007199254740991, 9007199254740991)'), 'cut off'],
    [dict('(1,)', '<c16'), '"<c16"'],
    [dict('(1,)', '|f8'), '"|f8"'],
    [dict('(1,)', '<U3'), '"<U3"'],
    [dict('(1,)', ''), '""'],
    [dict('(1,)', '<toString'), '"<toString"'],
  ])('refused: %s', (header, mentioned) => {
    expect(refusal(() => parseNpy(withHeader(header, eight), 'p.npy'))).toContain(mentioned)
  })

  it('huge sides are harmless beside a side of 0', () => {
    // Multiplied from the left, these sides overflow to infinity before the 0 comes.
    const shape = [...Array<number>(30).fill(Number.MAX_SAFE_INTEGER), 0]
    const header = dict(`(${shape.join(', ')})`, '<f8', 'True')
    expect(parseNpy(withHeader(header), 'file')).toEqual({ data: new Float64Array(0), shape, descr: '<f8' })
    expect(refusal(() => parseNpy(withHeader(header, eight), 'file'))).toContain('8 bytes follow the data')
  })

  it('record and complex types of NumPy are refused by name', () => {
    expect(refusal(() => parseNpy(fixture('records.npy'), 'p.npy'))).toMatch(/^p\.npy: the elements are records/)
    expect(refusal(() => parseNpy(fixture('complex.npy'), 'p.npy'))).toMatch(/^p\.npy: the element type "<c16"/)
  })
})

describe('damaged files', () => {
  const whole = formatNpy(Float64Array.of(1, 2, 3), [3])

  it('every truncation is refused', () => {
    for (let length = 0; length < whole.length; length++) {
      const reason = length < 6 ? 'not a NumPy .npy file' : length < 128 ? 'ends inside its header' : 'the data are cut off'
      expect(
        refusal(() => parseNpy(whole.subarray(0, length), 'file')),
        `length ${length}`,
      ).toContain(reason)
    }
  })

  it('bytes after the data are refused', () => {
    expect(refusal(() => parseNpy(Uint8Array.from([...whole, 0]), 'file'))).toBe(
      'file: 1 bytes follow the data that shape (3,) of <f8 needs.',
    )
  })

  it('an unknown version is refused', () => {
    const other = whole.slice()
    other[6] = 4
    expect(refusal(() => parseNpy(other, 'file'))).toContain('version 4.0')
    other[6] = 1
    other[7] = 1
    expect(refusal(() => parseNpy(other, 'file'))).toContain('version 1.1')
  })

  it('a header length far beyond the file costs nothing', () => {
    const bytes = whole.slice()
    bytes[6] = 2
    bytes.fill(255, 8, 12)
    expect(refusal(() => parseNpy(bytes, 'file'))).toContain('ends inside its header')
  })

  it('anything else is not a .npy file', () => {
    expect(refusal(() => parseNpy(new TextEncoder().encode('hello world'), 'a.txt'))).toBe(
      'a.txt: this is not a NumPy .npy file.',
    )
  })
})

const arrayOf = fc
  .tuple(fc.array(fc.nat(4), { maxLength: 5 }), fc.constantFrom('f8', 'f4', 'i4', 'i8', 'u1'), fc.nat())
  .map(([shape, type, seed]): { data: NpyData; shape: number[]; type: string } => {
    const length = shape.reduce((product, side) => product * side, 1)
    const at = (i: number): number => ((i + 1) * (seed % 1000)) % 251
    if (type === 'i8') return { data: BigInt64Array.from({ length }, (_, i) => BigInt(at(i)) ** 7n), shape, type }
    const ArrayType = { f8: Float64Array, f4: Float32Array, i4: Int32Array, u1: Uint8Array }[type as 'f8']
    return { data: ArrayType.from({ length }, (_, i) => at(i) / (type[0] === 'f' ? 7 : 1)), shape, type }
  })

describe('round trips', () => {
  it('every array is read back as it was written, from any byte offset', () => {
    fc.assert(
      fc.property(arrayOf, fc.nat(9), ({ data, shape, type }, offset) => {
        const bytes = formatNpy(data, shape)
        const shifted = new Uint8Array(bytes.length + offset)
        shifted.set(bytes, offset)
        const read = parseNpy(shifted.subarray(offset), 'file')
        expect(read.data).toStrictEqual(data)
        expect(read.shape).toEqual(shape)
        expect(read.descr.slice(1)).toBe(type)
      }),
    )
  })

  it('the data start at a multiple of 64 bytes', () => {
    for (let sides = 0; sides < 30; sides++) {
      const bytes = formatNpy(Float64Array.of(1), Array(sides).fill(1))
      expect((bytes.length - 8) % 64).toBe(0)
      expect(bytes[bytes.length - 9]).toBe(10)
    }
  })

  it('a header beyond 64 KiB becomes version 2', () => {
    const shape = Array<number>(30000).fill(1)
    const bytes = formatNpy(Float64Array.of(7), shape)
    expect(bytes[6]).toBe(2)
    expect(parseNpy(bytes, 'file')).toEqual({ data: Float64Array.of(7), shape, descr: '<f8' })
  })

  it('the last header length of version 1 and the first of version 2 are both read', () => {
    // A step of padding is 64 characters, 21 sides.
    for (let sides = 21790; sides < 21870; sides += 10) {
      const shape = Array<number>(sides).fill(1)
      expect(parseNpy(formatNpy(Float64Array.of(7), shape), 'file').shape.length).toBe(sides)
    }
  })

  it('keeps no reference to the bytes it was read from', () => {
    const bytes = formatNpy(Uint8Array.of(5), [1])
    const { data } = parseNpy(Buffer.from(bytes.buffer), 'file')
    bytes.fill(0)
    expect(data[0]).toBe(5)
  })

  it.each([[[2]], [[1, 1]], [[-1]], [[1.5]], [[3, -1, -1]]])('three values are not written with shape %j', shape => {
    expect(refusal(() => formatNpy(Float64Array.of(1, 2, 3), shape))).toContain('cannot be written with the shape')
  })
})

describe('hostile input is read consistently or refused, never anything else', () => {
  const consistent = (bytes: Uint8Array): void =>
    parsesOrRefuses(() => {
      const { data, shape } = parseNpy(bytes, 'file')
      expect(data.length).toBe(shape.includes(0) ? 0 : shape.reduce((product, side) => product * side, 1))
      expect(data.byteLength).toBeLessThanOrEqual(bytes.length)
    })

  it('random bytes behind the magic', () => {
    fc.assert(
      fc.property(fc.constantFrom(1, 2, 3), fc.uint8Array({ maxLength: 200 }), (version, rest) =>
        consistent(Uint8Array.from([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, version, 0, ...rest])),
      ),
    )
  })

  it('random headers of header-like pieces', () => {
    const piece = fc.constantFrom(
      ...[
        '{',
        '}',
        '(',
        ')',
        ',',
        ':',
        ' ',
        "'descr'",
        "'shape'",
        "'fortran_order'",
        "'<f8'",
        "'|u1'",
        'True',
        '0',
        '3',
        '-1',
        '[',
      ],
    )
    const nearly = fc
      .tuple(
        fc.shuffledSubarray([`'descr': '<f8'`, `'fortran_order': True`, `'shape': (2, 1)`], { minLength: 2 }),
        fc.array(piece, { maxLength: 3 }),
      )
      .map(([keys, more]) => `{${keys.join(', ')}${more.join('')}}`)
    const header = fc.oneof(
      fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join('')),
      nearly,
    )
    fc.assert(
      fc.property(header, fc.uint8Array({ maxLength: 32 }), fc.constantFrom(1, 2), (text, data, version) =>
        consistent(withHeader(text, data, version)),
      ),
      { numRuns: 500 },
    )
  })

  it('files with some bytes changed', () => {
    fc.assert(
      fc.property(
        arrayOf,
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        ({ data, shape }, changes) => {
          const bytes = formatNpy(data, shape)
          for (const [at, byte] of changes) bytes[at % Math.min(bytes.length, 128)] = byte
          consistent(bytes)
        },
      ),
      { numRuns: 500 },
    )
  })
})
