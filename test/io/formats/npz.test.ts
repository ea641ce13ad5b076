import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { deflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { InputError } from '../../../src/input-error.js'
import { crc32 } from '../../../src/io/bytes/crc32.js'
import { formatNpy, type NpyData } from '../../../src/io/formats/npy.js'
import { formatNpz, parseNpz } from '../../../src/io/formats/npz.js'
import { parsesOrRefuses, refusal } from '../refusal.js'
import { buildZip, type ZipPart } from './zip-builder.js'

const fixture = (name: string): Uint8Array => readFileSync(new URL(`fixtures/${name}`, import.meta.url))
const count = Array.from({ length: 24 }, (_, i) => i)

const arrays: [string, { data: NpyData; shape: number[] }][] = [
  ['diag', { data: Float64Array.of(1.5, -2, 0, 0, 0, 0), shape: [2, 3] }],
  ['flags', { data: Uint8Array.of(1, 0, 1), shape: [3] }],
  ['ünïcode/name', { data: BigInt64Array.of(7n), shape: [] }],
]
const npy = formatNpy(Float64Array.of(1, 2, 3, 4), [4])
const part = (more: Partial<ZipPart> = {}): ZipPart => ({ name: 'a.npy', data: npy, ...more })

it('the checksum is the CRC-32 of the zip format', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  expect(crc32(new Uint8Array(0))).toBe(0)
})

describe.each(['stored', 'deflated'])('%s.npz of NumPy', kind => {
  it('is read', () => {
    const read = parseNpz(fixture(`${kind}.npz`), 'file')
    expect([...read.keys()]).toEqual(['first', 'second', 'third'])
    expect(read.get('first')).toEqual({ data: Float64Array.from(count, i => i * 0.25 - 3), shape: [2, 3, 4], descr: '<f8' })
    expect(read.get('second')).toEqual({ data: Int32Array.from(count, i => i - 12), shape: [2, 3, 4], descr: '<i4' })
    expect(read.get('third')).toEqual({ data: Uint8Array.from(count, i => i % 2), shape: [2, 3, 4], descr: '|b1' })
  })

  it('is refused at every truncation', () => {
    const whole = fixture(`${kind}.npz`)
    for (let length = 0; length < whole.length; length++)
      expect(() => parseNpz(whole.subarray(0, length), 'file'), `length ${length}`).toThrow(InputError)
  })
})

describe.each([false, true])('round trip with compress: %s', compress => {
  it('gives the arrays back in their order', () => {
    const read = parseNpz(formatNpz(arrays, { compress }), 'file')
    expect([...read].map(([name, { data, shape }]) => [name, { data, shape }])).toStrictEqual(arrays)
  })

  it('gives the same bytes each time and whatever the time zone', () => {
    const zone = process.env.TZ
    const written = ['Asia/Tokyo', 'America/Los_Angeles', 'UTC'].map(TZ => {
      process.env.TZ = TZ
      return formatNpz(arrays, { compress })
    })
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
    expect(written[0]).toEqual(written[1])
    expect(written[1]).toEqual(written[2])
  })
})

it('an archive without arrays is an empty map', () => {
  expect(parseNpz(formatNpz([]), 'file').size).toBe(0)
})

it('compression makes a file smaller', () => {
  const zeros: typeof arrays = [['zeros', { data: new Float64Array(10000), shape: [10000] }]]
  expect(formatNpz(zeros, { compress: true }).length).toBeLessThan(formatNpz(zeros).length / 100)
})

it('one name cannot be written twice', () => {
  expect(refusal(() => formatNpz([arrays[0], arrays[0]]))).toContain('"diag"')
})

it('a name too long for an archive is refused', () => {
  expect(refusal(() => formatNpz([['x'.repeat(70000), arrays[0][1]]]))).toContain('cannot be packed')
})

describe('archives of other writers', () => {
  it.each<[string, Partial<ZipPart>, Parameters<typeof buildZip>[1]]>([
    ['plain', {}, {}],
    ['deflated', { packed: deflateSync(npy), method: 8 }, {}],
    ['zip64 sizes in the directory', { zip64: true }, {}],
    ['a zip64 end record', {}, { zip64: true }],
    ['zip64 everywhere', { zip64: true, packed: deflateSync(npy), method: 8 }, { zip64: true }],
    ['a comment with the end signature in it', {}, { comment: 'PK\x05\x06 and more text that is longer than a record' }],
  ])('%s', (_, more, options) => {
    expect(parseNpz(buildZip([part(more)], options), 'file').get('a')!.data).toEqual(Float64Array.of(1, 2, 3, 4))
  })

  it('entries are read whatever order the directory lists them in', () => {
    const bytes = buildZip([part(), part({ name: 'b.npy' })], { reverseDirectory: true })
    expect([...parseNpz(bytes, 'file').keys()]).toEqual(['b', 'a'])
  })

  it('what is not wanted is passed over, even if it cannot be read', () => {
    const bytes = buildZip([part(), part({ name: 'notes.txt' }), part({ name: 'text.npy', data: Uint8Array.of(1, 2), crc: 0 })])
    expect([...parseNpz(bytes, 'file', ['a', 'b']).keys()]).toEqual(['a'])
  })
})

describe('refused with one sentence', () => {
  it.each<[string, ZipPart[], Parameters<typeof buildZip>[1], string]>([
    ['a name twice', [part(), part()], {}, 'entry "a.npy" is present twice'],
    ['an entry that is no array', [part({ name: 'notes.txt' })], {}, '"notes.txt" is not a .npy array'],
    ['an encrypted entry', [part({ flags: 1 })], {}, 'is encrypted'],
    ['another compression', [part({ method: 14 })], {}, 'method 14'],
    ['a wrong checksum', [part({ crc: 1 })], {}, 'its checksum does not match'],
    ['a stored size that differs', [part({ size: npy.length + 1 })], {}, 'cannot hold'],
    ['a deflate bomb', [part({ method: 8, packed: deflateSync(npy), size: 2 ** 31 })], {}, 'cannot hold'],
    ['a zip64 bomb', [part({ method: 8, packed: deflateSync(npy), size: 2 ** 50, zip64: true })], {}, 'cannot hold'],
    ['less unpacked than declared', [part({ method: 8, packed: deflateSync(npy), size: npy.length + 1 })], {}, 'does not have'],
    ['more unpacked than declared', [part({ method: 8, packed: deflateSync(npy), size: npy.length - 1 })], {}, 'does not have'],
    ['a cut deflate stream', [part({ method: 8, packed: deflateSync(npy).subarray(0, 30) })], {}, 'cannot be unpacked'],
    ['an empty deflate stream', [part({ method: 8, packed: new Uint8Array(0), size: 0 })], {}, 'does not have'],
    ['an entry outside the file', [part({ localStart: 1e6 })], {}, 'is outside the file'],
    [
      'two entries outside the file, the nearer one bounded by the farther',
      [part({ localStart: 1e6 }), part({ name: 'b.npy', localStart: 2e6 })],
      {},
      '"a.npy" overlaps another one or is outside the file',
    ],
    ['an entry at the wrong place', [part({ localStart: 4 })], {}, 'is not where the directory lists it'],
    ['two entries on the same bytes', [part(), part({ name: 'b.npy', localStart: 0 })], {}, 'overlaps'],
    [
      'packed bytes that reach into the next entry',
      [part({ packedSize: npy.length + 9, size: npy.length + 9 }), part({ name: 'b.npy' })],
      {},
      'overlaps',
    ],
    ['a name that differs at the data', [part({ localName: 'b.npy' })], {}, 'has another name'],
    ['a wrong number of entries', [part()], { count: 2 }, 'declares 2 entries and lists 1'],
    ['a directory outside the file', [part()], { directoryStart: 1e6 }, 'is not inside the file'],
    ['a directory at the wrong place', [part()], { directoryStart: 1 }, 'directory is damaged'],
    ['several disks', [part()], { disk: 1 }, 'split over several files'],
    ['a zip64 end record elsewhere', [part()], { zip64: true, zip64At: 3 }, 'zip64 end record'],
    ['a zip64 end record beyond the file', [part()], { zip64: true, zip64At: 2 ** 60 }, 'zip64 end record'],
    ['bad .npy bytes', [part({ data: Uint8Array.of(1, 2, 3) })], {}, 'p.npz, array "a": this is not a NumPy .npy file'],
  ])('%s', (_, parts, options, mentioned) => {
    const sentence = refusal(() => parseNpz(buildZip(parts, options), 'p.npz'))
    expect(sentence).toContain(mentioned)
    expect(sentence).toMatch(/^p\.npz/)
  })

  it('a damaged directory', () => {
    const bytes = buildZip([part()])
    bytes[35 + npy.length] ^= 1
    expect(refusal(() => parseNpz(bytes, 'p.npz'))).toBe('p.npz: the archive directory is damaged.')
  })

  it('anything else is not an archive', () => {
    expect(refusal(() => parseNpz(npy, 'a.npy'))).toBe(
      'a.npy: this is not a whole .npz (zip) file, the end of the archive is missing.',
    )
  })
})

describe('damage', () => {
  it('of any payload byte of a stored archive is noticed', () => {
    const whole = buildZip([part(), part({ name: 'b.npy' })])
    const payloads = [35, 35 + npy.length + 35]
    fc.assert(
      fc.property(fc.constantFrom(...payloads), fc.nat(npy.length - 1), fc.integer({ min: 1, max: 255 }), (start, at, flip) => {
        expect(whole.subarray(start, start + 6)).toEqual(npy.subarray(0, 6))
        const damaged = whole.slice()
        damaged[start + at] ^= flip
        expect(refusal(() => parseNpz(damaged, 'file'))).toContain('its checksum does not match')
      }),
    )
  })

  // Unused bits at the end of a deflate stream may change without changing what it unpacks to.
  it('of any byte of a deflated archive is noticed or changes no value', () => {
    const whole = formatNpz(arrays, { compress: true })
    const intact = [...parseNpz(whole, 'file').values()]
    for (let at = 0; at < whole.length; at++) {
      for (const flip of [1, 0x80, 0xff]) {
        const damaged = whole.slice()
        damaged[at] ^= flip
        parsesOrRefuses(() => expect([...parseNpz(damaged, 'file').values()]).toStrictEqual(intact))
      }
    }
  })

  it('by random changes, insertions and cuts ends in arrays or a refusal', () => {
    const seeds = [
      fixture('stored.npz'),
      fixture('deflated.npz'),
      formatNpz(arrays),
      buildZip([part({ zip64: true })], { zip64: true }),
    ]
    const change = fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0xff, 0x50, 0x4b), fc.nat(3))
    fc.assert(
      fc.property(fc.constantFrom(...seeds), fc.array(change, { minLength: 1, maxLength: 6 }), (seed, changes) => {
        const bytes = [...seed]
        for (const [at, byte, kind] of changes) bytes.splice(at % bytes.length, kind < 3 ? 1 : 0, ...(kind === 1 ? [] : [byte]))
        parsesOrRefuses(() => {
          for (const { data } of parseNpz(Uint8Array.from(bytes), 'file').values())
            expect(data.byteLength).toBeLessThanOrEqual(bytes.length * 1032)
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('random bytes before an end record end in a refusal or nothing', () => {
    const byte = fc.nat(255)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 250 }), fc.nat(2), byte, byte, (front, count, size, start) => {
        const bytes = Uint8Array.from([
          ...front,
          0x50,
          0x4b,
          5,
          6,
          0,
          0,
          0,
          0,
          count,
          0,
          count,
          0,
          size,
          0,
          0,
          0,
          start,
          0,
          0,
          0,
          0,
          0,
        ])
        parsesOrRefuses(() => expect(parseNpz(bytes, 'file').size).toBe(0))
      }),
      { numRuns: 500 },
    )
  })

  it('of a deflate stream never hangs', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 120 }), packed => {
        parsesOrRefuses(() => parseNpz(buildZip([part({ method: 8, packed })]), 'file'))
      }),
      { numRuns: 500 },
    )
  })
})
