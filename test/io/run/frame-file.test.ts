import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { joinParts } from '../../../src/io/bytes/bytes.js'
import { portableCodec } from '../../../src/io/bytes/codec.js'
import { formatContainer } from '../../../src/io/bytes/container.js'
import { nodeCodec } from '../../../src/io/bytes/node-codec.js'
import { parseCheckpoint } from '../../../src/io/run/checkpoint.js'
import { formatFrame, parseFrame } from '../../../src/io/run/frame-file.js'
import { random } from '../../../src/random.js'
import { createFrame } from '../../support/frames.js'
import { refusal } from '../refusal.js'

const encode = (...args: Parameters<typeof formatFrame>) => joinParts(formatFrame(...args).parts)
const codecs = { portable: portableCodec, node: nodeCodec }

describe('a frame file', () => {
  it.each([
    ['3D with all', {}],
    ['2D with all', { shape: [7, 5] }],
    ['only surfaces', { particles: 0, fields: false }],
    ['one cell', { shape: [1, 1, 1] }],
    ['particles alone', { fields: false, particles: 1 }],
  ])('gives the frame back, %s, whichever codec wrote and reads it', (_, options) => {
    const frame = createFrame(options)
    for (const writer of Object.values(codecs)) {
      for (const reader of Object.values(codecs)) expect(parseFrame(encode(frame, writer), 'f.bin', reader)).toEqual(frame)
    }
  })

  it('keeps the bits of NaN, −0 and the smallest numbers', () => {
    const frame = createFrame()
    frame.liquid.set([Number.NaN, -0, 1.4e-45, Number.NEGATIVE_INFINITY])
    new Uint32Array(frame.liquid.buffer)[0] = 0x7fc12345
    const again = parseFrame(encode(frame), 'f.bin')
    expect(new Uint32Array(again.liquid.buffer, again.liquid.byteOffset, 4)).toEqual(new Uint32Array(frame.liquid.buffer, 0, 4))
  })

  it('can lie at any address', () => {
    const frame = createFrame()
    const bytes = encode(frame)
    for (let shift = 0; shift < 8; shift++) {
      const moved = new Uint8Array(bytes.length + shift)
      moved.set(bytes, shift)
      expect(parseFrame(moved.subarray(shift), 'f.bin')).toEqual(frame)
    }
  })

  it('has as many bytes as it says', () => {
    const { parts, bytes } = formatFrame(createFrame())
    expect(parts.reduce((sum, { length }) => sum + length, 0)).toBe(bytes)
  })

  it.each(Object.entries(codecs))(
    'is smaller than its particles, in the order of cells, and keeps their bits (%s)',
    (_, codec) => {
      const cells = createFrame({ shape: [20, 20, 20], particles: 0, fields: false })
      const position = Float32Array.from({ length: 3 * 8 * 8000 }, (_, at) => {
        const cell = Math.floor(at / 24)
        const corner = [cell % 20, Math.floor(cell / 20) % 20, Math.floor(cell / 400)][at % 3]
        return 0.05 * (corner + random(13, at))
      })
      const velocity = position.map((_, at) => 0.5 - random(14, at))
      const frame = { ...cells, particles: { position, velocity } }
      const bytes = encode(frame, codec)
      const without = encode(cells, codec).length
      expect(bytes.length - without).toBeLessThan(0.85 * (position.byteLength + velocity.byteLength))
      expect(parseFrame(bytes, 'f.bin')).toEqual(frame)
    },
  )

  it('of an earlier version, whose particles are stored as they are, is read', () => {
    const frame = createFrame({ fields: false })
    const { grid, index, time, liquid, solid, particles } = frame
    const sections = [
      { name: 'liquid', data: liquid, deflate: 'small' as const },
      { name: 'solid', data: solid, deflate: 'small' as const },
      { name: 'particle-position', data: particles!.position },
      { name: 'particle-velocity', data: particles!.velocity },
    ]
    const header = { shape: [...grid.shape], spacing: grid.spacing, index, time }
    const { parts } = formatContainer({ kind: 'frame', version: 1, header, sections })
    expect(parseFrame(joinParts(parts), 'f.bin')).toEqual(frame)
  })

  it.each(Object.entries(codecs))(
    'is smaller than its fields where they are smooth, and no larger where they are noise (%s)',
    (_, codec) => {
      const frame = createFrame({ shape: [64, 64, 64], particles: 0, fields: false })
      const size = frame.liquid.byteLength + frame.solid.byteLength
      const smooth = encode(frame, codec)
      expect(smooth.length).toBeLessThan(0.6 * size)
      expect(parseFrame(smooth, 'f.bin')).toEqual(frame)
      const bits = new Uint32Array(frame.liquid.buffer)
      for (let at = 0; at < bits.length; at++) bits[at] = 2 ** 32 * random(9, at)
      const noise = encode(frame, codec)
      expect(noise.length).toBeLessThan(size)
      const read = parseFrame(noise, 'f.bin').liquid
      expect(new Uint32Array(read.buffer, read.byteOffset, read.length)).toEqual(bits)
    },
  )
})

describe('a damaged frame file', () => {
  const bytes = encode(createFrame({ shape: [4, 3], particles: 3 }))

  it('is refused wherever it is cut off', () => {
    for (let length = 0; length < bytes.length; length++)
      expect(refusal(() => parseFrame(bytes.slice(0, length), 'runs/f.bin'))).toMatch(/^runs\/f\.bin: /)
  })

  it('is refused whichever bit is flipped', () => {
    for (let at = 0; at < bytes.length; at++) {
      const damaged = bytes.slice()
      damaged[at] ^= 1 << (at % 8)
      expect(refusal(() => parseFrame(damaged, 'runs/f.bin', at % 2 ? nodeCodec : portableCodec))).toMatch(/^runs\/f\.bin: /)
    }
  })

  it('names the section that is damaged or cut', () => {
    const damaged = bytes.slice()
    damaged[damaged.length - 30] ^= 4
    expect(refusal(() => parseFrame(damaged, 'f.bin'))).toMatch(/section "velocity-[yz]" is damaged/)
    expect(refusal(() => parseFrame(bytes.slice(0, -30), 'f.bin'))).toMatch(/cut off in section "velocity-[yz]"/)
  })

  it('is refused with bytes behind its end', () => {
    expect(refusal(() => parseFrame(Uint8Array.of(...bytes, 0), 'f.bin'))).toContain('1 bytes follow')
  })

  it('and random bytes never cause anything but a refusal', () => {
    for (let trial = 0; trial < 300; trial++) {
      const noise = Uint8Array.from({ length: Math.floor(random(11, trial) * 200) }, (_, at) => 256 * random(12, trial, at))
      if (trial % 2) noise.set(bytes.subarray(0, Math.min(noise.length, 20)))
      refusal(() => parseFrame(noise, 'f.bin'))
    }
  })
})

describe('a frame file that was made up', () => {
  const { parts } = formatFrame(createFrame({ shape: [4, 3], particles: 3 }))
  const original = JSON.parse(new TextDecoder().decode(parts[1]))
  /** The same file with another header, its checksum right. */
  const forge = (change: (header: typeof original) => void) => {
    const header = structuredClone(original)
    change(header)
    const text = JSON.stringify(header)
    const head = new TextEncoder().encode(text.padEnd(text.length + ((8 - ((20 + text.length) % 8)) % 8)))
    const prefix = parts[0].slice()
    const view = new DataView(prefix.buffer)
    view.setUint32(12, head.length, true)
    view.setUint32(16, portableCodec.crc32(head), true)
    return joinParts([prefix, head, ...parts.slice(2)])
  }

  it('is read when nothing was changed', () => {
    expect(
      parseFrame(
        forge(() => {}),
        'f.bin',
      ).index,
    ).toBe(1)
  })

  it.each([
    ['of another kind', h => (h.kind = 'checkpoint'), /not a frame file but one of kind "checkpoint"/],
    ['of a later version', h => (h.version = 9), /version 9 is unknown/],
    ['without sections', h => delete h.sections, /header is incomplete/],
    ['with another grid', h => (h.header.shape = [4, 4]), /section "liquid" has 12 values, its grid needs 16/],
    ['with no grid', h => (h.header.shape = [4]), /A grid has 2 or 3 sides/],
    ['with no time', h => (h.header.time = 'now'), /shape, spacing, index and time/],
    ['with a section renamed', h => (h.sections[1].name = 'solids'), /section "solid" is missing/],
    ['with a section twice', h => (h.sections[1].name = 'liquid'), /a unique name/],
    ['with a section of another type', h => (h.sections[0].type = 'i4'), /"liquid" has the wrong element type/],
    ['with a section of no type', h => (h.sections[0].type = '__proto__'), /unknown element type/],
    ['with more values than the grid has', h => h.sections[0].length++, /"liquid" has 13 values, its grid needs 12/],
    ['with fewer values than the grid has', h => h.sections[0].length--, /"liquid" has 11 values, its grid needs 12/],
    ['with more values than packed', h => Object.assign(h.header, { shape: [h.sections[0].length++ + 1, 1] }), /its 13 values/],
    ['with fewer values than packed', h => Object.assign(h.header, { shape: [h.sections[0].length-- - 1, 1] }), /its 11 values/],
    ['with a bomb', h => (h.sections[0].length = 2 ** 40), /cannot unpack to/],
    ['with a negative length', h => (h.sections[0].length = -1), /no valid length/],
    ['with a section that is none', h => (h.sections[2] = 7), /an invalid section/],
  ] as [string, (header: typeof original) => void, RegExp][])('%s is refused', (_, change, sentence) => {
    expect(refusal(() => parseFrame(forge(change), 'f.bin'))).toMatch(sentence)
    expect(refusal(() => parseFrame(forge(change), 'f.bin', nodeCodec))).toMatch(sentence)
  })

  it('with sections of a later version is read without them', () => {
    const frame = createFrame({ shape: [2, 2], particles: 0, fields: false })
    const header = { shape: [2, 2], spacing: 0.1, index: 1, time: 1 / 24 }
    const sections = [
      { name: 'liquid', data: frame.liquid },
      { name: 'solid', data: frame.solid },
      { name: 'colour', data: Uint8Array.of(1, 2, 3) },
    ]
    expect(parseFrame(joinParts(formatContainer({ kind: 'frame', version: 1, header, sections }).parts), 'f.bin')).toEqual(frame)
  })

  it('is not a checkpoint', () => {
    expect(refusal(() => parseCheckpoint(encode(createFrame()), 'c.ckpt'))).toContain(
      'not a checkpoint file but one of kind "frame"',
    )
    expect(refusal(() => parseFrame(deflateRawSync('something else altogether'), 'f.bin'))).toContain('not a frame file of Peel')
  })
})
