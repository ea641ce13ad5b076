/** Bytes as callers hand them over, and archives that declare more than they hold. */
import { deflateSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { formatContainer } from '../../../src/io/bytes/container.js'
import { formatNpy, parseNpy, showShape } from '../../../src/io/formats/npy.js'
import { formatNpz, parseNpz } from '../../../src/io/formats/npz.js'
import { formatGridProblem, joinParts, parseGridProblem, parsePressure } from '../../../src/io/formats.js'
import { formatCheckpoint, parseCheckpoint } from '../../../src/io/run/checkpoint.js'
import { formatFrame, parseFrame } from '../../../src/io/run/frame-file.js'
import { galleryProblem } from '../../../src/pressure/gallery.js'
import type { PressureProblem } from '../../../src/pressure/problem.js'
import { createFrame } from '../../support/frames.js'
import { refusal } from '../refusal.js'
import { buildZip, type ZipPart } from './zip-builder.js'

const problem = galleryProblem('half-ball', { size: 8, dims: 2 }).problem as PressureProblem
const frame = createFrame({ shape: [4, 3, 2], spacing: 0.1 })
const readers: [string, Uint8Array, (bytes: Uint8Array) => unknown][] = [
  ['npy', formatNpy(Float64Array.of(1, 2, 3), [3]), bytes => parseNpy(bytes, 'a.npy')],
  ['npz', formatNpz([['a', { data: Float32Array.of(1, 2), shape: [2] }]]), bytes => parseNpz(bytes, 'a.npz')],
  [
    'deflated npz',
    formatNpz([['a', { data: Float32Array.of(1, 2), shape: [2] }]], { compress: true }),
    bytes => parseNpz(bytes, 'a.npz'),
  ],
  ['grid problem', formatGridProblem(problem), bytes => parseGridProblem(bytes, 'p.npz')],
  [
    'pressure',
    formatNpy(problem.b, [problem.grid.shape[1], problem.grid.shape[0]]),
    bytes => parsePressure(bytes, 'p.npy', problem),
  ],
  ['frame', joinParts(formatFrame(frame).parts), bytes => parseFrame(bytes, 'f.bin')],
  [
    'checkpoint',
    joinParts(formatCheckpoint({ header: {}, arrays: new Map([['a', Float64Array.of(1, 2, 3)]]) }).parts),
    bytes => parseCheckpoint(bytes, 'c.ckpt'),
  ],
]

describe('bytes', () => {
  it.each(readers)('of a %s at an odd place of a Buffer are read as those of an array of their own', (_, bytes, read) => {
    const expected = read(bytes)
    for (const offset of [0, 1, 3, 4]) {
      const room = new Uint8Array(bytes.length + 8).fill(255)
      room.set(bytes, offset)
      expect(read(room.subarray(offset, offset + bytes.length))).toEqual(expected)
      expect(read(Buffer.from(room.buffer, offset, bytes.length))).toEqual(expected)
      const shared = new Uint8Array(new SharedArrayBuffer(bytes.length + 8), offset, bytes.length)
      shared.set(bytes)
      expect(read(shared)).toEqual(expected)
    }
  })

  it.each(readers)('that are none are refused by the reader of a %s', (_, __, read) => {
    for (const nothing of [undefined, null, 'text', 3, {}, []])
      expect(refusal(() => read(nothing as unknown as Uint8Array))).toMatch(/expected as a Uint8Array|must be a Uint8Array/)
  })
})

/** A .npy file that is all zeros behind its header, and the entry of an archive that holds it deflated. */
function zeros(name: string, shape: readonly number[], cells = shape.reduce((product, side) => product * side, 1)): ZipPart {
  const head = formatNpy(new Float64Array(0), [0])
  const text = new TextDecoder('latin1').decode(head)
  const named = text.replace('(0,)', showShape(shape))
  const header = Uint8Array.from([...named.padEnd(text.length + 64)].map(letter => letter.charCodeAt(0)))
  // The header is longer now, and says so in its length.
  const dataStart = header.length
  new DataView(header.buffer).setUint16(8, dataStart - 10, true)
  const data = new Uint8Array(dataStart + 8 * cells)
  data.set(header)
  return { name: `${name}.npy`, data, packed: deflateSync(data), method: 8 }
}

/** The most memory in use while `action` runs, beyond what was in use before. Large arrays are counted when they are allocated. */
function largestArray(action: () => void): number {
  let largest = 0
  const original = globalThis.Uint8Array
  globalThis.Uint8Array = new Proxy(original, {
    construct(target, given, newTarget) {
      if (typeof given[0] === 'number') largest = Math.max(largest, given[0])
      return Reflect.construct(target, given, newTarget)
    },
  })
  try {
    action()
  } finally {
    globalThis.Uint8Array = original
  }
  return largest
}

describe('a zip bomb', () => {
  const side = 64
  const arrays = ['diag', 'east', 'north', 'b'].map(name => zeros(name, [side, side, side]))

  it('was unpacked before it was seen that an array is missing', () => {
    const bytes = buildZip(arrays)
    let sentence = ''
    const most = largestArray(() => {
      sentence = refusal(() => parseGridProblem(bytes, 'bomb.npz'))
    })
    expect(sentence).toBe('bomb.npz: array "up" is missing from this grid problem.')
    expect(most).toBeLessThan(2 ** 20)
  })

  it('is refused before it is unpacked where arrays differ in shape or cannot be used', () => {
    const flags = { ...zeros('separating', [side, side, side]) }
    for (const [parts, message] of [
      [[...arrays, zeros('up', [side, 4, 4]), flags], 'array "up" has shape (64, 4, 4)'],
      [[...arrays, zeros('up', [side, side, side]), flags], 'array "separating" has element type <f8; save it as uint8 or bool'],
    ] as const) {
      const bytes = buildZip(parts)
      let sentence = ''
      const most = largestArray(() => {
        sentence = refusal(() => parseGridProblem(bytes, 'bomb.npz'))
      })
      expect(sentence).toContain(message)
      expect(most).toBeLessThan(2 ** 20)
    }
  })

  it('that declares gigabytes is refused by what it declares', () => {
    // No more is read than the header, so nobody sees that the data are not there.
    const part = zeros('a', [3 * 2 ** 26], 0)
    const packed = new Uint8Array(2 ** 21)
    packed.set(part.packed!)
    const bytes = buildZip([{ ...part, packed, size: part.data.length + 3 * 2 ** 29 }])
    expect(refusal(() => parseNpz(bytes, 'bomb.npz'))).toMatch(/2097152 packed bytes declare 161061\d+ unpacked ones/)
  })

  it('in a frame is not unpacked', () => {
    const length = 2 ** 21
    const section = { name: 'ballast', data: new Float64Array(length), deflate: 'small' as const }
    const header = { shape: [1, 1], spacing: 1, index: 0, time: 0 }
    const bytes = joinParts(formatContainer({ kind: 'frame', version: 1, header, sections: [section] }).parts)
    let sentence = ''
    const most = largestArray(() => {
      sentence = refusal(() => parseFrame(bytes, 'f.bin'))
    })
    expect(sentence).toBe('f.bin: section "liquid" is missing.')
    expect(most).toBeLessThan(2 ** 20)
  })

  it('does not keep honest archives from being read', () => {
    const data = new Float64Array(2 ** 20)
    const read = parseNpz(formatNpz([['a', { data, shape: [2 ** 20] }]], { compress: true }), 'a.npz')
    expect(read.get('a')!.data.length).toBe(data.length)
  })
})
