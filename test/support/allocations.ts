/** Counts the typed arrays and buffers that are allocated while something runs, and by whom. */

const NAMES = [
  'Float64Array',
  'Float32Array',
  'Int32Array',
  'Uint32Array',
  'Int16Array',
  'Uint16Array',
  'Int8Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'BigInt64Array',
  'BigUint64Array',
] as const

/** Methods that return a new array of the same kind, with memory of its own. */
const COPIERS = ['slice', 'map', 'filter', 'toSorted', 'toReversed', 'with'] as const

export interface Allocation {
  /** Elements of an array, bytes of a buffer. */
  readonly length: number
  /** Lines of code that it comes from. */
  readonly from: string
}

/** All allocations of at least `length` elements. Views of memory that is there already do not count. */
export async function watchAllocations(length: number, run: () => Promise<void>): Promise<Allocation[]> {
  const found: Allocation[] = []
  const note = (own: number) => {
    if (own < length) return
    const lines = new Error().stack!.split('\n').filter(line => !line.includes('allocations.ts') && line.includes('/'))
    found.push({ length: own, from: lines.slice(0, 3).join(' ').replaceAll(/\s+/g, ' ') })
  }
  const stop = [
    ...NAMES.map(name => watchConstructor(name, note)),
    ...watchBuffers(note),
    ...COPIERS.map(name => watchCopier(name, note)),
  ]
  try {
    await run()
  } finally {
    for (const restore of stop) restore()
  }
  return found
}

type Note = (length: number) => void
type Constructor = new (...args: unknown[]) => { readonly byteLength: number; readonly length: number }
const globals = globalThis as unknown as Record<string, Constructor>

function watchConstructor(name: (typeof NAMES)[number], note: Note): () => void {
  const original = globals[name]
  globals[name] = new Proxy(original, {
    construct(target, args, newTarget) {
      const array = Reflect.construct(target, args, newTarget === globals[name] ? target : newTarget)
      const isView = args[0] instanceof ArrayBuffer || args[0] instanceof SharedArrayBuffer
      if (!isView) note(array.length)
      return array
    },
    get(target, key) {
      const value = Reflect.get(target, key)
      if (key !== 'from' && key !== 'of') return value
      return (...args: unknown[]) => {
        const array = value.apply(target, args)
        note(array.length)
        return array
      }
    },
  })
  return () => {
    globals[name] = original
  }
}

function watchBuffers(note: Note): (() => void)[] {
  return ['ArrayBuffer', 'SharedArrayBuffer'].map(name => {
    const original = globals[name]
    globals[name] = new Proxy(original, {
      construct(target, args) {
        const buffer = Reflect.construct(target, args)
        note(buffer.byteLength)
        return buffer
      },
    })
    return () => {
      globals[name] = original
    }
  })
}

function watchCopier(name: (typeof COPIERS)[number], note: Note): () => void {
  const prototype = Object.getPrototypeOf(Int32Array.prototype)
  const original = prototype[name]
  if (!original) return () => {}
  prototype[name] = function (...args: unknown[]) {
    const copy = original.apply(this, args)
    note(copy.length)
    return copy
  }
  return () => {
    prototype[name] = original
  }
}
