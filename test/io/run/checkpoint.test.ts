import fc from 'fast-check'
import { expect, it } from 'vitest'
import { joinParts } from '../../../src/io/bytes/bytes.js'
import type { NumberArray } from '../../../src/io/bytes/container.js'
import { nodeCodec } from '../../../src/io/bytes/node-codec.js'
import { formatCheckpoint, parseCheckpoint } from '../../../src/io/run/checkpoint.js'
import { refusal } from '../refusal.js'

const bytesOf = (data: NumberArray) => Array.from(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))

it('a checkpoint gives back every type of array bit for bit, and its header', () => {
  const array = fc.oneof(
    fc.int8Array(),
    fc.uint8Array(),
    fc.int16Array(),
    fc.uint16Array(),
    fc.int32Array(),
    fc.uint32Array(),
    fc.bigInt64Array(),
    fc.bigUint64Array(),
    fc.float32Array(),
    fc.float64Array(),
  )
  const arrays = fc.dictionary(fc.string({ unit: 'grapheme' }), array)
  const header = fc.dictionary(fc.string(), fc.jsonValue())
  fc.assert(
    fc.property(arrays, header, (arrays, header) => {
      const given = new Map(Object.entries(arrays))
      const plain = JSON.parse(JSON.stringify(header))
      const read = parseCheckpoint(joinParts(formatCheckpoint({ header: plain, arrays: given }).parts), 'c.ckpt', nodeCodec)
      expect(read.header).toEqual(plain)
      expect([...read.arrays.keys()]).toEqual([...given.keys()])
      for (const [name, data] of given) {
        expect(read.arrays.get(name)!.constructor).toBe(data.constructor)
        expect(bytesOf(read.arrays.get(name)!)).toEqual(bytesOf(data))
      }
    }),
    { seed: 830412, numRuns: 200 },
  )
})

it('a checkpoint of shared memory, and of a part of it, is written as it is', () => {
  const shared = new Float64Array(new SharedArrayBuffer(64)).fill(1 / 3)
  const part = shared.subarray(2, 5)
  const { parts } = formatCheckpoint({ header: {}, arrays: new Map([['part', part]]) }, nodeCodec)
  expect(parts.some(({ buffer }) => buffer === shared.buffer)).toBe(true)
  const read = parseCheckpoint(joinParts(parts), 'c')
  expect(read.arrays.get('part')).toEqual(Float64Array.of(1 / 3, 1 / 3, 1 / 3))
})

it('a checkpoint whose arrays were changed on the disk is refused with the name of the array', () => {
  const bytes = joinParts(formatCheckpoint({ header: {}, arrays: new Map([['velocity', Float64Array.of(1, 2)]]) }).parts)
  bytes[bytes.length - 1] ^= 0x80
  expect(refusal(() => parseCheckpoint(bytes, 'run/c.ckpt'))).toBe(
    'run/c.ckpt: section "velocity" is damaged, its checksum does not match.',
  )
})
