/** Damage to valid inputs: bytes, text and JSON. */
import type { Draw } from './fuzz.js'

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  Number.NaN,
  Infinity,
  -Infinity,
  1e308,
  -1e308,
  5e-324,
  1e-7,
  127,
  128,
  255,
  256,
  32767,
  65535,
]
const LARGE = [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 2 ** 53 + 2, -(2 ** 31), -(2 ** 53)]
const EXTREMES = [...NUMBERS, ...LARGE]
/** As text, some of which no number writes. */
export const WORDS = [
  ...EXTREMES.map(value => (Object.is(value, -0) ? '-0' : String(value))),
  ...[
    '1e309',
    '-1e309',
    '1e-400',
    '0x10',
    '1_000',
    '1,5',
    '٣',
    'nan',
    'inf',
    '',
    ' ',
    '--1',
    '1e',
    '.',
    '+1',
    '00',
    '1/0',
    '9'.repeat(400),
  ],
]
export const STRINGS = [
  '',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'prototype',
  '\u0000',
  '\x1b[2J',
  '\u202e',
  '\ud800',
  '🌊'.repeat(50),
  'é',
  '../../etc/passwd',
  'a'.repeat(5000),
  '<script>alert(1)</script>',
  '%s%n',
]

export function mutateBytes(draw: Draw, valid: readonly Uint8Array[]): Uint8Array {
  let bytes: Uint8Array = draw.pick(valid).slice()
  for (let step = 1 + draw.below(4); step > 0; step--) bytes = damage(draw, bytes, valid)
  return bytes
}

function damage(draw: Draw, bytes: Uint8Array, valid: readonly Uint8Array[]): Uint8Array {
  const at = draw.below(bytes.length + 1)
  const length = Math.min(bytes.length - at, draw.below(draw.chance(0.5) ? 8 : 200))
  const join = (...parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts))
  switch (draw.below(9)) {
    case 0:
      if (at < bytes.length) bytes[at] ^= 1 << draw.below(8)
      return bytes
    case 1:
      if (at < bytes.length) bytes[at] = draw.pick([0, 1, 10, 13, 32, 45, 127, 128, 255, draw.below(256)])
      return bytes
    case 2:
      return bytes.slice(0, at)
    case 3:
      return join(bytes.subarray(0, at), bytes.subarray(at + length))
    case 4:
      return join(bytes.subarray(0, at + length), bytes.subarray(at))
    case 5: {
      const other = draw.pick(valid)
      return join(bytes.subarray(0, at), other.subarray(draw.below(other.length + 1)))
    }
    case 6: {
      const room = new DataView(new ArrayBuffer(8))
      const value = draw.pick(EXTREMES)
      if (draw.chance(0.3)) room.setFloat64(0, value, draw.chance(0.5))
      else if (draw.chance(0.5)) room.setFloat32(0, value, draw.chance(0.5))
      else room.setUint32(0, value, draw.chance(0.8))
      bytes.set(new Uint8Array(room.buffer).subarray(0, Math.min(bytes.length - at, draw.pick([2, 4, 8]))), at)
      return bytes
    }
    case 7:
      bytes.fill(draw.pick([0, 255, 32]), at, at + length)
      return bytes
    default:
      return join(
        bytes.subarray(0, at),
        Uint8Array.from({ length: draw.below(40) }, () => draw.below(256)),
        bytes.subarray(at),
      )
  }
}

/** Words, numbers and lines. */
export function mutateText(draw: Draw, valid: readonly string[]): string {
  let text = draw.pick(valid)
  for (let step = 1 + draw.below(3); step > 0; step--) {
    const words = [...text.matchAll(/[^\s,:[\]{}"=/]+/g)]
    const word = words.length > 0 ? draw.pick(words) : undefined
    const lines = text.split('\n')
    const line = draw.below(lines.length)
    switch (draw.below(7)) {
      case 0:
      case 1:
        if (word) text = text.slice(0, word.index) + draw.pick(WORDS) + text.slice(word.index + word[0].length)
        break
      case 2:
        if (word) text = text.slice(0, word.index) + draw.pick(STRINGS) + text.slice(word.index + word[0].length)
        break
      case 3:
        text = lines.toSpliced(line, 1).join('\n')
        break
      case 4:
        text = lines.toSpliced(line, 0, draw.pick(lines)).join('\n')
        break
      case 5:
        text = text.replaceAll('\n', draw.pick(['\r\n', '\r', '\n\n', ' ']))
        break
      default:
        text = new TextDecoder().decode(mutateBytes(draw, [new TextEncoder().encode(text)]))
    }
  }
  return text
}

type Place = { readonly holder: Record<string, unknown> | unknown[]; readonly key: string | number }

/** A copy with some places changed; its text may say more than JavaScript could, such as a key __proto__ of its own. */
export function mutateJson(draw: Draw, valid: readonly unknown[], likely: readonly unknown[] = []): unknown {
  const root = { value: structuredClone(draw.pick(valid)) }
  for (let step = 1 + draw.below(3); step > 0; step--) {
    const places = placesIn(root)
    const { holder, key } = draw.pick(places)
    const there = (holder as Record<string | number, unknown>)[key]
    const put = (value: unknown) => {
      Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true })
    }
    switch (draw.below(9)) {
      case 0:
        if (Array.isArray(holder)) holder.splice(key as number, 1)
        else if (holder !== root) delete holder[key]
        break
      case 1:
        put(draw.pick(EXTREMES))
        break
      case 2:
        put(typeof there === 'number' ? there * draw.pick([-1, 0, 2, 10, 1e3, 1e6, 1e-3, 1e-9]) : draw.pick(STRINGS))
        break
      case 3:
        put(structuredClone(draw.pick([null, true, false, [], {}, [[]], [null], '1', 0])))
        break
      case 4:
        if (Array.isArray(there)) put([...there, ...structuredClone(there)])
        else put([there])
        break
      case 5: {
        const other = draw.pick(placesIn({ value: draw.pick(valid) }))
        put(structuredClone((other.holder as Record<string | number, unknown>)[other.key]))
        break
      }
      case 6: {
        const name = draw.pick(STRINGS)
        if (typeof there === 'object' && there !== null && !Array.isArray(there))
          Object.defineProperty(there, name, {
            value: structuredClone(draw.pick([1, {}, [], 'x'])),
            enumerable: true,
            writable: true,
            configurable: true,
          })
        break
      }
      case 7:
        put(draw.chance(0.1) ? nested(draw) : likely.length > 0 ? structuredClone(draw.pick(likely)) : draw.pick(STRINGS))
        break
      default:
        if (Array.isArray(there) && there.length > 0 && draw.chance(0.3))
          put(Array.from({ length: 1 + draw.below(3000) }, () => structuredClone(there[0])))
        else put(draw.pick(NUMBERS))
    }
  }
  return root.value
}

function placesIn(root: { value: unknown }): Place[] {
  const found: Place[] = []
  const visit = (holder: object) => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      found.push({ holder: holder as Place['holder'], key })
      const inner = (holder as Record<string | number, unknown>)[key]
      if (typeof inner === 'object' && inner !== null && found.length < 2000) visit(inner)
    }
  }
  visit(root)
  return found
}

function nested(draw: Draw): unknown {
  let value: unknown = 1
  for (let depth = draw.pick([10, 100, 1500]); depth > 0; depth--) value = draw.chance(0.5) ? [value] : { of: value }
  return value
}

/** JSON text, where deep values are written without recursion. */
export function mutateJsonText(draw: Draw, valid: readonly unknown[]): string {
  if (draw.chance(0.5)) return mutateText(draw, [JSON.stringify(draw.pick(valid), null, 1)])
  if (draw.chance(0.004)) return '['.repeat(200_000) + ']'.repeat(200_000)
  if (draw.chance(0.004)) return `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
  return JSON.stringify(mutateJson(draw, valid)) ?? ''
}
