/** Records in the memory of a machine, by the layouts that the compiler has given them (src/machine/generated/layouts.ts). */

type FieldType = 'i32' | 'u32' | 'usize' | 'f32' | 'f64' | 'u8' | 'bool'

/** Fields with their type and their offset in bytes. */
export interface Layout {
  readonly bytes: number
  readonly fields: Readonly<Record<string, readonly [type: FieldType, offset: number]>>
}

/** A field each, read and written where it is in memory. Addresses are unsigned. */
export type RecordAt<L extends Layout> = { -readonly [Field in keyof L['fields']]: number }

/** Stays valid when the memory grows. */
export function recordAt<L extends Layout>(memory: WebAssembly.Memory, layout: L, address: number): RecordAt<L> {
  let view = new DataView(memory.buffer, address, layout.bytes)
  const now = () => {
    if (view.buffer !== memory.buffer) view = new DataView(memory.buffer, address, layout.bytes)
    return view
  }
  const record = {} as RecordAt<L>
  for (const [field, [type, offset]] of Object.entries(layout.fields)) {
    const { get, set } = ACCESS[type]
    Object.defineProperty(record, field, {
      enumerable: true,
      get: () => get(now(), offset),
      set: (value: number) => set(now(), offset, value),
    })
  }
  return record
}

interface Access {
  get(view: DataView, offset: number): number
  set(view: DataView, offset: number, value: number): void
}

const unsigned: Access = {
  get: (view, offset) => view.getUint32(offset, true),
  set: (view, offset, value) => view.setUint32(offset, value, true),
}
const byte: Access = { get: (view, offset) => view.getUint8(offset), set: (view, offset, value) => view.setUint8(offset, value) }

const ACCESS: Readonly<Record<FieldType, Access>> = {
  usize: unsigned,
  u32: unsigned,
  u8: byte,
  bool: byte,
  i32: { get: (view, offset) => view.getInt32(offset, true), set: (view, offset, value) => view.setInt32(offset, value, true) },
  f32: {
    get: (view, offset) => view.getFloat32(offset, true),
    set: (view, offset, value) => view.setFloat32(offset, value, true),
  },
  f64: {
    get: (view, offset) => view.getFloat64(offset, true),
    set: (view, offset, value) => view.setFloat64(offset, value, true),
  },
}
